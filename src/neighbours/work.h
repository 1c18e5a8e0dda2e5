/* The scratch of one thread and the parts that every search is made of. */
#ifndef LAVDM_NEIGHBOURS_WORK_H
#define LAVDM_NEIGHBOURS_WORK_H

#include "neighbours/neighbours.h"

#include <stddef.h>

/* A block of memory that grows; its data starts on a 64-byte boundary. */
typedef struct {
  void *block, *data;
  int64_t bytes;
} room_t;

/* Candidates begin .. end-1 of a block, both multiples of LANES. */
typedef struct {
  int64_t begin, end;
} span_t;

/* A node still to be visited, and its squared distance from the batch. */
typedef struct {
  double d2;
  int64_t node;
} visit_t;

struct neighbour_work {
  /* search: a heap of nodes, nearest on top */
  room_t heap;
  int64_t waiting;
  room_t within_reach; /* visit_t: what search_all found */

  /* batch of queries: its box; for each query how many were found so far, and
   * the squared distance beyond which a point is of no use; which can still change */
  room_t lower, upper, found, bound, active;
  int64_t active_count;
  double guess;  /* k-th squared distance of the query before */
  double slack;  /* share by which the next one's may be larger */
  double reach;  /* squared distance from the batch that the last one needed */
  int64_t crowd; /* points within it */

  /* block of candidates: the points of some tiles, ascending */
  room_t tiles;                         /* visit_t: which tiles */
  room_t begin, tile_lower, tile_upper; /* where each begins; boxes, p rows of tile_padded */
  room_t at, x;                         /* stored index, -1 to fill up; coordinates, p rows of padded */
  int64_t tile_count, tile_padded, count, padded;
  bool wide; /* rows are lower bounds */

  /* for wide points: batch and block relative to the centre, scaled */
  room_t centre, query32, query_norm, x32, norm, dots;
  double scale;

  /* one query against the block: spans of candidates looked at, lower bounds of
   * their d2 */
  room_t spans, row;
  int64_t span_count;
  room_t d2, index, sorted_d2, sorted_index;

  /* moments: sums of each query; neighbours of those that one block did not settle */
  room_t sums, groups, list_index, list_d2;
  int64_t group_count;

  /* results of within() and near_box() */
  room_t out_index, out_d2, runs, spare_index, spare_d2;
};

/* Room for `count` of `size` bytes, or NULL. What it held is kept if `keep`. */
void *REAL(room_for)(room_t *room, int64_t count, size_t size, bool keep);
#define ROOM(type, room, count) ((type *)REAL(room_for)((room), (count), sizeof(type), false))
#define GROW(type, room, count) ((type *)REAL(room_for)((room), (count), sizeof(type), true))
#define AS(type, room)          ((type *)(room).data)

/* Puts the box of the queries into work->lower and upper. */
int REAL(batch_box)(neighbour_work *work, int64_t p, const real_t *query, int64_t count);

/* Nodes by increasing distance from the box in work->lower and upper. */
int REAL(search_start)(neighbour_work *work, const tiles_t *tiles);

/* The distance of the nearest node left; INFINITY if there is none. */
double REAL(search_distance)(const neighbour_work *work);

/* Takes the nearest tile; false when none is within `limit`. */
bool REAL(search_next)(neighbour_work *work, const tiles_t *tiles, double limit, visit_t *tile);

/* All tiles within `limit` of a box, ascending, into work->within_reach; returns how many. */
int64_t REAL(search_all)(neighbour_work *work, const tiles_t *tiles, const real_t *lower, const real_t *upper,
                         double limit);

/*
 * What a squared distance of boxes must exceed for the squared distances of
 * their points, as computed, to exceed `d2`: both carry rounding errors.
 */
double REAL(beyond)(int64_t p, double d2);

/*
 * Makes the tiles listed in work->tiles the block. `reach` is a guess of how
 * far (squared) query q looks; for points of many coordinates it decides how
 * rows are computed (work->wide). wide_count queries were prepared.
 */
int REAL(block_gather)(neighbour_work *work, const tiles_t *tiles, const real_t *q, double reach,
                       int64_t wide_count);

/* The same with the next of the tiles that search_all found, `done` of `all` being
 * done, up to `size` points; returns how many tiles, or a status. */
int64_t REAL(block_next)(neighbour_work *work, const tiles_t *tiles, int64_t done, int64_t all, int64_t size,
                         const real_t *q, double reach, int64_t wide_count);

/*
 * work->row for one query: d2 to the candidates of all tiles within `bound`,
 * which are those in work->spans. Returns how many have d2 <= bound.
 */
int64_t REAL(block_row)(neighbour_work *work, const tiles_t *tiles, const real_t *query, real_t bound);

/* The same where r is no sum of squares (metric.h): rows are r. */
int64_t REAL(metric_row)(neighbour_work *work, const tiles_t *tiles, const real_t *query, real_t bound);

/* nearest() and within() of lists that are given; d2 are squared distances. */
int REAL(listed_nearest)(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k, bool ordered,
                         neighbour_work *work, int64_t *index, real_t *d2);
int REAL(listed_within)(const tiles_t *tiles, const real_t *query, int64_t count, double radius,
                        neighbour_work *work, int64_t *start, const int64_t **index, const real_t **d2);

/* Rows <= bound of the candidates of the spans, and their stored indices, ascending;
 * returns how many. Room for all candidates and LANES more. */
int64_t REAL(block_pick)(neighbour_work *work, real_t bound, real_t *d2, int64_t *index);

/* work->groups: where the vectors of candidates begin that have a row <= bound. Those
 * rows go to d2, if it is not NULL (room for LANES more); returns how many. */
int64_t REAL(block_groups)(neighbour_work *work, real_t bound, real_t *d2);

/* Sums of squared differences from q to some stored points. */
void REAL(block_exact)(const tiles_t *tiles, const real_t *q, const int64_t *index, int64_t count,
                       real_t *out);

/*
 * Points of at least WIDE_POINTS coordinates: if work->wide, rows of the block
 * are lower bounds of d2 by matrix products. The queries of a batch are
 * prepared first, into slots 0 .. count-1; all rows of a block are made at once.
 */
enum { WIDE_POINTS = 20 };
static inline bool may_be_wide(const tiles_t *tiles) {
  return tiles->p >= WIDE_POINTS && metric_squares(&tiles->metric);
}
int REAL(wide_queries)(neighbour_work *work, const tiles_t *tiles, const real_t *query, int64_t count);
void REAL(wide_move)(neighbour_work *work, int64_t p, int64_t from, int64_t to); /* a slot */
int REAL(wide_gather)(neighbour_work *work, const tiles_t *tiles, int64_t count);
int64_t REAL(wide_row)(neighbour_work *work, int64_t p, int64_t slot, real_t bound);

/*
 * Copies the smallest min(count, k) of (d2, index) pairs to out in order; index
 * decides between equal d2. Reorders the pairs; every array has room for count
 * + LANES, beyond which and beyond k out is overwritten.
 */
void REAL(smallest)(real_t *d2, int64_t *index, int64_t count, int64_t k, real_t *out_d2, int64_t *out_index);

/* Moments (neighbours.h) of the k nearest of a query, all in the block, the furthest
 * at squared distance r2; or given by stored indices, ascending. */
void REAL(block_moments)(const neighbour_work *work, int64_t p, const real_t *query, int64_t k, real_t r2,
                         real_t *out);
int REAL(list_moments)(neighbour_work *work, const tiles_t *tiles, const real_t *query, int64_t k,
                       const int64_t *index, const real_t *d2, real_t *out);

/* The k-th smallest of count > k numbers, none above `high`; how many are <= bound. */
real_t REAL(largest_of)(const real_t *d2, int64_t count);
real_t REAL(kth_smallest)(const real_t *d2, int64_t count, int64_t k, real_t high);
int64_t REAL(count_upto)(const real_t *x, int64_t count, real_t bound);

/* The same in no order, without reordering the pairs; returns the largest d2 that
 * it copied. */
real_t REAL(smallest_set)(const real_t *d2, const int64_t *index, int64_t count, int64_t k, real_t *out_d2,
                          int64_t *out_index);

#endif
