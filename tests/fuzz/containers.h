/* What the targets of files with several arrays share. */
#ifndef LAVDM_FUZZ_CONTAINERS_H
#define LAVDM_FUZZ_CONTAINERS_H

#include "fuzz.h"
#include "mutate.h"

/* Options of the sanitizer for what a child process with a limit of memory does. */
#define HDF5_ASAN ":max_allocation_size_mb=250:detect_leaks=0"

/* A file is listed, its last array read, then all of them. */
void check_container(container_reader *read, const char *path);

#endif
