/*
 * Mutations that know the container, for LLVMFuzzerCustomMutator: parts are
 * changed, doubled, dropped and exchanged, then lengths, places and checksums put
 * right, so that what lies behind them is reached. Some mutations stay as they are,
 * and with FUZZ_PLAIN=1 in the environment all do, which measures the difference.
 */
#ifndef LAVDM_FUZZ_MUTATE_H
#define LAVDM_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef size_t mutation(uint8_t *data, size_t size, size_t most, unsigned seed);

mutation npy_mutate;  /* length of the header */
mutation zip_mutate;  /* members; sizes, places, checksums and the directory */
mutation png_mutate;  /* chunks; lengths and checksums */
mutation tiff_mutate; /* entries of directories */
mutation hdf5_mutate; /* messages of object headers; checksums of headers, arrays and texts */

void png_repair(uint8_t *data, size_t size); /* the checksum of each chunk */

/* Whether this mutation is to stay plain. */
bool stays_plain(unsigned seed);

/* Changes [at, at+part) of the data, by libFuzzer, to a part of another length; the new size of all. */
size_t mutate_part(uint8_t *data, size_t size, size_t most, size_t at, size_t part, size_t *now);

/* Puts [from, from+part) once more at `to`, or takes it out. */
size_t double_part(uint8_t *data, size_t size, size_t most, size_t from, size_t part, size_t to);
size_t drop_part(uint8_t *data, size_t size, size_t from, size_t part);

#endif
