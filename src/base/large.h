/*
 * Arrays of one entry or more for each point. In a streamed run they are mappings of temporary files without
 * a name: the kernel writes them out and reads them back as memory asks for, and large_trim takes what is
 * mapped of them out of the process.
 */
#ifndef LAVDM_BASE_LARGE_H
#define LAVDM_BASE_LARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The arrays of a run that live in files: a ring with its head in run_t. */
typedef struct large_link large_link;
struct large_link {
  large_link *next, *before;
};

/* How large arrays are made, and the ring of those in files. */
typedef struct {
  bool files;
  large_link ring;
} large_t;

void large_start(large_t *large, bool files);

/* Ends the run: arrays that are left go on without it. */
void large_end(large_t *large);

/* count * size zeroed bytes, or NULL. */
void *large_new(large_t *large, int64_t count, size_t size);
void large_free(void *array); /* accepts NULL */

/* Gives the memory back that pages of the array, or of all arrays of the run,
 * take; nothing for arrays in memory. */
void large_trim(void *array);
void large_trim_all(large_t *large);

/* The folder of temporary files, and the bytes that are free there. */
const char *large_folder(void);
int64_t large_free_space(void);

/* Bytes of the process that are in memory now; 0 if not known. */
int64_t memory_resident(void);

#define LARGE(large, type, count) ((type *)large_new((large), (count), sizeof(type)))

#endif
