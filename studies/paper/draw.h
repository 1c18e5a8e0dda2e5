/* Figures and the page, from the CSVs. */
#ifndef LAVDM_EXPERIMENTS_DRAW_H
#define LAVDM_EXPERIMENTS_DRAW_H

#include "common/experiment.h"

/* Draws FIGURE.png and FIGURE.svg with the FIGURE.gp that lies in one of the folders of
 * studies/paper/. */
void draw_figure(const session_t *session, const char *figure);

/* Is there a NAME_summary.csv? */
int has_results(const session_t *session, const char *name);

/* Writes FOLDER.md: one table that sums up, then a section for each experiment that has
 * results. */
void write_page(const session_t *session, const experiment *const *experiments, int count);

#endif
