#include "poses/afford.h"

#include "base/memory.h"

enum { SMALL = 3000, EDGES_BY_NODE = 5, LARGE = 100000 };

static const double loops_by_node = 0.1;

bool afford_analysis(const part_t *part) {
  if (part->n > LARGE && (double)(part->m - part->n) > loops_by_node * (double)part->n) return false;
  return part->n <= SMALL || part->m <= EDGES_BY_NODE * part->n;
}

double afford_bytes(void) {
  return (double)mem_available() / 4;
}
