/* Structs of the programs that call an application: of whatever size they know them, made whole. */
#ifndef LAVDM_APPS_COMMON_DOOR_H
#define LAVDM_APPS_COMMON_DOOR_H

#include "lavdm.h"

/* Bytes of a struct up to and including a member. */
#define SIZE_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* What the options of an application are: those of version 0.2, and all. */
typedef struct {
  size_t first, full;
} app_sizes;

/* Copies what the program knows of its options over the defaults in `own`. */
int app_options(const app_sizes *sizes, const void *given, void *own, lavdm_error *error);

/* Fills the `size` bytes that the program knows with the defaults in `own`. */
void app_fill(const app_sizes *sizes, const void *own, void *given, size_t size);

/* Whether a struct for results has a size that can be filled (0: that of version 0.2), and fills it. */
int app_check(const app_sizes *sizes, const void *given, lavdm_error *error);
void app_give(const app_sizes *sizes, const void *own, void *given);

#endif
