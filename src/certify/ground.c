/* Which positions are held at 0: the middle of a longest way that two searches in breadth find, so that
 * the others are small numbers. */
#include "certify/relaxation.h"

#include "base/memory.h"

typedef struct {
  const part_t *part;
  const double *tau;
  int64_t *queue, *from; /* n each: nodes in the order they were found, and whence */
  int64_t *mark, count;  /* n: the search that found a node last; searches */
} search_t;

/* Everything that edges of weight join to node i. Returns how many are in the queue. */
static int64_t search(search_t *s, int64_t i) {
  const part_t *part = s->part;
  int64_t end = 0;
  s->count++;
  s->queue[end++] = i, s->from[i] = i, s->mark[i] = s->count;
  for (int64_t at = 0; at < end; at++) {
    int64_t node = s->queue[at];
    for (int64_t l = part->start[node]; l < part->start[node + 1]; l++) {
      int64_t other = link_node(part, part->link[l]);
      if (s->mark[other] == s->count || !(s->tau[part->link[l] / 2] > 0)) continue;
      s->queue[end++] = other, s->from[other] = node, s->mark[other] = s->count;
    }
  }
  return end;
}

/* The middle of the way from the node found last back to where the search began. */
static int64_t middle(const search_t *s, int64_t found) {
  int64_t slow = s->queue[found - 1], fast = slow;
  while (s->from[fast] != fast) {
    fast = s->from[s->from[fast]];
    slow = s->from[slow];
  }
  return slow;
}

static void ground_piece(search_t *s, relaxation_t *t, int64_t i) {
  int64_t found = search(s, i);
  found = search(s, s->queue[found - 1]);
  int64_t root = middle(s, found);
  t->ground[root] = true;
  for (int64_t at = 0; at < found; at++) t->root[s->queue[at]] = root;
}

int relaxation_ground(run_t *run, relaxation_t *t) {
  int64_t n = t->n;
  search_t s = {t->problem->part, t->problem->tau, NEW(int64_t, n), NEW(int64_t, n), NEW(int64_t, n), 0};
  int status = s.queue && s.from && s.mark ? LAVDM_OK : fail_memory(run->error, "the proof");
  for (int64_t i = 0; i < n && !status; i++) t->root[i] = -1;
  for (int64_t i = 0; i < n && !status; i++)
    if (t->root[i] < 0) ground_piece(&s, t, i);
  mem_free(s.queue);
  mem_free(s.from);
  mem_free(s.mark);
  return status;
}
