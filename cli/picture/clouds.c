#include "picture/clouds.h"
#include "base/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 8 };                /* components that principal axes are those of */
static const double PIECE = 0.05; /* of the points: what coordinate_index takes for a piece */

spectral_t spectral_of(const result_t *result, double t) {
  const io_array *vectors = result_find(result, "eigenvectors", IO_REAL, 3),
                 *label = result_find(result, "graph_component", IO_INTEGER, 1);
  spectral_t s = {.lambda = result_find(result, "eigenvalues", IO_REAL, 1)->data,
                  .u = vectors->data,
                  .n = vectors->shape[0],
                  .q = vectors->shape[1],
                  .r = vectors->shape[2],
                  .t = t};
  if (label && io_array_count(label) == s.n) s.label = label->data;
  for (int i = 0; i < result->count; i++) { /* an empty list is one as well */
    const io_array *a = &result->all[i];
    if (a->name && !strcmp(a->name, "coordinate_index") && a->type == IO_INTEGER && s.q == 1)
      s.list = a->data, s.listed = io_array_count(a);
  }
  for (int64_t k = 0; k < s.listed; k++)
    if (s.list[k] < 0 || s.list[k] >= s.r) s.listed = k;
  return s;
}

double spectral_coordinate(const spectral_t *s, int64_t row, int64_t l) {
  return pow(fmax(s->lambda[l], 0), s->t) * s->u[row * s->r + l];
}

int no_room(lavdm_error *error) {
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the picture");
}

/* ----------------------------------------------------------------- clouds */

/* Room for the points of a piece, or of all (-1), at most DRAWING_POINTS, evenly taken. */
static bool cloud_new(const spectral_t *s, int64_t piece, int axes, cloud_t *c) {
  int64_t have = 0, seen = 0;
  for (int64_t i = 0; i < s->n; i++) have += piece < 0 || s->label[i] == piece;
  int64_t most = have < DRAWING_POINTS ? have : DRAWING_POINTS;
  c->axes = axes;
  c->row = calloc((size_t)most + 1, sizeof *c->row);
  c->x = calloc((size_t)(most * axes) + 1, sizeof *c->x);
  for (int64_t i = 0; i < s->n && c->row && c->count < most; i++) {
    if (piece >= 0 && s->label[i] != piece) continue;
    if (seen++ >= c->count * have / most) c->row[c->count++] = i;
  }
  return c->row && c->x;
}

static void name_column(cloud_t *c, int axis, int64_t l) {
  snprintf(c->name[axis], CLOUD_NAME, "eigenvector %" PRId64 " (from 0)", l);
}

int cloud_by_columns(const spectral_t *s, int64_t piece, int axes, const int64_t *column, cloud_t *c,
                     lavdm_error *error) {
  if (!cloud_new(s, piece, axes, c)) return no_room(error);
  c->columns = axes;
  for (int a = 0; a < axes; a++) {
    c->column[a] = column[a];
    name_column(c, a, column[a]);
    for (int64_t i = 0; i < c->count; i++) c->x[i * axes + a] = spectral_coordinate(s, c->row[i], column[a]);
  }
  return LAVDM_OK;
}

/* The coordinates that the result names, then others that are not constant; how many there are. */
int spectral_columns(const spectral_t *s, int64_t *column) {
  int count = 0;
  for (int64_t k = 0; k < s->listed && count < CLOUD_COLUMNS; k++) column[count++] = s->list[k];
  for (int64_t l = 1; l < s->r && count < CLOUD_COLUMNS; l++) {
    bool there = false;
    for (int k = 0; k < count; k++) there |= column[k] == l;
    if (!there) column[count++] = l;
  }
  return count;
}

/* Row i of the embedding: (a_l a_s) <u_l[i], u_s[i]>, l <= s, see lavdm_embedding. */
static void embed_row(const spectral_t *s, int64_t row, int64_t rank, double *out) {
  const double *u = s->u + row * s->q * s->r;
  for (int64_t l = 0; l < rank; l++)
    for (int64_t k = l; k < rank; k++) {
      double dot = 0;
      for (int64_t c = 0; c < s->q; c++) dot += u[c * s->r + l] * u[c * s->r + k];
      *out++ = pow(fmax(s->lambda[l], 0) * fmax(s->lambda[k], 0), s->t) * dot * (l < k ? sqrt(2) : 1);
    }
}

/* Points that were not reached have no embedding: their rows would spoil all axes. */
static void keep_finite(const spectral_t *s, cloud_t *c) {
  int64_t kept = 0;
  for (int64_t i = 0; i < c->count; i++)
    if (isfinite(s->u[c->row[i] * s->q * s->r])) c->row[kept++] = c->row[i];
  c->count = kept;
}

/* axis: from 1, as they are named. */
int cloud_by_axes(const spectral_t *s, int axes, const int64_t *axis, cloud_t *c, lavdm_error *error) {
  static const char *const order[] = {"1st", "2nd", "3rd"};
  int64_t rank = s->r < RANK ? s->r : RANK, width = rank * (rank + 1) / 2, most = 0;
  for (int a = 0; a < axes; a++) most = axis[a] > most ? axis[a] : most;
  if (most > width)
    return refuse(error, STATUS_USAGE,
                  "--axes names axis %" PRId64 ": the embedding has %" PRId64 " principal axes", most, width);
  if (!cloud_new(s, -1, axes, c)) return no_room(error);
  keep_finite(s, c);
  double *x = calloc((size_t)(c->count * width) + 1, sizeof *x),
         *direction = calloc((size_t)(most * width) + 1, sizeof *direction);
  for (int64_t i = 0; x && i < c->count; i++) embed_row(s, c->row[i], rank, x + i * width);
  bool room = x && direction && principal_axes(x, c->count, width, (int)most, direction);
  for (int64_t i = 0; i < c->count && room; i++)
    for (int a = 0; a < axes; a++)
      for (int64_t j = 0; j < width; j++)
        c->x[i * axes + a] += x[i * width + j] * direction[(axis[a] - 1) * width + j];
  for (int a = 0; a < axes; a++) {
    if (axis[a] <= 3)
      snprintf(c->name[a], CLOUD_NAME, "%s principal axis", order[axis[a] - 1]);
    else
      snprintf(c->name[a], CLOUD_NAME, "principal axis %" PRId64, axis[a]);
  }
  snprintf(c->heading, sizeof c->heading, "Embedding, first %" PRId64 " components, t = %g", rank, s->t);
  free(x), free(direction);
  return room ? LAVDM_OK : no_room(error);
}

/* ----------------------------------------------------------------- pieces */

/* How many pieces are large enough for a panel, largest first; 0 if there is but one. */
int spectral_pieces(const spectral_t *s, int64_t *size) {
  int count = 0;
  for (int64_t i = 0; i < s->n && s->label; i++)
    if (s->label[i] >= 0 && s->label[i] < CLOUD_PIECES) size[s->label[i]]++;
  while (count < CLOUD_PIECES && (double)size[count] >= PIECE * (double)s->n) count++;
  return count > 1 ? count : 0;
}

/* The first two of the columns that vary on a piece, by a tenth of their share at least. */
int piece_columns(const spectral_t *s, int64_t piece, const int64_t *list, int listed, int64_t column[2]) {
  int found = 0;
  for (int k = 0; k < listed && found < 2; k++) {
    double sum[2] = {0}, square[2] = {0};
    int64_t count[2] = {0};
    for (int64_t i = 0; i < s->n; i++) {
      int own = s->label[i] == piece;
      double x = s->u[i * s->r + list[k]];
      if (isfinite(x)) sum[own] += x, square[own] += x * x, count[own]++;
    }
    double all = square[0] + square[1],
           varies = square[1] - (count[1] ? sum[1] * sum[1] / (double)count[1] : 0);
    if (varies > 0.1 * all * (double)count[1] / (double)s->n) column[found++] = list[k];
  }
  return found;
}

void cloud_free(cloud_t *c) {
  free(c->x), free(c->row);
  *c = (cloud_t){0};
}
