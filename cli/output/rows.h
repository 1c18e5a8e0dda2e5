/* A result as a table: a row for each point, with its id and label. */
#ifndef LAVDM_CLI_ROWS_H
#define LAVDM_CLI_ROWS_H

#include "output/result.h"

/*
 * Eigenvectors to a .csv or .tsv file: psi0, psi1, ..., or psiL_C, entry C of vector L in the
 * frame of the point, if q > 1. With extras->embedding its coordinates instead: coordinate0, ... if
 * q = 1, else embeddingL_S for each pair. All numbers are from 0, as those of coordinate_index.
 */
int rows_write(const char *path, const lavdm_model *model, const result_extras *extras, lavdm_error *error);

#endif
