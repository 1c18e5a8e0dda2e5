/* gnuplot is a program that does nothing; others, which libFuzzer starts, are themselves. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>

int __real_system(const char *line);
int __wrap_system(const char *line);
FILE *__real_popen(const char *line, const char *mode);
FILE *__wrap_popen(const char *line, const char *mode);
int __real_pclose(FILE *stream);
int __wrap_pclose(FILE *stream);

static FILE *drawing;

int __wrap_system(const char *line) {
  return strncmp(line, "gnuplot", 7) ? __real_system(line) : 0;
}

FILE *__wrap_popen(const char *line, const char *mode) {
  if (strncmp(line, "gnuplot", 7)) return __real_popen(line, mode);
  return drawing = fopen("/dev/null", mode);
}

int __wrap_pclose(FILE *stream) {
  if (stream != drawing) return __real_pclose(stream);
  drawing = NULL;
  return fclose(stream);
}
