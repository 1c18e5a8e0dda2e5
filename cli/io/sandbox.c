/*
 * The cage of a reader: limits of the process, which every kernel has; Landlock,
 * by which it can open one file alone; and a filter of system calls (seccomp). A
 * call that is not in the list below fails with EPERM, as libraries expect of
 * calls. Where the kernel has not one of these, the others hold.
 */
#define _GNU_SOURCE
#include "io/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --------------------------------------------------------------- limits */

static void limit_to(unsigned what, rlim_t value) {
  struct rlimit limit = {value, value};
  setrlimit(what, &limit);
}

/* One descriptor more than there are: no second file while the first is open. */
static void limit_files(void) {
  int next = dup(STDOUT_FILENO);
  if (next < 0) return;
  close(next);
  limit_to(RLIMIT_NOFILE, (rlim_t)next + 1);
}

static void close_between(unsigned first, unsigned last) {
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
  if (first > last || !syscall(SYS_close_range, first, last, 0)) return;
  long most = sysconf(_SC_OPEN_MAX);
  for (unsigned fd = first; fd <= last && fd < (most > 0 && most < 65536 ? most : 65536); fd++)
    close((int)fd);
}

/* ------------------------------------------------------------- Landlock */

/* As in linux/landlock.h, which older systems lack: version 1 of it. */
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446, PATH_BENEATH = 1 };
static const uint64_t every_access = (1 << 13) - 1, read_file = 1 << 2;

static void only_file(const char *path) {
  const uint64_t handled = every_access;
  long rules = syscall(LANDLOCK_CREATE, &handled, sizeof handled, 0);
  if (rules < 0) return;
  struct {
    uint64_t access;
    int32_t fd;
  } __attribute__((packed)) rule = {read_file, open(path, O_PATH | O_CLOEXEC)};
  if (rule.fd >= 0 && !syscall(LANDLOCK_ADD, rules, PATH_BENEATH, &rule, 0))
    syscall(LANDLOCK_RESTRICT, rules, 0);
  if (rule.fd >= 0) close(rule.fd);
  close((int)rules);
}

/* -------------------------------------------------------------- seccomp */

#if defined __x86_64__
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#else
#define THIS_MACHINE 0
#endif

/* Calls that are harmless whatever their arguments; those of all the time first. */
static const int harmless[] = {
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_lseek,
    SYS_munmap,
    SYS_brk,
    SYS_mremap,
    SYS_madvise,
    SYS_readv,
    SYS_writev,
    SYS_fstat,
    SYS_newfstatat,
    SYS_close,
    SYS_dup,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_futex,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrandom,
    SYS_uname,
    SYS_sysinfo,
    SYS_sched_yield,
    SYS_flock,
    SYS_sched_getaffinity,
    SYS_restart_syscall,
#ifdef SYS_statx
    SYS_statx,
#endif
#ifdef SYS_stat
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_time,
#endif
#ifdef SYS_getrlimit
    SYS_getrlimit,
    SYS_setrlimit,
#endif
    SYS_faccessat,
    SYS_readlinkat,
};

enum { HARMLESS = sizeof harmless / sizeof *harmless, PROGRAM_MOST = 2 * HARMLESS + 64 };

typedef struct {
  struct sock_filter step[PROGRAM_MOST];
  unsigned short count;
} program;

static void add(program *p, uint16_t code, uint32_t value, uint8_t yes, uint8_t no) {
  p->step[p->count++] = (struct sock_filter){code, yes, no, value};
}

static void load(program *p, size_t at) {
  add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

static void answer(program *p, uint32_t verdict) {
  add(p, BPF_RET | BPF_K, verdict, 0, 0);
}

static const uint32_t refusal = SECCOMP_RET_ERRNO | EPERM;

/* The halves of an argument: machines that are known here have the low one first. */
static size_t argument(int i, bool high) {
  return offsetof(struct seccomp_data, args) + 8 * (size_t)i + (high ? 4 : 0);
}

/* Call `number` if none of these bits is set in argument i. */
static void allow_without(program *p, long number, int i, uint32_t bits) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
  load(p, argument(i, false));
  add(p, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  answer(p, refusal);
  answer(p, SECCOMP_RET_ALLOW);
}

/* Call `number` if argument i is between two values. */
static void allow_between(program *p, long number, int i, uint32_t least, uint32_t most) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 7);
  load(p, argument(i, true));
  add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4);
  load(p, argument(i, false));
  add(p, BPF_JMP | BPF_JGE | BPF_K, least, 0, 2);
  add(p, BPF_JMP | BPF_JGT | BPF_K, most, 1, 0);
  answer(p, SECCOMP_RET_ALLOW);
  answer(p, refusal);
}

static void filter_calls(void) {
  static program p;
  const uint32_t writes = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
  p.count = 0;
  load(&p, offsetof(struct seccomp_data, arch));
  add(&p, BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
  answer(&p, refusal);
  load(&p, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < HARMLESS; i++) {
    add(&p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)harmless[i], 0, 1);
    answer(&p, SECCOMP_RET_ALLOW);
  }
  allow_without(&p, SYS_mmap, 2, PROT_EXEC);
  allow_without(&p, SYS_mprotect, 2, PROT_EXEC);
  allow_without(&p, SYS_openat, 2, writes);
#ifdef SYS_open
  allow_without(&p, SYS_open, 1, writes);
#endif
  allow_between(&p, SYS_fcntl, 1, F_DUPFD, F_GETFL);
  allow_between(&p, SYS_prlimit64, 0, 0, 0);                                /* its own limits */
  allow_between(&p, SYS_tgkill, 0, (uint32_t)getpid(), (uint32_t)getpid()); /* abort() */
  answer(&p, refusal);
  struct sock_fprog all = {p.count, p.step};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

void sandbox_enter(const char *path, int keep) {
  close_between(STDERR_FILENO + 1, (unsigned)keep - 1);
  close_between((unsigned)keep + 1, ~0u);
  limit_to(RLIMIT_FSIZE, 0);
  limit_to(RLIMIT_NPROC, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return limit_files();
  if (path) only_file(path);
  limit_files();
  if (THIS_MACHINE) filter_calls();
}
