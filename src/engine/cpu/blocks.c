/* The operator, handed out; whether it fits in memory is known before it is made. */
#include "engine/cpu/cpu.h"
#include "operator/blocks_make.h"

#include <inttypes.h>

static int too_large(run_t *run, const cpu_rows *rows, int64_t blocks, double needed, double room) {
  int64_t q = rows->spec.q;
  double gb = 1e9;
  if (run->large.files)
    return fail(run->error, LAVDM_ERROR_MEMORY,
                "the operator has %" PRId64 " blocks of %" PRId64 " x %" PRId64
                " numbers: about %.3g GB of temporary files, and %s has room for %.3g GB: set TMPDIR to a "
                "folder with more",
                blocks, q, q, needed / gb, large_folder(), room / gb);
  return fail(run->error, LAVDM_ERROR_MEMORY,
              "the operator has %" PRId64 " blocks of %" PRId64 " x %" PRId64
              " numbers: about %.3g GB of memory are needed and %.3g GB may be used: %sraise max_memory",
              blocks, q, q, needed / gb, room / gb,
              cpu_is_given(rows)   ? ""
              : !rows->spec.square ? "take fewer landmarks, a smaller cutoff or epsilon, use stream, or "
                                   : "take a smaller knn, cutoff or epsilon, or ");
}

/* Whether `blocks` blocks can be held, before they are made: they, and what stays besides. */
static int check_room(run_t *run, const cpu_rows *rows, int64_t blocks, blocks_t *out) {
  double bytes = blocks_bytes(blocks, rows->spec.q, rows->base.n);
  double needed = run->large.files ? bytes : bytes + REAL(cpu_rows_bytes)(run, rows, blocks);
  double room = run->large.files ? (double)large_free_space() : (double)run->options.max_memory;
  out->needed = run->large.files ? 0 : needed;
  return needed <= room ? LAVDM_OK : too_large(run, rows, blocks, needed, room);
}

int REAL(cpu_blocks)(engine_t *engine, rows_t *given, blocks_t *out, graph_info *info) {
  run_t *run = engine->run;
  cpu_rows *rows = (cpu_rows *)given;
  int status = check_room(run, rows, info->edges, out);
  if (status < 0) return status;
  if (rows->spec.square)
    return REAL(blocks_of_square)(run, &rows->matrix.sparse, rows->degree, rows->order, out);
  const int64_t *columns = rows->graph.landmarks ? rows->graph.landmarks->order : NULL;
  return REAL(blocks_of_landmarks)(run, &rows->graph, &rows->scaling, rows->order, columns, out, &info->ill);
}
