/* A graph in pieces has a panel for each large one, by the first two coordinates that are not zero on it. */
#include "picture/embed_view.h"
#include "base/command.h"
#include "picture/clouds.h"
#include "picture/field_view.h"
#include "picture/spectrum.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is drawn. */
typedef struct {
  spectral_t s;
  cloud_t cloud[CLOUD_PIECES];
  int clouds;
  colours_t colours;
  field_t field;
} embed_t;

bool embed_view_is(const result_t *result) {
  const io_array *values = result_find(result, "eigenvalues", IO_REAL, 1),
                 *vectors = result_find(result, "eigenvectors", IO_REAL, 3);
  return values && vectors && values->rank == 1 && io_array_count(values) >= vectors->shape[2];
}

/* ------------------------------------------------------------------- what */

/* False if some piece has no two coordinates of its own, so that all are drawn together. */
static bool by_pieces(embed_t *e, const int64_t *list, int listed, int *status, lavdm_error *error) {
  int64_t size[CLOUD_PIECES] = {0}, column[CLOUD_PIECES][2];
  int count = e->s.q == 1 ? spectral_pieces(&e->s, size) : 0;
  for (int k = 0; k < count; k++)
    if (piece_columns(&e->s, k, list, listed, column[k]) < 2) count = 0;
  for (int k = 0; k < count && *status >= 0; k++) {
    cloud_t *c = &e->cloud[e->clouds++];
    *status = cloud_by_columns(&e->s, k, 2, column[k], c, error);
    snprintf(c->heading, sizeof c->heading, "Piece %d of %" PRId64 " points", k + 1, size[k]);
  }
  return count > 0;
}

static int choose_clouds(embed_t *e, const request_t *ask, lavdm_error *error) {
  int64_t list[CLOUD_COLUMNS], first[MOST_AXES] = {1, 2, 3};
  int listed = spectral_columns(&e->s, list), status = LAVDM_OK;
  const spectral_t *s = &e->s;
  bool scalar = s->q == 1 && s->list;
  for (int a = 0; a < ask->axes && ask->chosen; a++)
    if (ask->axis[a] >= s->r || (!scalar && ask->axis[a] < 1))
      return refuse(error, STATUS_USAGE,
                    scalar ? "--axes names eigenvector %" PRId64 ": the result has %" PRId64 ", from 0"
                           : "--axes names axis %" PRId64
                             ": eigenvectors are fields here, and axes are the principal ones of "
                             "the embedding, from 1 (of %" PRId64 " eigenvectors)",
                    ask->axis[a], s->r);
  if (!scalar || listed < ask->axes) {
    e->clouds = 1;
    return cloud_by_axes(s, ask->axes, ask->chosen ? ask->axis : first, &e->cloud[0], error);
  }
  if (!ask->chosen && ask->axes == 2 && by_pieces(e, list, listed, &status, error)) return status;
  e->clouds = 1;
  snprintf(e->cloud[0].heading, sizeof e->cloud[0].heading, "%s, t = %g",
           ask->chosen              ? "Eigenvectors"
           : s->listed >= ask->axes ? "Independent coordinates"
                                    : "Coordinates",
           s->t);
  return cloud_by_columns(s, -1, ask->axes, ask->chosen ? ask->axis : list, &e->cloud[0], error);
}

/* Without colours that were asked for: the third of the coordinates or axes, if there are no panels by piece.
 */
static int default_colours(embed_t *e, lavdm_error *error) {
  int64_t list[CLOUD_COLUMNS];
  const spectral_t *s = &e->s;
  cloud_t *c = &e->cloud[0];
  if (e->clouds != 1) return LAVDM_OK;
  if (c->axes == 3) return colours_ramp(c->x + 2, c->count, 3, c->name[2], &e->colours, error);
  if (!c->columns) {
    cloud_t third = {0};
    int64_t axis[2] = {1, 3};
    if (s->r < 2) return LAVDM_OK;
    int status = cloud_by_axes(s, 2, axis, &third, error);
    if (status >= 0) status = colours_ramp(third.x + 1, third.count, 2, third.name[1], &e->colours, error);
    cloud_free(&third);
    return status;
  }
  int listed = spectral_columns(s, list);
  for (int k = 0; k < listed && k < s->listed; k++) {
    if (list[k] == c->column[0] || list[k] == c->column[1]) continue;
    double *x = calloc((size_t)c->count + 1, sizeof *x);
    char name[CLOUD_NAME];
    if (!x) return no_room(error);
    for (int64_t i = 0; i < c->count; i++) x[i] = spectral_coordinate(s, c->row[i], list[k]);
    snprintf(name, sizeof name, "eigenvector %" PRId64 " (from 0)", list[k]);
    int status = colours_ramp(x, c->count, 1, name, &e->colours, error);
    free(x);
    return status;
  }
  return LAVDM_OK;
}

/* ------------------------------------------------------------------- draw */

static bool put_panels(embed_t *e, const request_t *ask, sheet_t *sheet, rect_t room, bool by_row) {
  bool arrows = ask->field >= 0, good = true;
  int panels = ask->spectrum + (ask->points ? (arrows ? 1 : e->clouds) : 0), at = 0;
  double share[CLOUD_PIECES + 1];
  rect_t cell[CLOUD_PIECES + 1];
  for (int k = 0; k < panels; k++) share[k] = k == 0 && ask->spectrum && panels > 1 ? 0.75 : 1;
  if (e->colours.value && !arrows && ask->points) /* the last has the legend */
    share[panels - 1] += e->clouds > 1 ? 0.35 : 0.25;
  sheet_cells(room, panels, share, cell);
  int64_t drawn[CLOUD_PIECES * MOST_AXES];
  int marked = 0;
  for (int k = 0; k < e->clouds && !arrows; k++)
    for (int a = 0; a < e->cloud[k].columns; a++) drawn[marked++] = e->cloud[k].column[a];
  if (arrows) drawn[marked++] = ask->field;
  if (ask->spectrum) spectrum_draw(sheet, cell[at++], e->s.lambda, e->s.r, drawn, marked);
  if (arrows && ask->points) return field_draw(sheet, cell[at], &e->field, &e->colours);
  for (int k = 0; k < e->clouds && ask->points && good; k++) {
    cloud_t *c = &e->cloud[k];
    scatter_t s = {.x = c->x,
                   .row = by_row ? c->row : NULL,
                   .count = c->count,
                   .axes = c->axes,
                   .heading = c->heading,
                   .name = {c->name[0], c->name[1], c->name[2]},
                   .colours = &e->colours,
                   .legend = k + 1 == e->clouds,
                   .view = ask->view};
    good = scatter_draw(sheet, cell[at++], &s);
  }
  return good;
}

static int draw(embed_t *e, const request_t *ask, bool by_row, lavdm_error *error) {
  drawing p;
  rect_t room;
  paper_t paper = ask->paper;
  bool alone = !ask->spectrum || !ask->points;
  if (!(paper.width > 0)) paper.width = alone ? 3.5 : 7, paper.height = alone ? 2.8 : 2.6;
  int status = drawing_begin(&p, ask->output, &paper, error);
  if (status < 0) return status;
  sheet_t sheet = sheet_begin(&p, &paper, ask->title, &room);
  sheet.headings = ask->headings;
  if (!put_panels(e, ask, &sheet, room, by_row)) status = no_room(error);
  sheet_end(&sheet);
  return drawing_end(&p, status, error);
}

int embed_view_draw(const result_t *result, const request_t *ask, lavdm_error *error) {
  if (ask->data && ask->field < 0)
    return refuse(error, STATUS_USAGE, "--data is for --fields, and for tables of lavdm average");
  if (ask->seen && ask->field < 0 && ask->axes == 2)
    return refuse(error, STATUS_USAGE, "--view is for pictures in space: --3d or --fields");
  embed_t e = {.s = spectral_of(result, ask->time)};
  int status = ask->points ? choose_clouds(&e, ask, error) : LAVDM_OK;
  if (status >= 0 && ask->field >= 0) status = field_read(result, ask, &e.field, error);
  if (status >= 0) status = colours_find(ask->colour, result->all, result->count, e.s.n, &e.colours, error);
  bool by_row = e.colours.value != NULL;
  if (status >= 0 && ask->points && !by_row && ask->field < 0) status = default_colours(&e, error);
  if (status >= 0) status = draw(&e, ask, by_row, error);
  for (int k = 0; k < CLOUD_PIECES; k++) cloud_free(&e.cloud[k]);
  colours_free(&e.colours);
  field_free(&e.field);
  return status;
}
