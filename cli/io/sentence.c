#include "io/sentence.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------- text */

/* The character at s and its bytes; 0 bytes if it is not UTF-8. */
static int decode(const unsigned char *s, uint32_t *c) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  int more = s[0] < 0x80 ? 0 : s[0] >= 0xC2 && s[0] < 0xE0 ? 1 : s[0] >= 0xE0 && s[0] < 0xF0 ? 2 : 3;
  if (more == 3 && (s[0] < 0xF0 || s[0] > 0xF4)) return 0;
  *c = more ? s[0] & (0x3Fu >> more) : s[0];
  for (int i = 1; i <= more; i++) {
    if ((s[i] & 0xC0) != 0x80) return 0;
    *c = *c << 6 | (s[i] & 0x3F);
  }
  bool wrong = *c < least[more] || *c > 0x10FFFF || (*c >= 0xD800 && *c < 0xE000);
  return wrong ? 0 : more + 1;
}

static bool harmless(uint32_t c) {
  bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
  bool turns = c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return !control && !turns;
}

void text_show(char *to, size_t size, const char *from) {
  const unsigned char *s = (const unsigned char *)from;
  while (*s) {
    uint32_t c = 0;
    int bytes = decode(s, &c);
    bool plain = bytes && harmless(c);
    if (!bytes) bytes = 1;
    size_t need = plain ? (size_t)bytes : 4 * (size_t)bytes;
    if (need >= size) break;
    if (plain) memcpy(to, s, need);
    for (int i = 0; !plain && i < bytes; i++) {
      static const char digit[] = "0123456789abcdef";
      memcpy(to + 4 * i, (char[]){'\\', 'x', digit[s[i] >> 4], digit[s[i] & 15]}, 4);
    }
    to += need;
    size -= need;
    s += bytes;
  }
  *to = 0;
}

const char *shown(const char *text) {
  static char buffer[4][1024];
  static unsigned next;
  char *here = buffer[next++ % 4];
  text_show(here, sizeof *buffer, text);
  return here;
}

int text_cut(const char *text, int most) {
  int length = (int)strnlen(text, (size_t)most + 1);
  if (length <= most) return length;
  for (length = most; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;) length--;
  return length;
}

/* ------------------------------------------------------------ sentences */

int(io_fail)(lavdm_error *error, int status, const char *label, const char *format, ...) {
  if (!error) return status;
  char plain[sizeof error->message];
  error->status = status;
  if (!strcmp(label, "-")) label = "standard input";
  size_t length = strlen(label), cut = length > IO_LABEL ? length - IO_LABEL : 0;
  while (cut && ((unsigned char)label[cut] & 0xC0) == 0x80 && cut < length) cut++;
  int used = snprintf(plain, sizeof plain, "%s%s: ", cut ? "..." : "", label + cut);
  va_list list;
  va_start(list, format);
  vsnprintf(plain + used, sizeof plain - (size_t)used, format, list);
  va_end(list);
  text_show(error->message, sizeof error->message, plain);
  return status;
}

int(io_memory)(lavdm_error *error, const char *label, int64_t bytes) {
  if (bytes < 1 << 20) return io_fail(error, LAVDM_ERROR_MEMORY, label, "out of memory");
  return io_fail(error, LAVDM_ERROR_MEMORY, label, "out of memory: it needs %.3g GiB",
                 (double)bytes / (1 << 30));
}

int io_unwritten(lavdm_error *error, const char *path, int reason) {
  if (reason == ENOMEM) return io_memory(error, path, 0);
  return io_fail(error, LAVDM_ERROR_FILE, path, "could not be written%s%s", reason ? ": " : "",
                 reason ? strerror(reason) : "");
}
