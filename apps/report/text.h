/* Text that grows, and JSON in it that no bytes can break out of. */
#ifndef LAVDM_REPORT_TEXT_H
#define LAVDM_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *data; /* with a zero behind `used` bytes; NULL: empty */
  size_t used, room;
  bool failed; /* out of memory: nothing more is added */
} report_text;

void report_text_free(report_text *t);
void report_text_add(report_text *t, const char *bytes, size_t count);
void report_text_put(report_text *t, const char *string);
void report_text_comma(report_text *t); /* if it is not empty and no bracket or colon is last */
void report_text_whole(report_text *t, int64_t value);

/* The shortest decimal that is the same double, in the locale of the thread; null if it is not finite. */
void report_text_number(report_text *t, double value);

/*
 * A string of JSON. Control characters, quotes, backslashes, <, >, &, U+2028 and U+2029 are written \uXXXX,
 * and each byte that is no UTF-8 as U+FFFD: inside an element <script> nothing of it can be a tag or a
 * comment.
 */
void report_text_string(report_text *t, const char *bytes, int64_t count);

/* The bytes with those that are no UTF-8 replaced by U+FFFD, and nothing escaped. */
void report_text_plain(report_text *t, const char *bytes, int64_t count);

#endif
