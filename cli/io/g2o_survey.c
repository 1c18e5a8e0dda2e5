/*
 * What a file of g2o says of single poses, and of points. A sensor sits at the offset S of its pose. It saw a
 * point at z: that is S z in the coordinates of the pose, with the information turned alike. It measured its
 * own pose as Z = X S: that is X = Z S^-1, and of the error e of the sensor the pose has A e to first order,
 *
 *     A = ( R   2 [t]x R )
 *         ( 0       R    )    R, t: rotation and translation of S; [t]x v = t x v
 *
 * for the translation and the vector part of the quaternion; so that its information is A^-T I A^-1.
 */
#include "io/g2o_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- offsets */

static int by_id(const void *a, const void *b) {
  const g2o_offset *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->line > y->line) - (x->line < y->line);
}

static int read_offsets(g2o_reader *r) {
  const g2o_lines *list = &r->list[LIST_OFFSET];
  r->offset = calloc((size_t)list->count + 1, sizeof *r->offset);
  if (!r->offset) return io_memory(r->error, r->path, list->count * (int64_t)sizeof *r->offset);
  for (int64_t i = 0; i < list->count; i++) {
    const g2o_line *line = &list->line[i];
    pose_line l = g2o_pose_line(r, line, r->error);
    double value[8];
    int status = pose_line_values(&l, line->tag->numbers, value);
    r->offset[i].line = line->line;
    if (status >= 0) status = pose_line_node(&l, value[0], &r->offset[i].id);
    if (status >= 0)
      status = g2o_pose(&l, line->tag, value + 1, r->offset[i].rotation, r->offset[i].position);
    if (status < 0) return status;
  }
  qsort(r->offset, (size_t)list->count, sizeof *r->offset, by_id);
  return LAVDM_OK;
}

/* The first of its number, or NULL. */
static const g2o_offset *first_offset(const g2o_reader *r, int64_t id) {
  int64_t low = 0, high = r->list[LIST_OFFSET].count, count = high;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (r->offset[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && r->offset[low].id == id ? &r->offset[low] : NULL;
}

/* The offset of a number; 0 without a line of its own is none. */
static int find_offset(const g2o_reader *r, const pose_line *l, double number, g2o_offset *out) {
  *out = (g2o_offset){.rotation = {0}};
  int dim = r->list[LIST_EDGE].line[0].tag->dim, status = pose_line_node(l, number, &out->id);
  if (status < 0) return status;
  const g2o_offset *found = first_offset(r, out->id);
  if (found) *out = *found;
  if (!found && out->id)
    return io_fail(l->error, LAVDM_ERROR_DATA, l->path,
                   "line %lld: there is no line PARAMS_SE%dOFFSET %lld, which says where the sensor is",
                   (long long)l->line, dim, (long long)out->id);
  if (!found && dim == 3) out->rotation[0] = 1;
  return LAVDM_OK;
}

/* ------------------------------------------------------------ information */

/* half becomes the upper half of B' I B, of d x d numbers; B by rows. */
static void congruent(int d, const double *b, double *half) {
  double whole[6][6], product[6][6] = {{0}};
  for (int i = 0, at = 0; i < d; i++)
    for (int k = i; k < d; k++) whole[i][k] = whole[k][i] = half[at++];
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++)
      for (int j = 0; j < d; j++) product[i][k] += whole[i][j] * b[j * d + k];
  for (int i = 0, at = 0; i < d; i++)
    for (int k = i; k < d; k++) {
      double sum = 0;
      for (int j = 0; j < d; j++) sum += b[j * d + i] * product[j][k];
      half[at++] = sum;
    }
}

/* The inverse of A: ( R'  -2 R' [t]x ; 0  R' ). */
static void inverse_adjoint(const g2o_offset *s, double *b) {
  double back[9], t[3];
  pose_matrix(3, s->rotation, true, back);
  memcpy(t, s->position, sizeof t);
  const double cross[9] = {0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0};
  memset(b, 0, 36 * sizeof *b);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      b[i * 6 + k] = b[(i + 3) * 6 + k + 3] = back[3 * i + k];
      for (int j = 0; j < 3; j++) b[i * 6 + k + 3] -= 2 * back[3 * i + j] * cross[3 * j + k];
    }
}

/* ------------------------------------------------------------- sightings */

static int take_sighting(const g2o_reader *r, const g2o_line *line, int64_t i, pose_graph *out,
                         lavdm_error *error) {
  pose_survey *s = &out->survey;
  pose_line l = g2o_pose_line(r, line, error);
  g2o_offset offset = {0};
  double value[12], turn[9];
  int dim = out->dim, count = dim * (dim + 1) / 2, numbers = line->tag->numbers;
  const double *z = value + numbers - count - dim;
  double *half = s->sighted_information + i * count, *at = s->sighted + i * dim;
  int status = pose_line_values(&l, numbers, value);
  if (status >= 0) status = pose_line_node(&l, value[0], &s->sighted_node[i]);
  if (status >= 0) status = pose_line_node(&l, value[1], &s->sighted_point[i]);
  bool moved = line->tag->form == FORM_OFFSET;
  if (status >= 0 && moved) status = find_offset(r, &l, value[2], &offset);
  if (status < 0) return status;
  memcpy(half, value + numbers - count, (size_t)count * sizeof *half);
  memcpy(at, z, (size_t)dim * sizeof *at);
  status = pose_line_semidefinite(&l, dim, half);
  if (status < 0 || !moved) return status;
  pose_matrix(dim, offset.rotation, false, turn);
  for (int a = 0; a < dim; a++) {
    at[a] = offset.position[a];
    for (int b = 0; b < dim; b++) at[a] += turn[a * dim + b] * z[b];
  }
  pose_matrix(dim, offset.rotation, true, turn);
  congruent(dim, turn, half);
  return LAVDM_OK;
}

static int read_sightings(g2o_reader *r, pose_graph *out) {
  pose_survey *s = &out->survey;
  int64_t n = r->list[LIST_SIGHTING].count, dim = out->dim;
  if (!n) return LAVDM_OK;
  s->sighted_node = calloc((size_t)n, sizeof *s->sighted_node);
  s->sighted_point = calloc((size_t)n, sizeof *s->sighted_point);
  s->sighted = calloc((size_t)(n * dim), sizeof *s->sighted);
  s->sighted_information = calloc((size_t)(n * dim * (dim + 1) / 2), sizeof *s->sighted_information);
  if (!s->sighted_node || !s->sighted_point || !s->sighted || !s->sighted_information)
    return io_memory(r->error, r->path, 0);
  s->sightings = n;
  return g2o_each(r, LIST_SIGHTING, take_sighting, out);
}

/* ---------------------------------------------------------------- priors */

/* X = Z S^-1; rotation and place are those of Z. */
static void take_off(const g2o_offset *s, double *rotation, double *place, double *half) {
  const double *q = rotation, x = -s->rotation[1], y = -s->rotation[2], z = -s->rotation[3],
               w = s->rotation[0];
  const double product[4] = {
      q[0] * w - q[1] * x - q[2] * y - q[3] * z, q[0] * x + q[1] * w + q[2] * z - q[3] * y,
      q[0] * y - q[1] * z + q[2] * w + q[3] * x, q[0] * z + q[1] * y - q[2] * x + q[3] * w};
  double turn[9], adjoint[36];
  memcpy(rotation, product, sizeof product);
  pose_matrix(3, rotation, false, turn);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) place[a] -= turn[3 * a + b] * s->position[b];
  inverse_adjoint(s, adjoint);
  congruent(6, adjoint, half);
}

static int take_prior(const g2o_reader *r, const g2o_line *line, int64_t i, pose_graph *out,
                      lavdm_error *error) {
  pose_survey *s = &out->survey;
  const g2o_tag *tag = line->tag;
  pose_line l = g2o_pose_line(r, line, error);
  g2o_offset offset = {0};
  double value[30], rotation[4] = {0};
  int dim = out->dim, count = pose_information(dim), d = dim == 2 ? 3 : 6;
  double *half = s->prior_information + i * count, *place = s->prior_position + i * dim;
  int status = pose_line_values(&l, tag->numbers, value);
  if (status >= 0) status = pose_line_node(&l, value[0], &s->prior_node[i]);
  if (status >= 0 && tag->form == FORM_OFFSET) status = find_offset(r, &l, value[1], &offset);
  if (status >= 0 && tag->form == FORM_PLACE) {
    memcpy(place, value + 1, 2 * sizeof *place);
    memcpy(half, (double[]){value[3], value[4], 0, value[5], 0, 0}, 6 * sizeof *half);
  } else if (status >= 0) {
    status = g2o_pose(&l, tag, value + (tag->form == FORM_OFFSET ? 2 : 1), rotation, place);
    memcpy(half, value + tag->numbers - count, (size_t)count * sizeof *half);
  }
  if (status >= 0) status = pose_line_semidefinite(&l, d, half);
  if (status < 0) return status;
  if (tag->form == FORM_OFFSET) take_off(&offset, rotation, place, half);
  pose_matrix(dim, rotation, true, s->prior_element + i * dim * dim);
  return LAVDM_OK;
}

static int read_priors(g2o_reader *r, pose_graph *out) {
  pose_survey *s = &out->survey;
  int64_t n = r->list[LIST_PRIOR].count, dim = out->dim;
  if (!n) return LAVDM_OK;
  s->prior_node = calloc((size_t)n, sizeof *s->prior_node);
  s->prior_element = calloc((size_t)(n * dim * dim), sizeof *s->prior_element);
  s->prior_position = calloc((size_t)(n * dim), sizeof *s->prior_position);
  s->prior_information = calloc((size_t)(n * pose_information(out->dim)), sizeof *s->prior_information);
  if (!s->prior_node || !s->prior_element || !s->prior_position || !s->prior_information)
    return io_memory(r->error, r->path, 0);
  s->priors = n;
  return g2o_each(r, LIST_PRIOR, take_prior, out);
}

/* ----------------------------------------------------------------- fixed */

/* How many numbers the lines FIX have; and with `id` which. */
static int list_fixed(const g2o_reader *r, int64_t *id, int64_t *count) {
  const char *from, *to;
  *count = 0;
  for (int64_t i = 0; i < r->list[LIST_FIX].count; i++) {
    const g2o_line *line = &r->list[LIST_FIX].line[i];
    for (const char *at = line->at; next_word(&at, line->stop, &from, &to) && *from != '#'; ++*count) {
      pose_line l = {r->path, "FIX", from, to, line->line, r->error};
      double value;
      int64_t node;
      int status = pose_line_values(&l, 1, &value);
      if (status >= 0) status = pose_line_node(&l, value, id ? &id[*count] : &node);
      if (status < 0) return status;
    }
  }
  return LAVDM_OK;
}

/* Nodes whose pose is known stay there; each once. */
static int64_t fix_known(pose_graph *out, const g2o_place *all, const int64_t *id, int64_t count,
                         bool *done) {
  pose_survey *s = &out->survey;
  int64_t unknown = 0;
  int dim = out->dim;
  for (int64_t i = 0; i < count; i++) {
    const g2o_place *found = g2o_find(all, out->posed, id[i]);
    if (!found) unknown++;
    if (!found || done[found->at]) continue;
    int64_t k = s->fixed++, at = found->at;
    done[at] = true;
    s->fixed_node[k] = id[i];
    pose_matrix(dim, out->vertex_rotation + at * pose_width(dim), true, s->fixed_element + k * dim * dim);
    memcpy(s->fixed_position + k * dim, out->vertex_position + at * dim, (size_t)dim * sizeof(double));
  }
  return unknown;
}

static int read_fixed(g2o_reader *r, pose_graph *out) {
  pose_survey *s = &out->survey;
  int64_t count, dim = out->dim, posed = out->posed;
  int status = list_fixed(r, NULL, &count);
  if (status < 0 || !count) return status;
  int64_t *id = calloc((size_t)count, sizeof *id);
  g2o_place *all = g2o_places(out->vertex, posed);
  bool *done = calloc((size_t)posed + 1, sizeof *done);
  s->fixed_node = calloc((size_t)count, sizeof *s->fixed_node);
  s->fixed_element = calloc((size_t)(count * dim * dim), sizeof *s->fixed_element);
  s->fixed_position = calloc((size_t)(count * dim), sizeof *s->fixed_position);
  if (id && all && done && s->fixed_node && s->fixed_element && s->fixed_position) {
    list_fixed(r, id, &count);
    int64_t unknown = fix_known(out, all, id, count, done);
    if (unknown)
      pose_graph_tell(
          out, "%lld node%s of lines FIX left free: no VERTEX line has the pose (points are not fixed)",
          (long long)unknown, unknown == 1 ? "" : "s");
  } else {
    status = io_memory(r->error, r->path, 0);
  }
  free(id);
  free(all);
  free(done);
  return status;
}

int g2o_survey(g2o_reader *r, pose_graph *out) {
  int status = read_offsets(r);
  if (status >= 0) status = read_fixed(r, out);
  if (status >= 0) status = read_priors(r, out);
  if (status >= 0) status = read_sightings(r, out);
  if (status < 0) return status;
  const pose_survey *s = &out->survey; /* nodes that nothing else may name */
  for (int64_t i = 0; i < s->priors; i++) out->vertex[out->vertices++] = s->prior_node[i];
  for (int64_t i = 0; i < s->sightings; i++) out->vertex[out->vertices++] = s->sighted_node[i];
  return LAVDM_OK;
}
