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
  const char *path;
  zip_t *zip;
  int64_t length; /* of the file */
  lavdm_error *error;
} npz_file;

static int64_t member_pull(source *s, void *buffer, int64_t most) {
  zip_file_t *member = s->user;
  zip_int64_t got = zip_fread(member, buffer, (zip_uint64_t)most);
  errno = got < 0 && zip_error_code_zip(zip_file_get_error(member)) == ZIP_ER_MEMORY ? ENOMEM : 0;
  return got;
}

static int npz_open(npz_file *file, const char *path, lavdm_error *error) {
  int fd, reason = 0;
  *file = (npz_file){.path = path, .error = error};
  int status = file_open(path, &fd, &file->length, error);
  if (status < 0) return status;
  close(fd);
  file->zip = zip_open(path, ZIP_RDONLY, &reason);
  if (file->zip) return LAVDM_OK;
  if (reason == ZIP_ER_MEMORY) return io_memory(error, path, 0);
  return io_fail(error, LAVDM_ERROR_DATA, path, "is not a readable .npz file (damaged?)");
}

/* What the archive says of a member must be possible for its length. */
static int check_member(const npz_file *file, const zip_stat_t *info, const char *label) {
  const zip_uint64_t need =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  uint64_t most = (uint64_t)file->length;
  if ((info->valid & need) != need || info->comp_size > most)
    return io_fail(file->error, LAVDM_ERROR_DATA, label, "its size cannot be right (damaged?)");
  if (info->encryption_method != ZIP_EM_NONE)
    return io_fail(file->error, IO_UNSUPPORTED, label, "is encrypted, which is not read");
  if (info->comp_method != ZIP_CM_STORE && info->comp_method != ZIP_CM_DEFLATE)
    return io_fail(file->error, IO_UNSUPPORTED, label, "is compressed in a way that is not read (method %d)",
                   info->comp_method);
  if (info->size > (info->comp_method == ZIP_CM_STORE ? info->comp_size : INFLATION * info->comp_size))
    return io_fail(file->error, LAVDM_ERROR_DATA, label, "its size cannot be right (damaged?)");
  return LAVDM_OK;
}

/* Adds member i, whose array is called `name`, to the list. */
static int read_member(npz_file *file, zip_uint64_t i, const char *name, bool data, io_list *list) {
  char label[IO_LABEL];
  zip_stat_t info;
  npy_header header;
  file_label(label, file->path, name);
  if (zip_stat_index(file->zip, i, 0, &info))
    return io_fail(file->error, LAVDM_ERROR_DATA, label, "cannot be found (damaged?)");
  int status = check_member(file, &info, label);
  if (status < 0) return status;
  zip_file_t *member = zip_fopen_index(file->zip, i, 0);
  if (!member && zip_error_code_zip(zip_get_error(file->zip)) == ZIP_ER_MEMORY)
    return io_memory(file->error, label, 0);
  if (!member) return io_fail(file->error, LAVDM_ERROR_DATA, label, "cannot be opened (damaged?)");
  source s = {
      .label = label, .left = (int64_t)info.size, .pull = member_pull, .user = member, .error = file->error};
  io_array array = {0}, *slot;
  status = npy_read_header(&s, &header);
  if (status >= 0) status = npy_read_data(&s, &header, name, data, &array);
  char beyond;
  if (status >= 0 && data && zip_fread(member, &beyond, 1) != 0) /* the end, where the checksum is compared */
    status = io_fail(file->error, LAVDM_ERROR_DATA, label, "its checksum is wrong (damaged?)");
  zip_fclose(member);
  if (status >= 0 && !(slot = list_add(list))) status = io_memory(file->error, label, 0);
  if (status >= 0)
    *slot = array;
  else
    io_array_free(&array);
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

static int read_every(npz_file *file, bool data, io_list *list) {
  zip_int64_t count = zip_get_num_entries(file->zip, 0);
  int status = LAVDM_OK;
  for (zip_int64_t i = 0; i < count && status >= 0; i++) {
    bool memory;
    const char *member = zip_get_name(file->zip, (zip_uint64_t)i, 0);
    char *name = member ? array_name(member, &memory) : NULL;
    if (member && !memory) return io_memory(file->error, file->path, 0);
    if (!name) continue;
    status = read_member(file, (zip_uint64_t)i, name, data, list);
    if (status == IO_UNSUPPORTED) status = LAVDM_OK;
    free(name);
  }
  return status;
}

static int read_named(npz_file *file, const char *name, bool data, io_list *list) {
  char member[512];
  zip_int64_t i = -1;
  if (snprintf(member, sizeof member, "%s.npy", name) < (int)sizeof member)
    i = zip_name_locate(file->zip, member, 0);
  if (i < 0) i = zip_name_locate(file->zip, name, 0);
  return i < 0 ? IO_NOT_FOUND : read_member(file, (zip_uint64_t)i, name, data, list);
}

int npz_read(const char *path, const char *name, bool data, io_list *list, lavdm_error *error) {
  npz_file file;
  int status = npz_open(&file, path, error);
  if (status < 0) return status;
  status = name ? read_named(&file, name, data, list) : read_every(&file, data, list);
  zip_discard(file.zip);
  return status;
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
