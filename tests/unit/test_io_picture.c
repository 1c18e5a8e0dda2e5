/* PNG, PGM, PPM and NPY pictures: every kind and depth; files that lie; what
 * is written, and what is not. */
#include "picture_support.h"

#include <math.h>
#include <zlib.h>

/* ------------------------------------------------------ making .png files */

static void add_chunk(bytes_t *b, const char *type, const void *data, size_t size) {
  unsigned char length[4], sum[4];
  uLong crc = crc32(crc32(0, (const Bytef *)type, 4), data, (uInt)size);
  if (!size) crc = crc32(0, (const Bytef *)type, 4);
  for (int i = 0; i < 4; i++) {
    length[i] = (unsigned char)(size >> (24 - 8 * i));
    sum[i] = (unsigned char)(crc >> (24 - 8 * i));
  }
  add(b, length, 4);
  add(b, type, 4);
  add(b, data, size);
  add(b, sum, 4);
}

typedef struct {
  unsigned width, height, depth, colour, interlaced;
  const unsigned char *palette, *clear; /* PLTE, tRNS */
  size_t palette_size, clear_size;
} png_kind;

/* rows: filter byte and packed samples of each. */
static bytes_t make_png(const png_kind *k, const unsigned char *rows, size_t size) {
  bytes_t b = {0};
  unsigned char header[13] = {0}, packed[4096];
  uLongf length = sizeof packed;
  for (int i = 0; i < 4; i++) {
    header[i] = (unsigned char)(k->width >> (24 - 8 * i));
    header[4 + i] = (unsigned char)(k->height >> (24 - 8 * i));
  }
  header[8] = (unsigned char)k->depth;
  header[9] = (unsigned char)k->colour;
  header[12] = (unsigned char)k->interlaced;
  assert_int_equal(compress(packed, &length, rows, (uLong)size), Z_OK);
  add(&b, "\x89PNG\r\n\x1a\n", 8);
  add_chunk(&b, "IHDR", header, 13);
  add_chunk(&b, "gAMA", "\0\0\xB1\x8F", 4);
  if (k->palette) add_chunk(&b, "PLTE", k->palette, k->palette_size);
  if (k->clear) add_chunk(&b, "tRNS", k->clear, k->clear_size);
  add_chunk(&b, "IDAT", packed, length);
  add_chunk(&b, "IEND", NULL, 0);
  return b;
}

static void read_as(const png_kind *k, const unsigned char *rows, size_t size, const picture_t *want) {
  bytes_t b = make_png(k, rows, size);
  picture_t got = take_bytes(in("a.png"), &b);
  same_picture(&got, want);
  picture_free(&got);
  drop(&b);
}

static void small_depths_and_palettes_are_expanded(void **state) {
  (void)state;
  /* 1, 2 and 4 bits of grey: 0..255 */
  double one[] = {255, 0, 255, 0, 0, 255, 0, 255, 255, 255};
  read_as(&(png_kind){5, 2, 1, 0, 0, NULL, NULL, 0, 0}, (const unsigned char *)"\0\xA0\0\xB8", 4,
          &(picture_t){2, 5, 1, 8, false, one});
  double two[] = {0, 85, 170, 255, 85};
  read_as(&(png_kind){5, 1, 2, 0, 0, NULL, NULL, 0, 0}, (const unsigned char *)"\0\x1B\x40", 3,
          &(picture_t){1, 5, 1, 8, false, two});
  double four[] = {0, 17, 255};
  read_as(&(png_kind){3, 1, 4, 0, 0, NULL, NULL, 0, 0}, (const unsigned char *)"\0\x01\xF0", 3,
          &(picture_t){1, 3, 1, 8, false, four});
  /* 16 bits, the most significant byte first */
  double large[] = {0x1234, 0xFF00, 255};
  read_as(&(png_kind){3, 1, 16, 0, 0, NULL, NULL, 0, 0}, (const unsigned char *)"\0\x12\x34\xFF\0\0\xFF", 7,
          &(picture_t){1, 3, 1, 16, false, large});
  /* a palette of 3, without and with transparency */
  const unsigned char palette[] = {1, 2, 3, 40, 50, 60, 255, 254, 253};
  double colours[] = {40, 50, 60, 1, 2, 3, 255, 254, 253};
  png_kind k = {3, 1, 2, 3, 0, palette, NULL, sizeof palette, 0};
  read_as(&k, (const unsigned char *)"\0\x48", 2, &(picture_t){1, 3, 3, 8, false, colours});
  double clear[] = {40, 50, 60, 128, 1, 2, 3, 0, 255, 254, 253, 255};
  k.clear = (const unsigned char *)"\0\x80";
  k.clear_size = 2;
  read_as(&k, (const unsigned char *)"\0\x48", 2, &(picture_t){1, 3, 4, 8, false, clear});
  /* a transparent grey */
  double veiled[] = {7, 0, 8, 255};
  read_as(&(png_kind){2, 1, 8, 0, 0, NULL, (const unsigned char *)"\0\7", 0, 2},
          (const unsigned char *)"\0\7\x08", 3, &(picture_t){1, 2, 2, 8, false, veiled});
}

/* Adam7: pixel (y, x) of an 8 x 8 picture has value 8 y + x. */
static void interlaced_rows_are_put_in_place(void **state) {
  (void)state;
  static const int from[7][2] = {{0, 0}, {0, 4}, {4, 0}, {0, 2}, {2, 0}, {0, 1}, {1, 0}};
  static const int step[7][2] = {{8, 8}, {8, 8}, {8, 4}, {4, 4}, {4, 2}, {2, 2}, {2, 1}};
  bytes_t rows = {0};
  double value[64];
  for (int i = 0; i < 64; i++) value[i] = i;
  for (int p = 0; p < 7; p++)
    for (int y = from[p][0]; y < 8; y += step[p][0]) {
      add(&rows, "", 1);
      for (int x = from[p][1]; x < 8; x += step[p][1])
        add(&rows, (unsigned char[]){(unsigned char)(8 * y + x)}, 1);
    }
  read_as(&(png_kind){8, 8, 8, 0, 1, NULL, NULL, 0, 0}, rows.data, rows.size,
          &(picture_t){8, 8, 1, 8, false, value});
  drop(&rows);
}

static void damaged_png_files_are_refused(void **state) {
  (void)state;
  unsigned char rows[60];
  for (int i = 0; i < 60; i++) rows[i] = (unsigned char)(i % 10 ? i * 91 : 0);
  png_kind k = {9, 6, 8, 0, 0, NULL, NULL, 0, 0};
  bytes_t b = make_png(&k, rows, 60);
  for (size_t size = 0; size < b.size; size++) {
    save(in("a.png"), b.data, size);
    refused_picture(in("a.png"), LAVDM_ERROR_DATA, "a.png: ");
  }
  for (size_t i = 8; i < b.size; i++) {
    b.data[i] ^= 0x11;
    save(in("a.png"), b.data, b.size);
    refused_picture(in("a.png"), LAVDM_ERROR_DATA, "a.png: ");
    b.data[i] ^= 0x11;
  }
  drop(&b);
  b = make_png(&k, rows, 50); /* a row too few */
  save(in("a.png"), b.data, b.size);
  refused_picture(in("a.png"), LAVDM_ERROR_DATA, "is not a whole .png file");
  drop(&b);
  k.width = k.height = 1000000;
  b = make_png(&k, rows, 60);
  save(in("a.png"), b.data, b.size);
  refused_picture(in("a.png"), LAVDM_ERROR_DATA, "promises more data");
  drop(&b);
}

/* ------------------------------------------------------- .pgm and .ppm */

static void read_text_as(const char *text, const picture_t *want) {
  save(in("a.pgm"), text, strlen(text));
  picture_t got = take_picture(in("a.pgm"));
  same_picture(&got, want);
  picture_free(&got);
}

static void refused_text(const char *text, size_t size, const char *words) {
  save(in("a.pgm"), text, size);
  refused_picture(in("a.pgm"), LAVDM_ERROR_DATA, words);
}

static void pnm_spellings(void **state) {
  (void)state;
  double value[] = {0, 255, 17, 3, 2, 1};
  picture_t grey = {2, 3, 1, 8, false, value}, colour = {1, 2, 3, 8, false, value};
  read_text_as("P2 3 2 255 0 255 17 3 2 1", &grey);
  read_text_as("P2\n# a comment\r3#another\n 2\n255\n0\t255\v17\n#\n3 2 1\n\n", &grey);
  read_text_as("P3\n2 1\n255\n0 255 17 3 2 1 # end", &colour);
  double scaled[] = {0, 255, 128, 64};
  read_text_as("P2 4 1 4 0 4 2 1", &(picture_t){1, 4, 1, 8, false, scaled});
  double long_scale[] = {0, 65535, 32800};
  read_text_as("P2 3 1 1023 0 1023 512", &(picture_t){1, 3, 1, 16, false, long_scale});
  save(in("a.pgm"), "P5 2 1 65535\n\x12\x34\xFF\xFF\n", 18);
  picture_t got = take_picture(in("a.pgm"));
  double bytes[] = {0x1234, 65535};
  same_picture(&got, &(picture_t){1, 2, 1, 16, false, bytes});
  picture_free(&got);
  save(in("a.pnm"), "P6\n1 1\n255\n#ABP6\n1 1\n255\nxyz", 29); /* the first of two */
  got = take_picture(in("a.pnm"));
  double first[] = {'#', 'A', 'B'};
  same_picture(&got, &(picture_t){1, 1, 3, 8, false, first});
  picture_free(&got);
}

static void damaged_pnm_files_are_refused(void **state) {
  (void)state;
  refused_text("P4 8 1 x", 8, "a bitmap of black and white");
  refused_text("P7\nWIDTH", 8, "a PAM file");
  refused_text("P5", 2, "header cannot be understood");
  refused_text("P5 0 1 255\n", 11, "header cannot be understood");
  refused_text("P5 -1 1 255\n", 12, "header cannot be understood");
  refused_text("P5 1 1 0\n1", 10, "header cannot be understood");
  refused_text("P5 1 1 255", 10, "header cannot be understood");
  refused_text("P5 99999999999999 1 255\n1", 25, "header cannot be understood");
  refused_text("P5 1 1 65536\n11", 15, "at most 65535");
  refused_text("P5 2 2 255\nabc", 14, "promises more data");
  refused_text("P5 2000000000 2000000000 255\nabc", 32, "promises more data");
  refused_text("P2 2000000000 2000000000 255\n1 2", 32, "promises more data");
  refused_text("P5 2 2 255\nabcdefg", 18, "3 bytes beyond");
  refused_text("P5 1 1 9\nA", 10, "row 1, column 1: no whole number up to");
  refused_text("P2 2 2 9 1 2 3 10", 17, "row 2, column 2: no whole number up to");
  refused_text("P2 2 2 9 1 2 x 1", 16, "row 2, column 1: no whole number");
  refused_text("P2 2 2 9 1 2 3.5 4", 18, "row 2, column 1: no whole number");
  refused_text("P2 2 2 9 1 2 3      ", 20, "row 2, column 2: the file ends too early");
}

/* -------------------------------------------------------------- writing */

static const char *const names[] = {"r.png", "r.tif", "r.TIFF", "r.pgm", "r.ppm", "r.pnm", "r.npy"};

/* Which kinds go to which name. */
static bool fits(const char *name, const picture_t *p) {
  bool pnm = strstr(name, ".p") && !strstr(name, ".png");
  if (!p->bits) return !strstr(name, ".p");
  if (pnm && p->channels % 2 == 0) return false;
  return !(strstr(name, ".pgm") && p->channels > 1);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  for (int kind = 0; kind < 4 * 4; kind++)
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
      bool reals = kind % 4 > 1;
      picture_t p = make_picture(9, 14, kind / 4 + 1, reals ? 0 : 8 << kind % 4, kind % 4 == 2), got;
      lavdm_error error = {0};
      unlink(in(names[n]));
      int status = picture_write(in(names[n]), &p, &error);
      if (!fits(names[n], &p)) {
        assert_int_equal(status, LAVDM_ERROR_ARGUMENT);
        assert_true(strstr(error.message, "cannot hold") || strstr(error.message, "is grey"));
        assert_int_equal(count_files(names[n]), 0);
      } else {
        if (status < 0) fail_msg("%s", error.message);
        got = take_picture(in(names[n]));
        if (strstr(names[n], ".ppm") && p.channels == 1) { /* three equal channels */
          assert_int_equal(got.channels, 3);
          for (int64_t i = 0; i < 9 * 14 * 3; i++) assert_true(got.value[i] == p.value[i / 3]);
        } else {
          same_picture(&got, &p);
        }
        picture_free(&got);
      }
      picture_free(&p);
    }
  assert_int_equal(count_files(".lavdm-"), 0);
}

static void values_are_rounded_and_clipped(void **state) {
  (void)state;
  double value[] = {-5, 0.4, 0.6, 254.6, 255.5, 1e300, NAN, INFINITY};
  double eight[] = {0, 0, 1, 255, 255, 255, 0, 255}, sixteen[] = {0, 0, 1, 255, 256, 65535, 0, 65535};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    for (int bits = 8; bits <= 16; bits += 8) {
      picture_t p = {2, 4, 1, bits, false, value};
      assert_int_equal(picture_write(in(names[n]), &p, NULL), LAVDM_OK);
      picture_t got = take_picture(in(names[n]));
      for (int i = 0; i < 8; i++)
        assert_true(got.value[got.channels * i] == (bits == 8 ? eight : sixteen)[i]);
      picture_free(&got);
    }
}

static void npy_pictures(void **state) {
  (void)state;
  int64_t whole[24];
  for (int i = 0; i < 24; i++) whole[i] = i * i - 7;
  io_item item = {"x", IO_INTEGER, 2, {4, 6}, whole};
  assert_int_equal(io_write(in("n.npy"), &item, 1, NULL), LAVDM_OK);
  picture_t p = take_picture(in("n.npy"));
  assert_int_equal(p.bits, 0);
  for (int i = 0; i < 24; i++) assert_true(p.value[i] == (double)whole[i]);
  picture_free(&p);
  const io_item wrong[] = {{"x", IO_INTEGER, 1, {24}, whole},
                           {"x", IO_INTEGER, 3, {2, 2, 6}, whole},
                           {"x", IO_INTEGER, 4, {2, 2, 3, 2}, whole},
                           {"x", IO_INTEGER, 2, {0, 4}, whole}};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(io_write(in("n.npy"), &wrong[i], 1, NULL), LAVDM_OK);
    refused_picture(in("n.npy"), LAVDM_ERROR_DATA, i < 3 ? "is no picture" : "has no pixels");
  }
}

static void content_counts_not_the_name(void **state) {
  (void)state;
  picture_t p = make_picture(5, 6, 1, 16, false);
  assert_int_equal(picture_write(in("c.png"), &p, NULL), LAVDM_OK);
  assert_int_equal(rename(in("c.png"), in("c.tif")), 0);
  picture_t got = take_picture(in("c.tif"));
  same_picture(&got, &p);
  picture_free(&got);
  io_array a = take(in("c.tif")); /* as an array: whole numbers, height x width */
  assert_int_equal(a.type, IO_INTEGER);
  assert_int_equal(a.rank, 2);
  for (int i = 0; i < 30; i++) assert_true((double)((int64_t *)a.data)[i] == p.value[i]);
  io_array_free(&a);
  picture_free(&p);
  save(in("c.png"), "\xFF\xD8\xFF\xE0 JFIF", 9);
  refused_picture(in("c.png"), LAVDM_ERROR_DATA, "is a JPEG picture");
  save(in("c.png"), "hello", 5);
  refused_picture(in("c.png"), LAVDM_ERROR_DATA, "is not a .png file");
  save(in("c.png"), "", 0);
  refused_picture(in("c.png"), LAVDM_ERROR_DATA, "is not a .png file");
  refused_picture(in("none.png"), LAVDM_ERROR_ARGUMENT, "no such file");
  save(in("c.doc"), "hello", 5);
  refused_picture(in("c.doc"), LAVDM_ERROR_ARGUMENT, "known are .png");
}

static void bad_targets_are_refused(void **state) {
  (void)state;
  double value[6] = {0};
  picture_t p = {2, 3, 1, 8, false, value};
  lavdm_error error = {0};
  assert_int_equal(picture_write(in("x.jpg"), &p, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "must end in .png"));
  assert_int_equal(picture_write(in("no/x.png"), &p, &error), IO_ERROR_WRITE);
  assert_true(picture_can_write("x.ppm", &p, NULL) && !picture_can_write("x", &p, NULL));
  p.bits = 12;
  assert_int_equal(picture_write(in("x.png"), &p, &error), LAVDM_ERROR_ARGUMENT);
}

static void random_damage_is_survived(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    picture_t p = make_picture(6, 7, 1, 8, false);
    assert_int_equal(picture_write(in(names[n]), &p, NULL), LAVDM_OK);
    int times = strstr(names[n], ".t") || strstr(names[n], ".T") ? 60 : 600; /* a child each */
    isolate_inside = strstr(names[n], ".png"); /* a crash is not to pass for a refusal */
    assert_true(mutate_picture(in(names[n]), times) > times / 20);
    isolate_inside = false;
    picture_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_depths_and_palettes_are_expanded),
      cmocka_unit_test(interlaced_rows_are_put_in_place),
      cmocka_unit_test(damaged_png_files_are_refused),
      cmocka_unit_test(pnm_spellings),
      cmocka_unit_test(damaged_pnm_files_are_refused),
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(values_are_rounded_and_clipped),
      cmocka_unit_test(npy_pictures),
      cmocka_unit_test(content_counts_not_the_name),
      cmocka_unit_test(bad_targets_are_refused),
      cmocka_unit_test(random_damage_is_survived),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
