/* The items of a result: what its file holds, and its page shows. */
#ifndef LAVDM_CLI_COLLECT_H
#define LAVDM_CLI_COLLECT_H

#include "output/result.h"

enum { COLLECTED = 96 };

/* Room for one item, and for the memory made for it. */
typedef struct {
  io_item item;
  void *owned;
  int64_t whole; /* a scalar lives here */
  double real;
} collected;

typedef struct {
  collected slots[COLLECTED];
  io_item items[COLLECTED];
  int count;
  bool failed; /* something did not fit */
} collection;

collection *collect_new(lavdm_error *error); /* NULL without memory */
void collect_free(collection *c);            /* accepts NULL */

/* An array, whose name and data are borrowed; ids, labels and columns of a table; every fact that no array
 * has the name of: numbers as scalars, the rest as text, of which strings stay in the object. */
void collect_add(collection *c, const char *name, io_type type, int rank, const int64_t *shape,
                 const void *data);
void collect_table(collection *c, const table_facts *table);
void collect_facts(collection *c, const json_builder *facts);

/* All of a fit: the arrays of the model (unless they come from elsewhere), what was asked for besides, and
 * the facts. */
int collect_result(collection *c, const lavdm_model *model, const result_extras *extras,
                   const json_builder *facts, bool arrays, lavdm_error *error);

/* Zero, or the status of one that something did not fit in; and what is in it, c->count items. */
int collect_status(const collection *c, lavdm_error *error);
const io_item *collect_items(collection *c);

#endif
