/*
 * .pcd: the points of a cloud, x y z of each. Points without a measurement, whose coordinates are NaN, are
 * left out; so are all other fields.
 */
#include "io/pcd.h"
#include "io/room.h"
#include "io/vertices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail_early(const pcd_file *f, int64_t whole) {
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 "ends too early: its header promises %lld points, and %lld are whole", (long long)f->points,
                 (long long)whole);
}

/* ------------------------------------------------------------------ text */

static int read_line(const pcd_file *f, int64_t i, double *xyz) {
  const char *at = f->in.start, *from, *to;
  int64_t c = 0;
  for (; next_word(&at, f->in.stop, &from, &to); c++)
    for (int a = 0; a < 3; a++) {
      int status = c == f->field[f->axis[a]].column ? lines_number(&f->in, from, to, &xyz[a]) : LAVDM_OK;
      if (status < 0) return status;
    }
  if (c == f->columns) return LAVDM_OK;
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 "line %lld: point %lld has %lld numbers where the header promises %lld",
                 (long long)f->in.line, (long long)i + 1, (long long)c, (long long)f->columns);
}

static int read_text(pcd_file *f, double *xyz) {
  for (int64_t i = 0; i < f->points; i++) {
    double row[3]; /* there may be no room for one that is cut off */
    if (!lines_next_row(&f->in)) return fail_early(f, i);
    int status = read_line(f, i, row);
    if (status < 0) return status;
    memcpy(xyz + 3 * i, row, sizeof row);
  }
  if (!lines_next_row(&f->in)) return LAVDM_OK;
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 "line %lld: there are more points than the header promises", (long long)f->in.line);
}

/* ----------------------------------------------------------------- bytes */

/* Point by point, or field by field. */
static void take_bytes(const pcd_file *f, const char *data, bool by_field, double *xyz) {
  for (int a = 0; a < 3; a++) {
    const pcd_field *field = &f->field[f->axis[a]];
    const char *at = data + (by_field ? f->points * field->offset : field->offset);
    int64_t step = by_field ? field->number.size : f->width;
    for (int64_t i = 0; i < f->points; i++) xyz[3 * i + a] = number_real(field->number, at + i * step);
  }
}

static int read_bytes(const pcd_file *f, double *xyz) {
  int64_t left = f->in.end - f->in.at;
  if (left / f->width < f->points) return fail_early(f, left / f->width);
  if (left > f->points * f->width)
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "has %lld bytes more than the points that its header promises",
                   (long long)(left - f->points * f->width));
  take_bytes(f, f->in.at, false, xyz);
  return LAVDM_OK;
}

/* Two numbers, the bytes that follow and the bytes that they become; then the former. */
static int read_compressed(const pcd_file *f, double *xyz) {
  const number_format whole = {'u', 4, machine_is_big()};
  int64_t left = f->in.end - f->in.at - 8, size = f->points * f->width;
  if (left < 0) return fail_early(f, 0);
  int64_t packed = (int64_t)number_real(whole, f->in.at), plain = (int64_t)number_real(whole, f->in.at + 4);
  if (plain != size || packed > left)
    return io_fail(
        f->in.error, LAVDM_ERROR_DATA, f->in.path,
        "is damaged: its %lld points take %lld bytes, and it promises %lld in %lld, of which %lld are "
        "there",
        (long long)f->points, (long long)size, (long long)plain, (long long)packed, (long long)left);
  unsigned char *data = malloc((size_t)size + 1);
  if (!data) return io_memory(f->in.error, f->in.path, size);
  bool good = lzf_expand((const unsigned char *)f->in.at + 8, packed, data, size);
  if (good) take_bytes(f, (const char *)data, true, xyz);
  free(data);
  return good ? LAVDM_OK
              : io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "its compressed data are damaged");
}

/* -------------------------------------------------------------- the file */

/* Most points that the file can hold: a number in text has a digit and a separator, but for the last; a
 * compressed byte becomes at most 88 (264 from 3). Reading fails where there are fewer. */
static int make_room(const pcd_file *f, io_array *out) {
  int64_t left = f->in.end - f->in.at, most = (left + 1) / (2 * f->columns);
  if (f->form == PCD_BYTES) most = left / f->width;
  if (f->form == PCD_COMPRESSED) most = left * 88 / f->width;
  int64_t count = f->points < most ? f->points : most, shape[2] = {count, 3};
  if (f->form == PCD_COMPRESSED && f->points > most) return fail_early(f, most);
  int64_t plain = f->form == PCD_COMPRESSED ? count * f->width : 0;
  array_describe(out, NULL, IO_REAL, 2, shape);
  int status = room_check(f->in.path, out, f->in.end - f->in.text, plain + 24 * count, f->in.error);
  return status < 0 ? status : array_allocate(out, f->in.path, f->in.end - f->in.text, f->in.error);
}

static void drop_unmeasured(io_array *out) {
  double *xyz = out->data;
  int64_t kept = 0;
  for (int64_t i = 0; i < out->shape[0]; i++)
    if (!isnan(xyz[3 * i]) && !isnan(xyz[3 * i + 1]) && !isnan(xyz[3 * i + 2]))
      memmove(xyz + 3 * kept++, xyz + 3 * i, 3 * sizeof *xyz);
  out->shape[0] = kept;
}

static void tell(const pcd_file *f, const io_array *out) {
  char names[NAMES_SIZE] = "";
  for (int k = 0; k < f->fields; k++) {
    bool axis = k == f->axis[0] || k == f->axis[1] || k == f->axis[2];
    if (!axis && !word_is(f->field[k].from, f->field[k].to, "_"))
      names_add(names, f->field[k].from, f->field[k].to);
  }
  if (*names) io_note(f->in.path, "x, y, z are the points; left out: %s", names);
  if (out->shape[0] < f->points)
    io_note(f->in.path, "%lld of its %lld points have no measurement (NaN) and are left out",
            (long long)(f->points - out->shape[0]), (long long)f->points);
}

int pcd_read(const char *path, io_array *out, lavdm_error *error) {
  pcd_file f = {0};
  int status = lines_open(path, &f.in, error);
  if (status >= 0) status = pcd_read_header(&f);
  if (status >= 0) status = make_room(&f, out);
  if (status >= 0 && f.form == PCD_TEXT) status = read_text(&f, out->data);
  if (status >= 0 && f.form == PCD_BYTES) status = read_bytes(&f, out->data);
  if (status >= 0 && f.form == PCD_COMPRESSED) status = read_compressed(&f, out->data);
  if (status >= 0) {
    drop_unmeasured(out);
    tell(&f, out);
  } else {
    io_array_free(out);
  }
  lines_close(&f.in);
  return status;
}
