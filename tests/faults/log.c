/*
 * What a call did to files, one line each; files go by their inode, names are
 * absolute, data and names in hexadecimal digits:
 *
 *     create INODE NAME         open that makes the file, or finds it, with its name
 *     write INODE AT DATA
 *     size INODE BYTES
 *     sync INODE                a file or a folder
 *     rename OLD NEW
 *     unlink NAME
 *     other CALL INODE          one that changes a file in a way not told here
 */
#define _GNU_SOURCE
#include "calls.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct user_regs_struct regs_t;

static void put_hex(FILE *to, const unsigned char *data, size_t bytes) {
  if (!bytes) fputc('-', to);
  for (size_t i = 0; i < bytes; i++) fprintf(to, "%02x", data[i]);
}

static size_t peek(pid_t pid, unsigned long long address, void *to, size_t bytes) {
  struct iovec own = {to, bytes}, other = {(void *)(uintptr_t)address, bytes};
  ssize_t got = process_vm_readv(pid, &own, 1, &other, 1, 0);
  return got > 0 ? (size_t)got : 0;
}

/* A name of the process, absolute; it may end before a page that cannot be read. */
static void put_name(FILE *to, pid_t pid, int folder, unsigned long long address) {
  char name[4096] = "", link[64], base[4096];
  size_t got = peek(pid, address, name, 4096 - (address & 4095));
  if (got && got < sizeof name && !memchr(name, 0, got))
    peek(pid, address + got, name + got, sizeof name - got);
  name[sizeof name - 1] = 0;
  if (name[0] != '/') {
    if (folder == AT_FDCWD)
      snprintf(link, sizeof link, "/proc/%d/cwd", (int)pid);
    else
      snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, folder);
    ssize_t length = readlink(link, base, sizeof base - 2);
    if (length < 0) length = 0;
    base[length] = '/';
    put_hex(to, (unsigned char *)base, (size_t)length + 1);
  }
  put_hex(to, (unsigned char *)name, strlen(name));
}

unsigned long file_inode(pid_t pid, int fd) {
  char link[64];
  struct stat info;
  snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fd);
  if (stat(link, &info) || !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))) return 0;
  return info.st_ino;
}

/* Where the next byte of an open file goes. */
static long long position(pid_t pid, int fd) {
  char name[64];
  long long at = 0;
  snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", (int)pid, fd);
  FILE *info = fopen(name, "re");
  if (info) {
    if (fscanf(info, "pos: %lld", &at) != 1) at = 0;
    fclose(info);
  }
  return at;
}

static void log_write(FILE *to, pid_t pid, const regs_t *r) {
  size_t bytes = (size_t)r->rax;
  unsigned long node = file_inode(pid, (int)r->rdi);
  unsigned char *data = node ? malloc(bytes + 1) : NULL;
  if (!data) return;
  long long at =
      r->orig_rax == SYS_pwrite64 ? (long long)r->r10 : position(pid, (int)r->rdi) - (long long)bytes;
  if (peek(pid, r->rsi, data, bytes) != bytes) abort();
  fprintf(to, "write %lu %lld ", node, at);
  put_hex(to, data, bytes);
  fputc('\n', to);
  free(data);
}

static void log_open(FILE *to, pid_t pid, const regs_t *r) {
  bool at = r->orig_rax == SYS_openat;
  unsigned long long name = at ? r->rsi : r->rdi, flags = at ? r->rdx : r->rsi;
  unsigned long node = file_inode(pid, (int)r->rax);
  if (r->orig_rax == SYS_creat) flags = O_CREAT | O_TRUNC;
  if (!node || !(flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR))) return;
  fprintf(to, "create %lu ", node);
  put_name(to, pid, at ? (int)r->rdi : AT_FDCWD, name);
  fputc('\n', to);
  if (flags & O_TRUNC) fprintf(to, "size %lu 0\n", node);
}

static void log_names(FILE *to, pid_t pid, const char *what, int folder, unsigned long long name,
                      int other_folder, unsigned long long other) {
  fprintf(to, "%s ", what);
  put_name(to, pid, folder, name);
  if (other) {
    fputc(' ', to);
    put_name(to, pid, other_folder, other);
  }
  fputc('\n', to);
}

void log_call(FILE *to, pid_t pid) {
  regs_t r;
  if (ptrace(PTRACE_GETREGS, pid, NULL, &r) || (long long)r.rax < 0) return;
  unsigned long node;
  switch (r.orig_rax) {
  case SYS_write:
  case SYS_pwrite64:
    log_write(to, pid, &r);
    break;
  case SYS_open:
  case SYS_openat:
  case SYS_creat:
    log_open(to, pid, &r);
    break;
  case SYS_ftruncate:
    fprintf(to, "size %lu %llu\n", file_inode(pid, (int)r.rdi), r.rsi);
    break;
  case SYS_fsync:
  case SYS_fdatasync:
    fprintf(to, "sync %lu\n", file_inode(pid, (int)r.rdi));
    break;
  case SYS_rename:
    log_names(to, pid, "rename", AT_FDCWD, r.rdi, AT_FDCWD, r.rsi);
    break;
  case SYS_renameat:
  case SYS_renameat2:
    log_names(to, pid, "rename", (int)r.rdi, r.rsi, (int)r.rdx, r.r10);
    break;
  case SYS_unlink:
    log_names(to, pid, "unlink", AT_FDCWD, r.rdi, 0, 0);
    break;
  case SYS_unlinkat:
    log_names(to, pid, "unlink", (int)r.rdi, r.rsi, 0, 0);
    break;
  case SYS_mmap:
    if (!(r.r10 & MAP_SHARED) || !(r.rdx & PROT_WRITE) || (r.r10 & MAP_ANONYMOUS)) break;
    node = file_inode(pid, (int)r.r8);
    if (node) fprintf(to, "other mmap %lu\n", node);
    break;
  case SYS_writev:
  case SYS_pwritev:
  case SYS_sendfile:
  case SYS_copy_file_range:
  case SYS_fallocate:
    node = file_inode(pid, (int)(r.orig_rax == SYS_copy_file_range ? r.rdx : r.rdi));
    if (node) fprintf(to, "other %lld %lu\n", (long long)r.orig_rax, node);
    break;
  case SYS_link:
  case SYS_linkat:
  case SYS_symlink:
  case SYS_truncate:
    fprintf(to, "other %lld 0\n", (long long)r.orig_rax);
    break;
  default:
    break;
  }
}
