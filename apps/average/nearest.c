#include "average/nearest.h"
#include "average/support.h"

#include <math.h>
#include <stdlib.h>

void nearest_free(nearest_t *nearest) {
  free(nearest->index), free(nearest->distance), free(nearest->angle), free(nearest->reflected);
  *nearest = (nearest_t){0};
}

int nearest_new(int64_t count, int64_t k, bool reflections, nearest_t *out, lavdm_error *error) {
  size_t size = (size_t)(count * k);
  *out = (nearest_t){count,
                     k,
                     malloc(size * sizeof(int64_t)),
                     malloc(size * sizeof(double)),
                     malloc(size * sizeof(double)),
                     reflections ? calloc(size, 1) : NULL};
  if (out->index && out->distance && out->angle && (out->reflected || !reflections)) return LAVDM_OK;
  nearest_free(out);
  return average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for %lld neighbours of %lld images",
                      (long long)k, (long long)count);
}

/* The edges of a list, owned. */
typedef struct {
  int64_t *row, *col;
  double *element, *weight;
  int64_t count;
} edges_t;

static void edges_free(edges_t *e) {
  free(e->row), free(e->col), free(e->element), free(e->weight);
}

/* Rotation by the angle, times diag(1,-1) if reflected. */
static void matrix_of(double angle, bool reflected, double *out) {
  double sign = reflected ? -1 : 1;
  out[0] = cos(angle), out[1] = -sign * sin(angle);
  out[2] = sin(angle), out[3] = sign * cos(angle);
}

static int edges_new(const nearest_t *nearest, int64_t first, const double *weight, edges_t *e,
                     lavdm_error *error) {
  size_t most = (size_t)(nearest->count * nearest->k), width = nearest->reflected ? 4 : 1;
  *e = (edges_t){malloc(most * sizeof(int64_t)), malloc(most * sizeof(int64_t)),
                 malloc(most * width * sizeof(double)), malloc(most * sizeof(double)), 0};
  if (!e->row || !e->col || !e->element || !e->weight) {
    edges_free(e);
    return average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for a graph of %lld edges",
                        (long long)most);
  }
  for (size_t at = 0; at < most; at++) {
    if (nearest->index[at] < 0) continue;
    e->row[e->count] = (int64_t)at / nearest->k;
    e->col[e->count] = nearest->index[at] - first;
    e->weight[e->count] = weight ? weight[at] : 1;
    if (nearest->reflected)
      matrix_of(nearest->angle[at], nearest->reflected[at], e->element + 4 * e->count);
    else
      e->element[e->count] = nearest->angle[at];
    e->count++;
  }
  return LAVDM_OK;
}

int nearest_fit(const nearest_t *nearest, int64_t first, int64_t m, const double *weight, int64_t rank,
                const lavdm_options *how, lavdm_model **model, lavdm_error *error) {
  edges_t e;
  int status = edges_new(nearest, first, weight, &e, error);
  if (status < 0) return status;
  lavdm_element kind = nearest->reflected ? LAVDM_ELEMENT_MATRIX : LAVDM_ELEMENT_ANGLE;
  lavdm_edges edges = {.count = e.count,
                       .row = e.row,
                       .col = e.col,
                       .weight = e.weight,
                       .element = e.element,
                       .kind = kind,
                       .q = 2};
  lavdm_options options; /* those of images made the edges, and are of no use for them */
  lavdm_options_default(&options);
  options.method = m ? LAVDM_METHOD_LAVDM : LAVDM_METHOD_VDM;
  options.bundle = LAVDM_BUNDLE_GIVEN;
  options.components = rank;
  options.time = how->time, options.delta = how->delta;
  options.seed = how->seed, options.threads = how->threads, options.max_memory = how->max_memory;
  options.engine = how->engine;
  options.progress = how->progress, options.progress_user = how->progress_user;
  options.alpha = 0;
  options.tolerance = 1e-3;
  if (m) options.beta = 0;
  lavdm_data data = {.edges = &edges, .n = nearest->count, .landmark_count = m};
  status = lavdm_fit(&data, &options, model, error);
  edges_free(&e);
  return status;
}

int nearest_average(const lavdm_stack *stack, const int64_t *centre, const nearest_t *nearest, double *out,
                    lavdm_error *error) {
  int64_t count = nearest->count, k = nearest->k, at = 0;
  size_t most = (size_t)(count * (k + 1));
  int64_t *first = malloc((size_t)(count + 1) * sizeof *first), *object = malloc(most * sizeof *object);
  double *angle = malloc(most * sizeof *angle), *weight = malloc(most * sizeof *weight);
  signed char *reflected = calloc(most, 1);
  int status = LAVDM_ERROR_MEMORY;
  if (first && object && angle && weight && reflected) {
    for (int64_t g = 0; g < count; g++) {
      first[g] = at;
      object[at] = centre[g], angle[at++] = 0;
      for (int64_t j = g * k; j < (g + 1) * k; j++) {
        if (nearest->index[j] < 0) continue;
        reflected[at] = nearest->reflected && nearest->reflected[j];
        object[at] = nearest->index[j], angle[at++] = nearest->angle[j];
      }
      for (int64_t j = first[g]; j < at; j++) weight[j] = 1 / (double)(at - first[g]);
    }
    first[count] = at;
    status = lavdm_stack_average(stack, first, count, object, angle, reflected, weight, out, error);
  } else {
    average_fail(error, status, "out of memory for %lld averages", (long long)count);
  }
  free(first), free(object), free(angle), free(weight), free(reflected);
  return status;
}
