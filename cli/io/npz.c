/* .npz: a zip archive of .npy members, stored or deflated. */
#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

typedef struct {
  const char *path, *name; /* name: NULL for every array */
  bool data;
  int64_t length; /* of the file */
  zip_t *zip;
  sender *to;
  lavdm_error *error;
} npz_reading;

static int64_t member_pull(source *s, void *buffer, int64_t most) {
  return zip_fread((zip_file_t *)s->user, buffer, (zip_uint64_t)most);
}

static const char *method_name(int method) {
  switch (method) {
  case ZIP_CM_BZIP2:
    return "bzip2";
  case ZIP_CM_LZMA:
    return "lzma";
  case 95:
    return "xz";
  case 93: /* ZIP_CM_ZSTD, since libzip 1.8 */
    return "zstd";
  case ZIP_CM_DEFLATE64:
    return "deflate64";
  default:
    return NULL;
  }
}

static int fail_method(const npz_reading *r, int method, const char *label) {
  const char *remedy = "save it by numpy.savez or numpy.savez_compressed", *name = method_name(method);
  if (name)
    return io_fail(r->error, IO_UNSUPPORTED, label, "is compressed by %s, which is not read; %s", name,
                   remedy);
  return io_fail(r->error, IO_UNSUPPORTED, label, "is compressed by method %d, which is not read; %s", method,
                 remedy);
}

/* What the archive says of a member must be possible for its length. */
static int check_member(const npz_reading *r, const zip_stat_t *info, const char *label) {
  const zip_uint64_t need =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  uint64_t most = (uint64_t)r->length;
  if ((info->valid & need) != need || info->comp_size > most)
    return io_fail(r->error, LAVDM_ERROR_DATA, label, "its size cannot be right (damaged?)");
  if (info->encryption_method != ZIP_EM_NONE)
    return io_fail(r->error, IO_UNSUPPORTED, label,
                   "is encrypted, which is not read; save it by numpy.savez or numpy.savez_compressed");
  if (info->comp_method != ZIP_CM_STORE && info->comp_method != ZIP_CM_DEFLATE)
    return fail_method(r, info->comp_method, label);
  if (info->size > (info->comp_method == ZIP_CM_STORE ? info->comp_size : INFLATION * info->comp_size))
    return io_fail(r->error, LAVDM_ERROR_DATA, label, "its size cannot be right (damaged?)");
  return LAVDM_OK;
}

/* Sends member i, whose array is called `name`. */
static int send_member(const npz_reading *r, zip_uint64_t i, const char *name) {
  char label[IO_LABEL], beyond;
  zip_stat_t info;
  npy_header header;
  file_label(label, r->path, name);
  if (zip_stat_index(r->zip, i, 0, &info))
    return io_fail(r->error, LAVDM_ERROR_DATA, label, "cannot be found (damaged?)");
  int status = check_member(r, &info, label);
  if (status < 0) return status;
  zip_file_t *member = zip_fopen_index(r->zip, i, 0);
  if (!member) return io_fail(r->error, LAVDM_ERROR_DATA, label, "cannot be opened (damaged?)");
  source s = {
      .label = label, .left = (int64_t)info.size, .pull = member_pull, .user = member, .error = r->error};
  status = npy_read_header(&s, &header);
  if (status >= 0) status = npy_send(&s, &header, name, r->data, r->to);
  if (status >= 0 && r->data &&
      zip_fread(member, &beyond, 1) != 0) /* the end, where checksums are compared */
    status = io_fail(r->error, LAVDM_ERROR_DATA, label, "its checksum is wrong (damaged?)");
  zip_fclose(member);
  return status;
}

/* The name without ".npy", owned by the caller; NULL if it has no such end. */
static char *array_name(const char *member, bool *memory) {
  size_t length = strlen(member);
  *memory = true;
  if (length < 5 || strcmp(member + length - 4, ".npy") != 0) return NULL;
  char *name = malloc(length + 1);
  *memory = name != NULL;
  if (name) {
    memcpy(name, member, length - 4);
    name[length - 4] = 0;
  }
  return name;
}

static int send_every(npz_reading *r) {
  zip_int64_t count = zip_get_num_entries(r->zip, 0);
  int status = LAVDM_OK;
  passed_over passed = {0};
  for (zip_int64_t i = 0; i < count && status >= 0; i++) {
    bool memory;
    const char *member = zip_get_name(r->zip, (zip_uint64_t)i, 0);
    char *name = member ? array_name(member, &memory) : NULL;
    if (member && !memory) return io_memory(r->error, r->path, 0);
    if (!name) continue;
    status = pass_over(&passed, send_member(r, (zip_uint64_t)i, name), r->error);
    free(name);
  }
  return status < 0 ? status : passed_status(&passed, r->error);
}

static int send_named(npz_reading *r) {
  char member[512];
  zip_int64_t i = -1;
  if (snprintf(member, sizeof member, "%s.npy", r->name) < (int)sizeof member)
    i = zip_name_locate(r->zip, member, 0);
  if (i < 0) i = zip_name_locate(r->zip, r->name, 0);
  return i < 0 ? IO_NOT_FOUND : send_member(r, (zip_uint64_t)i, r->name);
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  npz_reading *r = user;
  int fd, reason = 0;
  r->to = to;
  r->error = error;
  int status = file_open(r->path, &fd, &r->length, error);
  if (status < 0) return status;
  close(fd);
  r->zip = zip_open(r->path, ZIP_RDONLY, &reason);
  if (!r->zip && reason == ZIP_ER_MEMORY) return io_memory(error, r->path, 0);
  if (!r->zip) return io_fail(error, LAVDM_ERROR_DATA, r->path, "is not a readable .npz file (damaged?)");
  status = r->name ? send_named(r) : send_every(r);
  zip_discard(r->zip);
  return status;
}

int npz_read(const char *path, const char *name, bool data, io_list *list, lavdm_error *error) {
  npz_reading r = {.path = path, .name = name, .data = data};
  return isolate_file(path, "is not a readable .npz file (damaged?)", read_in_child, &r, list, error);
}
