/* The control group of this process: what a batch system or a container allows it. */
#ifndef LAVDM_BASE_CGROUP_H
#define LAVDM_BASE_CGROUP_H

#include <stdint.h>

/* Bytes that the group and all above it leave, INT64_MAX if they have no limit. `list`: the file that names
 * the group (/proc/self/cgroup); `root`: where groups are found (/sys/fs/cgroup). */
int64_t cgroup_free(const char *list, const char *root);

#endif
