/*
 * What the fuzz targets share. A target is a file fuzz_NAME.c with
 *
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
 *
 * that feeds the bytes to one reader and aborts where a promise is broken; the
 * sanitizers watch the rest.
 */
#ifndef LAVDM_FUZZ_H
#define LAVDM_FUZZ_H

#include "io/picture_formats.h"
#include "lavdm.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Aborts with the words unless the promise is kept. */
#define PROMISE(kept, words) ((kept) ? (void)0 : fuzz_broken(words))
_Noreturn void fuzz_broken(const char *words);

/* The path of a file of these bytes, called "x" and the ending; the same path
 * for the same ending, always. It is in memory (memory.c), can only be read, and is
 * there as long as the bytes are. */
const char *fuzz_file(const char *ending, const uint8_t *data, size_t size);

/* The same on the disk, in a folder of TMPDIR that goes at the end. */
const char *fuzz_disk(const char *ending, const uint8_t *data, size_t size);

/* Options of the address sanitizer: too large a malloc returns NULL, as it does
 * without it; blocks that were freed are watched for a while, so that memory stays
 * small; few frames of whoever allocated are kept. */
#define FUZZ_ASAN "allocator_may_return_null=1:quarantine_size_mb=16:malloc_context_size=6"

/* An error comes with its status and one printable sentence. */
void fuzz_check_error(int status, const lavdm_error *error);

/* Shape and type are possible, and every element can be read. */
void fuzz_check_array(const io_array *array);

/* The outcome of a container_reader: each array or the error; frees the list. */
void fuzz_check_list(int status, io_list *list, const lavdm_error *error);

/* What a shape_reader makes of a file: at most so many points of three coordinates, or the error. */
void fuzz_check_shape(shape_reader *read, const char *path, int64_t most);

/* What a picture_reader makes of a file: a picture whose every value lies in its
 * scale, or the error. */
void fuzz_check_picture(picture_reader *read, const char *path);

#endif
