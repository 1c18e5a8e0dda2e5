/*
 * What the parent makes of the records that a child process sends, when damage
 * has made the child send anything: the bytes are what comes through the pipe.
 * The HDF5 library itself is not fuzzed; tests/cli/test_damaged.py has files
 * for it.
 */
#define isolate      isolate_again
#define send_array   send_array_again
#define send_bytes   send_bytes_again
#define sender_allow sender_allow_again
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
  int status = converse(ends[0], &list, "x.h5", &error);
  close(ends[0]);
  for (int i = 0; i < list.count; i++) {
    PROMISE(list.array[i].name, "an array has a name");
    PROMISE(io_array_count(&list.array[i]) >= 0, "a shape is possible");
    if (list.array[i].data) fuzz_check_array(&list.array[i]);
  }
  PROMISE(status <= 1, "a status is one of the child's, or 1");
  list_free(&list);
  return 0;
}
