/* What the parts of the application share: sentences, progress. */
#ifndef LAVDM_AVERAGE_SUPPORT_H
#define LAVDM_AVERAGE_SUPPORT_H

#include "lavdm.h"

/* Writes the sentence into error (if not NULL) and returns status. */
int average_fail(lavdm_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef LAVDM_ANALYSE
#define average_fail(error, status, ...) (average_fail(error, status, __VA_ARGS__), (status))
#endif

/* Reports; LAVDM_ERROR_INTERRUPTED if the callback asked to stop. */
int average_progress(const lavdm_options *how, const char *stage, double fraction, lavdm_error *error);

#endif
