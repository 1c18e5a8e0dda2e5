/*
 * A jigsaw of square pieces, each turned by an unknown quarter turn, put right by
 * synchronisation over the group C4.
 *     cc jigsaw.c $(pkg-config --cflags --libs lavdm) -lm -o jigsaw && ./jigsaw [FOLDER]
 * Piece i needs s_i quarter turns. Two neighbours i and k are compared at their border in
 * 4 x 4 positions; the best is a guess of s_i - s_k, s_i and s_k: three edges, two of them
 * to the table, a node that needs no turn. Some guesses are wrong. The top eigenvector of
 * the connection, u_i ~ O_ik u_k with O_ik turning by s_i - s_k, listens to all of them.
 */
#include <lavdm.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 16, ACROSS = 22, DOWN = 14, WIDE = ACROSS * SIDE, HIGH = DOWN * SIDE };
enum { PIECES = ACROSS * DOWN, TABLE = PIECES, EDGES = 3 * (2 * PIECES - ACROSS - DOWN) };

static const double noise = 0.06, quarter = 1.5707963267948966;
static double piece[PIECES][SIDE][SIDE][3], weight[EDGES], angle[EDGES];
static int answer[PIECES], turns[EDGES]; /* quarter turns: s_i; s_i - s_k as guessed */
static int64_t row[EDGES], col[EDGES], count;

static double uniform(void) {
  static uint64_t state = 2;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 9007199254740992.0;
}

static void paint(double *p, double red, double green, double blue) {
  p[0] = red, p[1] = green, p[2] = blue;
}

/* A bay in the evening: sky, sun, hills, water, a lighthouse and a sail; y points down. */
static void scene(double x, double y, double *p) {
  double hill = 0.43 + 0.07 * sin(7 * x + 1) + 0.03 * sin(19 * x), stripe = sin(44 * y) > 0 ? 0.15 : 0.9;
  double wave = 0.08 * sin(150 * y * y + 9 * sin(6 * x)) + 0.25 * exp(-40 * (x - 1.1) * (x - 1.1));
  paint(p, 0.35 + 0.9 * y, 0.45 + 0.4 * y, 0.75 - 0.4 * y);
  if (hypot(x - 1.1, y - 0.33) < 0.09) paint(p, 1, 0.9, 0.5);
  if (y > hill) paint(p, 0.42 + 0.2 * sin(40 * (y - hill)), 0.35, 0.5);
  if (y > 0.6) paint(p, 0.15 + 1.5 * wave, 0.3 + wave, 0.45 + 0.5 * wave);
  if (fabs(x - 0.3) < 0.052 + 0.04 * y && y > 0.2) paint(p, 0.9, stripe, stripe);
  if (y > 0.66 + 0.02 * sin(35 * x) + fmax(0, 0.6 * x - 0.24)) paint(p, 0.35 + 0.1 * sin(40 * y), 0.26, 0.2);
  if (y > 0.5 && y < 0.78 && x > 1 && x < 1 + 0.6 * (y - 0.48)) paint(p, 0.98, 0.95, 0.9);
  for (int c = 0; c < 3; c++) /* strokes of the brush */
    p[c] += 0.15 * sin(60 * x + 4 * sin(23 * y + c)) * sin(53 * y + 4 * sin(27 * x - c));
}

/* The pixel (y,x) of a piece after s quarter turns clockwise. */
static double *pixel(int i, int s, int y, int x) {
  return s ? pixel(i, s - 1, SIDE - 1 - x, y) : piece[i][y][x];
}

static void cut(void) {
  for (int i = 0; i < PIECES; i++) answer[i] = (int)(4 * uniform());
  for (int z = 0; z < HIGH * WIDE; z++) {
    int y = z / WIDE, x = z % WIDE, i = y / SIDE * ACROSS + x / SIDE;
    double *p = pixel(i, answer[i], y % SIDE, x % SIDE);
    scene((double)x / HIGH, (double)y / HIGH, p);
    for (int c = 0; c < 3; c++) p[c] += noise * sqrt(12) * (uniform() - 0.5);
  }
}

/* The squared difference at the border of i, turned s times, and k, turned t times. */
static double mismatch(int i, int s, int k, int t) {
  double sum = 0;
  for (int a = 0; a < SIDE; a++) {
    const double *p = k == i + 1 ? pixel(i, s, a, SIDE - 1) : pixel(i, s, SIDE - 1, a);
    const double *q = k == i + 1 ? pixel(k, t, a, 0) : pixel(k, t, 0, a);
    for (int c = 0; c < 3; c++) sum += (p[c] - q[c]) * (p[c] - q[c]);
  }
  return sum;
}

static void join(int i, int k, int s, double w) {
  row[count] = i, col[count] = k, weight[count] = w, angle[count] = s * quarter, turns[count++] = s;
}

/* The edges of two neighbours, which weigh the more the worse any other s_i - s_k fits. */
static void compare(int i, int k) {
  double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, other = INFINITY;
  int best = 0, turn_i[4], turn_k[4];
  for (int z = 0; z < 16; z++) {
    int s = z / 4, t = z % 4, r = (s - t) & 3;
    double m = mismatch(i, s, k, t);
    if (m < least[r]) least[r] = m, turn_i[r] = s, turn_k[r] = t;
  }
  for (int r = 1; r < 4; r++) best = least[r] < least[best] ? r : best;
  for (int r = 0; r < 4; r++) other = r == best ? other : fmin(other, least[r]);
  double w = 1 - 0.999 * least[best] / other;
  join(i, k, best, w), join(i, TABLE, turn_i[best], w), join(k, TABLE, turn_k[best], w);
}

static void synchronise(int *turn) {
  lavdm_options options;
  lavdm_options_default(&options);
  options.method = LAVDM_METHOD_VDM;
  options.alpha = 0, options.components = 2;
  lavdm_edges edges = {.count = count, .row = row, .col = col, .kind = LAVDM_ELEMENT_ANGLE};
  edges.weight = weight, edges.element = angle;
  lavdm_data data = {.edges = &edges};
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_fit(&data, &options, &model, &error) < 0) exit((puts(error.message), 1));
  const double(*u)[2][2] = lavdm_get(model, "eigenvectors")->data; /* node, coordinate, component */
  double table = atan2(u[TABLE][1][0], u[TABLE][0][0]);
  for (int i = 0; i < PIECES; i++)
    turn[i] = (int)lround((atan2(u[i][1][0], u[i][0][0]) - table) / quarter) & 3;
  lavdm_free(model);
}

/* The naive way: every piece is fitted to the one before, the first of a row to that above. */
static void chain(int *turn) {
  turn[0] = answer[0];
  for (int e = 0; e < EDGES; e += 3)
    if (col[e] == row[e] + 1 || row[e] % ACROSS == 0) turn[col[e]] = (turn[row[e]] - turns[e]) & 3;
}

/* Counts the pieces that are wrong after these turns, and draws all. */
static int show(const char *name, const int *turn, const char *folder) {
  int wrong = 0;
  for (int i = 0; i < PIECES; i++) wrong += turn[i] != answer[i];
  printf("%-12s %3d of %d pieces wrong\n", name, wrong, PIECES);
  char path[1000];
  snprintf(path, sizeof path, "%s/jigsaw_%s.ppm", folder, name);
  FILE *file = *folder ? fopen(path, "wb") : NULL;
  if (!file) return wrong;
  fprintf(file, "P6\n%d %d\n255\n", WIDE, HIGH);
  for (int z = 0; z < HIGH * WIDE * 3; z++) {
    int y = z / 3 / WIDE, x = z / 3 % WIDE, i = y / SIDE * ACROSS + x / SIDE;
    fputc((int)(255 * fmin(1, fmax(0, pixel(i, turn[i], y % SIDE, x % SIDE)[z % 3]))), file);
  }
  fclose(file);
  return wrong;
}

int main(int argc, char **argv) {
  int found[PIECES] = {0}, naive[PIECES], synchronised[PIECES], wrong = 0;
  const char *folder = argc > 1 ? argv[1] : "";
  cut();
  for (int i = 0; i < PIECES; i++) {
    if (i % ACROSS < ACROSS - 1) compare(i, i + 1);
    if (i + ACROSS < PIECES) compare(i, i + ACROSS);
  }
  for (int e = 0; e < EDGES; e += 3) wrong += turns[e] != ((answer[row[e]] - answer[col[e]]) & 3);
  printf("%d of %d comparisons wrong\n", wrong, EDGES / 3);
  chain(naive), synchronise(synchronised);
  show("found", found, folder), show("chained", naive, folder);
  return show("synchronised", synchronised, folder) > 3;
}
