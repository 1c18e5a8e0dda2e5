/*
 * What the parent makes of the records that a child process sends, when damage
 * has made the child send anything: the bytes are what comes through the pipe.
 */
#define isolate        isolate_again
#define isolate_file   isolate_file_again
#define isolate_inside isolate_inside_again
#include "../../cli/io/isolate.c"

#include "fuzz.h"

enum { PIPE_MOST = 1 << 16 };

/* A child may announce any size; that is too much here. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return FUZZ_ASAN ":max_allocation_size_mb=250";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  io_list list = {0};
  lavdm_error error = {0};
  int ends[2];
  if (size >= PIPE_MOST || pipe2(ends, O_CLOEXEC)) return 0;
  PROMISE(write(ends[1], data, size) == (ssize_t)size, "a pipe can be written");
  close(ends[1]);
  room_allow(250 << 20);
  channel c = {.pipe = ends[0], .clock = (clockid_t)-1, .list = &list, .label = "x.h5", .error = &error};
  int status = converse(&c);
  close(ends[0]);
  for (int i = 0; i < list.count; i++) {
    PROMISE(list.array[i].name, "an array has a name");
    PROMISE(io_array_count(&list.array[i]) >= 0, "a shape is possible");
    if (list.array[i].data) fuzz_check_array(&list.array[i]);
  }
  PROMISE(status <= 1, "a status is one of the child's, or 1");
  if (status < 0 && status != IO_NOT_FOUND) fuzz_check_error(status, &error);
  list_free(&list);
  return 0;
}
