/* What an .h5ad file holds, sent from a child by h5ad_child.c and taken by h5ad.c. */
#ifndef LAVDM_CLI_IO_H5AD_H
#define LAVDM_CLI_IO_H5AD_H

#include "io/formats.h"

/*
 * Arrays by name: "part", the text that names the matrix; "points", if it is dense; else "data",
 * "indices", "indptr" and "shape": rows, columns, and 1 if rows are stored one after the other (CSR)
 * or 0 (CSC); texts in lines: "ids", "labels", "names", "columns".
 */
typedef struct {
  const char *path, *part, *labels, *ids; /* all but the path may be NULL */
} h5ad_question;

int h5ad_ask(const h5ad_question *q, io_list *list, lavdm_error *error);

#endif
