/* Sparse matrices: what scipy.sparse.save_npz wrote, and the same arrays in other containers. */
#ifndef LAVDM_CLI_SCIPY_H
#define LAVDM_CLI_SCIPY_H

#include "io/io.h"

/* Row i has value[e] in column index[e], for e from start[i] to start[i+1]-1. Columns
 * ascend within a row, and each is there once: what a file lists twice is added up.
 * Zeros that a file lists stay. */
typedef struct {
  int64_t rows, cols, count;
  int64_t *start; /* rows + 1 */
  int64_t *index; /* count */
  double *value;  /* count */
  char format[8]; /* as the file has it: "csr", "csc" or "coo" */
} io_sparse;

/* 1 if the file is an .npz that SciPy wrote a sparse matrix to; 0 if it is not. */
int scipy_is(const char *path, lavdm_error *error);

/* Reads it: formats csr, csc and coo. The values are as they are, finite or not. */
int scipy_read(const char *path, io_sparse *out, lavdm_error *error);

/*
 * The matrix of three lists that a container called `label` holds: by rows
 * ("csr": indices are columns, start has rows + 1 entries), by columns ("csc"),
 * or entry by entry ("coo": indices are columns, start the rows). The lists are
 * freed, whatever comes of it. Everything is checked: lengths, order, ranges.
 */
int sparse_make(const char *label, const char *format, int64_t rows, int64_t cols, io_array *value,
                io_array *index, io_array *start, io_sparse *out, lavdm_error *error);

/* A sparse matrix of a MAT file of version 5, the only one if there is no name: 1, or 0 if there is none. */
int mat_read_sparse(const char *path, const char *name, io_sparse *out, lavdm_error *error);

void io_sparse_free(io_sparse *sparse); /* accepts a zeroed one */

#endif
