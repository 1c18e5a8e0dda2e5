/* Pose graphs of g2o and TORO: every number lands where the library wants it. */
#include "io_support.h"
#include "io/g2o.h"
#include "io/pose_lines.h"

#include <math.h>

static char path[200];

static const char *file_of(const char *name, const char *text) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  return path;
}

static void near(const double *found, const double *wanted, int count) {
  for (int i = 0; i < count; i++)
    if (fabs(found[i] - wanted[i]) > 1e-12 * (1 + fabs(wanted[i])))
      fail_msg("number %d is %.17g, not %.17g", i, found[i], wanted[i]);
}

#define ONES "1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1"

/* a b for quaternions w x y z. */
static void times(const double *a, const double *b, double *c) {
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* x = (translation, quaternion) as x y z qw qx qy qz; out = x y, or x y^-1. */
static void compose(const double *x, const double *y, bool back, double *out) {
  double r[9], q[4] = {y[3], back ? -y[4] : y[4], back ? -y[5] : y[5], back ? -y[6] : y[6]}, turned[3] = {0};
  pose_matrix(3, q, false, r);
  double t[3] = {y[0], y[1], y[2]};
  if (back)
    for (int a = 0; a < 3; a++) t[a] = -(r[3 * a] * y[0] + r[3 * a + 1] * y[1] + r[3 * a + 2] * y[2]);
  pose_matrix(3, x + 3, false, r);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) turned[a] += r[3 * a + b] * t[b];
  double product[4];
  times(x + 3, q, product);
  for (int a = 0; a < 3; a++) out[a] = x[a] + turned[a];
  memcpy(out + 3, product, sizeof product);
}

static double quadratic(int d, const double *half, const double *e) {
  double sum = 0;
  for (int i = 0, at = 0; i < d; i++)
    for (int k = i; k < d; k++) sum += (i == k ? 1 : 2) * half[at++] * e[i] * e[k];
  return sum;
}

static void test_plane(void **state) {
  (void)state;
  pose_graph g;
  lavdm_error error = {0};
  const char *text = "# a comment\n"
                     "VERTEX_SE2 4 1 2 0.5\nVERTEX_SE2 7 3 4 -0.25\nVERTEX_XY 9 0 0\nFIX 7 4 7\nFIX 99\n"
                     "EDGE_SE2 4 7 1 2 0.75 4 1 0.5 3 0.25 2\n"
                     "EDGE_SE2_XY 4 9 5 6 2 0.5 1\n"
                     "PARAMS_SE2OFFSET 3 1 0 1.5707963267948966\n"
                     "EDGE_SE2_POINTXY_OFFSET 7 9 3 5 6 2 0.5 1\n"
                     "EDGE_PRIOR_SE2 12 1 2 0.5 1 0 0 0 0 0\nEDGE_PRIOR_SE2_XY 4 8 9 3 1 2\nEDGE_OTHER 1 2\n";
  assert_int_equal(g2o_read(file_of("a.g2o", text), 2, &g, &error), 0);
  assert_string_equal(g.format, "g2o");
  assert_int_equal(g.dim, 2);
  assert_int_equal(g.edges, 1);
  near(g.information, (double[]){4, 1, 0.5, 3, 0.25, 2}, 6);
  /* trace of the inverse of (4 1; 1 3) is 7/11 */
  near(g.shift_weight, (double[]){2 * 11 / 7.0}, 1);
  near(g.turn_weight, (double[]){2}, 1);
  const pose_survey *s = &g.survey;
  assert_int_equal(s->fixed, 2);
  assert_int_equal(s->fixed_node[0], 7);
  near(s->fixed_element, (double[]){cos(0.25), -sin(0.25), sin(0.25), cos(0.25)}, 4); /* transposed */
  near(s->fixed_position + 2, (double[]){1, 2}, 2);
  assert_non_null(strstr(g.left_out, "1 node of lines FIX"));
  assert_int_equal(s->sightings, 2);
  assert_int_equal(s->sighted_point[1], 9);
  near(s->sighted, (double[]){5, 6, 1 - 6, 5}, 4);
  near(s->sighted_information, (double[]){2, 0.5, 1, 1, -0.5, 2}, 6);
  assert_int_equal(s->priors, 2);
  near(s->prior_element, (double[]){cos(0.5), sin(0.5), -sin(0.5), cos(0.5), 1, 0, 0, 1}, 8);
  near(s->prior_information + 6, (double[]){3, 1, 0, 2, 0, 0}, 6);
  assert_int_equal(g.posed, 2);
  assert_int_equal(g.vertices, 2 + 2 + 2); /* node 12 has no line of its own */
  assert_int_equal(g.vertex[2], 12);
  assert_int_equal(g.ignored, 1);
  pose_graph_free(&g);
}

static void test_space(void **state) {
  (void)state;
  pose_graph g;
  lavdm_error error = {0};
  char text[2000];
  /* Z, S: a prior through the offset S of a sensor; small errors e of Z^-1 X S cost the same either way */
  const double z[7] = {1, 2, 3, 0.5, 0.5, -0.5, 0.5}, s[7] = {0.3, -0.2, 0.4, 0.8, 0, 0.6, 0};
  double half[21];
  for (int i = 0, at = 0; i < 6; i++)
    for (int k = i; k < 6; k++, at++) half[at] = i == k ? 3 + i : 0.1 * (i + k);
  int used =
      snprintf(text, sizeof text,
               "PARAMS_SE3OFFSET 2 0.3 -0.2 0.4 0 0.6 0 0.8\nEDGE_SE3:QUAT 0 1 1 2 3 0 0 0 2e0 " ONES
               "\nEDGE_SE3_TRACKXYZ 1 5 2 1 2 3 1 0 0 2 0 3\nEDGE_SE3_PRIOR 1 2 1 2 3 0.5 -0.5 0.5 0.5");
  for (int i = 0; i < 21; i++) used += snprintf(text + used, sizeof text - (size_t)used, " %.17g", half[i]);
  assert_true(g2o_read(file_of("b.g2o", text), 1, &g, &error) < 0);
  assert_non_null(strstr(error.message, "line 2: the quaternion"));
  *strstr(text, "2e0") = '1';
  assert_int_equal(g2o_read(file_of("b.g2o", text), 1, &g, &error), 0);
  near(g.turn_weight, (double[]){0.5}, 1);
  near(g.shift_weight, (double[]){1}, 1);
  double turn[9], seen[3];
  pose_matrix(3, s + 3, false, turn);
  for (int a = 0; a < 3; a++) seen[a] = s[a] + turn[3 * a] + 2 * turn[3 * a + 1] + 3 * turn[3 * a + 2];
  near(g.survey.sighted, seen, 3);
  const double v[3] = {0.3, -0.5, 0.7}, w[3] = {turn[0] * v[0] + turn[1] * v[1] + turn[2] * v[2],
                                                turn[3] * v[0] + turn[4] * v[1] + turn[5] * v[2],
                                                turn[6] * v[0] + turn[7] * v[1] + turn[8] * v[2]};
  near((double[]){quadratic(3, g.survey.sighted_information, w)}, (double[]){0.09 + 2 * 0.25 + 3 * 0.49}, 1);

  double mean[7], x[7], xs[7], inverse[7], e[7], own[7], costs[2];
  const double none[7] = {0, 0, 0, 1, 0, 0, 0}, small[6] = {1e-5, -2e-5, 3e-5, 2e-5, 1e-5, -3e-5};
  compose(z, s, true, mean); /* X where the sensor is right */
  near(g.survey.prior_position, mean, 3);
  double back[9];
  pose_matrix(3, mean + 3, true, back);
  near(g.survey.prior_element, back, 9);
  double step[7] = {small[0], small[1], small[2], 1, small[3], small[4], small[5]};
  compose(mean, step, false, x);
  compose(x, s, false, xs);
  compose(none, z, true, inverse);
  compose(inverse, xs, false, e); /* Z^-1 X S */
  compose(none, mean, true, inverse);
  compose(inverse, x, false, own);
  costs[0] = quadratic(6, half, (double[]){e[0], e[1], e[2], e[4], e[5], e[6]});
  costs[1] =
      quadratic(6, g.survey.prior_information, (double[]){own[0], own[1], own[2], own[4], own[5], own[6]});
  assert_true(fabs(costs[0] / costs[1] - 1) < 1e-3);
  pose_graph_free(&g);
}

static void test_toro(void **state) {
  (void)state;
  pose_graph g;
  lavdm_error error = {0};
  assert_int_equal(
      g2o_read(file_of("a.graph", "VERTEX2 0 0 0 0\nEDGE2 0 1 1 2 0.5 4 1 3 2 0.5 0.25\n"), 1, &g, &error),
      0);
  assert_string_equal(g.format, "TORO");
  near(g.information, (double[]){4, 1, 0.5, 3, 0.25, 2}, 6);
  pose_graph_free(&g);
  assert_int_equal(g2o_read(file_of("b.graph", "EDGE3 0 1 1 2 3 0.1 0.2 0.3 " ONES "\n"), 1, &g, &error), 0);
  double x[4] = {cos(0.05), sin(0.05), 0, 0}, y[4] = {cos(0.1), 0, sin(0.1), 0},
         z[4] = {cos(0.15), 0, 0, sin(0.15)}, zy[4], zyx[4];
  times(z, y, zy);
  times(zy, x, zyx);
  near(g.rotation, zyx, 4);
  near(g.turn_weight, (double[]){2}, 1); /* as of the information about quaternions, 4 times that of angles */
  near(g.information + 15, (double[]){4}, 1);
  near(g.information, (double[]){1}, 1);
  pose_graph_free(&g);
}

/* Weights are no more than the information that they come from, which may be 1e100. */
static void test_most(void **state) {
  (void)state;
  pose_graph g;
  lavdm_error error = {0};
  const char *plane = "EDGE_SE2 0 1 1 0 0 1e100 0 0 1e100 0 1e100\n";
  const char *space =
      "EDGE_SE3:QUAT 0 1 1 2 3 0 0 0 1 1e100 0 0 0 0 0 1e100 0 0 0 0 1e100 0 0 0 1e100 0 0 1e100 0 "
      "1e100\n";
  for (int k = 0; k < 2; k++) {
    assert_int_equal(g2o_read(file_of("most.g2o", k ? space : plane), 1, &g, &error), 0);
    assert_true(g.shift_weight[0] <= 1e100 && g.turn_weight[0] <= 1e100);
    near((double[]){g.shift_weight[0] / 1e100}, (double[]){1}, 1);
    pose_graph_free(&g);
  }
}

static void not_read(const char *text, const char *why) {
  pose_graph g;
  lavdm_error error = {0};
  assert_true(g2o_read(file_of("c.g2o", text), 1, &g, &error) < 0);
  if (!strstr(error.message, why)) fail_msg("'%s' says nothing of '%s'", error.message, why);
}

static void test_mistakes(void **state) {
  (void)state;
#define EDGE "EDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\n"
  not_read("EDGE_SE2 0 1 1 0 0 1 2 0 1 0 1\n",
           "line 1: the information about the translation is not positive");
  not_read("EDGE_SE2 0 1 1 0 0 1 0 1.1 1 0 1\n", "line 1: the information matrix is indefinite");
  not_read(EDGE "EDGE_PRIOR_SE2 0 0 0 0 0 0 0 0 0 0\n", "line 2: the information matrix is zero");
  not_read(EDGE "EDGE_PRIOR_SE2 0 0 0 0 1 2 0 1 0 1\n", "line 2: the information matrix is indefinite");
  not_read(EDGE "EDGE_SE2_XY 0 5 0 0 1 0 -1\n", "line 2: the information matrix is indefinite");
  not_read(EDGE "EDGE_SE2_POINTXY_OFFSET 0 5 3 0 0 1 0 1\n", "line 2: there is no line PARAMS_SE2OFFSET 3");
  not_read(EDGE "FIX 1.5\n", "line 2: a node must be");
  not_read(EDGE "FIX north\n", "line 2: 'north'");
  not_read(EDGE "EDGE_SE3_PRIOR 0 0 0 0 0 0 0 0 1 " ONES "\n", "3 dimensions");
  not_read(EDGE "VERTEX_XY 1\n", "line 2: VERTEX_XY takes 3 numbers");
  not_read("VERTEX_SE2 7 0 0 0\n" EDGE "VERTEX_XY 8 0 0\nVERTEX_XY 7 0 0\n",
           "line 4: VERTEX_XY has the point 7, and by line 1, VERTEX_SE2, that is a pose");
  not_read(EDGE "EDGE_SE2_XY 0 1 0 0 1 0 1\n",
           "line 2: EDGE_SE2_XY has the point 1, and by line 1, EDGE_SE2,");
  not_read(EDGE "EDGE_SE2_XY 5 4 0 0 1 0 1\nEDGE_SE2_XY 4 9 0 0 1 0 1\n",
           "line 2: EDGE_SE2_XY has the point 4, and by line 3, EDGE_SE2_XY,");
  not_read(EDGE "VERTEX_XY 3 0 0\nEDGE_PRIOR_SE2_XY 3 0 0 1 0 1\n",
           "line 2: VERTEX_XY has the point 3, and by line 3, EDGE_PRIOR_SE2_XY,");
}

static void told(const char *text, const char *what, pose_graph *g) {
  lavdm_error error = {0};
  assert_int_equal(g2o_read(file_of("told.g2o", text), 1, g, &error), 0);
  if (!what)
    assert_string_equal(g->left_out, "");
  else if (!strstr(g->left_out, what))
    fail_msg("'%s' says nothing of '%s'", g->left_out, what);
}

/* Of lines that differ the first counts, wherever they stand; equal ones are fine. */
static void test_contradictions(void **state) {
  (void)state;
  pose_graph g;
#define FREE EDGE "FIX 0\nVERTEX_SE2 3 0 0 0\n"
  told(FREE "VERTEX_SE2 0 1 2 0.5\nVERTEX_SE2 3 0 0 0.0\nVERTEX_SE2 0 1 2 5e-1\n", NULL, &g);
  near(g.survey.fixed_position, (double[]){1, 2}, 2);
  pose_graph_free(&g);
  told(FREE "VERTEX_SE2 0 1 2 0.5\nVERTEX_SE2 0 1 2 0.25\nVERTEX_SE2 0 1 3 0\n",
       "the VERTEX lines of pose 0 differ (lines 4 and 5): the first counts", &g);
  near(g.survey.fixed_position, (double[]){1, 2}, 2);
  pose_graph_free(&g);
  told(FREE "VERTEX_SE2 0 1 2 0.5\nVERTEX_SE2 3 0 0 0.25\nVERTEX_SE2 0 1 3 0\n",
       "the VERTEX lines of 2 poses differ, such as those of 0 (lines 4 and 6): the first counts", &g);
  pose_graph_free(&g);
#define SEEN "EDGE_SE2_POINTXY_OFFSET 0 9 7 1 1 1 0 1\nPARAMS_SE2OFFSET 7 1 0 0\nPARAMS_SE2OFFSET 5 9 9 9\n"
  told(EDGE SEEN "PARAMS_SE2OFFSET 7 1 0 0\n", NULL, &g);
  pose_graph_free(&g);
  told(EDGE SEEN "PARAMS_SE2OFFSET 7 4 0 0\nFIX 66\n", "the PARAMS lines of sensor 7 differ (lines 3 and 5)",
       &g);
  assert_non_null(strstr(g.left_out, "1 node of lines FIX left free"));
  near(g.survey.sighted, (double[]){2, 1}, 2);
  pose_graph_free(&g);
}

/* The sentence is that of the first line at fault, whatever the threads. */
static void test_first_mistake(void **state) {
  (void)state;
  size_t size = 5000 * sizeof EDGE;
  char *text = malloc(size + 200);
  assert_non_null(text);
  text[0] = 0;
  char *end = text;
  for (int i = 0; i < 5000; i++)
    end = stpcpy(end, i == 3100 || i == 4900 ? "EDGE_SE2 0 1 x\n" : i == 2999 ? "EDGE_SE2 0 1 2\n" : EDGE);
  for (int threads = 1; threads < 6; threads++) {
    pose_graph g;
    lavdm_error error = {0};
    assert_true(g2o_read(file_of("d.g2o", text), threads, &g, &error) < 0);
    assert_non_null(strstr(error.message, "line 3000:"));
  }
  free(text);
}

static void test_written(void **state) {
  (void)state;
  lavdm_error error = {0};
  char from[200], to[220], text[2000] = "";
  const char *given =
      "VERTEX_SE2 0 9 9 9\nVERTEX_XY 5 7 7\nPARAMS_SE2OFFSET 1 0 0 0\nVERTEX_XY 6 7 7\nFIX 0\n"
      "# gone\nOTHER x\nEDGE_SE2_XY 0 5 1 2 1 0 1\n" EDGE;
  strcpy(from, file_of("e.g2o", given));
  snprintf(to, sizeof to, "%s-out.g2o", from);
  const int64_t node[2] = {0, 1}, point[1] = {5};
  const double rotation[2] = {0, 0.5}, position[4] = {0, 0, 1, 2}, place[2] = {3, 4};
  const pose_result result = {2, 2, node, rotation, position, 1, point, place, NULL};
  assert_int_equal(g2o_write(to, &result, from, &error), 0);
  FILE *f = fopen(to, "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  assert_string_equal(text,
                      "PARAMS_SE2OFFSET 1 0 0 0\nVERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1 2 0.5\nVERTEX_XY 5 3 4\n"
                      "VERTEX_XY 6 7 7\nFIX 0\nOTHER x\nEDGE_SE2_XY 0 5 1 2 1 0 1\n" EDGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plane),    cmocka_unit_test(test_space),          cmocka_unit_test(test_toro),
      cmocka_unit_test(test_mistakes), cmocka_unit_test(test_first_mistake),  cmocka_unit_test(test_written),
      cmocka_unit_test(test_most),     cmocka_unit_test(test_contradictions),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
