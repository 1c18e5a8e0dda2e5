/* The command as a function: its folder, and what it prints. */
#ifndef LAVDM_FUZZ_IN_COMMAND_H
#define LAVDM_FUZZ_IN_COMMAND_H

/* Before a run; the first makes the folder and its files: x.npy, x.csv, x.npz, x.mat, x.h5 (points), e.csv
 * (edges), e.g2o, m.h5 and c.h5 (models), i.pgm, i.png, i.tif (pictures), s.mrc (images). */
void command_begin(void);

/* After it: what it printed and, in *said, what it wrote to stderr, until the next run; files that it made
 * go. */
const char *command_end(const char **said);

#endif
