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

/* One item as a member: its header and its data, which stay where they are. */
typedef struct {
  const output_file *file;
  char member[256], header[NPY_HEADER_SIZE];
  void *units; /* of text */
  const char *data;
  int64_t length, bytes, at; /* of the header and of the data; what has been given */
  zip_error_t error;
} npz_member;

/* The next bytes: of the header, then of the data. */
static zip_int64_t give(npz_member *m, void *buffer, int64_t most) {
  bool header = m->at < m->length;
  int64_t left = header ? m->length - m->at : m->length + m->bytes - m->at, part = left < most ? left : most;
  if (part > 0) memcpy(buffer, header ? m->header + m->at : m->data + (m->at - m->length), (size_t)part);
  if ((m->at + part) / OUTPUT_SLICE != m->at / OUTPUT_SLICE || (part > 0 && part == left))
    output_trim(m->file);
  m->at += part;
  return part;
}

static zip_int64_t give_member(void *user, void *data, zip_uint64_t length, zip_source_cmd_t command) {
  npz_member *m = user;
  zip_stat_t *info = data;
  switch (command) {
  case ZIP_SOURCE_OPEN:
    m->at = 0;
    return 0;
  case ZIP_SOURCE_READ:
    return give(m, data, length < INT64_MAX ? (int64_t)length : INT64_MAX);
  case ZIP_SOURCE_CLOSE:
  case ZIP_SOURCE_FREE:
    return 0;
  case ZIP_SOURCE_STAT:
    zip_stat_init(info);
    info->size = info->comp_size = (zip_uint64_t)(m->length + m->bytes);
    info->comp_method = ZIP_CM_STORE;
    info->encryption_method = ZIP_EM_NONE;
    info->valid = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    return sizeof *info;
  case ZIP_SOURCE_ERROR:
    return zip_error_to_data(&m->error, data, length);
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                          ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
  default:
    zip_error_set(&m->error, ZIP_ER_OPNOTSUPP, 0);
    return -1;
  }
}

static int add_member(zip_t *zip, npz_member *m, const io_item *item, const output_file *file) {
  int64_t units = 0, bytes = type_size(item->type) * item_count(item);
  const void *data = item->data;
  const char *path = file->path;
  lavdm_error *error = file->error;
  if (item->type == IO_TEXT) {
    data = m->units = text_to_units(item->data, 4, &units);
    if (!data) return io_memory(error, path, 0);
    memset((char *)m->units + 4 * units, 0, 4); /* numpy has no string type without characters */
    bytes = 4 * (units ? units : 1);
  }
  m->file = file;
  m->length = npy_print_header(item, units, m->header);
  m->data = data;
  m->bytes = bytes;
  zip_error_init(&m->error);
  snprintf(m->member, sizeof m->member, "%s.npy", item->name);
  zip_source_t *parts = zip_source_function(zip, give_member, m);
  if (!parts) return io_memory(error, path, 0);
  zip_int64_t i = zip_file_add(zip, m->member, parts, ZIP_FL_ENC_UTF_8);
  if (i < 0) {
    zip_source_free(parts);
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "'%s' cannot be the name of an array", item->name);
  }
  /* stored, and dated 1980-01-01: the same arrays give the same file */
  zip_set_file_compression(zip, (zip_uint64_t)i, ZIP_CM_STORE, 0);
  zip_file_set_dostime(zip, (zip_uint64_t)i, 0, 0x21, 0);
  return LAVDM_OK;
}

int npz_write(output_file *file, const io_item *items, int count) {
  int reason, status = LAVDM_OK;
  npz_member *member = calloc((size_t)count + 1, sizeof *member);
  if (!member) return io_memory(file->error, file->path, 0);
  zip_t *zip = zip_open(file->temp, ZIP_CREATE | ZIP_TRUNCATE, &reason);
  if (!zip) status = io_unwritten(file->error, file->path, errno);
  for (int i = 0; i < count && status >= 0; i++) status = add_member(zip, &member[i], &items[i], file);
  if (status >= 0 && zip_close(zip) == 0)
    zip = NULL;
  else if (status >= 0)
    status = io_unwritten(file->error, file->path, zip_error_code_system(zip_get_error(zip)));
  if (zip) zip_discard(zip);
  for (int i = 0; i < count; i++) free(member[i].units);
  free(member);
  return status;
}
