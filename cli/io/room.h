/*
 * Memory for what is read: the header of a file tells what it needs, and that is
 * compared with what may be taken before any of it is.
 */
#ifndef LAVDM_CLI_IO_ROOM_H
#define LAVDM_CLI_IO_ROOM_H

#include "io/io.h"

/* What may be taken from now on: max_memory, or 0 for what the machine has. */
void room_allow(int64_t bytes);

/* In a child, whose own limits say nothing of the machine: the parent asks it when
 * the array is announced, and max_memory alone is looked at before that. */
void room_leave_to_parent(void);

/* That many bytes, or all that the machine was built with. */
int64_t room_most(void);

/*
 * Whether so many bytes may be taken beside those that are `held` for the same
 * file; LAVDM_ERROR_MEMORY and the sentence if not. The sentence has the shape
 * of `array`, if there is one.
 */
int room_check(const char *label, const io_array *array, int64_t held, int64_t bytes, lavdm_error *error);

/* "12 MB", "0.59 GB", "21 GB". */
enum { SIZE_TEXT = 32 };
const char *size_text(double bytes, char text[SIZE_TEXT]);

#endif
