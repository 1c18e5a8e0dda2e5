/*
 * Nearest neighbours by vector diffusion distance, exact. Of each point, first
 * the nearest few by leading principal coordinates (space.h), and their true
 * distances; the k-th of these bounds the k-th of all. Then, unless it is clear
 * that none is left out, all that lie within that bound by principal
 * coordinates, where distances are never larger, and their true distances.
 */
#include "base/memory.h"
#include "embedding/space.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
  BATCH = 64,           /* queries treated together */
  CACHED = 8 << 20,     /* bytes of embedded points that a thread keeps */
  MOST_CACHED = 1 << 13 /* and their number */
};

typedef struct {
  double d2;
  int64_t row;
} found_t;

/* What one thread works with. */
typedef struct {
  const space_t *space;
  neighbour_work *work;
  int64_t slots, *held;    /* which place each slot holds the embedding of; -1: none */
  double *cached;          /* slots x width */
  double *fields;          /* VIEW_ALIGN */
  double *own;             /* width: the embedding of the query */
  double *query;           /* BATCH x coordinates */
  int64_t first, *nearest; /* candidates taken at first, BATCH x first */
  double *d2;              /* by principal coordinates */
  found_t *pool;           /* room */
  int64_t room;
} seeker_t;

static int seeker_new(seeker_t *s, const space_t *space, int64_t first) {
  const view_t *view = space->view;
  int64_t slots = CACHED / (8 * view->width), p = space->tiles.p;
  if (slots > MOST_CACHED) slots = MOST_CACHED;
  if (slots > space->count) slots = space->count;
  if (slots < 1) slots = 1;
  *s = (seeker_t){.space = space,
                  .work = REAL(neighbour_work_new)(),
                  .slots = slots,
                  .held = NEW(int64_t, slots),
                  .cached = NEW(double, slots * view->width),
                  .fields = NEW(double, VIEW_ALIGN(view)),
                  .own = NEW(double, view->width),
                  .query = NEW(double, BATCH *p),
                  .first = first,
                  .nearest = NEW(int64_t, BATCH * first),
                  .d2 = NEW(double, BATCH *first),
                  .pool = NEW(found_t, first),
                  .room = first};
  for (int64_t i = 0; i < slots && s->held; i++) s->held[i] = -1;
  bool whole =
      s->work && s->held && s->cached && s->fields && s->own && s->query && s->nearest && s->d2 && s->pool;
  return whole ? LAVDM_OK : LAVDM_ERROR_MEMORY;
}

static void seeker_free(seeker_t *s) {
  REAL(neighbour_work_free)(s->work);
  mem_free(s->held);
  mem_free(s->cached);
  mem_free(s->fields);
  mem_free(s->own);
  mem_free(s->query);
  mem_free(s->nearest);
  mem_free(s->d2);
  mem_free(s->pool);
}

/* The embedding of a stored point; places next to each other have different slots. */
static const double *embedded(seeker_t *s, int64_t place) {
  const view_t *view = s->space->view;
  int64_t slot = place % s->slots;
  double *row = s->cached + slot * view->width;
  if (s->held[slot] != place) view_row(view, space_row(s->space, place), s->fields, row);
  s->held[slot] = place;
  return row;
}

static int by_distance(const void *a, const void *b) {
  const found_t *x = a, *y = b;
  if (x->d2 != y->d2) return x->d2 < y->d2 ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* Candidates but for the query itself into the pool, by true distance; returns how many. */
static int64_t look(seeker_t *s, int64_t self, const int64_t *candidates, int64_t count) {
  int64_t have = 0;
  for (int64_t c = 0; c < count; c++) {
    if (candidates[c] == self) continue;
    double d2 = view_distance2(s->space->view, s->own, embedded(s, candidates[c]));
    s->pool[have++] = (found_t){d2, space_row(s->space, candidates[c])};
  }
  qsort(s->pool, (size_t)have, sizeof *s->pool, by_distance);
  return have;
}

/* The `need` nearest of the b-th query of the batch, stored at `self`, into the pool. */
static int seek(seeker_t *s, int64_t b, int64_t self, int64_t need) {
  const space_t *space = s->space;
  int64_t width = space->view->width, p = space->tiles.p, start[2];
  memcpy(s->own, embedded(s, self), (size_t)width * sizeof *s->own);
  look(s, self, s->nearest + b * s->first, s->first);
  double bound = sqrt(s->pool[need - 1].d2), reach = space_reach(space, bound);
  bool open = s->first < space->count && sqrt(s->d2[(b + 1) * s->first - 1]) <= reach;
  if (!open || bound == 0) return LAVDM_OK;
  const int64_t *index;
  const double *d2;
  int status = REAL(within)(&space->tiles, s->query + b * p, 1, reach, s->work, start, &index, &d2);
  if (status < 0) return status;
  if (start[1] > s->room) {
    found_t *more = RESIZE(found_t, s->pool, 2 * start[1]);
    if (!more) return LAVDM_ERROR_MEMORY;
    s->pool = more;
    s->room = 2 * start[1];
  }
  look(s, self, index, start[1]);
  return LAVDM_OK;
}

/* What is asked, and where the answers go. */
typedef struct {
  int64_t count, k, need; /* need: k, or as many as there are */
  int64_t (*places)[2];   /* count: where a query is stored, and which it is; ascending */
  int64_t *index;
  double *distance, *alignment;
} questions_t;

/* The answer to one, `have` of them from the pool and the others none. */
static void hand_out(seeker_t *s, const questions_t *asked, int64_t which, int64_t row, int64_t have) {
  int64_t k = asked->k, qq = s->space->view->q * s->space->view->q;
  for (int64_t j = 0; j < k; j++) {
    int64_t to = which * k + j;
    asked->index[to] = j < have ? s->pool[j].row : -1;
    asked->distance[to] = j < have ? sqrt(s->pool[j].d2) : NAN;
    if (!asked->alignment) continue;
    double *o = asked->alignment + to * qq;
    if (j < have)
      view_align(s->space->view, row, s->pool[j].row, s->fields, o);
    else
      for (int64_t e = 0; e < qq; e++) o[e] = NAN;
  }
}

/* Questions begin .. end-1. */
static int one_batch(seeker_t *s, const questions_t *asked, int64_t begin, int64_t end) {
  const tiles_t *tiles = &s->space->tiles;
  int status = LAVDM_OK;
  for (int64_t i = begin; i < end; i++)
    memcpy(s->query + (i - begin) * tiles->p, tiles->x + asked->places[i][0] * tiles->p,
           (size_t)tiles->p * sizeof *s->query);
  status = REAL(nearest)(tiles, s->query, end - begin, s->first, s->work, s->nearest, s->d2);
  for (int64_t i = begin; i < end && status >= 0; i++) {
    int64_t place = asked->places[i][0];
    status = seek(s, i - begin, place, asked->need);
    if (status >= 0) hand_out(s, asked, asked->places[i][1], space_row(s->space, place), asked->need);
  }
  return status;
}

static int by_place(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Questions begin .. end-1 of those in order, over the threads. */
static int answer(run_t *run, const space_t *space, const questions_t *asked, int64_t begin) {
  int64_t count = asked->count - begin, batch = 8 * count < space->count ? 1 : BATCH; /* do they lie close? */
  int64_t batches = (count + batch - 1) / batch, first = asked->need + asked->need / 2 + 9;
  if (first > space->count) first = space->count;
  int status = LAVDM_OK, threads = batches < run->threads ? (int)batches : run->threads;
  seeker_t *seekers = NEW(seeker_t, threads);
  if (!seekers) status = LAVDM_ERROR_MEMORY;
  for (int t = 0; t < threads && !status; t++) status = seeker_new(&seekers[t], space, first);
  if (!status) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(min : status)
    for (int64_t b = 0; b < batches; b++) {
      int64_t from = begin + b * batch, end = from + batch < asked->count ? from + batch : asked->count;
      if (status < 0 || run_stopped(run, b, batches)) continue;
      int made = one_batch(&seekers[omp_get_thread_num()], asked, from, end);
      if (made < status) status = made;
    }
  }
  for (int t = 0; t < threads && seekers; t++) seeker_free(&seekers[t]);
  mem_free(seekers);
  return status < 0 ? fail_memory(run->error, "the neighbours") : run_status(run);
}

/* Points without a place have no neighbours, and are nobody's. */
static int search(run_t *run, const space_t *space, const int64_t *points, questions_t *asked) {
  int64_t nowhere = 0;
  asked->need = asked->k < space->count ? asked->k : space->count - 1;
  for (int64_t i = 0; i < asked->count; i++) {
    asked->places[i][0] = space->stored[points ? points[i] : i];
    asked->places[i][1] = i;
    nowhere += asked->places[i][0] < 0;
  }
  qsort(asked->places, (size_t)asked->count, sizeof *asked->places, by_place);
  if (asked->need < 1) nowhere = asked->count;
  seeker_t nobody = {.space = space};
  for (int64_t i = 0; i < nowhere; i++) hand_out(&nobody, asked, asked->places[i][1], -1, 0);
  return nowhere < asked->count ? answer(run, space, asked, nowhere) : LAVDM_OK;
}

static int check(const lavdm_model *model, const view_t *view, const int64_t *points, int64_t count,
                 int64_t k, lavdm_error *error) {
  int64_t n = view->n, allowed = model->chosen.max_memory;
  if (k < 1 || k > n - 1)
    return fail(error, LAVDM_ERROR_ARGUMENT, "k is %" PRId64 ": it must be from 1 to %" PRId64, k, n - 1);
  for (int64_t i = 0; points && i < count; i++)
    if (points[i] < 0 || points[i] >= n)
      return fail(error, LAVDM_ERROR_ARGUMENT,
                  "point %" PRId64 " is row %" PRId64 " of %" PRId64 " (counted from 0)", i + 1, points[i],
                  n);
  double needed = space_bytes(view);
  if (allowed > 0 && needed > (double)allowed)
    return fail(
        error, LAVDM_ERROR_MEMORY,
        "a search for neighbours needs %.2f GB and max_memory is %.2f GB: fit the model with a larger "
        "max_memory, or ask for a rank below 5",
        needed / 1e9, (double)allowed / 1e9);
  return LAVDM_OK;
}

static int neighbours(const lavdm_model *model, double t, int64_t rank, bool coordinates,
                      const int64_t *points, int64_t count, int64_t k, int64_t *index, double *distance,
                      double *alignment, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  view_t view;
  int status = view_new(model, t, rank, coordinates, &view, error);
  if (!points) count = model->info.n;
  if (!status) status = check(model, &view, points, count, k, error);
  run_t *run = status < 0 || count < 1 ? NULL : NEW(run_t, 1);
  if (!status && count > 0) {
    space_t space = {0};
    questions_t asked = {.count = count,
                         .k = k,
                         .places = (int64_t(*)[2])NEW(int64_t, 2 * count),
                         .index = index,
                         .distance = distance,
                         .alignment = alignment};
    if (!run || !asked.places) status = fail_memory(error, "the neighbours");
    if (run) {
      run->error = error;
      run->threads = view.threads;
      large_start(&run->large, false);
      run->options.progress = model->progress;
      run->options.progress_user = model->progress_user;
      run_stage(run, "neighbours");
      run_part(run, 0, 0); /* what is told is how many are found */
    }
    if (!status) status = space_new(run, &view, &space);
    if (!status) run_part(run, 0, 1);
    if (!status) status = search(run, &space, points, &asked);
    space_free(&space);
    mem_free(asked.places);
  }
  mem_free(run);
  view_free(&view);
  return status;
}

int lavdm_neighbours(const lavdm_model *model, double t, int64_t rank, const int64_t *points, int64_t count,
                     int64_t k, int64_t *index, double *distance, double *alignment, lavdm_error *error) {
  return neighbours(model, t, rank, false, points, count, k, index, distance, alignment, error);
}

int lavdm_diffusion_neighbours(const lavdm_model *model, double t, int64_t rank, const int64_t *points,
                               int64_t count, int64_t k, int64_t *index, double *distance, double *alignment,
                               lavdm_error *error) {
  return neighbours(model, t, rank, true, points, count, k, index, distance, alignment, error);
}
