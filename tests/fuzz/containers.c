#include "containers.h"

void check_container(container_reader *read, const char *path) {
  io_list names = {0}, list = {0};
  lavdm_error error = {0};
  int status = read(path, NULL, false, &names, &error);
  fuzz_check_error(status, &error);
  if (status >= 0 && names.count) {
    status = read(path, names.array[names.count - 1].name, true, &list, &error);
    fuzz_check_list(status, &list, &error);
  }
  list_free(&names);
  status = read(path, NULL, true, &list, &error);
  fuzz_check_list(status, &list, &error);
}
