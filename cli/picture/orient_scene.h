/* What `lavdm orient --plot` shows, as dots on a screen. */
#ifndef LAVDM_CLI_ORIENT_SCENE_H
#define LAVDM_CLI_ORIENT_SCENE_H

#include "output/cover.h"

#include <stdbool.h>

enum { SPACE = 3 };

typedef struct {
  double x, y, depth; /* on the screen, larger depths nearer */
  double value;       /* -1 to 1: orange, pale, blue */
  double shade;       /* 0 to 1: dark to light */
} dot_t;

typedef struct {
  dot_t *dots;
  int64_t shown, n;              /* dots, of so many points */
  int64_t *row;                  /* n: which ones; or NULL */
  double *x, *axis, *screen, *m; /* space */
} scene_t;

/* False without memory; scene_free releases what there is. */
bool scene_of_points(const lavdm_data *data, const lavdm_model *model, scene_t *s);
bool scene_of_cover(const cover_t *cover, scene_t *s);
void scene_free(scene_t *s);

#endif
