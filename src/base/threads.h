/*
 * The threads that a run gets, found out before any of its work. Neither OpenMP nor BLAS can be told
 * afterwards: libgomp ends the program when it cannot start a thread, and OpenBLAS asks for ever for the
 * buffer of a thread that calls it.
 */
#ifndef LAVDM_BASE_THREADS_H
#define LAVDM_BASE_THREADS_H

#include "base/status.h"

/* How many of the threads asked for (AUTO: all that are available) can be started; at least 1. For loops
 * that do not call BLAS. */
int threads_startable(int64_t asked);

/* As many of them as there is address space for the buffers of BLAS, which are then mapped; at least 1, or
 * LAVDM_ERROR_MEMORY with what is missing. */
int threads_find(int64_t asked, lavdm_error *error);

/* Bytes of address space that this many threads take besides what a run allocates: buffers and stacks. */
double threads_bytes(int threads);

/*
 * Threads that BLAS may use: 1 while our own loops call it from every thread,
 * run->threads around one large decomposition. Returns the number before.
 */
int blas_threads(int count);

#endif
