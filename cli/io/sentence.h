/* What is wrong with a file, in one sentence that begins with its name. */
#ifndef LAVDM_CLI_IO_SENTENCE_H
#define LAVDM_CLI_IO_SENTENCE_H

#include "lavdm.h"

enum { IO_LABEL = 200 }; /* bytes of a name that are shown */

/* "LABEL: message", the label shortened from the left and control characters
 * replaced; returns status. */
int io_fail(lavdm_error *error, int status, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int io_memory(lavdm_error *error, const char *label, int64_t bytes);
#ifdef LAVDM_ANALYSE
#define io_fail(error, status, label, ...) (io_fail(error, status, label, __VA_ARGS__), (status))
#define io_memory(error, label, bytes)     (io_memory(error, label, bytes), LAVDM_ERROR_MEMORY)
#endif

/* The sentence for a write that failed with this errno. */
int io_unwritten(lavdm_error *error, const char *path, int reason);

#endif
