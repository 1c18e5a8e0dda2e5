/* What `distance` found, as a file, as JSON and for people. */
#ifndef LAVDM_CLI_ANSWER_H
#define LAVDM_CLI_ANSWER_H

#include "lavdm.h"

#include <stdbool.h>

typedef enum { ANSWER_PAIRS, ANSWER_TO_ALL, ANSWER_NEIGHBOURS } answer_kind;

/* One line for each pair: `count` of them, or k (the neighbours, or all points)
 * for each of `count` points. */
typedef struct {
  answer_kind kind;
  int64_t count, k, n, q, rank;
  double time;
  bool diffusion;             /* diffusion distance instead */
  const char *model, *output; /* names of files; output may be NULL */
  int64_t *points;            /* count; of pairs 2 count */
  int64_t *index;             /* neighbours; or NULL */
  double *distance;
  double *alignment; /* q x q for each line; NULL for distances to all */
} answer;

/* Number of lines. */
int64_t answer_lines(const answer *a);

/* Before the work: bytes that it will hold. */
double answer_bytes(const answer *a);

/* Whole or not at all. */
int answer_write(const answer *a, lavdm_error *error);

/* One JSON object on stdout, with the numbers unless they are in a file. */
int answer_json(const answer *a, double seconds, lavdm_error *error);

/* Some lines of a table on stdout. */
void answer_print(const answer *a);

void answer_free(answer *a); /* accepts a zeroed one */

#endif
