/* Pictures of known values, and what reading and writing them must give. */
#ifndef LAVDM_TESTS_PICTURE_SUPPORT_H
#define LAVDM_TESTS_PICTURE_SUPPORT_H

#include "io_support.h"
#include "io/formats.h"
#include "io/picture.h"

/* Values spread over the scale of the bits; real ones are floats or doubles. */
__attribute__((unused)) static picture_t make_picture(int64_t height, int64_t width, int64_t channels,
                                                      int bits, bool single) {
  picture_t p = {.height = height, .width = width, .channels = channels, .bits = bits, .single = single};
  int64_t count = height * width * channels;
  p.value = malloc((size_t)count * sizeof *p.value);
  assert_non_null(p.value);
  for (int64_t i = 0; i < count; i++) {
    double x = (double)((i + 1) * 7919 % 65536);
    p.value[i] = bits == 8 ? (double)((i * 37 + 11) % 256) : bits == 16 ? x : x / 7 - 3000;
    if (single) p.value[i] = (float)p.value[i];
  }
  return p;
}

__attribute__((unused)) static picture_t take_picture(const char *path) {
  picture_t p;
  lavdm_error error = {0};
  if (picture_read(path, &p, &error) < 0) fail_msg("%s", error.message);
  return p;
}

__attribute__((unused)) static void refused_picture(const char *path, int status, const char *words) {
  picture_t p;
  lavdm_error error = {0};
  int got = picture_read(path, &p, &error);
  if (got >= 0) fail_msg("%s was read", path);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
  assert_int_equal(got, status);
  assert_int_equal(error.status, status);
  assert_null(p.value);
}

__attribute__((unused)) static void same_picture(const picture_t *got, const picture_t *want) {
  assert_int_equal(got->height, want->height);
  assert_int_equal(got->width, want->width);
  assert_int_equal(got->channels, want->channels);
  assert_int_equal(got->bits, want->bits);
  assert_int_equal(got->single, want->single);
  int64_t count = want->height * want->width * want->channels;
  assert_memory_equal(got->value, want->value, (size_t)count * sizeof *want->value);
}

/* What a file of these bytes holds. */
__attribute__((unused)) static picture_t take_bytes(const char *path, const bytes_t *b) {
  save(path, b->data, b->size);
  return take_picture(path);
}

/* Reads the file `times` with a few bytes changed or cut off: it returns, with a
 * sentence if it fails. Returns how often it failed. */
__attribute__((unused)) static int mutate_picture(const char *path, int times) {
  bytes_t whole = load(path), part = {0};
  random_t r = random_start(11, (uint64_t)whole.size);
  int refusals = 0;
  for (int t = 0; t < times; t++) {
    part.size = 0;
    add(&part, whole.data, whole.size);
    if (t % 8 == 0) part.size = (size_t)random_below(&r, (int64_t)part.size);
    for (int64_t k = random_below(&r, 3); k >= 0 && part.size > 0; k--)
      part.data[random_below(&r, (int64_t)part.size)] ^= (unsigned char)(1 + random_below(&r, 255));
    save(path, part.data, part.size);
    picture_t p;
    lavdm_error error = {0};
    int status = picture_read(path, &p, &error);
    if (status < 0) {
      assert_true(error.message[0] && error.status == status && !p.value);
      refusals++;
    }
    picture_free(&p);
  }
  save(path, whole.data, whole.size);
  drop(&whole);
  drop(&part);
  return refusals;
}

#endif
