/* What the columns of a table are for: coordinates, labels, ids of the rows. */
#ifndef LAVDM_CLI_COLUMNS_H
#define LAVDM_CLI_COLUMNS_H

#include "io/table.h"

/* What the user said; NULL where nothing. Lists are names, or numbers from 1, or
 * ranges of these as 2-5, between commas. */
typedef struct {
  const char *columns, *drop, *labels, *ids;
} column_terms;

/* Sentences for the summary and for warnings; each ends in a new line. */
typedef struct {
  char *text; /* owned; NULL: none */
  size_t used;
  bool failed; /* without memory */
} column_notes;

void note(column_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_free(column_notes *notes);

typedef struct {
  int64_t *coordinate, count; /* owned: the columns that are coordinates, in order */
  int64_t labels, ids;        /* a column, or -1 */
} column_choice;

/*
 * By what was said, and else by what is there. Ids are a first column of texts that all
 * differ, or whole numbers that do in a column without a name or called index or id; the
 * labels are the first other column of text, of which one value comes twice. `pinned`: names of
 * coordinates in their order, those of a model; or NULL.
 */
int columns_choose(io_table *t, const column_terms *terms, const io_texts *pinned, column_choice *out,
                   column_notes *told, column_notes *doubts, lavdm_error *error);

/* "column 5 'species'", or "column 5". */
enum { COLUMN_TEXT = 128 };
const char *column_text(const io_table *t, int64_t column, char text[COLUMN_TEXT]);

/* What to type for it: its name, or its number. */
const char *column_word(const io_table *t, int64_t column, char text[COLUMN_TEXT]);

/* The column of this name; -1 if there is none, -2 if there are several. */
int64_t column_named(const io_table *t, const char *word, int length);

/* The first and last column that a word means, a value of this option. */
int columns_of(const io_table *t, const char *option, const char *word, int length, int64_t *first,
               int64_t *last, lavdm_error *error);

#endif
