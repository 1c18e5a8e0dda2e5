/*
 * A library to be preloaded: counts the allocations of a command from its main
 * on, in all threads and in the processes that it forks, and fails some. FAULTS
 * names a file of three 64-bit numbers, the count and the first and the last
 * allocation to fail. Programs that the command starts are left alone, and so is
 * OpenBLAS: its kernels for small matrices do not look whether they got memory.
 *
 * That main begins is also said to a tracer (calls.c), by a call of prctl that
 * the kernel refuses.
 */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The allocator itself, as glibc has it. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

typedef struct {
  atomic_int_least64_t count;
  int64_t first, last;
} plan_t;

static plan_t *plan;
static int (*true_main)(int, char **, char **);

/* The code of OpenBLAS. */
static uintptr_t blas_from, blas_to;

static int find_blas(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size, (void)user;
  if (!strstr(info->dlpi_name, "openblas")) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    blas_from = info->dlpi_addr + part->p_vaddr;
    blas_to = blas_from + part->p_memsz;
  }
  return 0;
}

static int fails(const void *caller) {
  if (!plan || ((uintptr_t)caller >= blas_from && (uintptr_t)caller < blas_to)) return 0;
  int64_t number = atomic_fetch_add(&plan->count, 1) + 1;
  if (number < plan->first || number > plan->last) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

void *memalign(size_t alignment, size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes) {
  void *block = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
  if (block) *out = block;
  return block ? 0 : ENOMEM;
}

static int begin(int argc, char **argv, char **environment) {
  const char *name = getenv("FAULTS");
  int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
  unsetenv("LD_PRELOAD");
  if (fd >= 0) {
    void *map = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map == MAP_FAILED) abort();
    dl_iterate_phdr(find_blas, NULL);
    plan = map;
  }
  prctl(FAULTS_BEGIN, 0, 0, 0, 0);
  return true_main(argc, argv, environment);
}

typedef int start_function(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);
start_function __libc_start_main;

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack) {
  start_function *start = (start_function *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
  true_main = main;
  return start(begin, argc, argv, init, fini, rtld_fini, stack);
}
