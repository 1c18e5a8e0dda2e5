#ifndef LAVDM_TESTS_CALLS_H
#define LAVDM_TESTS_CALLS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/user.h>

/* The inode of an open file or folder, or 0 if it is neither. */
unsigned long file_inode(pid_t pid, int fd);

/* A line for a call that has just ended, if it changed a file or a name. */
void log_call(FILE *to, pid_t pid);

#endif
