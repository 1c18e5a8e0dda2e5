/*
 * Runs a command, counts the system calls of its processes by class, and fails
 * some:
 *
 *     calls count REPORT COMMAND...
 *     calls fail REPORT CLASS FIRST LAST KIND COMMAND...
 *     calls log REPORT COMMAND...
 *
 * `fail` lets calls FIRST to LAST of a class end at once, with the errno KIND;
 * KIND short halves what is read or written; kill ends the process by SIGKILL
 * before the call. REPORT gets a line `CLASS calls` for each class, and `left`
 * with the number of processes that outlived the command. `log` writes what was
 * done to files instead (log.c). Calls count from main on (memory.c says when
 * that is). Programs that the command starts count by what they write to files
 * alone, and nothing counts that goes to stderr. FAULTS_LIBRARY names the library of memory.c,
 * which is preloaded. A tracer sees every call, that of stdio
 * and of any other library too. Ends as the command does.
 */
#define _GNU_SOURCE
#include "calls.h"

#include "faults.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  const char *name;
  long calls[8]; /* ends with -1 */
} class_t;

static const class_t classes[] = {
    {"read", {SYS_read, SYS_pread64, SYS_readv, SYS_preadv, -1}},
    {"write", {SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_sendfile, SYS_copy_file_range, -1}},
    {"sync", {SYS_fsync, SYS_fdatasync, SYS_msync, -1}},
    {"name", {SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, SYS_symlink, -1}},
    {"open", {SYS_open, SYS_openat, SYS_creat, -1}},
    {"size", {SYS_ftruncate, SYS_fallocate, SYS_truncate, -1}},
    {"map", {SYS_mmap, SYS_mremap, -1}},
    {"start", {SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, -1}},
    {"pipe", {SYS_pipe, SYS_pipe2, -1}},
    {"close", {SYS_close, -1}},
    {"seek", {SYS_lseek, -1}},
    {"stat", {SYS_stat, SYS_fstat, SYS_newfstatat, SYS_statfs, -1}},
    {"unlink", {SYS_unlink, SYS_unlinkat, -1}}, /* for the log alone */
};
enum { CLASSES = sizeof classes / sizeof *classes };

typedef struct {
  FILE *report;
  bool logs, begun;
  int class; /* to fail, or -1 */
  long first, last;
  const char *kind;
  long count[CLASSES];
  pid_t late;         /* whose close has been done, and fails all the same */
  char program[4096]; /* what the command is */
} tracer_t;

static int class_of(long call) {
  for (int c = 0; c < CLASSES; c++)
    for (const long *at = classes[c].calls; *at >= 0; at++)
      if (*at == call) return c;
  return -1;
}

static int class_named(const char *name) {
  for (int c = 0; c < CLASSES; c++)
    if (!strcmp(classes[c].name, name)) return c;
  fprintf(stderr, "calls: no class %s\n", name);
  exit(125);
}

/* Every call of a class, and prctl, stops for the tracer. */
static void install_filter(void) {
  struct sock_filter code[2 * 8 * CLASSES + 8];
  unsigned short n = 0;
  code[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr));
  for (int c = 0; c < CLASSES; c++)
    for (const long *at = classes[c].calls; *at >= 0; at++) {
      code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)*at, 0, 1);
      code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {n, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("calls: no filter of system calls");
    _exit(125);
  }
}

static pid_t start(char **command) {
  pid_t pid = fork();
  if (pid) return pid;
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) {
    perror("calls: cannot be traced");
    _exit(125);
  }
  raise(SIGSTOP);
  install_filter();
  const char *library = getenv("FAULTS_LIBRARY");
  if (library) setenv("LD_PRELOAD", library, 1);
  execvp(command[0], command);
  perror(command[0]);
  _exit(127);
}

static bool exe_of(pid_t pid, char name[4096]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
  ssize_t length = readlink(link, name, 4095);
  name[length > 0 ? length : 0] = 0;
  return length > 0;
}

static bool counts(const tracer_t *t, pid_t pid, int class, const struct user_regs_struct *r) {
  char program[4096];
  bool writes = !strcmp(classes[class].name, "write");
  if (writes && r->rdi == STDERR_FILENO) return false;
  return (exe_of(pid, program) && !strcmp(program, t->program)) || (writes && file_inode(pid, (int)r->rdi));
}

/* Before the kernel does what is asked. */
static void enter(tracer_t *t, pid_t pid) {
  struct user_regs_struct r;
  if (ptrace(PTRACE_GETREGS, pid, NULL, &r)) return;
  long call = (long)r.orig_rax;
  int class = class_of(call);
  if (call == SYS_prctl && (long)r.rdi == FAULTS_BEGIN && !t->begun) t->begun = exe_of(pid, t->program);
  if (class < 0 || !t->begun || t->logs || !counts(t, pid, class, &r)) return;
  long number = ++t->count[class];
  if (class != t->class || number < t->first || number > t->last) return;
  if (!strcmp(t->kind, "kill")) {
    kill(pid, SIGKILL);
  } else if (!strcmp(t->kind, "short")) {
    if (r.rdx > 1 && (call == SYS_write || call == SYS_pwrite64 || call == SYS_read || call == SYS_pread64))
      r.rdx /= 2;
  } else if (call == SYS_close) {
    t->late = pid;
  } else {
    r.orig_rax = (unsigned long long)-1;
    r.rax = (unsigned long long)-atol(t->kind);
  }
  ptrace(PTRACE_SETREGS, pid, NULL, &r);
}

static void leave(tracer_t *t, pid_t pid) {
  struct user_regs_struct r;
  if (t->logs) log_call(t->report, pid);
  if (pid != t->late || ptrace(PTRACE_GETREGS, pid, NULL, &r)) return;
  r.rax = (unsigned long long)-atol(t->kind);
  ptrace(PTRACE_SETREGS, pid, NULL, &r);
  t->late = 0;
}

/* What a stop asks for: the signal to go on with, if any; *request says how. */
static int stopped(tracer_t *t, pid_t pid, int status, int *request) {
  int signal = WSTOPSIG(status), event = status >> 16;
  *request = PTRACE_CONT;
  if (event == PTRACE_EVENT_SECCOMP) {
    enter(t, pid);
    if ((t->logs && t->begun) || t->late == pid) *request = PTRACE_SYSCALL;
    return 0;
  }
  if (signal == (SIGTRAP | 0x80)) {
    leave(t, pid);
    return 0;
  }
  return event || signal == SIGSTOP || signal == SIGTRAP ? 0 : signal;
}

/* Processes that are still there when the command has ended. */
static int outlive(void) {
  int left = 0, status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
    if (WIFSTOPPED(status)) ptrace(PTRACE_CONT, pid, NULL, NULL);
  usleep(20000); /* one whose parent's end is its own dies of that now */
  while ((pid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
    if (WIFSTOPPED(status)) left++;
  return pid == 0 ? left + 1 : left;
}

static int trace(tracer_t *t, pid_t command) {
  int status, request;
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;
  if (waitpid(command, &status, 0) != command || !WIFSTOPPED(status)) return status;
  ptrace(PTRACE_SETOPTIONS, command, NULL, options);
  ptrace(PTRACE_CONT, command, NULL, NULL);
  for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
    if (pid == command && !WIFSTOPPED(status)) return status;
    if (pid <= 0 || !WIFSTOPPED(status)) continue;
    int signal = stopped(t, pid, status, &request);
    ptrace((enum __ptrace_request)request, pid, NULL, (long)signal);
  }
  return status;
}

int main(int argc, char **argv) {
  tracer_t t = {.class = -1};
  bool fail = argc > 1 && !strcmp(argv[1], "fail");
  int words = fail ? 7 : 3;
  if (argc <= words) {
    fputs("usage: calls count|log REPORT COMMAND... | fail REPORT CLASS FIRST LAST KIND COMMAND...\n",
          stderr);
    return 125;
  }
  t.logs = !strcmp(argv[1], "log");
  t.report = fopen(argv[2], "we");
  if (!t.report) return perror(argv[2]), 125;
  if (fail) {
    t.class = class_named(argv[3]);
    t.first = atol(argv[4]);
    t.last = atol(argv[5]);
    t.kind = argv[6];
  }
  int status = trace(&t, start(argv + words));
  for (int c = 0; c < CLASSES && !t.logs; c++) fprintf(t.report, "%s %ld\n", classes[c].name, t.count[c]);
  if (!t.logs) fprintf(t.report, "left %d\n", outlive());
  fclose(t.report);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}
