/* What an .h5ad file holds, sent from a child by h5ad_child.c and taken by h5ad.c. */
#ifndef LAVDM_CLI_IO_H5AD_H
#define LAVDM_CLI_IO_H5AD_H

#include "io/h5.h"

/*
 * Arrays by name: "part", the text that names the matrix; "points", if it is dense; else "data",
 * "indices", "indptr" and "shape": rows, columns, and 1 if rows are stored one after the other (CSR)
 * or 0 (CSC); texts in lines: "ids", "labels", "names", "columns".
 */
typedef struct {
  const char *path, *part, *labels, *ids; /* all but the path may be NULL */
} h5ad_question;

int h5ad_ask(const h5ad_question *q, io_list *list, lavdm_error *error);

/* ---------------------------------------------------- in the child alone */

/* A growing list of lines. */
typedef struct {
  char *text; /* owned */
  int64_t used, room, count;
} h5ad_lines;

int h5ad_add(h5_reading *r, h5ad_lines *l, const char *text);
void h5ad_send(h5_reading *r, const char *name, h5ad_lines *l);

/* A text attribute of an object, as far as it fits; false if it has none. */
enum { H5AD_WORD = 64 };
bool h5ad_attribute(hid_t id, const char *name, char text[H5AD_WORD]);

/* The index of obs or var, if it has one, under that name. */
int h5ad_send_index(h5_reading *r, const char *table, const char *as);

/* A column of obs, the value of an option, likewise; and the names of all. */
int h5ad_send_column(h5_reading *r, const char *name, const char *option, const char *as);
int h5ad_columns(h5_reading *r, h5ad_lines *found);

#endif
