/* Options from files: --config FILE of lines, or, if the first byte is '{', --like FILE of JSON. */
#include "fuzz.h"
#include "base/command.h"
#include "base/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool like = size && data[0] == '{';
  char input[] = "x.npy", config[] = "--config", again[] = "--like";
  char *words[] = {input, like ? again : config,
                   (char *)(uintptr_t)fuzz_file(like ? ".json" : ".toml", data, size)};
  arguments a = {.program = "lavdm"};
  lavdm_error error = {0};
  int status = arguments_parse(&embed_command, 3, words, &a, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    PROMISE(a.operands == 1, "a file of options names no input");
    PROMISE(options_check(&a.options, &error) >= 0, "what is accepted is within its bounds");
  }
  arguments_free(&a);
  io_notes_clear();
  return 0;
}
