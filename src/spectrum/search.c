#include "spectrum/search.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The products of stored matrices are made for blocks of this many vectors; a
 * larger basis needs fewer of them, where its memory is no matter. */
enum { WIDTH = 8, LEAST_BASIS = 80, MORE_BASIS = 60 };
enum { STREAM = 0x5bec, MOST_DEGREE = 999, MOST_RESTARTS = 1000 };

/* Locked pairs are this much better than the goal, as their errors may add up,
 * but no better than FLOOR, which rounding leaves. */
static const double SOLID = 0.05, FLOOR = 1e-14;
static const double CHANGE = 0.7;  /* a filter must cut the estimated cost to this share */
static const double RANGE = 20;    /* largest ratio of p over the wanted eigenvalues */
static const double SLOWER = 2.2;  /* degrees that Lanczos takes, to those of its rate: measured */
static const double SAME = 1e-7;   /* of the spectrum: less apart, eigenvalues are one for the filter */
static const double MARGIN = 0.02; /* of the spectrum, below the lowest eigenvalue met */
static const double EARLY = 1e-5;  /* errors in the first part of a search */
static const double NEAR = 1e-6;   /* and in its last part */

int64_t search_basis(int64_t size, int64_t r) {
  int64_t least = 3 * r + 40, limit = least < LEAST_BASIS ? LEAST_BASIS : least;
  if (size >= 1000 && size <= 20000) limit += MORE_BASIS;
  return limit > size / 2 ? least : limit;
}

int64_t search_width(void) {
  return WIDTH;
}

int64_t search_vectors(int64_t size, int64_t r) {
  return search_basis(size, r) + 5 * WIDTH;
}

int search_new(search_t *s, run_t *run, const operator_t *op, int64_t r, double tolerance) {
  int64_t limit = search_basis(operator_total(op), r), widest = WIDTH;
  *s = (search_t){.run = run,
                  .op = op,
                  .wanted = r,
                  .keep = r + (limit - r) / 3,
                  .tolerance = tolerance,
                  .random = random_start(run->options.seed, STREAM),
                  .filter = {.degree = 1},
                  .low = INFINITY,
                  .suspect = INFINITY,
                  .nearest = INFINITY};
  int status = lanczos_new(&s->basis, run, op, limit, widest);
  if (status < 0) return status;
  search_aim(s, tolerance);
  s->lambda = NEW(double, limit);
  s->error = NEW(double, limit);
  s->locked_value = NEW(double, limit);
  s->weights = NEW(double, limit *widest);
  if (s->lambda && s->error && s->locked_value && s->weights) return LAVDM_OK;
  return fail_memory(run->error, "the eigenvalues");
}

void search_free(search_t *s) {
  lanczos_free(&s->basis);
  mem_free(s->lambda);
  mem_free(s->error);
  mem_free(s->locked_value);
  mem_free(s->weights);
}

void search_random(search_t *s) {
  lanczos_t *l = &s->basis;
  l->width = l->widest;
  for (int64_t i = 0; i < s->op->before * l->width; i++) random_bits(&s->random);
  for (int64_t i = 0; i < l->basis.rows * l->width; i++) l->block[0][i] = 2 * random_uniform(&s->random) - 1;
  for (int64_t i = 0; i < s->op->after * l->width; i++) random_bits(&s->random);
}

static bool is_solid(const search_t *s, int64_t j) {
  return s->error[j] <= fmax(s->goal * SOLID, FLOOR);
}

/* Half of the steps that are left, as Lanczos may be faster than estimated; a
 * few where no estimate can be made. */
static int64_t patience(const search_t *s) {
  const lanczos_t *l = &s->basis;
  int64_t k = s->keep < l->ready ? s->keep : l->ready - 1, few = 3, many = 20;
  if (k < s->wanted) return few;
  double worst = 0;
  for (int64_t j = 0; j < s->wanted; j++) worst = fmax(worst, s->error[j]);
  if (worst <= s->goal || worst == INFINITY) return few;
  double rate = filter_rate(s->low, s->lambda[k], s->lambda[s->wanted - 1]) * (double)s->filter.degree;
  double half = log(worst / s->goal) / fmax(rate, 1e-3) / 2;
  return (int64_t)fmin(fmax(half, worst > EARLY ? (double)few : 1), (double)many);
}

void search_assess(search_t *s) {
  const lanczos_t *l = &s->basis;
  s->converged = s->solid = 0;
  for (int64_t j = 0; j < l->ready; j++) {
    s->lambda[j] = filter_inverse(&s->filter, l->mu[j]);
    double contrast = filter_contrast(&s->filter, s->lambda[j]);
    s->error[j] = contrast > 0 ? l->residual[j] / contrast : INFINITY;
    if (s->converged == j && s->error[j] <= s->goal) s->converged++;
    if (s->solid == j && is_solid(s, j)) s->solid++;
  }
  s->low = fmin(s->low, s->lambda[l->ready - 1]);
  s->patience = patience(s);
}

/* The end of the copies of eigenvalue i among the first `count`. */
static int64_t copies_end(const search_t *s, int64_t i, int64_t count) {
  int64_t end = i + 1;
  while (end < count && s->lambda[end - 1] - s->lambda[end] <= 10 * s->goal) end++;
  return end;
}

double search_saturated(const search_t *s, int64_t count) {
  double found = INFINITY;
  for (int64_t i = 0, end; i < count; i = end) {
    end = copies_end(s, i, count);
    if (end >= s->wanted) break; /* more copies would change nothing */
    double least = s->lambda[end - 1] - 10 * s->goal, most = s->lambda[i] + 10 * s->goal;
    int64_t copies = end - i;
    for (int64_t j = 0; j < s->locked; j++)
      copies -= s->locked_value[j] >= least && s->locked_value[j] <= most;
    if (copies >= s->width) found = s->lambda[end - 1];
  }
  return found;
}

bool search_top_saturated(const search_t *s) {
  return s->solid > 0 && search_saturated(s, copies_end(s, 0, s->solid)) < INFINITY;
}

/* Pairs among `count` descending values that are not below the suspect. */
static int64_t at_suspect(const search_t *s, const double *values, int64_t count) {
  int64_t found = 0;
  while (found < count && values[found] >= s->suspect - 10 * s->goal) found++;
  return found;
}

/*
 * It has if a pair below the suspect has converged since the sweep began. Else
 * let t lie half-way between the suspect and the highest Ritz value that has
 * not converged. A copy of the suspect has a share of about 1/sqrt(N) in a
 * random block, and T_k on [low, t] raises it against all below t by
 * exp(k rate) / 2. Once that is enough, it would show as a Ritz value above t.
 */
bool search_cleared(const search_t *s) {
  if (s->suspect == INFINITY || at_suspect(s, s->lambda, s->converged) >= s->wanted) return true;
  int64_t copies = at_suspect(s, s->lambda, s->converged) - at_suspect(s, s->locked_value, s->locked);
  if (s->converged - s->locked > copies) return true;
  if (s->converged >= s->basis.ready) return false;
  double next = s->lambda[s->converged], t = (next + s->suspect) / 2;
  if (next >= s->suspect || t <= s->low) return false;
  double enough = 200 * sqrt((double)s->basis.total * (t - s->low) / (s->suspect - t));
  return (double)s->depth * filter_rate(s->low, t, s->suspect) >= log(enough);
}

void search_aim(search_t *s, double goal) {
  s->goal = goal;
  s->basis.same = 0.1 * goal;
  s->distance = INFINITY;
  s->stalled = 0;
}

/* The basis shrinks to the leading `count` pairs, with which a sweep begins. */
static void lock(search_t *s, int64_t count) {
  lanczos_shrink(&s->basis, count);
  memcpy(s->locked_value, s->lambda, (size_t)count * sizeof *s->lambda);
  for (int64_t j = 0; j < count; j++) s->error[j] = filter_value(&s->filter, s->lambda[j]);
  lanczos_freeze(&s->basis, s->error);
  s->locked = count;
  s->depth = 0;
  s->nearest = INFINITY;
  s->jumps = 0;
  s->restarts++;
  search_aim(s, s->goal);
}

void search_sweep(search_t *s, double suspect) {
  lock(s, s->solid < s->keep ? s->solid : s->keep);
  s->suspect = suspect;
  search_random(s);
}

/* A start block of all Ritz vectors kept that are not solid, each as strong as
 * it is accurate. */
static void change_filter(search_t *s, filter_t filter) {
  lanczos_t *l = &s->basis;
  int64_t first = s->solid, b = l->widest;
  int64_t count = (s->keep < l->ready ? s->keep : l->ready) - first;
  for (int64_t j = 0; j < count; j++)
    for (int64_t a = 0; a < b; a++)
      s->weights[j * b + a] = random_normal(&s->random) / fmin(fmax(s->error[first + j], NEAR), 1);
  lanczos_mix(l, first, count, s->weights);
  s->filter = filter;
  lock(s, first);
}

/*
 * Columns of the basis to be worked through until errors have shrunk by
 * exp(left): between two restarts Lanczos gains cosh(steps * rate).
 */
static double columns_left(const search_t *s, double left, double rate) {
  double columns = (double)(s->basis.limit - s->keep), x = columns / (double)s->basis.widest * rate;
  double gain = x - log(2) + log1p(exp(-2 * x));
  return columns * left / fmax(gain, 1e-9);
}

static double lower_end(const search_t *s) {
  return fmax(s->low - MARGIN * (s->lambda[0] - s->low), fmin(-1, s->low));
}

/* Whether Ritz pair j is told apart from the last wanted; at an early stage,
 * when no pair is near, different values must do. */
static bool distinct(const search_t *s, int64_t j) {
  double gap = s->lambda[s->wanted - 1] - s->lambda[j];
  bool early = s->error[0] > EARLY, resolved = s->error[j] < 10 * gap || s->error[j] == INFINITY;
  return gap > SAME * (s->lambda[0] - s->low) && (early || resolved);
}

/*
 * The cost of a column is the degree of the filter plus that of keeping it
 * orthogonal, which is about that of one product for 50 columns of the basis.
 * A change also costs the Ritz vectors, as many columns as are not solid.
 */
static bool better_filter(const search_t *s, filter_t *filter) {
  const lanczos_t *l = &s->basis;
  int64_t last = s->wanted - 1, k = s->keep, degree = s->filter.degree;
  double spread = s->lambda[0] - s->low, extra = (double)l->limit / 50;
  if (s->converged > last || s->solid < s->locked || s->nearest < NEAR) return false;
  while (k < l->ready && !distinct(s, k)) k++;
  if (k == l->ready) return false;

  double left = fmin(fmax(log(s->error[last] / s->goal), 1), 30);
  double bottom = degree == 1 ? s->low : -filter_value(&s->filter, s->filter.edge);
  double rate = filter_rate(bottom, fmax(l->mu[k], bottom + 1e-9 * spread), l->mu[last]);
  double best = CHANGE * columns_left(s, left, rate) * ((double)degree + extra);

  *filter = s->filter;
  double low = lower_end(s), edge = s->lambda[k];
  double least = filter_rate(low, edge, s->lambda[last]), top = filter_rate(low, edge, s->lambda[0]);
  double most = fmin(MOST_DEGREE, log(RANGE) / fmax(top - least, 1e-9));
  for (int64_t d = degree + 2; (double)d <= most; d += 2) {
    double columns = columns_left(s, left, (double)d * least) + (double)(s->keep - s->solid);
    if (columns * ((double)d + extra) >= best) continue;
    best = columns * ((double)d + extra);
    *filter = (filter_t){d, low, edge, s->lambda[0]};
  }
  return filter->degree > degree;
}

/*
 * The degree at which the basis is about full when the wanted pairs converge,
 * unless the range of p forbids it. The rate is that against the eigenvalues
 * which the basis cannot hold.
 */
bool search_probe(search_t *s) {
  lanczos_t *l = &s->basis;
  if (s->filter.degree > 1 || s->locked || s->solid || l->ready < s->wanted) return false;
  double top = fmin(s->lambda[0] + s->error[0], fmax(1, s->lambda[0])), low = lower_end(s);
  double ends[] = {lanczos_quantile(l, (double)l->limit, top), lanczos_quantile(l, (double)s->wanted, top)};
  l->lost = team_share_first(l->team, ends, 2);
  double edge = ends[0], last = ends[1];
  if (edge <= s->low || last <= edge || s->converged) return false;
  double degrees = SLOWER * log(1 / s->goal) / filter_rate(low, edge, last);
  double most =
      fmin(degrees * (double)l->widest / (double)l->limit, acosh(RANGE) / filter_rate(low, edge, top));
  int64_t degree = (int64_t)fmin(most, MOST_DEGREE);
  degree -= degree % 2 == 0;
  if (degree < 3) return false;
  change_filter(s, (filter_t){degree, low, edge, top});
  return true;
}

/* Whether a restart brought the wanted pairs nearer to the goal. */
static void watch(search_t *s) {
  double distance = 0, worst = 0;
  for (int64_t j = 0; j < s->wanted; j++) {
    distance += log(fmax(s->error[j] / s->goal, 1));
    worst = fmax(worst, s->error[j]);
  }
  s->stalled++;
  if (distance > s->distance + 5 && s->jumps < s->wanted) { /* a copy that was hidden has come up */
    s->distance = distance;
    s->jumps++;
  }
  if (distance < s->distance - 1) {
    s->distance = distance;
    s->stalled = 0;
  }
  s->nearest = fmin(s->nearest, worst);
}

bool search_restart(search_t *s) {
  filter_t filter;
  bool change = better_filter(s, &filter);
  if (change) {
    change_filter(s, filter);
  } else {
    watch(s);
    for (int64_t j = 0; j < s->keep; j++) s->basis.frozen[j] = is_solid(s, j);
    lanczos_shrink(&s->basis, s->keep);
    s->restarts++;
  }
  return change;
}

bool search_stalled(const search_t *s) {
  return s->restarts >= MOST_RESTARTS || s->stalled >= (s->nearest < NEAR ? 10 : 60);
}
