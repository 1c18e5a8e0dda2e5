/*
 * lavdm_paper: runs the experiments of the LA-VDM paper, draws their figures with
 * gnuplot and writes the page that sets our numbers beside the paper's.
 */
#define _POSIX_C_SOURCE 200809L
#include "common/experiment.h"
#include "draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const experiment landmark_size_experiment, beta_experiment, alpha_experiment, recovery_experiment;
extern const experiment transport_experiment, large_scale_experiment;
extern const experiment designs_experiment, bandwidth_experiment, convergence_experiment, two_step_experiment;

/* In the order of the page. */
static const experiment *const experiments[] = {
    &transport_experiment,   &landmark_size_experiment, &beta_experiment,    &alpha_experiment,
    &recovery_experiment,    &large_scale_experiment,   &designs_experiment, &bandwidth_experiment,
    &convergence_experiment, &two_step_experiment,
};
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments, FULL = 30, QUICK = 3 };

static const char usage[] =
    "Usage: lavdm_paper NAME|all|page [--quick] [--again] [--repetitions N] [--out FOLDER]\n\n"
    "Runs an experiment of the LA-VDM paper, or all of them, and leaves CSVs and figures in FOLDER\n"
    "[docs/paper] and the page in FOLDER.md. What is there already is kept: a run that was interrupted\n"
    "goes on, and one that is finished only draws its figures again. `page` computes nothing.\n\n"
    "  --quick          three repetitions of smaller problems, in FOLDER [build/paper-quick]\n"
    "  --again          compute everything afresh\n"
    "  --repetitions N  [30]\n"
    "  --out FOLDER\n\nExperiments:\n";

static void print_usage(FILE *to) {
  fputs(usage, to);
  for (int i = 0; i < EXPERIMENTS; i++)
    fprintf(to, "  %-15s %s\n", experiments[i]->name, experiments[i]->title);
}

static void make_folders(const char *path) {
  char part[4096];
  for (size_t i = 1; i <= strlen(path) && i < sizeof part; i++)
    if (path[i] == '/' || !path[i]) {
      snprintf(part, i + 1, "%s", path);
      if (mkdir(part, 0777) && errno != EEXIST) give_up("%s: %s", part, strerror(errno));
    }
}

/* The value after an option. */
static const char *value_of(char **argv, int argc, int *i) {
  if (*i + 1 >= argc) give_up("%s needs a value", argv[*i]);
  return argv[++*i];
}

static const char *read_arguments(int argc, char **argv, session_t *session) {
  const char *name = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--quick"))
      session->quick = 1;
    else if (!strcmp(argv[i], "--again"))
      session->again = 1;
    else if (!strcmp(argv[i], "--repetitions"))
      session->repetitions = atoi(value_of(argv, argc, &i));
    else if (!strcmp(argv[i], "--out"))
      session->folder = value_of(argv, argc, &i);
    else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      print_usage(stdout), exit(0);
    else if (argv[i][0] == '-' || name)
      give_up("'%s' is not expected; try lavdm_paper --help", argv[i]);
    else
      name = argv[i];
  }
  if (!name) print_usage(stderr), exit(2);
  if (!session->repetitions) session->repetitions = session->quick ? QUICK : FULL;
  if (session->repetitions < 1) give_up("--repetitions must be 1 or more");
  if (!session->folder) session->folder = session->quick ? "build/paper-quick" : "docs/paper";
  return name;
}

static int run_one(session_t *session, const experiment *e, int number, int of) {
  session->progress = (progress_t){.experiment = e->name, .number = number, .of = of};
  double began = seconds_now();
  int status = e->run(session);
  progress_clear();
  if (status < 0) return status;
  for (int f = 0; e->figures[f]; f++) draw_figure(session, e->figures[f]);
  fprintf(stderr, "%s: %.0f s\n", e->name, seconds_now() - began);
  return 0;
}

int main(int argc, char **argv) {
  session_t session = {0};
  const char *name = read_arguments(argc, argv, &session);
  int page = !strcmp(name, "page"), all = !strcmp(name, "all"), found = page || all, status = 0;
  for (int i = 0; i < EXPERIMENTS; i++) found |= !strcmp(name, experiments[i]->name);
  if (!found) give_up("there is no experiment '%s'; try lavdm_paper --help", name);
  make_folders(session.folder);
  progress_start();
  for (int i = 0; i < EXPERIMENTS && status >= 0; i++) {
    const experiment *e = experiments[i];
    if (all || !strcmp(name, e->name)) status = run_one(&session, e, all ? i + 1 : 1, all ? EXPERIMENTS : 1);
    if (page && has_results(&session, e->name))
      for (int f = 0; e->figures[f]; f++) draw_figure(&session, e->figures[f]);
  }
  if (status < 0) {
    fputs("lavdm_paper: interrupted; the same command goes on where it was\n", stderr);
    return 3;
  }
  write_page(&session, experiments, EXPERIMENTS);
  return 0;
}
