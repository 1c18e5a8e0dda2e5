/*
 * Synchronisation: a small graph and its options from the bytes. What is found
 * are elements of the group, one for each node, and the same again by the same
 * options.
 */
#include "fuzz.h"
#include "bytes.h"
#include "lavdm/sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 96, SIZE = 4 };

typedef struct {
  lavdm_edges edges;
  lavdm_sync_options options;
  int64_t row[EDGES], col[EDGES], node[4];
  double weight[EDGES], element[EDGES * SIZE * SIZE], shift[EDGES * SIZE], shift_weight[EDGES];
} problem;

/* An element of the group, mostly: others must be refused. */
static void take_element(bytes_t *b, const lavdm_edges *e, double *out) {
  if (e->kind == LAVDM_ELEMENT_SIGN) {
    *out = bytes_below(b, 2) ? 1 : -1;
  } else if (e->kind == LAVDM_ELEMENT_MATRIX) {
    int64_t q = e->q, i = bytes_below(b, (int)q), k = bytes_below(b, (int)q);
    double angle = bytes_below(b, 16) ? bytes_below(b, 64) / 10.0 : bytes_number(b), c = cos(angle),
           s = sin(angle);
    for (int64_t a = 0; a < q * q; a++) out[a] = a % (q + 1) == 0;
    if (i != k) out[i * q + i] = out[k * q + k] = c, out[i * q + k] = s, out[k * q + i] = -s;
    if (!bytes_below(b, 8)) out[0] = -out[0];
  } else {
    for (int i = 0; i < (e->kind == LAVDM_ELEMENT_QUATERNION ? 4 : 1); i++) out[i] = bytes_number(b);
  }
}

static void take_edges(bytes_t *b, problem *p) {
  static const int per[] = {0, 1, 1, 0, 4};
  lavdm_edges *e = &p->edges;
  e->kind = (lavdm_element)bytes_below(b, 5);
  e->q = e->kind == LAVDM_ELEMENT_MATRIX ? 1 + bytes_below(b, SIZE) : 0;
  int each = e->kind == LAVDM_ELEMENT_MATRIX ? (int)(e->q * e->q) : per[e->kind],
      nodes = 2 + bytes_below(b, 40);
  while (b->left > 0 && e->count < EDGES) {
    int64_t i = e->count++;
    p->row[i] = bytes_below(b, nodes);
    p->col[i] = bytes_below(b, nodes);
    p->weight[i] = bytes_below(b, 4) ? 1 : fabs(bytes_number(b));
    take_element(b, e, p->element + i * each);
    for (int a = 0; a < SIZE; a++) p->shift[i * SIZE + a] = bytes_below(b, 9) - 4;
    p->shift_weight[i] = bytes_below(b, 4) ? 1 : fabs(bytes_number(b));
  }
  e->row = p->row, e->col = p->col, e->weight = p->weight, e->element = each ? p->element : NULL;
}

static void take_options(bytes_t *b, problem *p) {
  lavdm_sync_options *o = &p->options;
  lavdm_sync_default(o);
  o->group = (lavdm_group)bytes_below(b, 6);
  o->order = bytes_below(b, 12) - 1;
  o->refine = bytes_below(b, 2);
  o->rounds = bytes_below(b, 5) - 1;
  o->seed = (uint64_t)bytes_below(b, 256);
  o->threads = 1;
  if (bytes_below(b, 2)) o->shift = p->shift;
  if (bytes_below(b, 2)) o->shift_weight = p->shift_weight;
  for (int i = 0; i < 4; i++) p->node[i] = bytes_below(b, 64) - 2;
  if (!bytes_below(b, 4)) o->nodes = p->node, o->node_count = bytes_below(b, 5);
}

static void check_elements(const lavdm_sync_t *s) {
  int64_t q = s->q;
  for (int64_t i = 0; i < s->n; i++) {
    const double *r = s->element + i * q * q;
    for (int64_t a = 0; a < q; a++)
      for (int64_t c = 0; c < q; c++) {
        double sum = 0;
        for (int64_t l = 0; l < q; l++) sum += r[a * q + l] * r[c * q + l];
        PROMISE(fabs(sum - (a == c)) < 1e-8, "an element is orthogonal");
      }
    PROMISE(s->component[i] >= -1 && s->component[i] < s->components, "a node has a component or none");
    for (int64_t a = 0; s->position && a < q; a++)
      PROMISE(isfinite(s->position[i * q + a]), "a position is finite");
  }
  for (int64_t e = 0; e < s->edges; e++) {
    PROMISE(s->trust[e] >= 0 && s->trust[e] <= 1, "trust is 0 to 1");
    PROMISE(!(s->residual[e] < 0), "a residual is not negative");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static problem p;
  bytes_t b = {data, size};
  lavdm_sync_t *sync = NULL, *again = NULL;
  lavdm_error error = {0};
  memset(&p, 0, sizeof p);
  take_options(&b, &p);
  take_edges(&b, &p);
  int status = lavdm_sync(&p.edges, &p.options, &sync, &error);
  fuzz_check_error(status, &error);
  PROMISE((status >= 0) == (sync != NULL), "there is an answer or an error");
  if (!sync) return 0;
  check_elements(sync);
  if (size % 8 == 0) {
    PROMISE(lavdm_sync(&p.edges, &p.options, &again, &error) == status && again->n == sync->n,
            "what was solved is solved again");
    size_t bytes = (size_t)(sync->n * sync->q * sync->q) * sizeof(double);
    PROMISE(!memcmp(sync->element, again->element, bytes), "the same graph has the same answer");
    lavdm_sync_free(again);
  }
  lavdm_sync_free(sync);
  return 0;
}
