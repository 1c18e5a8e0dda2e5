/* The page of a result: --report FILE of a run, and `lavdm report`. */
#ifndef LAVDM_CLI_PAGE_H
#define LAVDM_CLI_PAGE_H

#include "lavdm/report.h"
#include "output/result.h"
#include "output/summary.h"

/* Before the work: whether `path` is a name for a page and none of the files that are read or written. */
int page_name_check(const char *path, const char *option, const char *const *others, int count,
                    lavdm_error *error);

/* The same of --report and the operands, OUTPUT and other files of the command; nothing without --report. */
int page_check(const arguments *a, lavdm_error *error);

/* Images or signals among points, for the page: false if they are none. `turned`: of a bundle that turns
 * them, where pixels are no coordinates. */
bool page_images(const lavdm_data *data, lavdm_bundle bundle, lavdm_data *out, bool *turned);

/* The page of some items; options have title, data and images. */
int page_write(const char *path, const io_item *items, int count, lavdm_report_options *options,
               lavdm_error *error);

/* Of a fit, if --report asks for it; and the line of the summary that names it. */
int page_of_run(const arguments *a, const run_facts *facts, const result_extras *extras,
                const json_builder *object, lavdm_error *error);
void page_tell(const arguments *a);

/* Which coordinates of a cover (2n x rank) say something new: up to 4, the number of them; -1 without memory.
 */
int page_cover(const double *cover, int64_t points, int64_t rank, int64_t index[4]);

/* The last part of a name, for a title. */
const char *page_title(const char *path);

#endif
