/* What is told of the files of a synchronisation: what was left out of the one that was read, and what has no
 * room in the one that is written. */
#include "output/sync_result.h"
#include "io/io.h"
#include "io/pose_formats.h"
#include "output/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool sync_names_fit(const sync_facts *facts) {
  const char *end = facts->output ? io_extension(facts->output) : "";
  const pose_graph *g = &facts->file->graph;
  return g->names && g->dim == 3 && facts->sync->n == g->named &&
         (!strcasecmp(end, ".csv") || !strcasecmp(end, ".tsv"));
}

/* By what of pose_format the output is. */
static const bool has_positions[] = {
    [POSES_G2O] = true, [POSES_TORO] = true, [POSES_KITTI] = true, [POSES_TUM] = true, [POSES_BAL] = false};

static bool tell_input(const sync_facts *facts, char *text) {
  return snprintf(text, SYNC_NOTE_SIZE, "%s", facts->file->note) > 0;
}

static bool tell_positions(const sync_facts *facts, char *text) {
  char group[32];
  if (!facts->output || !has_positions[facts->poses] || !facts->file->shift || facts->sync->position)
    return false;
  sync_group_name(facts->sync, group);
  snprintf(text, SYNC_NOTE_SIZE, "all its positions are 0: with the group %s rotations alone are found",
           group);
  return true;
}

static bool tell_names(const sync_facts *facts, char *text) {
  const pose_graph *g = &facts->file->graph;
  int as = facts->poses;
  if (!g->names || !facts->output) return false;
  bool numbered = as == POSES_G2O || as == POSES_TORO || as == POSES_KITTI;
  if (!numbered && strcasecmp(io_extension(facts->output), ".npy") != 0) return false;
  int64_t bytes = g->name_at[1] - 1;
  snprintf(text, SYNC_NOTE_SIZE,
           "has no room for names: nodes are numbered from 0, as they first come in %.200s, so that 0 is "
           "'%.*s'; a result .csv or .npz has the names",
           facts->input, (int)(bytes < 40 ? bytes : 40), g->names);
  return true;
}

/* Only a pose graph of g2o, and results of several arrays, hold points. */
static bool tell_points(const sync_facts *facts, char *text) {
  int64_t points = facts->sync->points;
  bool room = facts->poses == POSES_G2O || (!facts->poses && facts->output && !result_alone(facts->output));
  if (!facts->output || !points || room) return false;
  snprintf(text, SYNC_NOTE_SIZE,
           "has no room for the %" PRId64 " point%s that were sighted; a result .g2o or .npz has them",
           points, points == 1 ? "" : "s");
  return true;
}

/* A trajectory is one row of poses, which are numbered from 0 (KITTI) or have times. */
static bool tell_trajectory(const sync_facts *facts, char *text) {
  const lavdm_sync_t *sync = facts->sync;
  int64_t pieces = sync->components + sync->isolated;
  bool kitti = facts->poses == POSES_KITTI,
       numbered = sync->n && sync->node[0] == 0 && sync->node[sync->n - 1] == sync->n - 1;
  if (!facts->output || (!kitti && facts->poses != POSES_TUM)) return false;
  if (pieces > 1)
    snprintf(text, SYNC_NOTE_SIZE,
             "is one trajectory, and the poses of %" PRId64
             " pieces of %.200s, whose places nothing relates, stand in it",
             pieces, facts->input);
  else if (kitti && !numbered && !facts->file->graph.names)
    snprintf(text, SYNC_NOTE_SIZE, "has no room for the numbers of nodes: poses stand in the order of these");
  else
    return false;
  return true;
}

/* Only g2o has lines for what is known of single nodes. */
static bool tell_survey(const sync_facts *facts, char *text) {
  bool lost = facts->poses > POSES_G2O && facts->file->surveyed &&
              facts->file->survey.fixed + facts->file->survey.priors;
  if (!facts->output || !lost) return false;
  snprintf(text, SYNC_NOTE_SIZE,
           "has no room for the fixed nodes and priors of %.200s, without which it has another optimum; a "
           "result .g2o has them",
           facts->input);
  return true;
}

const char *sync_note(const sync_facts *facts, int i, char text[SYNC_NOTE_SIZE]) {
  if (tell_input(facts, text) && !i--) return facts->input;
  if (tell_positions(facts, text) && !i--) return facts->output;
  if (tell_points(facts, text) && !i--) return facts->output;
  if (tell_survey(facts, text) && !i--) return facts->output;
  if (tell_trajectory(facts, text) && !i--) return facts->output;
  return tell_names(facts, text) && !i ? facts->output : NULL;
}

void sync_put_warnings(json_builder *b, const sync_facts *facts) {
  const lavdm_sync_t *sync = facts->sync;
  char text[SYNC_NOTE_SIZE];
  json_t *list = json_array();
  for (int i = 0; list && i < sync->warnings; i++)
    if (json_array_append_new(list, json_text(sync->warning[i]))) b->failed = true;
  for (int i = 0; list && sync_note(facts, i, text); i++)
    if (json_array_append_new(list, json_text(text))) b->failed = true;
  json_put(b, "warnings", list);
}
