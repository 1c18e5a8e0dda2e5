/* What is wrong with a file, in one sentence that begins with its name. */
#ifndef LAVDM_FILE_SENTENCE_H
#define LAVDM_FILE_SENTENCE_H

#include "lavdm.h"

enum { FILE_LABEL = 200 }; /* bytes of a name that are shown */

/* "LABEL: message", the label shortened from the left and control characters
 * replaced; returns status. */
int file_fail(lavdm_error *error, int status, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int file_memory(lavdm_error *error, const char *label, int64_t bytes);

#endif
