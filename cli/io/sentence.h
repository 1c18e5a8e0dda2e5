/* What is wrong with a file, in one sentence that begins with its name; and text that a terminal may see. */
#ifndef LAVDM_CLI_IO_SENTENCE_H
#define LAVDM_CLI_IO_SENTENCE_H

#include "lavdm.h"

#include <stddef.h>

enum { IO_LABEL = 200 }; /* bytes of a name that are shown */

/* "LABEL: message", the label shortened from the left, as text_show shows it;
 * returns status. */
int io_fail(lavdm_error *error, int status, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int io_memory(lavdm_error *error, const char *label, int64_t bytes);
#ifdef LAVDM_ANALYSE
#define io_fail(error, status, label, ...) (io_fail(error, status, label, __VA_ARGS__), (status))
#define io_memory(error, label, bytes)     (io_memory(error, label, bytes), LAVDM_ERROR_MEMORY)
#endif

/* The sentence for a write that failed with this errno. */
int io_unwritten(lavdm_error *error, const char *path, int reason);

/*
 * Text of any origin as a terminal or a message may have it: bytes of control
 * characters (C0, DEL, C1), of those that turn the direction of writing, and of
 * what is not UTF-8 become \xNN; all else stays. `to` holds `size` bytes at
 * least 1, and what does not fit is cut off. Shown once more it stays as it is.
 */
void text_show(char *to, size_t size, const char *from);

/* The same in a buffer of its own, good until it is called four times more. */
const char *shown(const char *text);

/* Bytes of the text, `most` of them at most, that do not cut a character. */
int text_cut(const char *text, int most);

#endif
