/* Landmarks among the nodes of a square graph; see given_through in given.h. */
#include "base/memory.h"
#include "base/sort.h"
#include "graph/given.h"

#include <string.h>

/* Rows that are made one after the other, in any order. */
typedef struct {
  int64_t count, room, q2;
  int32_t *col;
  double *weight, *block;
  int64_t *start, *length; /* of each row; -1: not made yet */
} rows_made;

typedef struct {
  const bsr_t *graph;
  int64_t m;
  int32_t *mark; /* n: which landmark a row is; -1 if it is none */
  rows_made made;
  double *weight, *block; /* m, m q q: the row under way */
  int64_t *touched;       /* m: landmarks that it has */
  char *seen;             /* m: whether it has it */
} job_t;

static int job_new(run_t *run, const bsr_t *g, const int64_t *index, int64_t m, job_t *job) {
  int64_t n = g->rows, q2 = g->q * g->q;
  *job = (job_t){.graph = g,
                 .m = m,
                 .mark = NEW(int32_t, n),
                 .made = {.q2 = q2, .start = NEW(int64_t, n), .length = NEW(int64_t, n)},
                 .weight = NEW(double, m),
                 .block = NEW(double, m *q2),
                 .touched = NEW(int64_t, m),
                 .seen = NEW(char, m)};
  if (!job->mark || !job->made.start || !job->made.length || !job->weight || !job->block || !job->touched ||
      !job->seen)
    return fail_memory(run->error, "the edges to landmarks");
  for (int64_t i = 0; i < n; i++) job->mark[i] = -1, job->made.length[i] = -1;
  for (int64_t k = 0; k < m; k++) job->mark[index[k]] = (int32_t)k;
  return LAVDM_OK;
}

static void job_free(job_t *job) {
  mem_free(job->mark);
  mem_free(job->made.col);
  mem_free(job->made.weight);
  mem_free(job->made.block);
  mem_free(job->made.start);
  mem_free(job->made.length);
  mem_free(job->weight);
  mem_free(job->block);
  mem_free(job->touched);
  mem_free(job->seen);
}

static int make_room(rows_made *made, int64_t more) {
  if (made->count + more <= made->room) return 0;
  int64_t room = 2 * made->room + more + 1024;
  int32_t *col = RESIZE(int32_t, made->col, room);
  if (col) made->col = col;
  double *weight = RESIZE(double, made->weight, room);
  if (weight) made->weight = weight;
  double *block = RESIZE(double, made->block, room * made->q2);
  if (block) made->block = block;
  if (!col || !weight || !block) return LAVDM_ERROR_MEMORY;
  made->room = room;
  return 0;
}

/* The row has landmark k; returns where its block is. */
static double *touch(job_t *job, int64_t k, double w, int64_t *count) {
  double *block = job->block + k * job->made.q2;
  if (!job->seen[k]) {
    job->seen[k] = 1;
    job->touched[(*count)++] = k;
    job->weight[k] = 0;
    memset(block, 0, (size_t)job->made.q2 * sizeof *block);
  }
  job->weight[k] += w;
  return block;
}

/* Row i itself, over `total`. */
static int close_row(job_t *job, int64_t i, int64_t count, double total) {
  rows_made *made = &job->made;
  if (make_room(made, count) < 0) return LAVDM_ERROR_MEMORY;
  sort_integers(job->touched, count); /* columns ascend */
  made->start[i] = made->count;
  made->length[i] = count;
  for (int64_t a = 0; a < count; a++, made->count++) {
    int64_t k = job->touched[a];
    made->col[made->count] = (int32_t)k;
    made->weight[made->count] = job->weight[k] / total;
    for (int64_t b = 0; b < made->q2; b++)
      made->block[made->count * made->q2 + b] = job->block[k * made->q2 + b] / total;
    job->seen[k] = 0;
  }
  return 0;
}

/* The edges of row i that lead to landmarks, itself included if it is one. */
static int near_row(job_t *job, int64_t i) {
  const bsr_t *g = job->graph;
  int64_t count = 0, q = g->q;
  double heaviest = 0;
  bool loop = false;
  for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
    heaviest = g->weight[e] > heaviest ? g->weight[e] : heaviest;
    loop |= g->col[e] == i;
    if (job->mark[g->col[e]] < 0) continue;
    double *block = touch(job, job->mark[g->col[e]], g->weight[e], &count);
    memcpy(block, g->block + e * q * q, (size_t)(q * q) * sizeof *block);
  }
  if (job->mark[i] >= 0 && !loop && heaviest > 0) {
    double *block = touch(job, job->mark[i], heaviest, &count);
    for (int64_t a = 0; a < q; a++) block[a * q + a] = heaviest;
  }
  return count ? close_row(job, i, count, 1) : 0;
}

/* The mean of the neighbours of row i whose rows are below `below` in the order in which they were made. */
static int far_row(job_t *job, int64_t i, int64_t below) {
  const bsr_t *g = job->graph;
  const rows_made *made = &job->made;
  int64_t count = 0, q = g->q;
  double total = 0;
  for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
    int64_t j = g->col[e];
    if (made->length[j] < 0 || made->start[j] >= below) continue;
    total += g->weight[e];
    for (int64_t f = made->start[j]; f < made->start[j] + made->length[j]; f++) {
      double *block = touch(job, made->col[f], g->weight[e] * made->weight[f], &count);
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b < q; b++)
          for (int64_t c = 0; c < q; c++)
            block[a * q + b] += g->block[(e * q + a) * q + c] * made->block[(f * q + c) * q + b];
    }
  }
  return count ? close_row(job, i, count, total) : 0;
}

/* Rows that are joined to those of queue[first .. last-1] and not made yet go behind them; returns the end.
 */
static int64_t add_neighbours(const job_t *job, int64_t first, int64_t last, int64_t *queue, char *far) {
  const bsr_t *g = job->graph;
  int64_t end = last;
  for (int64_t a = first; a < last; a++)
    for (int64_t e = g->start[queue[a]]; e < g->start[queue[a] + 1]; e++) {
      int64_t i = g->col[e];
      if (job->made.length[i] >= 0 || far[i]) continue;
      far[i] = 1;
      queue[end++] = i;
    }
  return end;
}

/* All rows that any landmark reaches, the nearest first; far (n) marks those that none is joined to. */
static int make_rows(run_t *run, job_t *job, char *far) {
  int64_t n = job->graph->rows, first = 0, last = 0, *queue = NEW(int64_t, n);
  int status = queue ? 0 : LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < n && !status && !run_stopped(run, i, n); i++) {
    status = near_row(job, i);
    if (job->made.length[i] >= 0) queue[last++] = i;
  }
  while (!status && first < last && !run_stopped(run, last, n)) {
    int64_t end = add_neighbours(job, first, last, queue, far), below = job->made.count;
    for (int64_t a = last; a < end && !status; a++) status = far_row(job, queue[a], below);
    first = last, last = end;
  }
  mem_free(queue);
  return status < 0 ? fail_memory(run->error, "the edges to landmarks") : run_status(run);
}

/* The rows in order. */
static int arrange(run_t *run, const job_t *job, bsr_t *out) {
  const rows_made *made = &job->made;
  int64_t n = job->graph->rows, q2 = made->q2;
  int status = bsr_new(run, n, job->m, job->graph->q, made->count, true, out);
  if (status < 0) return status;
  for (int64_t i = 0; i < n; i++) {
    int64_t length = made->length[i] > 0 ? made->length[i] : 0, at = out->start[i], from = made->start[i];
    out->start[i + 1] = at + length;
    if (!length) continue;
    memcpy(out->col + at, made->col + from, (size_t)length * sizeof *out->col);
    memcpy(out->weight + at, made->weight + from, (size_t)length * sizeof *out->weight);
    memcpy(out->block + at * q2, made->block + from * q2, (size_t)(length * q2) * sizeof *out->block);
  }
  return LAVDM_OK;
}

int given_through(run_t *run, given_t *given, const int64_t *index, int64_t m) {
  job_t job;
  bsr_t made = {0};
  given->far = NEW(char, given->graph.rows);
  given->col_node = NEW(int64_t, m);
  int status = given->far && given->col_node ? LAVDM_OK : fail_memory(run->error, "the edges to landmarks");
  if (status < 0) return status;
  for (int64_t k = 0; k < m; k++) given->col_node[k] = given->row_node[index[k]];
  status = job_new(run, &given->graph, index, m, &job);
  if (!status) status = make_rows(run, &job, given->far);
  if (!status) status = arrange(run, &job, &made);
  job_free(&job);
  if (status < 0) return status;
  bsr_free(&given->graph);
  given->graph = made;
  return LAVDM_OK;
}
