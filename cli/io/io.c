/* Which format a file has, which array of it is meant, and the order of calls. */
#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"
#include "io/pipe.h"
#include "io/table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef enum {
  KIND_NPY,
  KIND_TEXT,
  KIND_NPZ,
  KIND_MAT,
  KIND_H5,
  KIND_MRC,
  KIND_PICTURE,
  KIND_SHAPE,
  KIND_CELLS
} file_kind;

typedef struct {
  const char *end;
  file_kind kind;
  container_reader *read; /* NULL: a single array */
  bool write;
  shape_reader *shape; /* of KIND_SHAPE */
} file_format;

static const file_format known[] = {
    {".npy", KIND_NPY, NULL, true, NULL},        {".npz", KIND_NPZ, npz_read, true, NULL},
    {".csv", KIND_TEXT, NULL, true, NULL},       {".tsv", KIND_TEXT, NULL, true, NULL},
    {".txt", KIND_TEXT, NULL, false, NULL},      {".mat", KIND_MAT, mat_read, true, NULL},
    {".h5", KIND_H5, h5_read, true, NULL},       {".hdf5", KIND_H5, h5_read, true, NULL},
    {".ply", KIND_SHAPE, NULL, false, ply_read}, {".obj", KIND_SHAPE, NULL, false, obj_read},
    {".stl", KIND_SHAPE, NULL, false, stl_read}, {".off", KIND_SHAPE, NULL, false, off_read},
    {".xyz", KIND_SHAPE, NULL, false, xyz_read}, {".asc", KIND_SHAPE, NULL, false, xyz_read},
    {".pcd", KIND_SHAPE, NULL, false, pcd_read}, {".las", KIND_SHAPE, NULL, false, las_read},
    {".mrc", KIND_MRC, NULL, true, NULL},        {".mrcs", KIND_MRC, NULL, true, NULL},
    {".map", KIND_MRC, NULL, true, NULL},        {".png", KIND_PICTURE, NULL, false, NULL},
    {".tif", KIND_PICTURE, NULL, false, NULL},   {".tiff", KIND_PICTURE, NULL, false, NULL},
    {".pgm", KIND_PICTURE, NULL, false, NULL},   {".ppm", KIND_PICTURE, NULL, false, NULL},
    {".pnm", KIND_PICTURE, NULL, false, NULL},   {".csv.gz", KIND_TEXT, NULL, false, NULL},
    {".tsv.gz", KIND_TEXT, NULL, false, NULL},   {".txt.gz", KIND_TEXT, NULL, false, NULL},
    {".h5ad", KIND_CELLS, h5_read, false, NULL},
};
enum { KNOWN = sizeof known / sizeof *known };

/* The format whose extension ends the first `length` bytes of a path. */
static const file_format *format_of(const char *path, size_t length) {
  for (int i = 0; i < KNOWN; i++) {
    size_t end = strlen(known[i].end);
    if (length > end && strncasecmp(path + length - end, known[i].end, end) == 0) return &known[i];
  }
  return NULL;
}

const char *io_extension(const char *path) {
  const char *end = strrchr(path, '.');
  return io_is_pipe(path) ? pipe_written() : end ? end : "";
}

/* The format that a file is written in, or NULL. */
static const file_format *written_format(const char *path) {
  const char *end = io_extension(path);
  for (int i = 0; i < KNOWN && io_is_pipe(path); i++)
    if (!strcmp(known[i].end, end)) return &known[i];
  return format_of(path, strlen(path));
}

/* The format of what is read; of the standard input by what came. */
static int read_format(const char *path, size_t length, const file_format **format, lavdm_error *error) {
  const char *end;
  *format = format_of(path, length);
  if (!io_is_pipe(path)) return LAVDM_OK;
  int status = pipe_read(&end, error);
  for (int i = 0; i < KNOWN && status >= 0; i++)
    if (!strcmp(known[i].end, end)) *format = &known[i];
  return status;
}

/* A missing file is missing, whatever its name; one of another program is named, with the way to convert it;
 * else what is read is listed. */
static int fail_format(const char *path, lavdm_error *error) {
  char text[512] = "";
  size_t used = 0;
  if (access(path, F_OK)) return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "no such file");
  if (foreign_way(path, text)) return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "%s", text);
  for (int i = 0; i < KNOWN; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? i + 1 < KNOWN ? ", " : " and " : "",
                             known[i].end);
  return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "is of no known kind; known are %s", text);
}

int io_settled(int status, lavdm_error *error) {
  if (status == IO_UNSUPPORTED) status = LAVDM_ERROR_DATA;
  if (status < 0 && error) error->status = status;
  return status;
}

int pass_over(passed_over *p, int status, const lavdm_error *error) {
  if (status >= 0) p->read++;
  if (status != IO_UNSUPPORTED) return status;
  if (!p->first.status) p->first = *error;
  return LAVDM_OK;
}

int passed_status(const passed_over *p, lavdm_error *error) {
  if (p->read || !p->first.status) return LAVDM_OK;
  *error = p->first;
  return IO_UNSUPPORTED;
}

/* ------------------------------------------------------------- choosing */

/* "points (100 x 3), t (100)", as far as it fits. */
static void list_arrays(const io_list *list, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < list->count; i++) {
    const io_array *a = &list->array[i];
    char entry[200];
    int length = snprintf(entry, sizeof entry, "%s%.*s", i ? ", " : "", text_cut(a->name, 60), a->name);
    for (int j = 0; j < a->rank && a->type != IO_TEXT; j++)
      length += snprintf(entry + length, sizeof entry - (size_t)length, "%s%lld%s", j ? " x " : " (",
                         (long long)a->shape[j], j + 1 == a->rank ? ")" : "");
    if (used + (size_t)length + 6 > size) {
      snprintf(text + used, size - used, ", ...");
      return;
    }
    memcpy(text + used, entry, (size_t)length + 1);
    used += (size_t)length;
  }
}

static int fail_missing(const char *path, const char *name, container_reader *read, lavdm_error *error) {
  io_list list = {0};
  char text[200];
  int status = read(path, NULL, false, &list, error);
  if (status >= 0) {
    list_arrays(&list, text, sizeof text);
    status = io_fail(error, LAVDM_ERROR_ARGUMENT, path, "has no array '%.*s'; it holds %s",
                     text_cut(name, 60), name, list.count ? text : "none");
  }
  list_free(&list);
  return status;
}

/* The array meant when none is named; NULL if that is not clear. */
static const io_array *choose(const io_list *list) {
  static const char *const usual[] = {"points", "data", "x"};
  for (int scalars = 0; scalars < 2; scalars++) {
    const io_array *only = NULL;
    int count = 0;
    for (int i = 0; i < list->count; i++) {
      const io_array *a = &list->array[i];
      if (a->type == IO_TEXT || (!scalars && io_array_count(a) == 1)) continue;
      only = a;
      count++;
    }
    if (count == 1) return only;
    if (count > 1) break;
  }
  for (int u = 0; u < 3; u++)
    for (int i = 0; i < list->count; i++)
      if (list->array[i].type != IO_TEXT && strcasecmp(list->array[i].name, usual[u]) == 0)
        return &list->array[i];
  return NULL;
}

static int read_container(const file_format *format, const char *path, const char *name, io_list *list,
                          lavdm_error *error) {
  io_list all = {0};
  int status = LAVDM_OK;
  const io_array *chosen = NULL;
  if (!name) {
    status = format->read(path, NULL, false, &all, error);
    chosen = status < 0 ? NULL : choose(&all);
    if (status >= 0 && !chosen) {
      char text[200];
      list_arrays(&all, text, sizeof text);
      if (all.count)
        status = io_fail(error, LAVDM_ERROR_ARGUMENT, path, "which array? add :NAME to the file; it holds %s",
                         text);
      else
        status =
            io_fail(error, LAVDM_ERROR_DATA, path,
                    format->kind == KIND_H5
                        ? "holds no array of real numbers at its root; one in a group is FILE:/group/name"
                        : "holds no array of real numbers");
    }
  }
  if (status >= 0) status = format->read(path, name ? name : chosen->name, true, list, error);
  if (status == IO_NOT_FOUND) status = fail_missing(path, name ? name : chosen->name, format->read, error);
  list_free(&all);
  return status;
}

/* -------------------------------------------------------------- reading */

/* floats: those of an .npy file stay what they are, and an .mrc file becomes floats. */
static int read_single(const file_format *format, const char *path, bool floats, io_array *out,
                       lavdm_error *error) {
  if (format->kind == KIND_NPY) return npy_read(path, floats, out, error);
  if (format->kind == KIND_MRC) return mrc_read(path, floats, out, error);
  if (format->kind == KIND_PICTURE) return picture_read_array(path, out, error);
  if (format->kind == KIND_SHAPE) return format->shape(path, out, error);
  return csv_read(path, out, error);
}

static int only_numbers(const char *path, io_array *array, lavdm_error *error) {
  if (array->type != IO_TEXT) return LAVDM_OK;
  io_array_free(array);
  return io_fail(error, LAVDM_ERROR_DATA, path, "holds text; real numbers are needed");
}

/* Where there is such a file, if anywhere. */
size_t io_file_part(const char *spec) {
  size_t length = strlen(spec), first = length;
  if (format_of(spec, length) && access(spec, F_OK) == 0) return length;
  for (const char *colon = strchr(spec, ':'); colon; colon = strchr(colon + 1, ':')) {
    size_t part = (size_t)(colon - spec);
    char path[PATH_MAX];
    if (!format_of(spec, part) || part >= sizeof path) continue;
    memcpy(path, spec, part);
    path[part] = 0;
    if (access(path, F_OK) == 0) return part;
    if (first == length) first = part;
  }
  return first;
}

static int read_spec(const char *spec, bool floats, io_array *out, lavdm_error *error) {
  memset(out, 0, sizeof *out);
  size_t length = io_file_part(spec);
  const file_format *format;
  int status = read_format(spec, length, &format, error);
  if (status < 0) return io_settled(status, error);
  if (!format) return fail_format(spec, error);
  const char *name = spec[length] ? spec + length + 1 : NULL;
  if (name && !format->read)
    return io_fail(error, LAVDM_ERROR_ARGUMENT, spec, "a %s file holds one array without a name",
                   format->end);
  if (name && !*name)
    return io_fail(error, LAVDM_ERROR_ARGUMENT, spec, "the name of an array is missing after ':'");
  char *path = calloc(length + 1, 1);
  if (!path) return io_memory(error, spec, 0);
  memcpy(path, spec, length);
  io_list list = {0};
  io_stamp stamp = io_stamp_of(path);
  if (format->read) {
    status = read_container(format, path, name, &list, error);
    if (status >= 0) *out = list.array[--list.count];
  } else {
    status = read_single(format, path, floats, out, error);
  }
  if (status >= 0) status = only_numbers(spec, out, error);
  if (status >= 0 && (status = io_stamp_check(path, &stamp, error)) < 0) io_array_free(out);
  list_free(&list);
  free(path);
  return io_settled(status, error);
}

int io_read(const char *spec, io_array *out, lavdm_error *error) {
  return read_spec(spec, false, out, error);
}

int io_read_points(const char *spec, io_array *out, lavdm_error *error) {
  return read_spec(spec, true, out, error);
}

int io_has(const char *path, const char *name, lavdm_error *error) {
  const file_format *format = format_of(path, strlen(path));
  io_list list = {0};
  lavdm_error said = {0};
  if (!format || !format->read) return 0;
  int status = format->read(path, name, false, &list, &said);
  list_free(&list);
  if (status >= 0 || status == IO_UNSUPPORTED) return 1; /* which io_read refuses */
  if (status == IO_NOT_FOUND) return 0;
  if (error) *error = said;
  return io_settled(status, error);
}

char *io_split(const char *spec, const char **name) {
  size_t length = io_file_part(spec);
  char *path = calloc(length + 1, 1);
  if (path) memcpy(path, spec, length);
  *name = spec[length] ? spec + length + 1 : NULL;
  return path;
}

int io_read_text(const char *path, const char *name, char **text, lavdm_error *error) {
  const file_format *format = format_of(path, strlen(path));
  io_list list = {0};
  *text = NULL;
  if (!format) return fail_format(path, error);
  if (!format->read)
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "a %s file holds one array and no texts", format->end);
  int status = format->read(path, name, true, &list, error);
  if (status >= 0 && list.count == 1 && list.array[0].type == IO_TEXT) {
    *text = list.array[0].data;
    list.array[0].data = NULL;
  }
  list_free(&list);
  return status == IO_NOT_FOUND ? LAVDM_OK : io_settled(status, error);
}

int io_read_all(const char *path, io_array **out, int *count, lavdm_error *error) {
  const file_format *format;
  io_list list = {0};
  *out = NULL;
  *count = 0;
  int status = read_format(path, strlen(path), &format, error);
  if (status < 0) return io_settled(status, error);
  if (!format) return fail_format(path, error);
  io_stamp stamp = io_stamp_of(path);
  if (format->read) {
    status = format->read(path, NULL, true, &list, error);
  } else {
    io_array *single = list_add(&list);
    status = single ? read_single(format, path, false, single, error) : io_memory(error, path, 0);
  }
  if (status >= 0) status = io_stamp_check(path, &stamp, error);
  if (status < 0) {
    list_free(&list);
    return io_settled(status, error);
  }
  *out = list.array;
  *count = list.count;
  return LAVDM_OK;
}

/* -------------------------------------------------------------- writing */

bool io_can_write(const char *path, bool container, lavdm_error *error) {
  const file_format *format = written_format(path);
  if (format && format->write && (format->read || !container)) return true;
  io_fail(error, LAVDM_ERROR_ARGUMENT, path, "cannot be written; the name must end in .h5, .npz or .mat%s",
          container ? "" : ", or for a single array in .npy, .csv, .tsv or .mrc");
  return false;
}

bool io_is_table(const char *path) {
  const file_format *format;
  return read_format(path, strlen(path), &format, NULL) >= 0 && format && format->kind == KIND_TEXT;
}

bool io_writes_table(const char *path) {
  const file_format *format = written_format(path);
  return format && format->kind == KIND_TEXT;
}

bool io_is_cells(const char *spec) {
  const file_format *format = format_of(spec, io_file_part(spec));
  return format && format->kind == KIND_CELLS;
}

bool io_is_h5(const char *path) {
  const file_format *format = written_format(path);
  return format && format->kind == KIND_H5;
}

static int check_items(const file_format *format, const char *path, const io_item *items, int count,
                       lavdm_error *error) {
  if (count < 1) return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "there is nothing to write");
  for (int i = 0; i < count; i++) {
    const io_item *a = &items[i];
    if (a->type != IO_TEXT && item_count(a) < 0)
      return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "an array has an impossible shape");
    if (!format->read && a->type == IO_TEXT)
      return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "a %s file cannot hold text of this kind",
                     format->end);
    if (format->kind == KIND_TEXT && a->rank > 2)
      return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "a %s file cannot hold an array of %d dimensions",
                     format->end, a->rank);
    if (format->kind == KIND_MRC && a->rank != 2 && a->rank != 3)
      return io_fail(
          error, LAVDM_ERROR_ARGUMENT, path,
          "a %s file holds images, height x width, or a stack of them; not an array of %d dimension%s",
          format->end, a->rank, a->rank == 1 ? "" : "s");
    if (!format->read) continue;
    if (!a->name || !a->name[0] || strlen(a->name) > 200 || strchr(a->name, '/'))
      return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "an array has no proper name");
    for (int j = 0; j < i; j++)
      if (strcmp(items[j].name, a->name) == 0)
        return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "two arrays are called '%s'", a->name);
  }
  return LAVDM_OK;
}

int io_written(int status, lavdm_error *error) {
  return io_settled(status == LAVDM_ERROR_FILE ? IO_ERROR_WRITE : status, error);
}

int io_write(const char *path, const io_item *items, int count, lavdm_error *error) {
  return io_write_trimmed(path, items, count, NULL, error);
}

int io_write_trimmed(const char *path, const io_item *items, int count, const io_trim *trim,
                     lavdm_error *error) {
  if (!io_can_write(path, count > 1, error)) return LAVDM_ERROR_ARGUMENT;
  const file_format *format = written_format(path);
  output_file file;
  int status = check_items(format, path, items, count, error);
  if (status < 0) return status;
  if (format->kind == KIND_H5)
    return io_written(
        lavdm_write(path, items, count, trim ? trim->call : NULL, trim ? trim->user : NULL, error), error);
  status = output_begin(&file, path, error);
  if (status < 0) return io_written(status, error);
  file.trim = trim;
  switch (format->kind) {
  case KIND_NPY:
    status = npy_write(&file, items);
    break;
  case KIND_TEXT:
    status = csv_write(&file, items, strcmp(format->end, ".tsv") == 0 ? '\t' : ',');
    break;
  case KIND_NPZ:
    status = npz_write(&file, items, count);
    break;
  case KIND_MAT:
    status = mat_write(&file, items, count, MAT5_MOST);
    break;
  case KIND_MRC:
    status = mrc_write(&file, items);
    break;
  case KIND_H5: /* above */
  case KIND_PICTURE:
  case KIND_SHAPE:
  case KIND_CELLS:
    break;
  }
  return io_written(output_end(&file, status), error);
}
