#define _GNU_SOURCE
#include "base/address.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static bool strict_kernel(void) {
  char mode = 0;
  int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  if (read(file, &mode, 1) != 1) mode = 0;
  close(file);
  return mode == '2';
}

bool address_limited(void) {
  struct rlimit space, data;
  return (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY) ||
         (!getrlimit(RLIMIT_DATA, &data) && data.rlim_cur != RLIM_INFINITY) || strict_kernel();
}

/* The kernel is asked, and what it gives is given back. */
bool address_free(double bytes, bool mapped) {
  if (!(bytes < 1e18)) return false;
  size_t size = bytes > 1 ? (size_t)bytes : 1;
  int use = mapped ? PROT_NONE : PROT_READ | PROT_WRITE;
  void *block = mmap(NULL, size, use, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return false;
  munmap(block, size);
  return true;
}

double address_left(void) {
  double least = 0, most = 1e18;
  while (most - least > 1e5 + 1e-3 * least) {
    double middle = most > 4 * least + 2e6 ? 2 * least + 1e6 : (least + most) / 2;
    if (address_free(middle, false))
      least = middle;
    else
      most = middle;
  }
  return least;
}
