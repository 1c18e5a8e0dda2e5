/* Cells of an .h5ad file as a table: which matrix, which labels. */
#include "base/command.h"
#include "input/table.h"
#include "io/formats.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of genes as those of columns. */
static int name_columns(const io_texts *names, io_table *t, lavdm_error *error) {
  const char *at = names->text;
  for (int64_t j = 0; j < t->columns && at; j++) {
    int64_t bytes;
    const char *name = io_texts_next(&at, &bytes);
    if (!(t->column[j].name = strndup(name, (size_t)bytes)))
      return refuse(error, LAVDM_ERROR_MEMORY, "%.200s: out of memory for its columns", t->path);
  }
  return LAVDM_OK;
}

static void whole_to_real(io_array *a) {
  char *bytes = a->data;
  for (int64_t i = 0; i < io_array_count(a) && a->type == IO_INTEGER; i++) {
    int64_t whole;
    memcpy(&whole, bytes + 8 * i, 8);
    double real = (double)whole;
    memcpy(bytes + 8 * i, &real, 8);
  }
  a->type = IO_REAL;
}

static void tell(const io_cells *c, bool named, bool sparse, const table_terms *terms, table_facts *f) {
  const io_sparse *s = &c->sparse;
  note(&f->told, "%s (%" PRId64 " x %" PRId64 ") holds the points%s", c->part,
       s->start ? s->rows : c->points.shape[0], s->start ? s->cols : c->points.shape[1],
       !named && !strcmp(c->part, "X") ? ", as there is no obsm/X_pca" : "");
  if (s->start)
    note(&f->told, "it is sparse, with %" PRId64 " numbers: %s", s->count,
         sparse ? "principal coordinates are taken of it (--pca 0 takes all columns)" : "made dense");
  if (c->ids.text && !terms->columns.ids) note(&f->told, "the index of obs names the rows");
  if (c->columns && !terms->columns.labels) {
    char list[200];
    snprintf(list, sizeof list, "%.*s", text_cut(c->columns, 190), c->columns);
    for (char *at = list; *at; at++) *at = *at == '\n' ? ' ' : *at;
    note(&f->told, "columns of obs for --labels: %s%s", list, strlen(c->columns) > 190 ? " ..." : "");
  }
}

/* Whether a sparse matrix may stay one: no column is to be changed, left out or looked for. */
static bool stays_sparse(const io_cells *c, const table_terms *terms, const table_model *model) {
  const column_terms *t = &terms->columns;
  bool changed = t->columns || t->drop || terms->missing != MISSING_ERROR || terms->standardise;
  bool other = model && (model->mean ||
                         (model->names.text && (!c->names.text || strcmp(model->names.text, c->names.text))));
  return c->sparse.start && !changed && !other && !terms->dense;
}

int cells_table(const char *spec, const table_terms *terms, const table_model *model, io_table *t,
                io_sparse *sparse, table_facts *facts, lavdm_error *error) {
  io_cells c;
  int status = io_cells_read(spec, terms->columns.labels, terms->columns.ids, &c, error);
  bool stays = status >= 0 && stays_sparse(&c, terms, model);
  if (status >= 0) tell(&c, spec[io_file_part(spec)] != 0, stays, terms, facts);
  if (stays) {
    *sparse = c.sparse;
    facts->width = c.sparse.cols;
    facts->names = c.names;
    c.sparse = (io_sparse){0};
    c.names = (io_texts){0};
  } else if (status >= 0) {
    status = io_cells_dense(spec, &c, error);
    whole_to_real(&c.points);
    if (status >= 0) status = io_table_take(spec, &c.points, t, error);
    if (status >= 0) status = name_columns(&c.names, t, error);
  }
  if (status >= 0 && c.labels.text && !(facts->label_name = strdup(terms->columns.labels)))
    status = refuse(error, LAVDM_ERROR_MEMORY, "%.200s: out of memory for its labels", spec);
  if (status >= 0) {
    facts->ids = c.ids;
    facts->labels = c.labels;
    c.ids = c.labels = (io_texts){0};
  }
  io_cells_free(&c);
  return status < 0 ? status : stays;
}
