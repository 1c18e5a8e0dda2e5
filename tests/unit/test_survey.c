/* Least squares with full information, priors, fixed nodes and sightings, against definitions written out. */
#include "surveyed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static lavdm_sync_t *solve_as(const surveyed_t *g, const lavdm_survey *survey, lavdm_sync_options o) {
  lavdm_edges edges = surveyed_edges(g);
  lavdm_sync_t *sync;
  lavdm_error error;
  o.survey = survey;
  if (lavdm_sync(&edges, &o, &sync, &error) < 0) fail_msg("%s", error.message);
  return sync;
}

static lavdm_sync_t *solve(const surveyed_t *g) {
  lavdm_survey survey = surveyed_survey(g);
  return solve_as(g, &survey, surveyed_options(g, &survey, false));
}

static double chi2_of(const surveyed_t *g, const lavdm_sync_t *s) {
  static double e[SURVEYED_ROWS];
  double sum = 0;
  int64_t rows = surveyed_errors(g, s->element, s->position, s->point_position, e);
  for (int64_t k = 0; k < rows; k++) sum += e[k] * e[k];
  return sum;
}

static double apart(const double *a, const double *b, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

typedef enum { ALONE, PRIORS, FIXED, POINTS, ALL, PLAIN_PRIORS, PLAIN_POINTS, CASES } survey_case;

static surveyed_t *graph_of(survey_case c, int64_t q, double spread, uint64_t seed) {
  surveyed_t *g = surveyed_new(q, 10, 18, spread, 0.3, seed);
  if (c == PRIORS || c == ALL || c == PLAIN_PRIORS)
    for (int64_t i = 2; i < 10; i += 3) surveyed_prior(g, i, 0.05);
  if (c == FIXED || c == ALL)
    for (int64_t i = 0; i < 10; i += 5) surveyed_fix(g, i);
  if (c == POINTS || c == ALL || c == PLAIN_POINTS)
    for (int64_t l = 0; l < 5; l++) {
      for (int64_t a = 0; a < q; a++) g->l[l * q + a] = 2 * cos(3.0 * (double)l + (double)a);
      for (int64_t i = l; i < 10; i += 2 + l) surveyed_sight(g, i, l, 0.3);
    }
  g->full = c < PLAIN_PRIORS;
  return g;
}

/* chi2 is what it says, and as low as dense Gauss-Newton gets from the truth. */
static void minima(void **state) {
  (void)state;
  static double r[SURVEYED_N * 9], p[SURVEYED_N * 3], l[SURVEYED_N * 3];
  for (survey_case c = ALONE; c < CASES; c++)
    for (int64_t q = 2; q <= 3; q++)
      for (int wide = 0; wide < 2; wide++) {
        surveyed_t *g = graph_of(c, q, wide ? 1e6 : 3, 10 * (uint64_t)c + (uint64_t)wide);
        bool held[SURVEYED_N] = {0};
        if (!g->priors && !g->fixed) held[0] = true;
        for (int64_t k = 0; k < g->fixed; k++) held[g->fix[k]] = true;
        lavdm_sync_t *s = solve(g);
        memcpy(r, g->r, sizeof r), memcpy(p, g->p, sizeof p), memcpy(l, g->l, sizeof l);
        double least = surveyed_minimise(g, held, r, p, l), found = chi2_of(g, s);
        if (!(fabs(found - s->chi2) <= 1e-9 * found && fabs(found - least) <= 1e-7 * least))
          fail_msg("case %d, q = %d: chi2 %.12g is %.12g, and %.12g can be had", (int)c, (int)q, s->chi2,
                   found, least);
        g->sines = !g->full;
        assert_true(fabs(chi2_of(g, s) - found) <= 1e-12 * found);
        assert_true(s->part[0]->converged && !s->part[0]->certified);
        assert_true(apart(s->element, r, 10 * q * q) < 1e-4 && apart(s->position, p, 10 * q) < 1e-4);
        assert_int_equal(s->points, g->points);
        for (int64_t k = 0; k < g->points; k++) assert_int_equal(s->point[k], k);
        if (g->points) assert_true(apart(s->point_position, l, g->points * q) < 1e-4);
        for (int64_t k = 0; k < g->fixed; k++) {
          assert_memory_equal(s->element + g->fix[k] * q * q, g->fix_r + k * q * q, (size_t)(q * q) * 8);
          assert_memory_equal(s->position + g->fix[k] * q, g->fix_p + k * q, (size_t)q * 8);
        }
        lavdm_sync_free(s);
        free(g);
      }
}

/* Without noise, the truth to rounding; residuals are those of the poses that are given. */
static void no_noise(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++) {
    surveyed_t *g = surveyed_new(q, 20, 40, 1e4, 0, 5);
    surveyed_fix(g, 3);
    lavdm_sync_t *s = solve(g);
    assert_true(apart(s->element, g->r, 20 * q * q) < 1e-12 && apart(s->position, g->p, 20 * q) < 1e-11);
    assert_true(s->chi2 < 1e-18 && s->part[0]->converged && s->most < 1e-7);
    lavdm_sync_free(s);
    free(g);
  }
}

/* One fixed node in isotropic mode: the same poses elsewhere, nothing fitted, all proof kept. */
static void one_fixed(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++) {
    surveyed_t *g = surveyed_new(q, 12, 24, 3, 0.5, 8);
    lavdm_survey none = {0};
    g->full = false;
    lavdm_sync_options o = surveyed_options(g, NULL, false);
    o.certify = LAVDM_CERTIFY_YES;
    lavdm_sync_t *plain = solve_as(g, NULL, o), *same = solve_as(g, &none, o);
    surveyed_fix(g, 4);
    lavdm_survey survey = surveyed_survey(g);
    lavdm_sync_t *s = solve_as(g, &survey, o);
    assert_true(isnan(s->chi2) && isnan(plain->chi2));
    assert_true(plain->certified && s->certified && s->part[0]->certified && s->converged);
    assert_true(s->cost == plain->cost && s->bound == plain->bound && s->bound > 0.999 * s->cost);
    assert_string_equal(s->part[0]->verdict, plain->part[0]->verdict);
    assert_memory_equal(plain->element, same->element, (size_t)(12 * q * q) * 8);
    assert_memory_equal(s->element + 4 * q * q, g->r + 4 * q * q, (size_t)(q * q) * 8);
    assert_memory_equal(s->position + 4 * q, g->p + 4 * q, (size_t)q * 8);
    assert_true(apart(s->residual, plain->residual, g->m) < 1e-12);
    static double e[2][SURVEYED_ROWS];
    int64_t rows = surveyed_errors(g, s->element, s->position, NULL, e[0]);
    surveyed_errors(g, plain->element, plain->position, NULL, e[1]);
    assert_true(apart(e[0], e[1], rows) < 1e-10);
    surveyed_fix(g, 7); /* two are more than coordinates: no proof is kept */
    survey = surveyed_survey(g);
    lavdm_sync_t *two = solve_as(g, &survey, o);
    assert_true(!two->certified && two->chi2 > s->cost);
    assert_null(strstr(two->part[0]->verdict, "globally optimal"));
    lavdm_sync_free(plain);
    lavdm_sync_free(same);
    lavdm_sync_free(s);
    lavdm_sync_free(two);
    free(g);
  }
}

/* With full information the cost is still that by isotropic weights, of the poses that are given: above the
 * least, which the same edges have without. */
static void costs(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++) {
    surveyed_t *g = graph_of(ALONE, q, 100, 7);
    lavdm_sync_t *s = solve(g);
    g->full = false;
    lavdm_sync_t *plain = solve(g);
    assert_true(fabs(s->cost - chi2_of(g, s)) <= 1e-10 * s->cost && s->cost == s->part[0]->cost);
    assert_true(fabs(plain->cost - chi2_of(g, plain)) <= 1e-10 * plain->cost);
    assert_true(s->cost > 1.001 * plain->cost);
    lavdm_sync_free(s);
    lavdm_sync_free(plain);
    free(g);
  }
}

/* The normal equations are added up in an order that the number of threads does not change. */
static void threads(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++)
    for (int full = 0; full < 2; full++) {
      surveyed_t *g = surveyed_new(q, 30, 80, 100, 0.3, 12);
      for (int64_t i = 2; i < 30; i += 3) surveyed_prior(g, i, 0.05);
      for (int64_t l = 0; l < 6; l++)
        for (int64_t i = l; i < 30; i += 3) g->l[l * q] = 2, surveyed_sight(g, i, l, 0.3);
      g->full = full;
      lavdm_survey survey = surveyed_survey(g);
      lavdm_sync_options o = surveyed_options(g, &survey, true);
      lavdm_sync_t *one = solve_as(g, &survey, o);
      o.threads = 2;
      lavdm_sync_t *two = solve_as(g, &survey, o);
      assert_true(g->m + g->priors + g->sightings > 100); /* fewer errors are done by one thread */
      assert_true(fabs(one->chi2 - two->chi2) <= 1e-12 * one->chi2);
      assert_true(apart(one->element, two->element, 30 * q * q) < 1e-9);
      assert_true(apart(one->position, two->position, 30 * q) < 1e-9);
      assert_true(apart(one->point_position, two->point_position, 6 * q) < 1e-9);
      double most = 0;
      for (int64_t i = 0; i < 30 * g->d * g->d; i++) most = fmax(most, fabs(one->covariance[i]));
      assert_true(apart(one->covariance, two->covariance, 30 * g->d * g->d) < 1e-9 * most);
      lavdm_sync_free(one);
      lavdm_sync_free(two);
      free(g);
    }
}

/* Robust, with priors: edges count by their trust, in full and isotropic mode, and chi2 is their sum. */
static void trusted(void **state) {
  (void)state;
  static double r[SURVEYED_N * 9], p[SURVEYED_N * 3], l[SURVEYED_N * 3];
  const int64_t wrong[] = {25, 41};
  for (int64_t q = 2; q <= 3; q++)
    for (int full = 0; full < 2; full++) {
      surveyed_t *g = surveyed_new(q, 12, 50, 3, 0.3, 31);
      bool held[SURVEYED_N] = {0};
      for (int64_t i = 2; i < 12; i += 3) surveyed_prior(g, i, 0.05);
      for (int k = 0; k < 2; k++) {
        surveyed_turn(q, 1.5, g->o + wrong[k] * q * q);
        g->shift[wrong[k] * q] += 5;
      }
      g->full = full;
      lavdm_survey survey = surveyed_survey(g);
      lavdm_sync_options o = surveyed_options(g, &survey, false);
      o.robust = LAVDM_ROBUST_GRADUAL;
      lavdm_sync_t *s = solve_as(g, &survey, o);
      double sum = 0;
      for (int64_t k = 0; k < g->m; k++) sum += g->trust[k] = s->trust[k];
      for (int k = 0; k < 2; k++) assert_true(s->trust[wrong[k]] < 1e-3);
      assert_true(sum > 0.8 * (double)g->m);
      memcpy(r, g->r, sizeof r), memcpy(p, g->p, sizeof p), memcpy(l, g->l, sizeof l);
      double least = surveyed_minimise(g, held, r, p, l), found = chi2_of(g, s);
      if (!(fabs(found - s->chi2) <= 1e-9 * found && fabs(found - least) <= 1e-7 * least))
        fail_msg("q = %d: chi2 %.12g is %.12g, and %.12g can be had", (int)q, s->chi2, found, least);
      assert_true(apart(s->element, g->r, 12 * q * q) < 0.1 && apart(s->position, g->p, 12 * q) < 0.2);
      lavdm_sync_free(s);
      free(g);
    }
}

/* A prior that nothing contradicts moves all; one with ten times the information has ten times the say. */
static void priors_pull(void **state) {
  (void)state;
  surveyed_t *g = surveyed_new(2, 4, 5, 3, 0, 3);
  surveyed_prior(g, 1, 0);
  surveyed_prior(g, 1, 0);
  for (int k = 0; k < 2; k++) {
    double diagonal[] = {k ? 1 : 10, 0, 0, k ? 1 : 10, 0, 1};
    memcpy(g->prior_info + 6 * k, diagonal, sizeof diagonal);
  }
  g->prior_p[2] += 1.1; /* the second says 1.1 more in x */
  lavdm_sync_t *s = solve(g);
  assert_true(fabs(s->position[2] - g->p[2] - 0.1) < 1e-9 && fabs(s->position[3] - g->p[3]) < 1e-9);
  assert_true(apart(s->element, g->r, 16) < 1e-9);
  lavdm_sync_free(s);
  free(g);
}

/* Priors of roll and pitch of every node, and of nothing else, each off by `off` about. */
static void know_gravity(surveyed_t *g, double off) {
  for (int64_t i = 0; i < g->n; i++) {
    surveyed_prior(g, i, off);
    double *info = g->prior_info + i * 21, *r = g->prior_r + i * 9, whole[9];
    memset(info, 0, 21 * sizeof *info);
    /* rotations about the vertical of the world are not known: with u = R e_z, 1 - u u' */
    for (int a = 0; a < 9; a++) whole[a] = 100 * ((a % 4 == 0) - r[a / 3 * 3 + 2] * r[a % 3 * 3 + 2]);
    info[15] = whole[0], info[16] = whole[1], info[17] = whole[2];
    info[18] = whole[4], info[19] = whole[5], info[20] = whole[8];
    for (int a = 0; a < 3; a++) g->prior_p[3 * i + a] = 0;
  }
}

/* The tilt is right; heading and place are free. */
static void gravity(void **state) {
  (void)state;
  surveyed_t *g = surveyed_new(3, 10, 20, 3, 0, 4);
  know_gravity(g, 0);
  lavdm_survey survey = surveyed_survey(g);
  lavdm_sync_t *s = solve_as(g, &survey, surveyed_options(g, &survey, true));
  assert_true(s->chi2 < 1e-12 && s->part[0]->converged);
  for (int64_t i = 0; i < 10; i++)
    for (int a = 0; a < 3; a++) /* where the vertical is, in coordinates of the body */
      assert_true(fabs(s->element[i * 9 + 3 * a + 2] - g->r[i * 9 + 3 * a + 2]) < 1e-8);
  assert_non_null(s->covariance);
  lavdm_sync_free(s);
  free(g);
}

/* The same with noise: as low as dense Gauss-Newton gets. All may turn about the vertical and move together,
 * so that what is compared is chi2 and the tilt. */
static void noisy_gravity(void **state) {
  (void)state;
  static double r[SURVEYED_N * 9], p[SURVEYED_N * 3], l[SURVEYED_N * 3];
  for (int full = 0; full < 2; full++) {
    surveyed_t *g = surveyed_new(3, 10, 20, 3, 0.5, 14);
    bool held[SURVEYED_N] = {0};
    know_gravity(g, 0.05);
    g->full = full;
    lavdm_survey survey = surveyed_survey(g);
    lavdm_sync_t *s = solve_as(g, &survey, surveyed_options(g, &survey, false));
    memcpy(r, g->r, sizeof r), memcpy(p, g->p, sizeof p), memcpy(l, g->l, sizeof l);
    double least = surveyed_minimise(g, held, r, p, l), found = chi2_of(g, s);
    if (!(fabs(found - s->chi2) <= 1e-9 * found && fabs(found - least) <= 1e-7 * least))
      fail_msg("chi2 %.12g is %.12g, and %.12g can be had", s->chi2, found, least);
    assert_true(s->part[0]->converged && found > 1);
    for (int64_t i = 0; i < 30; i++) assert_true(fabs(s->element[i * 3 + 2] - r[i * 3 + 2]) < 1e-4);
    lavdm_sync_free(s);
    free(g);
  }
}

/* Two walks without an edge between them, and a node without any, that saw the same points. */
static void joined_by_points(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++) {
    surveyed_t *g = surveyed_new(q, 21, 40, 3, 0, 6);
    int64_t kept = 0, more[] = {20};
    for (int64_t k = 0; k < g->m; k++) {
      int64_t i = g->row[k], j = g->col[k];
      if ((i < 10) != (j < 10) || i == 20 || j == 20) continue;
      g->row[kept] = i, g->col[kept] = j;
      surveyed_measure(g, kept++, 0);
    }
    g->m = kept;
    const int64_t by[] = {2, 5, 12, 17, 20};
    for (int64_t l = 0; l < 5; l++) {
      for (int64_t a = 0; a < q; a++) g->l[l * q + a] = 5 * cos(2.0 * (double)l * (double)l + (double)a);
      for (int k = 0; k < 5; k++) surveyed_sight(g, by[k], l, 0);
    }
    lavdm_survey survey = surveyed_survey(g);
    lavdm_sync_options o = surveyed_options(g, &survey, false);
    o.nodes = more, o.node_count = 1;
    lavdm_sync_t *s = solve_as(g, &survey, o);
    assert_true(apart(s->element, g->r, 21 * q * q) < 1e-9 && apart(s->position, g->p, 21 * q) < 1e-8);
    assert_true(apart(s->point_position, g->l, 5 * q) < 1e-8);
    assert_int_equal(s->isolated, 1);
    assert_int_equal(s->warnings, 0); /* nothing is unrelated, and the node without edges is no identity */
    lavdm_sync_free(s);
    free(g);
  }
}

/* Of nodes without edges, those that a fixed pose, a prior or a point of others places are not told of. */
static void nodes_alone(void **state) {
  (void)state;
  surveyed_t *g = surveyed_new(2, 14, 18, 3, 0, 6);
  int64_t kept = 0, more[] = {10, 11, 12, 13};
  for (int64_t k = 0; k < g->m; k++) {
    if (g->row[k] >= 10 || g->col[k] >= 10) continue;
    g->row[kept] = g->row[k], g->col[kept] = g->col[k];
    surveyed_measure(g, kept++, 0);
  }
  g->m = kept;
  for (int64_t l = 0; l < 2; l++) {
    g->l[2 * l] = 3 + (double)l, g->l[2 * l + 1] = 1;
    surveyed_sight(g, 2, l, 0), surveyed_sight(g, 12, l, 0);
  }
  surveyed_sight(g, 13, 2, 0); /* that no other saw */
  surveyed_prior(g, 0, 0), surveyed_prior(g, 10, 0), surveyed_fix(g, 11);
  lavdm_survey survey = surveyed_survey(g);
  lavdm_sync_options o = surveyed_options(g, &survey, false);
  o.nodes = more, o.node_count = 4;
  lavdm_sync_t *s = solve_as(g, &survey, o);
  assert_int_equal(s->isolated, 4);
  assert_int_equal(s->warnings, 1);
  assert_non_null(strstr(s->warning[0], "1 node is joined to no other and placed by nothing else"));
  assert_true(apart(s->element, g->r, 13 * 4) < 1e-9 && apart(s->position, g->p, 13 * 2) < 1e-8);
  assert_true(s->element[52] == 1 && s->element[53] == 0 && s->position[26] == 0);
  lavdm_sync_free(s);
  free(g);
}

/* A point that was seen once is where it was seen. */
static void seen_once(void **state) {
  (void)state;
  for (int64_t q = 2; q <= 3; q++) {
    surveyed_t *g = surveyed_new(q, 6, 9, 3, 0, 2);
    for (int64_t a = 0; a < q; a++) g->l[a] = 1 + (double)a;
    surveyed_sight(g, 4, 0, 0);
    int64_t number = 77;
    lavdm_survey survey = surveyed_survey(g);
    survey.sighted_point = &number;
    lavdm_sync_t *s = solve_as(g, &survey, surveyed_options(g, &survey, false));
    assert_int_equal(s->points, 1);
    assert_int_equal(s->point[0], 77);
    assert_true(apart(s->point_position, g->l, q) < 1e-9);
    lavdm_sync_free(s);
    free(g);
  }
}

static void refused(const surveyed_t *g, const lavdm_survey *survey, lavdm_sync_options o, const char *says) {
  lavdm_edges edges = surveyed_edges(g);
  lavdm_sync_t *sync;
  lavdm_error error;
  o.survey = survey;
  int status = lavdm_sync(&edges, &o, &sync, &error);
  if (status >= 0 || !strstr(error.message, says)) fail_msg("'%s' does not say '%s'", error.message, says);
  assert_null(sync);
}

static void refusals(void **state) {
  (void)state;
  surveyed_t *g = graph_of(ALL, 3, 3, 1);
  lavdm_survey good = surveyed_survey(g), s = good;
  lavdm_sync_options o = surveyed_options(g, &good, false), other = o;
  int64_t node = 99, twice[] = {0, 0}, below[SURVEYED_E] = {-1};
  double bad[SURVEYED_E * 21];
  s.fixed_node = &node, refused(g, &s, o, "fixed pose for node 99, which no edge has"), s = good;
  s.prior_node = &node, refused(g, &s, o, "prior for node 99"), s = good;
  s.sighted_node = &node, refused(g, &s, o, "sighting for node 99"), s = good;
  s.fixed_node = twice, refused(g, &s, o, "node 0 is fixed twice"), s = good;
  s.sighted_point = below, refused(g, &s, o, "sighting 1 is of the point -1"), s = good;
  s.prior_element = NULL, refused(g, &s, o, "priors, but an array of theirs is NULL"), s = good;
  s.fixed = -1, refused(g, &s, o, "numbers below 0"), s = good;
  memset(bad, 0, sizeof bad);
  s.fixed_element = bad, refused(g, &s, o, "the fixed pose of node 0 has an element that is not a rotation");
  s = good;
  bad[0] = -1, bad[4] = bad[8] = 1; /* a reflection */
  s.prior_element = bad, refused(g, &s, o, "the prior of node 2 has an element that is not a rotation"),
  s = good;
  s.prior_information = bad, refused(g, &s, o, "the information of prior 1 has the eigenvalue -1"), s = good;
  s.sighted_information = bad, refused(g, &s, o, "the information of sighting 1 has the eigenvalue -1"),
  s = good;
  memset(bad, 0, sizeof bad);
  s.sighted_information = bad, refused(g, &s, o, "the information of sighting 1 is singular"), s = good;
  bad[0] = NAN;
  s.prior_position = bad, refused(g, &s, o, "the prior of node 2 has the position nan"), s = good;
  s.fixed_element = bad, refused(g, &s, o, "not a rotation"), s = good;
  s.sighted = bad, refused(g, &s, o, "sighting 1 has the coordinate nan"), s = good;
  other.information = bad, refused(g, &s, other, "the information of edge 1 has the entry nan"), other = o;
  bad[0] = -2;
  other.information = bad, refused(g, &s, other, "the information of edge 1 has the eigenvalue -2"),
  other = o;
  other.information = NULL, refused(g, &s, other, "full needs information"), other = o;
  other.shift = NULL, refused(g, &s, other, "in 2 or 3 dimensions with shifts"), other = o;
  other.group = LAVDM_GROUP_O, refused(g, &s, other, "in 2 or 3 dimensions with shifts"), other = o;
  free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minima),        cmocka_unit_test(no_noise),
      cmocka_unit_test(one_fixed),     cmocka_unit_test(costs),
      cmocka_unit_test(threads),       cmocka_unit_test(trusted),
      cmocka_unit_test(priors_pull),   cmocka_unit_test(gravity),
      cmocka_unit_test(noisy_gravity), cmocka_unit_test(joined_by_points),
      cmocka_unit_test(nodes_alone),   cmocka_unit_test(seen_once),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
