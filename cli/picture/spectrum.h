/* Eigenvalues, largest first; those that are drawn beside them dark. */
#ifndef LAVDM_CLI_SPECTRUM_H
#define LAVDM_CLI_SPECTRUM_H

#include "picture/axes.h"

void spectrum_draw(sheet_t *sheet, rect_t cell, const double *value, int64_t count, const int64_t *drawn,
                   int marked);

#endif
