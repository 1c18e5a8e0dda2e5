/*
 * What `embed` reads: points and perhaps landmarks or edges, then the plan. The
 * first byte says which, and which method; the second is the length of the
 * table of landmarks or edges, which comes before the points (.npy or .csv).
 */
#include "fuzz.h"
#include "base/command.h"
#include "input/input.h"

enum { DESIGN = 1, GRAPH = 2, TABLE = 4, STREAM = 8, METHOD = 4 };

static void read_input(arguments *a) {
  input in = {0};
  lavdm_error error = {0};
  lavdm_options options = a->options;
  int status = input_read(a, &options, &in, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    lavdm_plan_t plan = {0};
    PROMISE(in.data.edges || (in.data.n > 0 && in.data.p > 0), "there are points");
    status = lavdm_plan(&in.data, &options, &plan, &error);
    fuzz_check_error(status, &error);
    PROMISE(status < 0 || plan.memory >= 0, "a plan needs memory");
  }
  input_free(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2 || (size_t)data[1] + 2 > size) return 0;
  const uint8_t *table = data + 2, *points = table + data[1];
  const char *table_path = fuzz_file(".tsv", table, data[1]);
  char *words[8], graph[] = "--graph", method[] = "--method",
                  names[4][9] = {"dm", "vdm", "roseland", "lavdm"};
  int count = 0;
  arguments a = {0};
  lavdm_error error = {0};
  if (data[0] & GRAPH) {
    words[count++] = graph;
    words[count++] = (char *)(uintptr_t)table_path;
  }
  words[count++] = method;
  words[count++] = names[data[0] >> METHOD & 3];
  words[count++] =
      (char *)(uintptr_t)fuzz_file(data[0] & TABLE ? ".csv" : ".npy", points, size - 2 - data[1]);
  PROMISE(arguments_parse(&embed_command, count, words, &a, &error) >= 0, "a command line is understood");
  if (data[0] & DESIGN) a.design_file = table_path;
  if (data[0] & STREAM) a.options.stream = LAVDM_STREAM_YES;
  read_input(&a);
  return 0;
}
