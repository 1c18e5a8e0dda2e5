/* A result in a copy of the .h5ad file that it was made of. */
#ifndef LAVDM_CLI_CELLS_H
#define LAVDM_CLI_CELLS_H

#include "base/arguments.h"
#include "input/table.h"

/* Before the work: whether the options lead to what such a file holds, functions of the cells. */
int cells_check(const arguments *a, const char *output, lavdm_error *error);

/* As scanpy's tl.diffmap: X_diffmap are the eigenvectors of the symmetric operator, D^(1/2) psi,
 * each of norm 1, the constant one first. */
int cells_write(const char *path, const char *input, const lavdm_model *model, lavdm_error *error);

#endif
