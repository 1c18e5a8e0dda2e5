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
               figure, kind, PAPER_SOURCE) >= (int)sizeof variables)
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
  snprintf(pattern, sizeof pattern, PAPER_SOURCE "/*/%s.gp", figure);
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

/* The text that the page opens with. */
static void copy_introduction(FILE *page) {
  char piece[4096];
  size_t got;
  FILE *from = fopen(PAPER_SOURCE "/introduction.md", "r");
  if (!from) give_up("studies/paper/introduction.md cannot be read");
  while ((got = fread(piece, 1, sizeof piece, from)) > 0) fwrite(piece, 1, got, page);
  fclose(from);
}

void write_page(const session_t *session, const experiment *const *experiments, int count) {
  char path[4096], part[4096 + 8];
  snprintf(path, sizeof path, "%s.md", session->folder);
  snprintf(part, sizeof part, "%s.part", path);
  FILE *page = fopen(part, "w");
  if (!page) give_up("%s: could not be written", part);
  copy_introduction(page);
  if (session->quick)
    fputs("**A quick run: smaller problems, not to be compared with the paper's.**\n\n", page);
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
