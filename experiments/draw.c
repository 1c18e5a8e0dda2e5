#define _POSIX_C_SOURCE 200809L
#include "draw.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs gnuplot on a script; the variables are those that style.gp explains. */
static int run_gnuplot(const char *script, const char *folder, const char *figure, const char *kind) {
  char variables[4096];
  if (snprintf(variables, sizeof variables, "folder='%s'; figure='%s'; kind='%s'; source='%s'", folder,
               figure, kind, EXPERIMENTS_SOURCE) >= (int)sizeof variables)
    give_up("%s: the name of the folder is too long", folder);
  pid_t child = fork();
  if (child < 0) give_up("gnuplot could not be started");
  if (child == 0) {
    execlp("gnuplot", "gnuplot", "-e", variables, script, (char *)NULL);
    _exit(127);
  }
  int code = 1;
  return waitpid(child, &code, 0) < 0 || code;
}

void draw_figure(const session_t *session, const char *figure) {
  static const char *const kinds[] = {"png", "svg"};
  char pattern[4096];
  glob_t found;
  snprintf(pattern, sizeof pattern, EXPERIMENTS_SOURCE "/*/%s.gp", figure);
  if (strchr(session->folder, '\'')) give_up("the name of the folder may not contain '");
  if (glob(pattern, 0, NULL, &found)) give_up("%s: there is no such script", pattern);
  for (int k = 0; k < 2; k++)
    if (run_gnuplot(found.gl_pathv[0], session->folder, figure, kinds[k]))
      give_up("gnuplot could not draw %s.%s; is it installed?", figure, kinds[k]);
  globfree(&found);
}

int has_results(const session_t *session, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s_summary.csv", session->folder, name);
  return !access(path, R_OK);
}

static const char introduction[] =
    "# The paper, reproduced\n\n"
    "Made by `make paper` from the CSVs beside the figures; not to be edited. Numbers are medians ± median "
    "absolute deviations over repetitions with fixed seeds; each section says how many there were.\n\n"
    "- The Klein bottle is the paper's with `+` in y: the printed `-` makes it meet itself. Its points are "
    "uniform in (u,v), which fits the paper's table better than uniform by area.\n"
    "- The labels of the paper's table of metrics are transposed: its three rows for one eigenvector are one "
    "metric for eigenvectors 1, 3, 5. It is read that way here.\n"
    "- Figures of the paper cite 4096 landmarks of 3500 points; here the most is 2048.\n"
    "- Where the paper compares VDM and LA-VDM at equal ε, so do we. Two steps of ε act like one step of 2ε, "
    "so "
    "that eigenvalues then differ even without any error; √λ, one step, is given beside them.\n"
    "- *Eigenspace cosine*: the cosine of the largest principal angle between the eigenspaces that an "
    "eigenvector "
    "belongs to, the spectrum of VDM being split where −log λ jumps by more than 15% of itself (this finds "
    "the 6, 10, 14, … of a sphere). Vectors "
    "of "
    "nearly equal eigenvalues are only one basis among others, and cannot be compared one by one.\n"
    "- Frames come from local PCA with the library's default neighbours; weights below e⁻¹⁶ are left "
    "out.\n\n";

void write_page(const session_t *session, const experiment *const *experiments, int count) {
  char path[4096], part[4096 + 8];
  snprintf(path, sizeof path, "%s.md", session->folder);
  snprintf(part, sizeof part, "%s.part", path);
  FILE *page = fopen(part, "w");
  if (!page) give_up("%s: could not be written", part);
  fputs(introduction, page);
  fputs("| experiment | number | ours | paper | |\n|---|---|---|---|---|\n", page);
  for (int i = 0; i < count; i++)
    if (has_results(session, experiments[i]->name)) experiments[i]->row(session, page);
  for (int i = 0; i < count; i++) {
    if (!has_results(session, experiments[i]->name)) continue;
    fprintf(page, "\n## %s\n\n", experiments[i]->title);
    experiments[i]->page(session, page);
  }
  if (fclose(page) || rename(part, path)) give_up("%s: could not be written", path);
}
