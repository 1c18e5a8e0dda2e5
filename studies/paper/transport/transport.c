/*
 * Section 4.1: a tangent vector carried from s1 to s2 on the distorted sphere by the
 * effective transport of LA-VDM through m landmarks around each of the two, against
 * parallel transport along the geodesic.
 *
 * The paper does not say whether the neighbourhood is a ball of radius epsilon or
 * sqrt(epsilon), nor which points local PCA sees: two radii and three kinds of frames,
 *   exact      the tangent planes themselves
 *   cloud      local PCA among CLOUD points of the surface
 *   landmarks  local PCA among the landmarks, s1 and s2 alone
 */
#include "common/experiment.h"
#include "transport/surface.h"
#include "lavdm/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 4, MOST = 80, RADII = 2, KINDS = 3, CLOUD = 10000, DENSE = 200000, GRID_U = 24, GRID_V = 40 };

static const int sizes[SIZES] = {20, 40, 60, 80};
static const char *const kinds[KINDS] = {"exact", "cloud", "landmarks"};
static const char *const radii[RADII] = {"epsilon", "sqrt"};
static const double epsilon = 0.3, printed[3] = {-0.06, 0.59, -0.80}, printed_end[3] = {0.04, -0.69, -0.72};

/* s1 and s2, the vector at s1, and the truth at s2. */
typedef struct {
  double uv[2][2], s[2][3];
  frame_t frame[2];
  double vector[3], truth[3];
  double limit[RADII][3]; /* what m -> infinity leads to, with exact frames */
  geodesic_t geodesic;
} problem_t;

static double reach(int radius) {
  return radius ? sqrt(epsilon) : epsilon;
}

/* The tangent part of u; returns its length. */
static double project(const frame_t frame, const double u[3], double out[3]) {
  static const double same[4] = {1, 0, 0, 1};
  carry(frame, same, frame, u, out);
  return sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

static problem_t pose(void) {
  problem_t p = {0};
  double pi = acos(-1);
  for (int k = 0; k < 2; k++) {
    p.uv[k][0] = pi / 2, p.uv[k][1] = pi + (k ? -0.15 : 0.15);
    surface_point(p.uv[k][0], p.uv[k][1], p.s[k], p.frame[k]);
  }
  double length = project(p.frame[0], printed, p.vector);
  for (int i = 0; i < 3; i++) p.vector[i] /= length;
  geodesic_transport(p.uv[0], p.uv[1], p.vector, p.truth, &p.geodesic);
  return p;
}

static double between(const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

/* The first MOST points of the cloud within `radius` of s1, and of s2: landmark 2k+j is
 * the k-th near s_j. */
static void choose(const problem_t *p, const double *cloud, const double *uv, double radius,
                   double (*landmark)[3], frame_t *exact) {
  for (int j = 0; j < 2; j++) {
    int found = 0;
    for (int64_t i = 0; i < CLOUD && found < MOST; i++) {
      double *x = landmark[2 * found + j];
      if (between(cloud + 3 * i, p->s[j]) > radius) continue;
      surface_point(uv[2 * i], uv[2 * i + 1], x, exact[2 * found++ + j]);
    }
    if (found < MOST) give_up("too few points within %g of s%d", radius, j + 1);
  }
}

/* Frames of s1, s2 (the last two of the points) and the landmarks, by local PCA. */
static int estimate(session_t *session, const double *points, int64_t n, double (*landmark)[3], int m,
                    uint64_t seed, frame_t ends[2], frame_t *frames) {
  lavdm_options options;
  lavdm_options_default(&options);
  options.dim = 2, options.epsilon = epsilon, options.design = LAVDM_DESIGN_GIVEN;
  options.cutoff = 4, options.components = 2, options.seed = seed;
  options.progress = progress_report, options.progress_user = &session->progress;
  lavdm_data data = {.points = points, .n = n, .p = 3, .landmark_points = landmark[0], .landmark_count = m};
  lavdm_model *model;
  lavdm_error error;
  int status = lavdm_fit(&data, &options, &model, &error);
  if (status == LAVDM_ERROR_INTERRUPTED) return status;
  if (status < 0) give_up("%s", error.message);
  const double *all = lavdm_get(model, "frames")->data;
  memcpy(ends, all + 6 * (n - 2), 2 * sizeof *ends);
  memcpy(frames, lavdm_get(model, "landmark_frames")->data, (size_t)m * sizeof *frames);
  lavdm_free(model);
  return 0;
}

static void transport(const problem_t *p, const frame_t ends[2], double (*landmark)[3], const frame_t *frames,
                      int m, double out[3]) {
  double o[4];
  effective_transport(p->s[0], ends[0], p->s[1], ends[1], landmark[0], frames, 2 * m, epsilon, o);
  carry(ends[1], o, ends[0], p->vector, out);
}

static void normalise(double x[3]) {
  double zero[3] = {0}, length = between(x, zero);
  for (int i = 0; i < 3; i++) x[i] /= length;
}

/* Distances of `out` from the truth, as it is and made a unit vector, and of the latter
 * from the limit. */
static void add_row(const problem_t *p, int radius, const double out[3], const char *head, text_t *rows) {
  double unit[3] = {out[0], out[1], out[2]};
  normalise(unit);
  text_add(rows, "%s,%.6g,%.6g,%.6g,%.9g,%.9g,%.9g\n", head, between(unit, p->truth), between(out, p->truth),
           between(unit, p->limit[radius]), unit[0], unit[1], unit[2]);
}

/* The limits: the average over all of DENSE points, those near both ends twice. */
static void find_limits(problem_t *p) {
  double *x = room(3 * DENSE, sizeof *x), *uv = room(2 * DENSE, sizeof *uv), o[4];
  double *landmark = room(6 * DENSE, sizeof *landmark);
  frame_t *frames = room(2 * DENSE, sizeof *frames);
  lavdm_error error;
  if (lavdm_sample("distorted-sphere", DENSE, 0, "uniform", 0, 1000, x, NULL, uv, &error) < 0)
    give_up("%s", error.message);
  for (int r = 0; r < RADII; r++) {
    int count = 0;
    for (int64_t i = 0; i < 2 * DENSE; i++) {
      int64_t at = i / 2;
      if (between(x + 3 * at, p->s[i % 2]) > reach(r)) continue;
      surface_point(uv[2 * at], uv[2 * at + 1], landmark + 3 * count, frames[count]);
      count++;
    }
    effective_transport(p->s[0], p->frame[0], p->s[1], p->frame[1], landmark, (const frame_t *)frames, count,
                        epsilon, o);
    carry(p->frame[1], o, p->frame[0], p->vector, p->limit[r]);
    normalise(p->limit[r]);
  }
  free(x), free(uv), free(landmark), free(frames);
}

typedef struct {
  double *cloud, *uv; /* CLOUD + 2 points, the last two s1 and s2 */
} sample_t;

static int one_radius(session_t *session, const problem_t *p, const sample_t *sample, int r, int repetition,
                      uint64_t seed, text_t *rows) {
  double landmark[2 * MOST][3], few[2 * MOST + 2][3], out[3];
  frame_t exact[2 * MOST], estimated[2 * MOST], ends[2];
  int status = 0;
  choose(p, sample->cloud, sample->uv, reach(r), landmark, exact);
  for (int kind = 0; kind < KINDS && status >= 0; kind++) {
    if (kind == 1)
      status = estimate(session, sample->cloud, CLOUD + 2, landmark, 2 * MOST, seed, ends, estimated);
    for (int k = 0; k < SIZES && status >= 0; k++) {
      int m = sizes[k];
      char head[128];
      memcpy(few, landmark, (size_t)(2 * m) * sizeof *few);
      memcpy(few + 2 * m, p->s, 2 * sizeof *few);
      if (kind == 2) status = estimate(session, few[0], 2 * m + 2, landmark, 2 * m, seed, ends, estimated);
      if (status < 0) break;
      transport(p, kind ? (const frame_t *)ends : p->frame, landmark,
                kind ? (const frame_t *)estimated : (const frame_t *)exact, m, out);
      say(head, "%d,%llu,%s,%s,%d", repetition, (unsigned long long)seed, radii[r], kinds[kind], m);
      add_row(p, r, out, head, rows);
    }
  }
  return status;
}

static int one(session_t *session, int repetition, uint64_t seed, text_t *rows, void *user) {
  const problem_t *p = user;
  sample_t sample = {room(3 * (CLOUD + 2), sizeof(double)), room(2 * CLOUD, sizeof(double))};
  lavdm_error error;
  int status = 0;
  if (lavdm_sample("distorted-sphere", CLOUD, 0, "uniform", 0, seed, sample.cloud, NULL, sample.uv, &error) <
      0)
    give_up("%s", error.message);
  memcpy(sample.cloud + 3 * CLOUD, p->s, sizeof p->s);
  for (int r = 0; r < RADII && status >= 0; r++)
    status = one_radius(session, p, &sample, r, repetition, seed, rows);
  free(sample.cloud), free(sample.uv);
  return status;
}

static void write_text(const session_t *session, const char *name, text_t *text) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s.csv", session->folder, name) >= (int)sizeof path)
    give_up("%s: the name of the folder is too long", session->folder);
  write_whole(path, text->data, text->size);
  text_free(text);
}

/* The part of the surface with u and v in these ranges, in blocks of constant u. */
static void write_surface(const session_t *session, const char *name, const double u[2], const double v[2]) {
  double x[3];
  text_t text = {0};
  text_add(&text, "x,y,z\n");
  for (int i = 0; i <= GRID_U; i++) {
    for (int j = 0; j <= GRID_V; j++) {
      surface_point(u[0] + (u[1] - u[0]) * i / GRID_U, v[0] + (v[1] - v[0]) * j / GRID_V, x, NULL);
      text_add(&text, "%.4f,%.4f,%.4f\n", x[0], x[1], x[2]);
    }
    text_add(&text, "\n");
  }
  write_text(session, name, &text);
}

static void write_surfaces(const session_t *session) {
  double pi = acos(-1), all[2][2] = {{0, pi}, {0, 2 * pi}};
  double near[2][2] = {{pi / 2 - 0.65, pi / 2 + 0.45}, {pi - 0.65, pi + 0.65}};
  write_surface(session, "transport_surface", all[0], all[1]);
  write_surface(session, "transport_patch", near[0], near[1]);
}

/* A vector at s1 or s2 by name: where, what, its tangent part, its distance from the
 * vector that should be there. */
static void add_vector(text_t *text, const problem_t *p, const char *name, int end, const double v[3]) {
  double tangent[3];
  const double *s = p->s[end];
  text_add(text, "%s,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.4f,%.4f\n", name, s[0], s[1], s[2], v[0], v[1], v[2],
           project(p->frame[end], v, tangent), between(v, end ? p->truth : p->vector));
}

/* The geodesic, and the vectors of the figure and the page. */
static void write_vectors(const session_t *session, const problem_t *p) {
  table_t raw = read_raw(session, "transport");
  text_t text = {0};
  text_add(&text, "x,y,z\n");
  for (int k = 0; k <= GEODESIC_STEPS; k += 10)
    text_add(&text, "%.5f,%.5f,%.5f\n", p->geodesic.path[k][0], p->geodesic.path[k][1],
             p->geodesic.path[k][2]);
  write_text(session, "transport_path", &text);
  text_add(&text, "name,x,y,z,dx,dy,dz,tangent,error\n");
  add_vector(&text, p, "start", 0, p->vector);
  add_vector(&text, p, "truth", 1, p->truth);
  add_vector(&text, p, "printed", 0, printed);
  add_vector(&text, p, "printed_end", 1, printed_end);
  for (int r = 0; r < RADII; r++) add_vector(&text, p, radii[r], 1, p->limit[r]);
  for (int k = 0; k < 2; k++) {
    char where[128];
    say(where, "repetition=0 radius=sqrt frames=landmarks m=%d", sizes[k]);
    double v[3] = {table_at(&raw, "x", where), table_at(&raw, "y", where), table_at(&raw, "z", where)};
    char name[128];
    add_vector(&text, p, say(name, "m%d", sizes[k]), 1, v);
  }
  write_text(session, "transport_vectors", &text);
  table_free(&raw);
}

static int run(session_t *session) {
  problem_t p = pose();
  find_limits(&p);
  char settings[128];
  say(settings, "distorted-sphere epsilon=%g landmarks m around each of s1 and s2, cloud of %d, alpha=beta=0",
      epsilon, CLOUD);
  series_t series = {.name = "transport",
                     .columns = "repetition,seed,radius,frames,m,error,mean,limit,x,y,z",
                     .settings = settings,
                     .rows = RADII * KINDS * SIZES,
                     .one = one,
                     .user = &p};
  int status = repeat(session, &series);
  if (status < 0) return status;
  summarise(session, "transport", "radius,frames,m");
  write_surfaces(session);
  write_vectors(session, &p);
  return 0;
}

static void row(const session_t *session, FILE *to) {
  table_t summary = read_summary(session, "transport"), paper = read_paper();
  for (int k = 0; k < SIZES; k++) {
    char where[128], theirs[128], a[64], b[64];
    say(theirs, "experiment=transport m=%d", sizes[k]);
    double median = table_at(&paper, "median", theirs);
    if (!(median == median)) continue;
    say(where, "radius=sqrt frames=landmarks m=%d", sizes[k]);
    fprintf(to,
            "| [transport](#41-effective-transport), m = %d | L² error (frames from the landmarks alone; "
            "from %d points) | %s; ",
            sizes[k], CLOUD, plus_minus(a, &summary, "error", where));
    double ours = table_at(&summary, "error", where);
    say(where, "radius=sqrt frames=cloud m=%d", sizes[k]);
    double better = table_at(&summary, "error", where);
    fprintf(to, "%s | %.3f ± %.3f | %s |\n", plus_minus(b, &summary, "error", where), median,
            table_at(&paper, "mad", theirs),
            ours <= median     ? "matched or better"
            : better <= median ? "better with frames from more points"
                               : "falls short: see the limit there");
  }
  table_free(&summary), table_free(&paper);
}

static const char *plus_paper(char text[64], const table_t *paper, const char *where) {
  double middle = table_at(paper, "median", where);
  if (!(middle == middle)) return "-";
  snprintf(text, 64, "%.3f ± %.3f", middle, table_at(paper, "mad", where));
  return text;
}

static void page_vectors(const session_t *session, FILE *to) {
  table_t v = read_raw(session, "transport_vectors");
  fprintf(
      to,
      "The vector that the paper prints at s₁ is not tangent (its tangent part has length %.2f): it is "
      "projected and normalised. The one it prints at s₂ has a y of the other sign and lies %.2f from the "
      "geodesic's transport, more than any transport over so short a way can turn a vector; perhaps a frame "
      "was reflected. The truth here is parallel transport along the geodesic, from its differential "
      "equation: (%.3f, "
      "%.3f, %.3f).\n\n"
      "The average over landmarks has a limit of its own as m grows, at %.3f from the truth with "
      "landmarks within ε of s₁ or s₂, at %.3f within √ε, even with exact tangent planes: curvature, which "
      "more landmarks do not remove. What falls with m is the distance from that "
      "limit.\n\n",
      table_at(&v, "tangent", "name=printed"), table_at(&v, "error", "name=printed_end"),
      table_at(&v, "dx", "name=truth"), table_at(&v, "dy", "name=truth"), table_at(&v, "dz", "name=truth"),
      table_at(&v, "error", "name=epsilon"), table_at(&v, "error", "name=sqrt"));
  table_free(&v);
}

static void page(const session_t *session, FILE *to) {
  table_t summary = read_summary(session, "transport"), raw = read_raw(session, "transport"),
          paper = read_paper();
  fprintf(to,
          "%.0f repetitions (%s). The paper does not say whether landmarks lie within ε or √ε, nor from "
          "which points frames are estimated; all are shown.\n\n",
          table_at(&summary, "repetitions", ""), raw.remark[0]);
  page_vectors(session, to);
  fprintf(to, "| landmarks within | frames from | measure |");
  for (int k = 0; k < SIZES; k++) fprintf(to, " m = %d |", sizes[k]);
  fprintf(to, "\n|---|---|---|---|---|---|---|\n");
  for (int r = 0; r < RADII; r++)
    for (int line = 0; line <= KINDS; line++) {
      int kind = line ? line - 1 : 0;
      fprintf(to, "| %s | %s | %s |", r ? "√ε" : "ε", kind == 0 ? "exact planes" : kinds[kind],
              line ? "error" : "distance from the limit");
      for (int k = 0; k < SIZES; k++) {
        char where[128], a[64];
        say(where, "radius=%s frames=%s m=%d", radii[r], kinds[kind], sizes[k]);
        fprintf(to, " %s |", plus_minus(a, &summary, line ? "error" : "limit", where));
      }
      fprintf(to, "\n");
    }
  fprintf(to, "| | | the paper's error |");
  for (int k = 0; k < SIZES; k++) {
    char where[128], a[64];
    fprintf(to, " %s |", plus_paper(a, &paper, say(where, "experiment=transport m=%d", sizes[k])));
  }
  fprintf(
      to,
      "\n\n`cloud`: local PCA among %d points of the surface; `landmarks`: among the landmarks, s₁ and s₂ "
      "alone, the likelier source of errors as large as the paper's.\n\n",
      CLOUD);
  show_figure(session, to, "transport_surface",
              "Left: the geodesic from s₁ to s₂, the vector at s₁ and its transports at s₂ (frames from the "
              "landmarks, within √ε; first repetition). Right: the whole surface.");
  show_figure(session, to, "transport",
              "L² error against the number of landmarks: median, and median absolute deviation.");
  table_free(&summary), table_free(&raw), table_free(&paper);
}

static const char *const figures[] = {"transport", "transport_surface", NULL};

const experiment transport_experiment = {"transport", "4.1 Effective transport", figures, run, row, page};
