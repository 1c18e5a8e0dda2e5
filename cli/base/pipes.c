#include "base/arguments.h"
#include "base/command.h"
#include "io/pipe.h"

#include <string.h>

/* The last operand is what is read. */
static int check_input(const arguments *a, const char *format, lavdm_error *error) {
  const char *input = a->operands ? a->operand[a->operands - 1] : "", *end;
  if (!io_is_pipe(input))
    return refuse(error, STATUS_USAGE,
                  "--format is for -, the standard input or output; files tell by their names");
  int status = pipe_read(&end, error);
  if (status >= 0 && strcmp(end + 1, format))
    status = refuse(error, LAVDM_ERROR_DATA, "the standard input is %s, and --format says %s",
                    strcmp(format, "csv") ? "no .npy array" : "an .npy array", format);
  return status;
}

int arguments_pipe(const arguments *a, lavdm_error *error) {
  const char *format = arguments_value(a, "format"), *output = arguments_value(a, "output");
  if (format && strcmp(format, "csv") && strcmp(format, "npy"))
    return refuse(error, STATUS_USAGE, "--format is '%.60s': it must be csv or npy", format);
  if (!output || !io_is_pipe(output)) return format ? check_input(a, format, error) : LAVDM_OK;
  if (!arguments_takes(a, "format"))
    return refuse(error, STATUS_USAGE, "%s writes no single table: give -o FILE", a->command->name);
  if (arguments_value(a, "json"))
    return refuse(error, STATUS_USAGE,
                  "-o - and --json both go to the standard output: give one, or -o FILE");
  return pipe_start(format && !strcmp(format, "npy") ? ".npy" : ".csv", error);
}
