/*
 * Blocks of memory that this program has taken and not given back: those of malloc, calloc and realloc as the
 * linker wraps them (tests/unit/memory_wrapped.h). What shared libraries take for themselves is not among
 * them.
 */
#ifndef LAVDM_TESTS_LIVE_H
#define LAVDM_TESTS_LIVE_H

#include <stdbool.h>
#include <stdint.h>

/* NULL is no block. From any thread. */
void live_add(void *block);

/* Whether it was one of them. */
bool live_drop(void *block);

int64_t live_count(void);

/* The most bytes that were taken at a time since live_begin, beyond those taken then. */
void live_begin(void);
int64_t live_peak(void);

#endif
