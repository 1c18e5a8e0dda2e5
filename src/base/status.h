/* Errors: one sentence for the caller, written once, where it happens. */
#ifndef LAVDM_BASE_STATUS_H
#define LAVDM_BASE_STATUS_H

#include "lavdm.h"

/* Writes the message into error (if not NULL) and returns status. */
int fail(lavdm_error *error, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for an allocation that failed: names what it was for. */
int fail_memory(lavdm_error *error, const char *what);

#ifdef LAVDM_ANALYSE /* analysers see one file at a time: what these return */
#define fail(error, status, ...) (fail(error, status, __VA_ARGS__), (status))
#define fail_memory(error, what) (fail_memory(error, what), LAVDM_ERROR_MEMORY)
#endif

#endif
