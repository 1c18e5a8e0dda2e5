/* Points, images or edges and the options of a fit, all small and all from bytes. */
#ifndef LAVDM_FUZZ_PROBLEM_H
#define LAVDM_FUZZ_PROBLEM_H

#include "bytes.h"
#include "lavdm.h"

enum { PROBLEM_POINTS = 80, PROBLEM_NUMBERS = 1024, PROBLEM_LINKS = 64, PROBLEM_ROWS = 40 };

typedef struct {
  lavdm_data data;
  lavdm_options options;
  lavdm_edges edges;
  double x[PROBLEM_NUMBERS], landmark[PROBLEM_LINKS], weight[PROBLEM_LINKS], element[PROBLEM_LINKS];
  float single[PROBLEM_NUMBERS];
  lavdm_distances distances;
  double distance[PROBLEM_ROWS * PROBLEM_ROWS];
  int64_t start[PROBLEM_ROWS + 1], list[PROBLEM_ROWS * PROBLEM_ROWS];
  int64_t index[PROBLEM_LINKS], row[PROBLEM_LINKS], col[PROBLEM_LINKS];
} problem_t;

void problem_take(bytes_t *b, problem_t *p);

/* Options from bytes: any of the table, mostly with a value that it allows. */
void problem_options(bytes_t *b, lavdm_options *options);

#endif
