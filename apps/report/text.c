#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_text_free(report_text *t) {
  free(t->data);
  *t = (report_text){0};
}

void report_text_add(report_text *t, const char *bytes, size_t count) {
  if (t->failed) return;
  if (t->room - t->used <= count) {
    size_t room = 2 * t->room > t->used + count + 64 ? 2 * t->room : t->used + count + 64;
    char *data = realloc(t->data, room);
    if (!data) {
      t->failed = true;
      return;
    }
    t->data = data, t->room = room;
  }
  if (count) memcpy(t->data + t->used, bytes, count);
  t->used += count;
  t->data[t->used] = 0;
}

void report_text_put(report_text *t, const char *string) {
  report_text_add(t, string, strlen(string));
}

void report_text_comma(report_text *t) {
  if (t->used && !strchr("[{:", t->data[t->used - 1])) report_text_put(t, ",");
}

void report_text_whole(report_text *t, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  report_text_put(t, text);
}

void report_text_number(report_text *t, double value) {
  char text[40];
  if (!isfinite(value)) {
    report_text_put(t, "null");
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  report_text_put(t, text);
}

/* The character that begins at `at` and its bytes; -1, and one byte, if it is no UTF-8. */
static int32_t character(const unsigned char *at, int64_t left, int *bytes) {
  static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int length = at[0] < 0x80   ? 1
               : at[0] < 0xc2 ? 0
               : at[0] < 0xe0 ? 2
               : at[0] < 0xf0 ? 3
               : at[0] < 0xf5 ? 4
                              : 0;
  *bytes = 1;
  if (!length || length > left) return -1;
  int32_t c = length == 1 ? at[0] : at[0] & (0x7f >> length);
  for (int k = 1; k < length; k++) {
    if ((at[k] & 0xc0) != 0x80) return -1;
    c = c << 6 | (at[k] & 0x3f);
  }
  if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return -1;
  *bytes = length;
  return c;
}

static bool escaped(int32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' ||
         c == 0x2028 || c == 0x2029;
}

void report_text_string(report_text *t, const char *bytes, int64_t count) {
  report_text_put(t, "\"");
  for (int64_t i = 0, from = 0; i <= count;) {
    int length = 1;
    int32_t c = i < count ? character((const unsigned char *)bytes + i, count - i, &length) : -1;
    if (i == count || c < 0 || escaped(c)) {
      char code[8];
      report_text_add(t, bytes + from, (size_t)(i - from));
      snprintf(code, sizeof code, "\\u%04x", c < 0 ? 0xfffdu : (unsigned)c & 0xffff);
      if (i < count) report_text_put(t, code);
      from = i + length;
    }
    i += length;
  }
  report_text_put(t, "\"");
}

void report_text_plain(report_text *t, const char *bytes, int64_t count) {
  for (int64_t i = 0; i < count && !t->failed;) {
    int length;
    int32_t c = character((const unsigned char *)bytes + i, count - i, &length);
    report_text_add(t, c < 0 ? "\xef\xbf\xbd" : bytes + i, c < 0 ? 3 : (size_t)length);
    i += length;
  }
}
