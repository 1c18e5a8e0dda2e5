/* What `sync` found, as a file, as JSON and for people. */
#ifndef LAVDM_CLI_SYNC_RESULT_H
#define LAVDM_CLI_SYNC_RESULT_H

#include "base/arguments.h"
#include "base/json.h"
#include "input/graph_file.h"
#include "lavdm/sync.h"

typedef struct {
  const char *input, *output; /* names of files; output may be NULL */
  const char *command;        /* the command line */
  const edge_file *file;
  int poses; /* what of pose_format the output is; 0: of no other program */
  const lavdm_sync_t *sync;
  int64_t rounds;
  double read_seconds, write_seconds, total_seconds;
} sync_facts;

/* ------------------------------------------------------- sync_facts.c */

/* "SO(3)", "Z2", "C4". */
void sync_group_name(const lavdm_sync_t *sync, char name[32]);

/* "radians", "disagreements" (0 or 1) or "Frobenius norm". */
const char *sync_unit(const lavdm_sync_t *sync);

/* By lavdm_robust. */
extern const char *const sync_robust_words[];

/* Whether some edge counts by less than its weight. */
bool sync_trusts(const lavdm_sync_t *sync);

/* Edges with less than a quarter of their weight. */
int64_t sync_doubted(const lavdm_sync_t *sync);

/* ------------------------------------------------------- sync_notes.c */

/* What is told beside the warnings of the library, from i = 0: what the reader left out, and what the output
 * has no room for. The file that it is about, or NULL after the last. */
enum { SYNC_NOTE_SIZE = 600 };
const char *sync_note(const sync_facts *facts, int i, char text[SYNC_NOTE_SIZE]);

/* Whether the output is a table of text that begins with the names of nodes. */
bool sync_names_fit(const sync_facts *facts);

/* Those of the library and these. */
void sync_put_warnings(json_builder *b, const sync_facts *facts);

/* Cost, bound, verdict and how it was found; those and more of one component. */
void sync_put_outcome(json_builder *b, const lavdm_sync_t *sync);
json_t *sync_part_json(const lavdm_sync_t *sync, int64_t c); /* NULL without memory */

/* ------------------------------------------------------ sync_result.c */

/* Before the work: can this file be written? */
int sync_check_output(const sync_facts *facts, const char *format, lavdm_error *error);

/* Whole or not at all. */
int sync_write(const sync_facts *facts, lavdm_error *error);

/* The page of --report, if it is asked for. */
int sync_page(const arguments *a, const sync_facts *facts, lavdm_error *error);

/* ------------------------------------------------------- sync_print.c */

int sync_json(const sync_facts *facts, lavdm_error *error);
void sync_print(const sync_facts *facts);

/* All warnings, on stderr. */
void sync_warn(const sync_facts *facts);

#endif
