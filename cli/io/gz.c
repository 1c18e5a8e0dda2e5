/*
 * Files packed by gzip, unpacked by zlib in an isolated child: once to count the
 * bytes, so that memory is asked for before it is taken, and once to send them.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/csv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { PART = 1 << 16, GZIP = 16 + MAX_WBITS };

typedef struct {
  const char *path;
  int fd;
  sender *to; /* NULL: only count */
  int64_t bytes;
  lavdm_error *error;
} gz_reading;

static int fail_packed(const gz_reading *r, const char *what) {
  return io_fail(r->error, LAVDM_ERROR_DATA, r->path, "is not a whole gzip file (%s)", what);
}

/* What zlib has unpacked. */
static void take(gz_reading *r, const unsigned char *out, int64_t bytes) {
  r->bytes += bytes;
  if (r->to) send_bytes(r->to, out, bytes);
}

/* One part of the file; `ended` at the end of a member, behind which another may begin. */
static int unpack_part(gz_reading *r, z_stream *z, bool *ended) {
  unsigned char out[PART];
  for (;;) {
    if (*ended && z->avail_in == 0) return LAVDM_OK;
    if (*ended && inflateReset(z) != Z_OK) return fail_packed(r, "damaged");
    z->next_out = out;
    z->avail_out = PART;
    int code = inflate(z, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) return io_memory(r->error, r->path, 0);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return fail_packed(r, "damaged");
    take(r, out, PART - (int64_t)z->avail_out);
    *ended = code == Z_STREAM_END;
    if (!*ended && z->avail_in == 0 && z->avail_out > 0) return LAVDM_OK;
  }
}

static int unpack(gz_reading *r) {
  unsigned char in[PART];
  z_stream z = {0};
  bool ended = false;
  int status = LAVDM_OK;
  r->bytes = 0;
  if (inflateInit2(&z, GZIP) != Z_OK) return io_memory(r->error, r->path, 0);
  source s = {.fd = r->fd, .label = r->path, .error = r->error};
  for (int64_t got; status >= 0 && (got = file_pull(&s, in, PART)) != 0;) {
    if (got < 0) status = fail_packed(r, "it cannot be read");
    z.next_in = in;
    z.avail_in = (uInt)got;
    if (status >= 0) status = unpack_part(r, &z, &ended);
  }
  inflateEnd(&z);
  if (status >= 0 && !ended) status = fail_packed(r, "it ends too early");
  return status;
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  gz_reading r = {.path = user, .error = error};
  int64_t length;
  int status = file_open(r.path, &r.fd, &length, error);
  if (status < 0) return status;
  sender_allow(to, INFLATION * (length < INT64_MAX / INFLATION / 16 ? length : 0));
  status = unpack(&r);
  if (status >= 0) {
    io_array text = {.name = (char[]){0}, .type = IO_TEXT, .rank = 1, .shape = {r.bytes}};
    send_array(to, &text, false, true);
    r.to = to;
    status = lseek(r.fd, 0, SEEK_SET) < 0 ? fail_packed(&r, "it cannot be read") : unpack(&r);
  }
  close(r.fd);
  return status;
}

int gz_load(const char *path, char **text, int64_t *length, lavdm_error *error) {
  io_list list = {0};
  *text = NULL;
  *length = 0;
  int status = isolate_file(path, "is not a readable gzip file (damaged?)", read_in_child,
                            (void *)(uintptr_t)path, &list, error);
  if (status >= 0 && list.count == 1 && list.array[0].type == IO_TEXT) {
    *text = list.array[0].data;
    *length = list.array[0].shape[0];
    list.array[0].data = NULL;
  }
  list_free(&list);
  if (status >= 0 && !*text) status = io_fail(error, LAVDM_ERROR_DATA, path, "is not a readable gzip file");
  return status;
}
