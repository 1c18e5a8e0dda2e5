/*
 * MRC, as of 2014: a header of 256 words, an extended one that is skipped, then
 * sections x rows x columns of numbers. Of the header are used
 *
 *     word    0-2      nx, ny, nz: columns, rows, sections
 *             3        mode: 0 int8, 1 int16, 2 float32, 6 uint16, 12 float16
 *             7-9      mx, my, mz: the cell in pixels; 10-12 the same in Angstroms
 *             16-18    which axes columns, rows and sections are
 *             19-21    least, largest and mean value; 54 their standard deviation
 *             22       space group: 0 for images
 *             23       bytes of the extended header
 *             38, 39   IMOD's stamp and flags: whether bytes have a sign
 *             52, 53   "MAP ", and the byte order
 *             55, 56   number of labels, and these, of 80 characters
 */
#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 256, HEADER = 4 * WORDS, MODE_MOST = 127, IMOD_STAMP = 1146047817, IMOD_SIGNED = 1 };

/* -------------------------------------------------------------- reading */

static bool plausible(const int32_t *word) {
  return word[0] > 0 && word[1] > 0 && word[2] > 0 && word[3] >= 0 && word[3] <= MODE_MOST;
}

/* The words in this machine's order; true if they were not. The stamp decides,
 * if with it they make sense; else what makes sense, and the smaller sizes. */
static bool arrange_words(int32_t *word) {
  int32_t other[WORDS];
  const unsigned char *stamp = (const unsigned char *)(word + 53);
  bool little = stamp[0] == 0x44, big = stamp[0] == 0x11;
  bool foreign = (little && machine_is_big()) || (big && !machine_is_big());
  memcpy(other, word, HEADER);
  swap_bytes(other, 4, WORDS);
  bool here = plausible(word), there = plausible(other);
  bool swap = there && (!here || foreign || (!little && !big && other[0] < word[0]));
  if (swap) memcpy(word, other, HEADER);
  return swap;
}

static int choose_number(source *s, const int32_t *word, number_format *f) {
  bool unsigned_bytes = word[38] == IMOD_STAMP && !(word[39] & IMOD_SIGNED);
  switch (word[3]) {
  case 0:
    f->kind = unsigned_bytes ? 'u' : 'i';
    f->size = 1;
    return LAVDM_OK;
  case 1:
  case 6:
    f->kind = word[3] == 1 ? 'i' : 'u';
    f->size = 2;
    return LAVDM_OK;
  case 2:
  case 12:
    f->kind = 'f';
    f->size = word[3] == 2 ? 4 : 2;
    return LAVDM_OK;
  }
  const char *what = word[3] == 3 || word[3] == 4 ? " (complex numbers)"
                     : word[3] == 16              ? " (colours)"
                     : word[3] == 101             ? " (numbers of 4 bits)"
                                                  : "";
  return io_fail(s->error, IO_UNSUPPORTED, s->label,
                 "is of mode %d%s, which is not read; modes 0, 1, 2, 6 and 12 are", (int)word[3], what);
}

/* Less than a section may stand behind the last one. */
static int check_length(source *s, const mrc_header *h) {
  int64_t section = checked_product(checked_product(h->shape[1], h->shape[2]), h->number.size);
  int64_t bytes = checked_product(section, h->shape[0]);
  if (bytes < 0 || bytes > s->left)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label,
                   "its header promises more data than the file holds (cut short?)");
  if (s->left - bytes >= section)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "has %lld bytes beyond the sections of its header",
                   (long long)(s->left - bytes));
  s->left = bytes;
  return LAVDM_OK;
}

int mrc_read_header(source *s, mrc_header *h) {
  int32_t word[WORDS];
  int64_t length = s->left;
  memset(h, 0, sizeof *h);
  if (length < HEADER)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is not an .mrc file (too short)");
  int status = source_read(s, word, HEADER);
  if (status < 0) return status;
  h->number.swapped = arrange_words(word);
  if (!plausible(word))
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label,
                   "is not an .mrc file, or its header is damaged: %d x %d x %d of mode %d", (int)word[0],
                   (int)word[1], (int)word[2], (int)word[3]);
  for (int i = 0; i < 3; i++) h->shape[i] = word[2 - i];
  status = choose_number(s, word, &h->number);
  if (status < 0) return status;
  if (word[23] < 0 || word[23] > s->left)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label,
                   "its extended header has an impossible length, %d (damaged?)", (int)word[23]);
  h->start = HEADER + (int64_t)word[23];
  status = source_skip(s, word[23]);
  return status < 0 ? status : check_length(s, h);
}

int mrc_read(const char *path, bool single, io_array *out, lavdm_error *error) {
  source s = {.label = path, .pull = file_pull, .error = error};
  mrc_header h;
  int status = file_open(path, &s.fd, &s.left, error);
  if (status < 0) return status;
  status = mrc_read_header(&s, &h);
  if (status >= 0) {
    io_type type = single ? IO_SINGLE : number_type(h.number);
    array_describe(out, NULL, type, 3, h.shape);
    status = array_allocate(out, path, 0, error);
    if (status >= 0) status = read_numbers(&s, h.number, false, out);
    if (status < 0) io_array_free(out);
  }
  close(s.fd);
  return status;
}

/* -------------------------------------------------------------- writing */

static double value_at(const io_item *item, int64_t i) {
  if (item->type == IO_REAL) return ((const double *)item->data)[i];
  if (item->type == IO_SINGLE) return ((const float *)item->data)[i];
  return (double)((const int64_t *)item->data)[i];
}

typedef struct {
  double least, most, mean, deviation; /* of the finite values */
} summary;

static int summarise(const output_file *file, const io_item *item, int64_t count, summary *s) {
  const int64_t slice = OUTPUT_SLICE / type_size(item->type);
  double shift = 0, sum = 0, squares = 0;
  int64_t finite = 0;
  *s = (summary){0};
  for (int64_t i = 0; i < count; i++) {
    double x = value_at(item, i);
    if ((i + 1) % slice == 0) output_trim(file);
    if (!isfinite(x)) continue;
    if (fabs(x) > 3.4028234663852886e38)
      return io_fail(file->error, LAVDM_ERROR_ARGUMENT, file->path,
                     "cannot hold %g: its numbers are floats of 4 bytes", x);
    if (finite == 0) shift = s->least = s->most = x;
    if (x < s->least) s->least = x;
    if (x > s->most) s->most = x;
    sum += x - shift;
    squares += (x - shift) * (x - shift);
    finite++;
  }
  if (finite == 0) return LAVDM_OK;
  double mean = sum / (double)finite;
  s->mean = shift + mean;
  s->deviation = sqrt(fmax(squares / (double)finite - mean * mean, 0));
  return LAVDM_OK;
}

static void put_float(int32_t *word, double x) {
  float single = (float)x;
  memcpy(word, &single, 4);
}

/* Images of 1 Angstrom a pixel. */
static int write_header(output_file *file, const int64_t shape[3], const summary *s) {
  int32_t word[WORDS] = {0};
  const unsigned char stamp = machine_is_big() ? 0x11 : 0x44;
  for (int i = 0; i < 3; i++) {
    word[i] = (int32_t)shape[2 - i];
    word[7 + i] = i < 2 ? word[i] : 1;
    put_float(&word[10 + i], word[7 + i]);
    put_float(&word[13 + i], 90);
    word[16 + i] = i + 1;
  }
  word[3] = 2;
  put_float(&word[19], s->least);
  put_float(&word[20], s->most);
  put_float(&word[21], s->mean);
  word[27] = 20140; /* the year of the format, and its version */
  memcpy(&word[52], "MAP ", 4);
  memcpy(&word[53], (unsigned char[]){stamp, stamp, 0, 0}, 4);
  put_float(&word[54], s->deviation);
  word[55] = 1;
  memset(&word[56], ' ', 80);
  memcpy(&word[56], "lavdm", 5);
  return output_write(file, word, HEADER);
}

static int write_floats(output_file *file, const io_item *item, int64_t count) {
  enum { BLOCK = 4096 };
  float block[BLOCK];
  const int64_t slice = OUTPUT_SLICE / type_size(item->type);
  int status = LAVDM_OK;
  for (int64_t i = 0; i < count && status >= 0; i += BLOCK) {
    int64_t part = count - i < BLOCK ? count - i : BLOCK;
    for (int64_t j = 0; j < part; j++) block[j] = (float)value_at(item, i + j);
    status = output_write(file, block, (size_t)part * sizeof *block);
    if ((i + BLOCK) % slice == 0) output_trim(file);
  }
  return status;
}

int mrc_write(output_file *file, const io_item *item) {
  int64_t shape[3] = {1, item->shape[0], item->shape[1]}, count = item_count(item);
  if (item->rank == 3) memcpy(shape, item->shape, sizeof shape);
  if (count < 1 || shape[0] > INT32_MAX || shape[1] > INT32_MAX || shape[2] > INT32_MAX)
    return io_fail(file->error, LAVDM_ERROR_ARGUMENT, file->path,
                   "an .mrc file cannot hold %lld x %lld x %lld numbers", (long long)shape[0],
                   (long long)shape[1], (long long)shape[2]);
  summary s;
  int status = summarise(file, item, count, &s);
  if (status >= 0) status = write_header(file, shape, &s);
  return status < 0 ? status : write_floats(file, item, count);
}
