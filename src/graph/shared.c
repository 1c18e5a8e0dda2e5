/*
 * 1. The neighbours of the points here among those of all ranks.
 * 2. Every rank is told which of its points others have found; the union of both directions.
 * 3. Blocks of the columns that come after the row in the stored order of all points; those before it from
 *    the ranks that have made them, transposed.
 * 4. Columns get the numbers of the rows of all ranks.
 */
#include "graph/shared.h"

#include "base/memory.h"
#include "graph/square.h"

#include <stdlib.h>
#include <string.h>

/* How points are numbered: stored as they are in `all`, or rank after rank as each stores its own. */
typedef struct {
  const team_t *team;
  int64_t n, first, total; /* points here, of the ranks before, of all */
  int64_t *bounds;         /* ranks + 1: where the points of each rank begin */
  int64_t *number;         /* total: that of each stored point of `all` */
  int64_t *place;          /* total: the stored point of `all` that each number is */
} numbers_t;

static void numbers_free(numbers_t *s) {
  mem_free(s->bounds);
  mem_free(s->number);
  mem_free(s->place);
}

static int numbers_new(run_t *run, const tiles_t *points, const tiles_t *all, numbers_t *s) {
  const team_t *team = run->team;
  *s = (numbers_t){.team = team, .n = points->n, .total = all->n};
  int64_t ranks, at, *counts = team_rows(team, &s->n, 1, sizeof s->n, &at, &ranks);
  int64_t *rows = team_rows(team, points->order, s->n, sizeof *rows, &s->first, &s->total);
  s->bounds = NEW(int64_t, team->ranks + 1);
  s->number = NEW(int64_t, all->n);
  s->place = NEW(int64_t, all->n);
  bool whole = counts && rows && s->bounds && s->number && s->place;
  if (whole) {
    for (int k = 0; k < team->ranks; k++) s->bounds[k + 1] = s->bounds[k] + counts[k];
    for (int k = 0; k < team->ranks; k++) /* place: of rows of the data, their numbers */
      for (int64_t i = s->bounds[k]; i < s->bounds[k + 1]; i++) s->place[s->bounds[k] + rows[i]] = i;
    for (int64_t c = 0; c < all->n; c++) s->number[c] = s->place[all->order[c]];
    for (int64_t c = 0; c < all->n; c++) s->place[s->number[c]] = c;
  }
  mem_free(counts);
  mem_free(rows);
  return team_agree(team, whole ? LAVDM_OK : fail_memory(run->error, "the points of all ranks"));
}

static int owner(const numbers_t *s, int64_t number) {
  int low = 0, high = s->team->ranks - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (s->bounds[middle + 1] <= number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---------------------------------------------------------------- messages */

/* Of an edge, to the rank of its column: that column's number, the place of the row, the weight, and the
 * block transposed. All of them doubles, which hold such numbers exactly. */
enum { HEAD = 3 };

typedef struct {
  int64_t count, width; /* messages, and doubles of each */
  double *value;
} mail_t;

static void write_message(const numbers_t *s, const bsr_t *g, int64_t i, int64_t e, bool blocks, double *to) {
  int64_t q = g->q;
  to[0] = (double)s->number[g->col[e]];
  to[1] = (double)s->place[s->first + i];
  to[2] = g->weight[e];
  for (int64_t a = 0; blocks && a < q; a++)
    for (int64_t b = 0; b < q; b++) to[HEAD + b * q + a] = g->block[(e * q + a) * q + b];
}

/* send (ranks): messages to each; receive: from each. */
static int agree_counts(const team_t *team, const int64_t *send, int64_t *receive) {
  int64_t first, total, *all = team_rows(team, send, team->ranks, sizeof *send, &first, &total);
  for (int k = 0; all && k < team->ranks; k++) receive[k] = all[k * team->ranks + team->rank];
  mem_free(all);
  return all ? LAVDM_OK : LAVDM_ERROR_MEMORY;
}

/* Whether the other end of an edge is to be told. */
static bool is_told(const numbers_t *s, const bsr_t *g, int64_t i, int64_t e, bool blocks) {
  return !blocks || g->col[e] > s->place[s->first + i];
}

/* Tells the other end of every edge; with blocks, of those whose blocks were made here. */
static int tell_ends(run_t *run, const numbers_t *s, const bsr_t *g, bool blocks, mail_t *in) {
  const team_t *team = s->team;
  int ranks = team->ranks, status = LAVDM_OK;
  int64_t *send = NEW(int64_t, ranks), *receive = NEW(int64_t, ranks), *at = NEW(int64_t, ranks + 1);
  double *out = NULL;
  *in = (mail_t){.width = HEAD + (blocks ? g->q * g->q : 0)};
  if (send && receive && at) {
    for (int64_t i = 0; i < s->n; i++)
      for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
        if (is_told(s, g, i, e, blocks)) send[owner(s, s->number[g->col[e]])]++;
    for (int k = 0; k < ranks; k++) at[k + 1] = at[k] + send[k];
    out = NEW(double, at[ranks] * in->width);
  }
  if (!out) status = LAVDM_ERROR_MEMORY;
  status = team_agree(team, status);
  if (!status) {
    for (int64_t i = 0; i < s->n; i++)
      for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
        if (is_told(s, g, i, e, blocks))
          write_message(s, g, i, e, blocks, out + at[owner(s, s->number[g->col[e]])]++ * in->width);
    status = agree_counts(team, send, receive);
  }
  for (int k = 0; k < ranks && !status; k++) in->count += receive[k];
  if (!status) in->value = NEW(double, in->count * in->width);
  status = team_agree(team, status || !in->value ? LAVDM_ERROR_MEMORY : LAVDM_OK);
  if (!status)
    status =
        team->exchange(team->context, out, send, in->value, receive, (size_t)in->width * sizeof *in->value);
  mem_free(send);
  mem_free(receive);
  mem_free(at);
  mem_free(out);
  if (!status) return LAVDM_OK;
  mem_free(in->value);
  in->value = NULL;
  return fail_memory(run->error, "the edges between ranks");
}

/* -------------------------------------------------------------- the union */

typedef struct {
  int64_t col, from; /* from: the edge that it was */
  double weight;
} edge_t;

static int by_column(const void *a, const void *b) {
  const edge_t *x = a, *y = b;
  return (x->col > y->col) - (x->col < y->col);
}

/* Sorts `count` edges by column and leaves one of each; returns how many. */
static int64_t sort_edges(edge_t *edges, int64_t count) {
  int64_t kept = 0;
  qsort(edges, (size_t)count, sizeof *edges, by_column);
  for (int64_t e = 0; e < count; e++)
    if (!kept || edges[e].col != edges[kept - 1].col) edges[kept++] = edges[e];
  return kept;
}

/* out = what was found here or by others, with room for blocks of size q. */
static int join_directions(run_t *run, const numbers_t *s, const bsr_t *found, const mail_t *mail, int64_t q,
                           bsr_t *out) {
  int64_t n = s->n, total = 0;
  int64_t *start = NEW(int64_t, n + 1), *count = NEW(int64_t, n);
  edge_t *edges = NEW(edge_t, found->start[n] + mail->count);
  int status = start && count && edges ? LAVDM_OK : fail_memory(run->error, "the connection graph");
  if (!status) {
    for (int64_t e = 0; e < mail->count; e++) start[(int64_t)mail->value[e * mail->width] - s->first + 1]++;
    for (int64_t i = 0; i < n; i++) start[i + 1] += start[i] + found->start[i + 1] - found->start[i];
    for (int64_t i = 0; i < n; i++)
      for (int64_t e = found->start[i]; e < found->start[i + 1]; e++)
        edges[start[i] + count[i]++] = (edge_t){found->col[e], e, found->weight[e]};
    for (int64_t e = 0; e < mail->count; e++) {
      const double *told = mail->value + e * mail->width;
      int64_t i = (int64_t)told[0] - s->first;
      edges[start[i] + count[i]++] = (edge_t){(int64_t)told[1], e, told[2]};
    }
    for (int64_t i = 0; i < n; i++) total += count[i] = sort_edges(edges + start[i], count[i]);
    status = bsr_new(run, n, s->total, q, total, true, out);
  }
  for (int64_t i = 0; i < n && !status; i++) {
    out->start[i + 1] = out->start[i] + count[i];
    for (int64_t e = 0; e < count[i]; e++) {
      out->col[out->start[i] + e] = (int32_t)edges[start[i] + e].col;
      out->weight[out->start[i] + e] = edges[start[i] + e].weight;
    }
  }
  mem_free(start);
  mem_free(count);
  mem_free(edges);
  return status;
}

/* ------------------------------------------------------------------ blocks */

static int make_blocks(run_t *run, const numbers_t *s, const source_t *source, bsr_t *g, int64_t *ill) {
  int64_t q2 = g->q * g->q;
  mail_t mail;
  int status = team_agree(s->team, REAL(square_blocks)(run, source, s->place + s->first, g, ill));
  if (status < 0 || !source->elements) return status;
  status = tell_ends(run, s, g, true, &mail);
  for (int64_t e = 0; e < mail.count && !status; e++) {
    const double *told = mail.value + e * mail.width;
    int64_t at = bsr_find(g, (int64_t)told[0] - s->first, (int64_t)told[1]);
    if (at >= 0) memcpy(g->block + at * q2, told + HEAD, (size_t)q2 * sizeof *told);
  }
  mem_free(mail.value);
  return status;
}

/* Columns from stored points to numbers, ascending again. */
static int number_columns(run_t *run, const numbers_t *s, bsr_t *g) {
  int64_t q2 = g->q * g->q, widest = 1;
  for (int64_t i = 0; i < g->rows; i++)
    if (g->start[i + 1] - g->start[i] > widest) widest = g->start[i + 1] - g->start[i];
  edge_t *row = NEW(edge_t, widest);
  double *block = NEW(double, widest *q2);
  int status = row && block ? LAVDM_OK : fail_memory(run->error, "the connection graph");
  for (int64_t i = 0; i < g->rows && !status; i++) {
    int64_t first = g->start[i], count = g->start[i + 1] - first;
    for (int64_t e = 0; e < count; e++)
      row[e] = (edge_t){s->number[g->col[first + e]], e, g->weight[first + e]};
    qsort(row, (size_t)count, sizeof *row, by_column);
    memcpy(block, g->block + first * q2, (size_t)(count * q2) * sizeof *block);
    for (int64_t e = 0; e < count; e++) {
      g->col[first + e] = (int32_t)row[e].col;
      g->weight[first + e] = row[e].weight;
      memcpy(g->block + (first + e) * q2, block + row[e].from * q2, (size_t)q2 * sizeof *block);
    }
  }
  mem_free(row);
  mem_free(block);
  return status;
}

int REAL(shared_build)(run_t *run, const tiles_t *points, const tiles_t *all, const source_t *source,
                       const kernel_t *kernel, lavdm_edge_rule rule, int64_t k, bsr_t *out, int64_t *ill) {
  const team_t *team = run->team;
  memset(out, 0, sizeof *out);
  *ill = 0;
  bsr_t found = {0};
  mail_t mail = {0};
  numbers_t s;
  int status = numbers_new(run, points, all, &s);
  if (!status)
    status = team_agree(team, REAL(square_directed)(run, points, all, kernel, NULL, rule, k, &found));
  if (!status) status = tell_ends(run, &s, &found, false, &mail);
  if (!status) status = team_agree(team, join_directions(run, &s, &found, &mail, source->q, out));
  bsr_free(&found);
  mem_free(mail.value);
  if (!status) status = make_blocks(run, &s, source, out, ill);
  if (!status) status = team_agree(team, number_columns(run, &s, out));
  if (!status) status = team_count(team, ill, 1);
  numbers_free(&s);
  if (status < 0) bsr_free(out);
  return status;
}
