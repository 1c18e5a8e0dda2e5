/* What is asked of a table, and what is told of it. */
#include "input/table.h"
#include "base/command.h"
#include "base/progress.h"
#include "io/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int table_terms_read(const arguments *a, table_terms *out, lavdm_error *error) {
  static const char *const words[] = {"error", "drop", "median"};
  const char *missing = arguments_value(a, "missing");
  *out = (table_terms){.columns = {arguments_value(a, "columns"), arguments_value(a, "drop"),
                                   arguments_value(a, "labels"), arguments_value(a, "ids")},
                       .standardise = arguments_value(a, "standardise") != NULL};
  const column_terms *c = &out->columns;
  out->given = c->columns || c->drop || c->labels || c->ids || missing || out->standardise;
  for (int i = 0; i < 3 && missing; i++)
    if (!strcmp(missing, words[i])) {
      out->missing = (missing_rule)i;
      return LAVDM_OK;
    }
  if (!missing) return LAVDM_OK;
  return refuse(error, STATUS_USAGE, "--missing is '%.60s': it must be one of error|drop|median", missing);
}

int table_terms_none(const arguments *a, lavdm_error *error) {
  table_terms terms;
  int status = table_terms_read(a, &terms, error);
  if (status >= 0 && terms.given)
    return refuse(
        error, STATUS_USAGE,
        "--columns, --drop, --labels, --ids, --missing and --standardise are about points, and there "
        "are none");
  return status;
}

void table_facts_free(table_facts *f) {
  io_texts_free(&f->ids);
  io_texts_free(&f->labels);
  io_texts_free(&f->names);
  free(f->label_name);
  free(f->mean);
  free(f->scale);
  free(f->median);
  notes_free(&f->told);
  notes_free(&f->doubts);
  *f = (table_facts){0};
}

static void tell_lines(const char *text, const char *label, const char *before) {
  for (const char *at = text; at && *at;) {
    int64_t bytes;
    char line[512];
    const char *begin = io_texts_next(&at, &bytes);
    snprintf(line, sizeof line, "%.*s", (int)bytes, begin);
    fprintf(stderr, "%s%s%s\n", before, label, shown(line));
  }
}

void table_tell(const table_facts *facts, bool quiet) {
  if (!facts->told.text && !facts->doubts.text) return;
  progress_clear();
  if (!quiet) tell_lines(facts->told.text, "table        ", "  ");
  tell_lines(facts->doubts.text, "warning: ", "lavdm: ");
}
