/*
 * A result as one HTML page to look at: points, spectrum, fields, images, graphs, and what was run. The page
 * holds its data, and asks nobody for anything: it opens from a disk, without a network.
 */
#ifndef LAVDM_REPORT_H
#define LAVDM_REPORT_H

#include "file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* lavdm_report_default fills them. */
typedef struct {
  size_t size;            /* as lavdm_report_default sets it */
  const char *title;      /* NULL: "lavdm" */
  const lavdm_data *data; /* the points (points, sparse or read), a row for each of the result; NULL: the item
                             "points", if there is one */
  const lavdm_data *images; /* images to look at, a row for each of the result, or of averages the stack
                               itself: height x width; of height 1 they are signals. Or NULL */
  int64_t points;           /* most that are shown, the others left out at random; AUTO: 1,000,000 */
  int64_t vector_bytes;     /* of the page for eigenvectors: the first ones that fit, but at least four;
                               AUTO: 48,000,000 */
  uint64_t seed;            /* of which points are shown */
  int64_t threads;          /* AUTO = all that are available */
  lavdm_progress_function progress;
  void *progress_user;
} lavdm_report_options;

/* Fills the first `size` bytes with defaults. */
LAVDM_API void lavdm_report_init(lavdm_report_options *options, size_t size);
#define lavdm_report_default(options) lavdm_report_init((options), sizeof(lavdm_report_options))

/*
 * Writes the page of a result, whole or not at all. Items are those of a result file, under its names
 * (docs/manual.md, "Results"): which arrays are there tells whether it is one of embed, orient, extend, sync
 * or average. Besides: "averages" (images of averages), "cover_index" (which coordinates of the cover are
 * drawn), "page_notes" (sentences about the page, a line each), "colour" (what the points are first coloured
 * by, called "colour_name"), and any array of one number for each point, which can be chosen as a colour.
 * Numbers and texts are the facts of the run. Of items of one name the first counts. An array whose shape
 * does not fit the others is refused. Texts may be any bytes: the page shows them as text. The same items
 * give the same bytes. options may be NULL. The arrays of a model are such items, under their own names
 * (lavdm_array_at): examples/c/page.c.
 */
LAVDM_API int lavdm_report_write(const char *path, const lavdm_item *items, int count,
                                 const lavdm_report_options *options, lavdm_error *error);

#ifdef __cplusplus
}
#endif
#endif
