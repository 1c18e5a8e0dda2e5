/*
 * MAT files of version 5 (and 6 and 7, which are the same): a header of 128
 * bytes, then one element for each variable: miMATRIX, or miCOMPRESSED, which
 * is a deflated miMATRIX. A matrix is flags, dimensions, name and numbers,
 * column by column, each an element of its own that says how long it is; all
 * these lengths must agree here. Version 7.3 is HDF5 (h5.c).
 */
#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"
#include "io/scipy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
  MI_INT8 = 1,
  MI_UINT8 = 2,
  MI_INT32 = 5,
  MI_UINT32 = 6,
  MI_MATRIX = 14,
  MI_COMPRESSED = 15,
  MI_UTF8 = 16,
  MI_UTF16 = 17
};
enum { MX_CHAR = 4, MX_SPARSE = 5, MX_DOUBLE = 6, MX_SINGLE = 7, MX_UINT64 = 15 };
enum { NAME_MOST = 4096 };

typedef struct {
  const char *path, *name; /* name: NULL for every matrix */
  bool data;
  bool sparse; /* sparse matrices alone, each as four arrays */
  int fd;
  int64_t length, at; /* of the file; of the next element */
  bool swapped;
  sender *to;
  lavdm_error *error;
} mat_file;

typedef struct {
  int type;
  int64_t bytes, padding;
} mat_tag;

typedef struct {
  int class;
  bool complex;
  int rank;
  int64_t shape[IO_RANK];
  char name[NAME_MOST];
} mat_matrix;

static int damaged(source *s) {
  return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is not a readable MAT file (damaged?)");
}

/* --------------------------------------------------------- compression */

typedef struct {
  source file; /* the deflated bytes */
  z_stream stream;
  unsigned char input[1 << 15];
} inflater;

static int64_t inflate_pull(source *s, void *buffer, int64_t most) {
  inflater *z = s->user;
  z->stream.next_out = buffer;
  z->stream.avail_out = most < 1 << 30 ? (uInt)most : 1u << 30;
  const uInt wanted = z->stream.avail_out;
  while (z->stream.avail_out == wanted) {
    if (z->stream.avail_in == 0 && z->file.left > 0) {
      int64_t part = z->file.left < (int64_t)sizeof z->input ? z->file.left : (int64_t)sizeof z->input;
      if (source_read(&z->file, z->input, part) < 0) return -1;
      z->stream.next_in = z->input;
      z->stream.avail_in = (uInt)part;
    }
    int result = inflate(&z->stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) break;
    if (result != Z_OK) return -1;
  }
  return (int64_t)(wanted - z->stream.avail_out);
}

/* Nothing but padding follows, and the checksum at the end is right. */
static bool whole(source *s) {
  char padding[64];
  for (int64_t more = 0, got; more < (int64_t)sizeof padding; more += got) {
    got = inflate_pull(s, padding, (int64_t)sizeof padding);
    if (got <= 0) return got == 0;
  }
  return false;
}

/* ------------------------------------------------------------ elements */

static int read_words(const mat_file *file, source *s, uint32_t *words, int count) {
  int status = source_read(s, words, 4 * count);
  if (status >= 0 && file->swapped) swap_bytes(words, 4, count);
  return status;
}

/* A tag of 8 bytes, or of 4 with up to 4 bytes of data behind it. */
static int read_tag(const mat_file *file, source *s, mat_tag *tag) {
  uint32_t word;
  int status = read_words(file, s, &word, 1);
  if (status < 0) return status;
  if (word >> 16) {
    *tag = (mat_tag){(int)(word & 0xFFFF), word >> 16, 4 - (int64_t)(word >> 16)};
    return tag->padding < 0 ? damaged(s) : LAVDM_OK;
  }
  tag->type = (int)word;
  status = read_words(file, s, &word, 1);
  tag->bytes = word;
  tag->padding = (8 - word % 8) % 8;
  return status < 0 ? status : tag->bytes > s->left ? damaged(s) : LAVDM_OK;
}

static bool stored_format(int type, number_format *f) {
  static const char kind[] = "\0iuiuiuf\0f\0\0iu";
  static const signed char size[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
  if (type < 0 || type >= (int)sizeof size) return false;
  f->kind = kind[type];
  f->size = size[type];
  return f->size > 0;
}

static int read_name(const mat_file *file, source *s, mat_matrix *m) {
  mat_tag tag;
  int status = read_tag(file, s, &tag);
  if (status < 0) return status;
  if (tag.type != MI_INT8 && tag.type != MI_UTF8 && tag.type != MI_UINT8) return damaged(s);
  if (tag.bytes >= NAME_MOST) return damaged(s);
  status = source_read(s, m->name, tag.bytes);
  m->name[status < 0 ? 0 : tag.bytes] = 0;
  return status < 0 ? status : source_skip(s, tag.padding);
}

/* Flags, dimensions and name; rank beyond IO_RANK is counted but not kept. */
static int read_matrix_header(const mat_file *file, source *s, mat_matrix *m) {
  mat_tag tag;
  uint32_t flags[2], size;
  memset(m, 0, offsetof(mat_matrix, name) + 1);
  int status = read_tag(file, s, &tag);
  if (status < 0) return status;
  if (tag.type != MI_UINT32 || tag.bytes != 8) return damaged(s);
  if ((status = read_words(file, s, flags, 2)) < 0) return status;
  m->class = (int)(flags[0] & 0xFF);
  m->complex = flags[0] & 0x800;
  if (m->class > MX_UINT64) return LAVDM_OK; /* functions and objects are laid out otherwise */
  if ((status = read_tag(file, s, &tag)) < 0) return status;
  if (tag.type != MI_INT32 || tag.bytes % 4 || tag.bytes < 8) return damaged(s);
  m->rank = (int)(tag.bytes / 4 < 1000 ? tag.bytes / 4 : 1000);
  for (int64_t i = 0; i < tag.bytes / 4; i++) {
    if ((status = read_words(file, s, &size, 1)) < 0) return status;
    if (size > INT32_MAX) return damaged(s);
    if (i < IO_RANK) m->shape[i] = size;
  }
  status = source_skip(s, tag.padding);
  return status < 0 ? status : read_name(file, s, m);
}

static int refuse(source *s, const mat_matrix *m) {
  static const char *const what[] = {"nothing",   "a cell array",         "a struct",
                                     "an object", "text in several rows", "a sparse matrix"};
  if (m->class <= 5)
    return io_fail(s->error, IO_UNSUPPORTED, s->label, "holds %s; a full array of numbers is needed",
                   what[m->class]);
  if (m->class > MX_UINT64)
    return io_fail(s->error, IO_UNSUPPORTED, s->label,
                   "holds a function or object; a full array of numbers is needed");
  if (m->complex)
    return io_fail(s->error, IO_UNSUPPORTED, s->label, "holds complex numbers; real ones are needed");
  return io_fail(s->error, IO_UNSUPPORTED, s->label, "has %d dimensions; at most %d are read", m->rank,
                 IO_RANK);
}

static bool usable(const mat_matrix *m) {
  if (m->class == MX_CHAR) return m->rank == 2 && (m->shape[0] <= 1 || m->shape[1] == 0);
  return m->class >= MX_DOUBLE && m->class <= MX_UINT64 && !m->complex && m->rank <= IO_RANK;
}

/* ---------------------------------------------------------------- data */

static int send_char(const mat_file *file, source *s, mat_matrix *m) {
  mat_tag tag;
  int status = read_tag(file, s, &tag);
  if (status < 0) return status;
  number_format f = {0};
  int unit = tag.type == MI_UTF16                           ? 2
             : tag.type == MI_UTF8                          ? 1
             : stored_format(tag.type, &f) && f.kind != 'f' ? f.size
                                                            : 0;
  if (unit < 1 || unit > 4 || tag.bytes % unit || tag.bytes > s->left) return damaged(s);
  if (tag.type != MI_UTF8 && tag.bytes / unit != m->shape[0] * m->shape[1]) return damaged(s);
  char *raw = malloc((size_t)tag.bytes + 1), *text = NULL;
  int64_t length = 0;
  if (!raw) return io_memory(s->error, s->label, tag.bytes);
  status = source_read(s, raw, tag.bytes);
  if (status >= 0) {
    if (file->swapped) swap_bytes(raw, unit, tag.bytes / unit);
    text = text_from_units(raw, unit, tag.bytes / unit, &length);
    if (!text) status = io_memory(s->error, s->label, length);
  }
  if (status >= 0) {
    send_array(file->to, &(io_array){.name = m->name, .type = IO_TEXT, .rank = 1, .shape = {length}}, false,
               true);
    send_bytes(file->to, text, length);
  }
  free(text);
  free(raw);
  return status < 0 ? status : source_skip(s, s->left ? tag.padding : 0);
}

static io_type type_of(const mat_matrix *m) {
  return m->class == MX_CHAR ? IO_TEXT : m->class <= MX_SINGLE ? IO_REAL : IO_INTEGER;
}

static int send_matrix_data(const mat_file *file, source *s, const io_array *array) {
  mat_tag tag;
  number_format f = {.kind = 'f', .size = 8, .swapped = file->swapped};
  int64_t count = io_array_count(array);
  if (count != 0 || s->left > 0) {
    int status = read_tag(file, s, &tag);
    if (status < 0) return status;
    if (!stored_format(tag.type, &f) || checked_product(count, f.size) != tag.bytes) return damaged(s);
    if (array->type == IO_INTEGER && f.kind == 'f') return damaged(s);
  }
  return send_numbers(s, f, true, array, file->to);
}

/* One of the lists of a sparse matrix: as many numbers as there are. */
static int send_list(const mat_file *file, source *s, const char *name, io_type type) {
  mat_tag tag;
  number_format f = {.swapped = file->swapped};
  int status = read_tag(file, s, &tag);
  if (status < 0) return status;
  if (!stored_format(tag.type, &f) || tag.bytes % f.size || (type == IO_INTEGER && f.kind == 'f'))
    return damaged(s);
  io_array list = {.name = (char *)(uintptr_t)name, .type = type, .rank = 1, .shape = {tag.bytes / f.size}};
  status = send_numbers(s, f, false, &list, file->to);
  return status < 0 ? status : source_skip(s, s->left ? tag.padding : 0);
}

/* shape, indices (rows), indptr (where columns begin), data. */
static int send_sparse(const mat_file *file, source *s, const mat_matrix *m) {
  if (m->complex)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "holds complex numbers; real ones are needed");
  if (m->rank != 2) return damaged(s);
  send_array(file->to, &(io_array){.name = "shape", .type = IO_INTEGER, .rank = 1, .shape = {2}}, false,
             true);
  send_bytes(file->to, m->shape, 16);
  int status = send_list(file, s, "indices", IO_INTEGER);
  if (status >= 0) status = send_list(file, s, "indptr", IO_INTEGER);
  return status < 0 ? status : send_list(file, s, "data", IO_REAL);
}

/* Sends a matrix if it is the one asked for; 1 if it was. */
static int send_matrix(const mat_file *file, source *s) {
  mat_matrix m;
  char label[IO_LABEL];
  int status = read_matrix_header(file, s, &m);
  if (status < 0) return status;
  if (file->name ? strcmp(file->name, m.name) != 0 : !m.name[0]) return LAVDM_OK;
  if (file->sparse && m.class != MX_SPARSE) return LAVDM_OK;
  file_label(label, file->path, m.name);
  s->label = label;
  io_array array = {.name = m.name, .type = type_of(&m), .rank = m.rank};
  memcpy(array.shape, m.shape, sizeof array.shape);
  if (file->sparse)
    status = send_sparse(file, s, &m);
  else if (!usable(&m))
    status = refuse(s, &m);
  else if (!file->data)
    send_array(file->to, &array, false, false);
  else
    status = m.class == MX_CHAR ? send_char(file, s, &m) : send_matrix_data(file, s, &array);
  s->label = file->path;
  return status < 0 ? status : 1;
}

/* The element at file->at, which moves on to the next. */
static int send_element(mat_file *file) {
  source s = {.label = file->path,
              .left = file->length - file->at,
              .pull = file_pull,
              .fd = file->fd,
              .error = file->error};
  uint32_t words[2];
  if (lseek(file->fd, (off_t)file->at, SEEK_SET) < 0) return damaged(&s);
  int status = read_words(file, &s, words, 2);
  if (status < 0) return status;
  if (words[1] > s.left)
    return io_fail(file->error, LAVDM_ERROR_DATA, file->path, "ends too early (cut short?)");
  s.left = words[1];
  file->at += 8 + s.left;
  if (words[0] == MI_MATRIX) return send_matrix(file, &s);
  if (words[0] != MI_COMPRESSED) return damaged(&s);
  inflater z = {.file = s};
  if (inflateInit(&z.stream) != Z_OK) return io_memory(file->error, file->path, 0);
  source inner = {.label = file->path, .left = 8, .pull = inflate_pull, .user = &z, .error = file->error};
  status = read_words(file, &inner, words, 2);
  inner.left = words[1];
  if (status >= 0 && (words[0] != MI_MATRIX || inner.left / INFLATION > s.left)) status = damaged(&inner);
  if (status >= 0) status = send_matrix(file, &inner);
  if (status == 1 && file->data && !whole(&inner)) status = damaged(&inner);
  inflateEnd(&z.stream);
  return status;
}

static int send_elements(mat_file *file) {
  passed_over passed = {0};
  file->at = 128;
  while (file->at < file->length) {
    int status = send_element(file);
    if (!file->name && status != 0) status = pass_over(&passed, status, file->error);
    if (status < 0) return status;
    if (status == 1 && file->name) return LAVDM_OK;
  }
  return file->name ? IO_NOT_FOUND : passed_status(&passed, file->error);
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  mat_file *file = user;
  file->to = to;
  file->error = error;
  int status = file_open(file->path, &file->fd, &file->length, error);
  if (status < 0) return status;
  status = send_elements(file);
  close(file->fd);
  return status;
}

/* 1 for version 5 and its like, 2 for 7.3. */
static int find_version(const char *path, mat_file *file, int *version, lavdm_error *error) {
  unsigned char header[128] = {0};
  source s = {.label = path, .pull = file_pull, .error = error};
  int status = file_open(path, &s.fd, &s.left, error);
  if (status < 0) return status;
  int64_t length = s.left;
  status = source_read(&s, header, length < 128 ? length : 128);
  close(s.fd);
  if (status < 0) return status;
  bool little = header[126] == 'I' && header[127] == 'M', big = header[126] == 'M' && header[127] == 'I';
  *version = little ? header[125] : big ? header[124] : 0;
  if (memcmp(header, "\x89HDF\r\n\x1a\n", 8) == 0) *version = 2;
  file->swapped = big != machine_is_big();
  if (*version == 0 && length >= 20 && !(header[2] | header[3]))
    return io_fail(error, LAVDM_ERROR_DATA, path,
                   "is a MAT file of version 4, or damaged; save it with -v7 or -v7.3");
  return *version == 1 || *version == 2 ? LAVDM_OK : damaged(&s);
}

int mat_read(const char *path, const char *name, bool data, io_list *list, lavdm_error *error) {
  mat_file file = {.path = path, .name = name, .data = data};
  int version, status = find_version(path, &file, &version, error);
  if (status < 0) return status;
  if (version == 2) return mat73_read(path, name, data, list, error);
  return isolate_file(path, "is not a readable MAT file (damaged?)", read_in_child, &file, list, error);
}

int mat_read_sparse(const char *path, const char *name, io_sparse *out, lavdm_error *error) {
  mat_file file = {.path = path, .name = name, .data = true, .sparse = true};
  io_list list = {0};
  int version, status = find_version(path, &file, &version, error);
  if (status < 0 || version == 2) return status < 0 ? io_settled(status, error) : 0;
  status = isolate_file(path, "is not a readable MAT file (damaged?)", read_in_child, &file, &list, error);
  if (status == IO_NOT_FOUND || (status >= 0 && !list.count)) {
    list_free(&list);
    return 0;
  }
  io_array *a = list.array;
  if (status >= 0 && list.count > 4)
    status =
        io_fail(error, LAVDM_ERROR_ARGUMENT, path, "holds several sparse matrices: add :NAME to the file");
  else if (status >= 0 && (list.count < 4 || a[0].type != IO_INTEGER || a[0].rank != 1 || a[0].shape[0] != 2))
    status = io_fail(error, LAVDM_ERROR_DATA, path, "is not a readable MAT file (damaged?)");
  if (status >= 0) {
    const int64_t *shape = a[0].data;
    status = sparse_make(path, "csc", shape[0], shape[1], &a[3], &a[1], &a[2], out, error);
  }
  list_free(&list);
  return status < 0 ? io_settled(status, error) : 1;
}
