/*
 * The page as it is written. Its template has one line, <!-- data -->, in whose place stand blocks of base64
 * (zlib streams of columns, each as soon as it is made) and one of JSON, which says what is in them:
 * report/README.md has the contract. The first failure is kept, and later calls do nothing.
 */
#ifndef LAVDM_REPORT_PAGE_H
#define LAVDM_REPORT_PAGE_H

#include "lavdm/report.h"
#include "report/text.h"

#include <stdbool.h>

enum { REPORT_LARGE = 200000, REPORT_VALUES = 1 << 16 };

typedef struct {
  const lavdm_item *items;
  int count;
  lavdm_report_options options;
  int threads;
  lavdm_file *file;
  lavdm_error *error;
  int status;

  const char *kind;
  int64_t n, rows; /* of the result, and of them shown */
  int64_t *row;    /* which are shown, ascending; NULL: all */

  int blocks;         /* so far */
  report_text arrays; /* members of "arrays" so far */
  report_text notes;  /* elements of "notes" */
} report_page;

/* Keeps the sentence and the status, if there is none yet; returns the status. */
int report_fail(report_page *p, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int report_no_memory(report_page *p, const char *what);

/* A sentence about the page itself, which it shows. */
void report_note(report_page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Tells how far an array is; false if the run is to end, or has failed. */
bool report_goes_on(report_page *p, const char *stage, double fraction);

/* The row of the result that is shown as row i. */
static inline int64_t report_row(const report_page *p, int64_t i) {
  return p->row ? p->row[i] : i;
}

/* ------------------------------------------------------------------ items */

const lavdm_item *report_find(const report_page *p, const char *name);
int64_t report_count(const lavdm_item *item); /* of its numbers */
double report_value(const lavdm_item *item, int64_t i);

/* A text, and its bytes up to the first zero. */
const char *report_string(const lavdm_item *item, int64_t *bytes);

/* True of a number that is a fact of the run: rank 0, or one number as MAT files have it. */
bool report_is_number(const lavdm_item *item);

/*
 * The array of that name, as one with `rank` axes of which the first has `rows` entries (-1: any); out is it
 * with axes of 1 added or taken away (files leave these out). NULL if there is none, or, with the failure
 * set, if it has another shape.
 */
const lavdm_item *report_array(report_page *p, const char *name, int rank, int64_t rows, lavdm_item *out);

/* ----------------------------------------------------------------- arrays */

/* Columns to write: entry (i, column) of a table, i a row of the table. */
typedef double (*report_entry)(const void *source, int64_t i, int64_t column);

typedef struct {
  const char *name;
  int rank;
  int64_t shape[LAVDM_ITEM_RANK]; /* shape[0] rows; the others make the columns, row-major */
  bool whole;                     /* integers */
  report_entry entry;
  const void *source;
  const report_text *names; /* of the columns, as a list of JSON; or NULL */
} report_table;

/* As blocks, a column each. */
void report_columns(report_page *p, const report_table *t);

/* An item as it is: in the JSON if it is small, else as columns. */
void report_values(report_page *p, const lavdm_item *item);

/* The rows of an array that are shown, as columns. */
void report_points(report_page *p, const lavdm_item *item);

/* A block of bytes; its number, or -1. */
int report_block(report_page *p, const void *bytes, size_t count);

/* "name":{"shape":[...] and whatever follows, up to the brace. */
void report_begin(report_page *p, const char *name, int rank, const int64_t *shape);
void report_end(report_page *p);

/* ------------------------------------------------------------------ parts */

void report_facts(report_page *p, report_text *to); /* as one JSON object */
void report_texts(report_page *p);                  /* ids and labels */
void report_data(report_page *p);                   /* points, landmarks, frames, alignment */
void report_spectrum(report_page *p); /* eigenvalues and eigenvectors, and what goes with them */
void report_cover(report_page *p);
void report_colours(report_page *p); /* one number for each point, under any other name */
void report_graph(report_page *p);   /* sync */
void report_averages(report_page *p);
void report_images(report_page *p);

extern const unsigned char report_template[];
extern const size_t report_template_bytes;

#endif
