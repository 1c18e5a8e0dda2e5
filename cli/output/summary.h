/* What a run chose, found and took: as JSON, and for people. */
#ifndef LAVDM_CLI_SUMMARY_H
#define LAVDM_CLI_SUMMARY_H

#include "base/arguments.h"
#include "output/cover.h"
#include "base/json.h"
#include "input/table.h"

/* A run that is over. */
typedef struct {
  const lavdm_options *asked; /* with AUTO where the user left it */
  const lavdm_model *model;
  const lavdm_orientation *verdict; /* of orient; or NULL */
  const cover_t *cover;             /* or NULL */
  const cover_t *shown_cover;       /* for the page alone; or NULL */
  const table_facts *table;         /* or NULL */
  const lavdm_data *data;           /* what was fitted, for the page; or NULL */
  const char *input, *output;       /* names of files; output may be NULL */
  const char *saved;                /* when the checkpoint was that was found; or NULL */
  double began;                     /* on the clock of seconds_now */
  double read_seconds, write_seconds, total_seconds;
} run_facts;

/* True if the value was left to the library. */
bool facts_auto(const run_facts *facts, const char *option);

/* True if the run went through landmarks; if it used a dimension, for frames
 * or for beta; if it had a cut-off. */
bool facts_landmarks(const run_facts *facts);
bool facts_dim(const run_facts *facts);
bool facts_cutoff(const run_facts *facts);

/* Images or signals, and what was compared of them. */
typedef struct {
  int64_t height, width, pixels, bands, compared;
  double radius;
} turned_facts;

/* False if the points were neither. */
bool facts_turned(const run_facts *facts, turned_facts *out);

/* Most memory that the process has held, in bytes. */
int64_t facts_peak_memory(void);

/* Every fact but the times and memory, into an object. */
void facts_put(json_builder *b, const run_facts *facts);

/* The times and the peak of memory, brought up to date. */
void facts_put_times(json_builder *b, const run_facts *facts);

/* "orientable", "not orientable", "cannot tell" for 1, 0, -1; and "probably not orientable (confidence
 * 0.93)". */
enum { VERDICT_SIZE = 64 };
const char *verdict_word(int64_t verdict);
void verdict_text(int64_t verdict, double confidence, char text[VERDICT_SIZE]);

/* For people, on stdout: what was chosen and found, then what it took. */
void summary_print(const run_facts *facts);
void summary_print_cost(const run_facts *facts);

/* The warnings, on stderr. */
void summary_warn(const run_facts *facts);

#endif
