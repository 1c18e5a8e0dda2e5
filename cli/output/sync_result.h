/* What `sync` found, as a file, as JSON and for people. */
#ifndef LAVDM_CLI_SYNC_RESULT_H
#define LAVDM_CLI_SYNC_RESULT_H

#include "base/arguments.h"
#include "input/graph_file.h"
#include "lavdm/sync.h"

typedef struct {
  const char *input, *output; /* names of files; output may be NULL */
  const char *command;        /* the command line */
  const edge_file *file;
  const lavdm_sync_t *sync;
  int64_t rounds;
  double read_seconds, write_seconds, total_seconds;
} sync_facts;

/* "SO(3)", "Z2", "C4". */
void sync_group_name(const lavdm_sync_t *sync, char name[32]);

/* "radians", "disagreements" (0 or 1) or "Frobenius norm". */
const char *sync_unit(const lavdm_sync_t *sync);

/* Before the work: can this file be written? */
int sync_check_output(const char *path, const char *input, lavdm_error *error);

/* Whole or not at all. */
int sync_write(const sync_facts *facts, lavdm_error *error);

/* The page of --report, if it is asked for. */
int sync_page(const arguments *a, const sync_facts *facts, lavdm_error *error);

int sync_json(const sync_facts *facts, lavdm_error *error);
void sync_print(const sync_facts *facts);

/* Warnings of the library and the note of the reader, on stderr. */
void sync_warn(const sync_facts *facts);

#endif
