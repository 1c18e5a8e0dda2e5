/*
 * PNG by libpng, read in a child process: every colour type, depth and interlacing; palettes, depths
 * below 8 and transparent colours are expanded. Only what the pixels need is
 * read: gamma, profiles and texts are passed over, but their checksums count.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/picture_formats.h"
#include "io/room.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  source s;          /* reading */
  output_file *file; /* writing */
  png_structp png;
  png_infop info;
  sender *to;         /* reading: where the values go */
  double *value;      /* of a row */
  unsigned char *raw; /* a row or all, as libpng gives or takes them */
  int status;         /* what a callback came upon, below 0 */
  char words[120];    /* libpng's own */
} png_work;

/* ------------------------------------------------------------ callbacks */

_Noreturn static void on_error(png_structp png, png_const_charp words) {
  png_work *w = png_get_error_ptr(png);
  strncpy(w->words, words, sizeof w->words - 1);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp words) {
  (void)png, (void)words;
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t bytes) {
  png_work *w = png_get_mem_ptr(png);
  void *block = malloc(bytes);
  if (!block) w->status = LAVDM_ERROR_MEMORY;
  return block;
}

static void on_free(png_structp png, png_voidp block) {
  (void)png;
  free(block);
}

static void on_read(png_structp png, png_bytep out, size_t bytes) {
  png_work *w = png_get_io_ptr(png);
  if ((w->status = source_read(&w->s, out, (int64_t)bytes)) < 0) png_error(png, "");
}

static void on_write(png_structp png, png_bytep data, size_t bytes) {
  png_work *w = png_get_io_ptr(png);
  if ((w->status = output_write(w->file, data, bytes)) < 0) png_error(png, "");
}

static void on_flush(png_structp png) {
  (void)png;
}

/* -------------------------------------------------------------- reading */

/* Deflate cannot make so much of the file; libpng asks for memory next. */
static void check_length(png_work *w, const picture_t *out, int64_t length) {
  int64_t packed = checked_product(out->height, (int64_t)png_get_rowbytes(w->png, w->info));
  if (packed >= 0 && packed / INFLATION <= length) return;
  w->status = io_fail(w->s.error, LAVDM_ERROR_DATA, w->s.label,
                      "its header promises more data than the file holds (damaged?)");
  png_error(w->png, "");
}

/* Sizes and what the values are to be; sets up the expansion. */
static void read_header(png_work *w, picture_t *out, int64_t length) {
  png_set_crc_action(w->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_keep_unknown_chunks(w->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_user_limits(w->png, INT32_MAX, INT32_MAX);
  png_set_read_fn(w->png, w, on_read);
  png_read_info(w->png, w->info);
  out->height = png_get_image_height(w->png, w->info);
  out->width = png_get_image_width(w->png, w->info);
  check_length(w, out, length);
  png_set_expand(w->png);
  png_set_interlace_handling(w->png);
  png_read_update_info(w->png, w->info);
  out->channels = png_get_channels(w->png, w->info);
  out->bits = png_get_bit_depth(w->png, w->info);
}

/* Memory for a row, or for all of them if they are interlaced, and a row of values. */
static void make_rows(png_work *w, const picture_t *out) {
  bool interlaced = png_get_interlace_type(w->png, w->info) != PNG_INTERLACE_NONE;
  int64_t row = (int64_t)png_get_rowbytes(w->png, w->info);
  int64_t bytes = checked_product(interlaced ? out->height : 1, row);
  io_array array = {.rank = 3, .shape = {out->height, out->width, out->channels}};
  w->status = room_check(w->s.label, &array, bytes, 8 * picture_count(out), w->s.error);
  if (w->status < 0) png_error(w->png, "");
  sender_allow(w->to, bytes + 8 * row);
  w->raw = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
  w->value = malloc((size_t)(out->width * out->channels) * sizeof *w->value);
  if (w->raw && w->value) return;
  w->status = LAVDM_ERROR_MEMORY;
  png_error(w->png, "");
}

static void send_row(png_work *w, const picture_t *out, const unsigned char *raw) {
  int64_t count = out->width * out->channels;
  picture_from_bytes(raw, out->bits, count, w->value);
  send_bytes(w->to, w->value, count * (int64_t)sizeof *w->value);
}

static void send_rows(png_work *w, const picture_t *out) {
  size_t row = png_get_rowbytes(w->png, w->info);
  bool interlaced = png_get_interlace_type(w->png, w->info) != PNG_INTERLACE_NONE;
  picture_announce(w->to, out, 1);
  for (int pass = 0; interlaced && pass < PNG_INTERLACE_ADAM7_PASSES; pass++)
    for (int64_t i = 0; i < out->height; i++) png_read_row(w->png, w->raw + (size_t)i * row, NULL);
  for (int64_t i = 0; i < out->height; i++) {
    if (!interlaced) png_read_row(w->png, w->raw, NULL);
    send_row(w, out, interlaced ? w->raw + (size_t)i * row : w->raw);
  }
  png_read_end(w->png, NULL);
}

/* False if libpng gave up, which may be at any call of it. */
static bool decode(png_work *w, int64_t length) {
  picture_t page = {0};
  if (setjmp(png_jmpbuf(w->png))) return false;
  read_header(w, &page, length);
  make_rows(w, &page);
  send_rows(w, &page);
  return true;
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  const picture_request *request = user;
  png_work w = {.s = {.label = request->path, .pull = file_pull, .error = error}, .to = to};
  int status = file_open(request->path, &w.s.fd, &w.s.left, error);
  if (status < 0) return status;
  w.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning, &w, on_malloc, on_free);
  w.info = w.png ? png_create_info_struct(w.png) : NULL;
  bool whole = w.info && decode(&w, w.s.left);
  if (!w.info || (w.status == LAVDM_ERROR_MEMORY && !error->message[0]))
    status = io_memory(error, request->path, 0);
  else if (w.status < 0)
    status = w.status;
  else if (!whole)
    status = io_fail(error, LAVDM_ERROR_DATA, request->path, "is not a whole .png file (%s)", w.words);
  png_destroy_read_struct(&w.png, &w.info, NULL);
  free(w.raw);
  free(w.value);
  close(w.s.fd);
  return status;
}

int png_read(const char *path, picture_t *out, lavdm_error *error) {
  int64_t pages;
  return picture_isolate(path, false, "is not a readable .png file (damaged?)", read_in_child, out, &pages,
                         error);
}

/* -------------------------------------------------------------- writing */

static bool encode(png_work *w, const picture_t *p) {
  static const int colour[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGB_ALPHA};
  int64_t row = p->width * p->channels;
  if (setjmp(png_jmpbuf(w->png))) return false;
  png_set_user_limits(w->png, INT32_MAX, INT32_MAX);
  png_set_write_fn(w->png, w, on_write, on_flush);
  png_set_IHDR(w->png, w->info, (png_uint_32)p->width, (png_uint_32)p->height, p->bits,
               colour[p->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  png_write_info(w->png, w->info);
  for (int64_t i = 0; i < p->height; i++) {
    picture_samples(p, i * row, row, true, w->raw);
    png_write_row(w->png, w->raw);
  }
  png_write_end(w->png, w->info);
  return true;
}

int png_write(output_file *file, const picture_t *p) {
  png_work w = {.file = file};
  if (p->height > INT32_MAX || p->width > INT32_MAX / 16)
    return io_fail(file->error, LAVDM_ERROR_ARGUMENT, file->path, "is too large for a .png file");
  w.raw = malloc((size_t)(p->width * p->channels * picture_sample_size(p)));
  w.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning, &w, on_malloc, on_free);
  w.info = w.png ? png_create_info_struct(w.png) : NULL;
  int status = LAVDM_OK;
  if (!w.raw || !w.info)
    status = io_memory(file->error, file->path, 0);
  else if (!encode(&w, p))
    status = w.status == LAVDM_ERROR_MEMORY ? io_memory(file->error, file->path, 0)
             : w.status < 0
                 ? w.status
                 : io_fail(file->error, LAVDM_ERROR_FILE, file->path, "could not be written: %s", w.words);
  png_destroy_write_struct(&w.png, &w.info);
  free(w.raw);
  return status;
}
