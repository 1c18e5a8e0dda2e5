/*
 * lavdm: the command. Finds the subcommand, parses its arguments, runs it, and
 * turns its status into one sentence on stderr and the exit code: 0 done,
 * 1 bad use or bad input, 2 out of memory or could not write, 3 interrupted.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/command.h"
#include "base/help.h"
#include "base/progress.h"
#include "io/io.h"
#include "io/room.h"
#include "io/sentence.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const command *const commands[] = {
    &sample_command,  &embed_command,      &orient_command,   &sync_command,   &average_command,
    &denoise_command, &extend_command,     &distance_command, &info_command,   &report_command,
    &plot_command,    &completion_command, &help_command,     &options_command};

enum { COMMANDS = sizeof commands / sizeof *commands };

const command *command_at(int i) {
  return i >= 0 && i < COMMANDS ? commands[i] : NULL;
}

const command *command_find(const char *name) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i]->name, name)) return commands[i];
  return NULL;
}

int(refuse)(lavdm_error *error, int status, const char *format, ...) {
  char plain[sizeof error->message];
  error->status = status;
  va_list list;
  va_start(list, format);
  vsnprintf(plain, sizeof plain, format, list);
  va_end(list);
  text_show(error->message, sizeof error->message, plain);
  return status;
}

void prefix_error(lavdm_error *error, const char *where) {
  char message[LAVDM_MESSAGE_SIZE];
  memcpy(message, error->message, sizeof message);
  where = shown(where);
  if (!strncmp(message, where, strlen(where))) return;
  snprintf(error->message, sizeof error->message, "%.200s: %.300s", where, message);
}

static int unknown_command(const char *name, const char *program) {
  const char *names[COMMANDS + 1];
  int count = 0;
  for (int i = 0; i < COMMANDS; i++)
    if (!commands[i]->hidden) names[count++] = commands[i]->name;
  names[count] = NULL;
  const char *near = nearest_name(name, names);
  fprintf(stderr, "lavdm: error: there is no command '%s'", shown(name));
  if (near) fprintf(stderr, "; did you mean '%s'?", near);
  fprintf(stderr, "\n%s help lists them.\n", shown(program));
  return EXIT_BAD;
}

static int exit_code(int status) {
  switch (status) {
  case LAVDM_ERROR_INTERRUPTED:
    return EXIT_INTERRUPTED;
  case LAVDM_ERROR_MEMORY:
  case STATUS_WRITE:
    return EXIT_RESOURCE;
  default:
    return status < 0 ? EXIT_BAD : EXIT_DONE;
  }
}

/* The sentence that goes with a negative status. */
static void report_error(const arguments *a, int status, const lavdm_error *error) {
  if (status == LAVDM_ERROR_INTERRUPTED) {
    fputs("lavdm: interrupted\n", stderr);
    return;
  }
  fprintf(stderr, "lavdm: error: %s\n",
          error->message[0] ? shown(error->message) : "something went wrong, and nothing said what");
  if (status == STATUS_USAGE)
    fprintf(stderr, "%s %s --help explains.\n", shown(a->program), a->command->name);
}

enum { STACK = 256 }; /* kB: LAPACK and libtiff take about half of it */

static int check_stack(lavdm_error *error) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= (rlim_t)STACK << 10) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_MEMORY,
                "the stack may have %lld kB and %d kB are needed: raise the limit (ulimit -s)",
                (long long)limit.rlim_cur >> 10, STACK);
}

/*
 * A library may end the program: libgomp does if it gets no memory or no thread,
 * after a line of its own.
 */
static bool ended;

static void end_early(void) {
  static const char sentence[] = "lavdm: error: a library could not go on for want of memory or threads\n";
  if (ended) return;
  ssize_t ignored = write(STDERR_FILENO, sentence, sizeof sentence - 1);
  (void)ignored;
  _exit(EXIT_RESOURCE);
}

static int run_command(const command *c, int argc, char **argv, const char *program) {
  arguments a = {.program = program, .command = c, .line = arguments_line(c, argc, argv)};
  lavdm_error error = {0};
  io_notes_clear();
  int status = check_stack(&error);
  if (status >= 0 && !a.line) status = refuse(&error, LAVDM_ERROR_MEMORY, "out of memory for the arguments");
  if (status >= 0) status = arguments_parse(c, argc, argv, &a, &error);
  if (status >= 0 && a.help) {
    help_command_text(stdout, c, program);
  } else if (status >= 0) {
    room_allow(a.options.max_memory);
    progress_start();
    status = arguments_pipe(&a, &error);
    if (status >= 0) status = c->run(&a, &error);
  }
  if (status >= 0 && (fflush(stdout) || ferror(stdout)))
    status = refuse(&error, STATUS_WRITE, "could not write to the standard output");
  if (status < 0) report_error(&a, status, &error);
  arguments_free(&a);
  return exit_code(status);
}

static int run(int argc, char **argv) {
  const char *program = argc > 0 && argv[0][0] ? argv[0] : "lavdm";
  if (argc < 2) {
    help_overview(stdout, program);
    return fflush(stdout) ? EXIT_RESOURCE : EXIT_DONE;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
    printf("lavdm %s\n", lavdm_version());
    return fflush(stdout) ? EXIT_RESOURCE : EXIT_DONE;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  const command *c = command_find(name);
  if (!c) return unknown_command(name, program);
  return run_command(c, argc - 2, argv + 2, program);
}

int main(int argc, char **argv) {
  /* a file-size limit is then an error of the write, like a full disk */
  signal(SIGXFSZ, SIG_IGN);
  atexit(end_early);
  int code = run(argc, argv);
  ended = true;
  return code;
}
