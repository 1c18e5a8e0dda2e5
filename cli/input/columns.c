#include "input/columns.h"
#include "base/command.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum { ROLE_COORDINATE, ROLE_NAMED, ROLE_TEXT, ROLE_IDS, ROLE_LABELS, ROLE_LEFT } column_role;

typedef struct {
  io_table *table;
  const column_terms *terms;
  column_role *role;
  int64_t *list, count; /* coordinates that were named, in order */
  bool named;
  column_choice *out;
  column_notes *told, *doubts;
  lavdm_error *error;
} choosing;

/* ---------------------------------------------------------------- naming */

/* Each column of a list gets the role, or, as a coordinate, a place in the list. */
static int take_list(choosing *c, const char *option, const char *text, column_role role) {
  while (text) {
    const char *comma = column_named(c->table, text, (int)strlen(text)) >= 0 ? NULL : strchr(text, ',');
    const char *word = text + strspn(text, " ");
    int length = (int)(comma ? comma - word : (int64_t)strlen(word));
    int64_t first, last;
    while (length > 0 && word[length - 1] == ' ') length--;
    int status = columns_of(c->table, option, word, length, &first, &last, c->error);
    if (status < 0) return status;
    for (int64_t j = first; j <= last; j++) {
      if (role == ROLE_NAMED && c->role[j] != ROLE_NAMED) c->list[c->count++] = j;
      c->role[j] = role;
    }
    text = comma ? comma + 1 : NULL;
  }
  return LAVDM_OK;
}

static int take_one(choosing *c, const char *option, const char *text, int64_t *out) {
  int64_t last;
  int status = text ? columns_of(c->table, option, text, (int)strlen(text), out, &last, c->error) : LAVDM_OK;
  if (status >= 0 && text && last != *out)
    status = refuse(c->error, STATUS_USAGE, "%s takes one column, not %.60s", option, text);
  return status;
}

/* The columns that a model was fitted with, if the table has names. */
static int take_pinned(choosing *c, const io_texts *pinned) {
  const char *at = pinned->text;
  for (int64_t k = 0; k < pinned->count; k++) {
    int64_t bytes;
    const char *name = io_texts_next(&at, &bytes);
    int64_t j = column_named(c->table, name, (int)bytes);
    if (j < 0)
      return refuse(c->error, LAVDM_ERROR_DATA,
                    "%.200s has %s '%.*s', with which the model was fitted; --columns names those to take",
                    c->table->path, j == -1 ? "no column" : "two columns", (int)bytes, name);
    if (c->role[j] != ROLE_NAMED) c->list[c->count++] = j;
    c->role[j] = ROLE_NAMED;
  }
  return LAVDM_OK;
}

/* ----------------------------------------------------------- recognition */

static bool is_word(const char *name, const char *const *words) {
  for (; *words; words++)
    if (!strcasecmp(name, *words)) return true;
  return false;
}

/* As an index is called, by pandas ("", "Unnamed: 0", "index"), R ("") or people. */
static bool index_name(const char *name) {
  static const char *const words[] = {"", "index", "id", "ids", "row", "rownames", "row_names", NULL};
  return name && (is_word(name, words) || !strncasecmp(name, "unnamed: ", 9));
}

static bool label_name(const char *name) {
  static const char *const words[] = {"label", "labels", "class",   "classes",  "target", "cluster",
                                      "group", "type",   "species", "category", NULL};
  return name && is_word(name, words);
}

static double cell(const io_table *t, int64_t row, int64_t column) {
  return t->value[row * t->columns + column];
}

/* Whether the values go up by one from row to row. */
static bool counts(const io_table *t, int64_t j) {
  if (t->rows < 3 || t->column[j].numbers < t->rows || !t->column[j].whole) return false;
  for (int64_t i = 1; i < t->rows; i++)
    if (cell(t, i, j) != cell(t, 0, j) + (double)i) return false;
  return true;
}

static int by_value(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* How many numbers of a column differ; -1 without memory. */
static int64_t distinct(const io_table *t, int64_t j) {
  double *copy = malloc((size_t)t->rows * sizeof *copy + 1);
  int64_t count = 0, found = 0;
  for (int64_t i = 0; i < t->rows && copy; i++)
    if (!isnan(cell(t, i, j))) copy[count++] = cell(t, i, j);
  if (!copy) return -1;
  qsort(copy, (size_t)count, sizeof *copy, by_value);
  for (int64_t i = 0; i < count; i++) found += !i || copy[i] != copy[i - 1];
  free(copy);
  return found;
}

static int no_memory(const choosing *c) {
  return refuse(c->error, LAVDM_ERROR_MEMORY, "%.200s: out of memory for its columns", c->table->path);
}

/* Whether all texts of a column differ. */
static int all_differ(const choosing *c, int64_t j, bool *out) {
  io_texts texts;
  int status = io_table_texts(c->table, j, &texts, c->error);
  int64_t found = status < 0 ? 0 : io_texts_distinct(&texts);
  *out = found == c->table->rows;
  io_texts_free(&texts);
  return status >= 0 && found < 0 ? no_memory(c) : status;
}

/* Numbers where most are, text where most is. */
static void sort_columns(choosing *c) {
  char text[COLUMN_TEXT];
  for (int64_t j = 0; j < c->table->columns; j++) {
    const io_column *column = &c->table->column[j];
    if (column->missing == c->table->rows) {
      c->role[j] = ROLE_LEFT;
      note(c->told, "%s is empty: left out", column_text(c->table, j, text));
    } else {
      c->role[j] = column->texts > column->numbers ? ROLE_TEXT : ROLE_COORDINATE;
    }
  }
}

static int find_ids(choosing *c) {
  const io_table *t = c->table;
  char text[COLUMN_TEXT], word[COLUMN_TEXT];
  for (int64_t j = 0; j < t->columns; j++) {
    const io_column *column = &t->column[j];
    bool taken = c->out->ids >= 0;
    column_text(t, j, text);
    if (c->role[j] == ROLE_TEXT && j == 0 && t->rows > 1 && !taken) {
      bool differ;
      int status = all_differ(c, j, &differ);
      if (status < 0) return status;
      if (!differ) continue;
      c->out->ids = j;
      c->role[j] = ROLE_IDS;
      note(c->told, "%s holds texts that all differ: taken as ids of the rows", text);
    } else if (c->role[j] == ROLE_COORDINATE && index_name(column->name) && column->whole &&
               !column->missing && !column->texts) {
      int64_t found = distinct(t, j);
      if (found < 0) return no_memory(c);
      if ((found < t->rows || t->rows < 2) && c->named) continue;
      if (found < t->rows || t->rows < 2) {
        note(c->doubts, "%s holds whole numbers, some twice: taken as a coordinate; --drop %s leaves it out",
             text, column_word(t, j, word));
        continue;
      }
      c->role[j] = taken ? ROLE_LEFT : ROLE_IDS;
      if (!taken) c->out->ids = j;
      note(c->told, taken ? "%s numbers the rows: left out" : "%s numbers the rows: taken as their ids",
           text);
    }
  }
  return LAVDM_OK;
}

/* The first column of text in which a value comes twice, or else the first. */
static int find_labels(choosing *c) {
  const io_table *t = c->table;
  char text[COLUMN_TEXT], word[COLUMN_TEXT];
  int64_t first = -1, chosen = -1, left = 0;
  for (int64_t j = 0; j < t->columns && c->out->labels < 0; j++) {
    bool differ = false;
    if (c->role[j] != ROLE_TEXT) continue;
    int status = all_differ(c, j, &differ);
    if (status < 0) return status;
    if (first < 0) first = j;
    if (!differ && chosen < 0) chosen = j;
  }
  if (chosen < 0) chosen = first;
  if (chosen >= 0) {
    c->out->labels = chosen;
    c->role[chosen] = ROLE_LABELS;
    note(c->told, "%s holds text: taken as labels", column_text(t, chosen, text));
  }
  for (int64_t j = 0; j < t->columns; j++) {
    if (c->role[j] != ROLE_TEXT) continue;
    if (left++ < 5)
      note(c->told, "%s holds text: left out (--labels %s takes it)", column_text(t, j, text),
           column_word(t, j, word));
    c->role[j] = ROLE_LEFT;
  }
  if (left > 5) note(c->told, "%" PRId64 " more columns hold text: left out", left - 5);
  return LAVDM_OK;
}

/* Coordinates that may be none. */
static int doubt(choosing *c) {
  const io_table *t = c->table;
  char text[COLUMN_TEXT], word[COLUMN_TEXT];
  for (int64_t j = 0; j < t->columns && !c->named; j++) {
    if (c->role[j] != ROLE_COORDINATE) continue;
    column_text(t, j, text);
    column_word(t, j, word);
    if (counts(t, j) && t->columns > 1) {
      note(c->doubts, "%s counts the rows, from %g up: taken as a coordinate; --drop %s leaves it out", text,
           cell(t, 0, j), word);
    } else if (label_name(t->column[j].name) && t->column[j].whole) {
      int64_t found = distinct(t, j);
      if (found < 0) return no_memory(c);
      if (2 * found <= t->rows)
        note(c->doubts,
             "%s holds %" PRId64
             " whole numbers, as labels do: taken as a coordinate; --labels %s takes it as labels",
             text, found, word);
    }
  }
  return LAVDM_OK;
}

/* --------------------------------------------------------------- choice */

/* A coordinate in which some cell is text. */
static int check_numbers(const choosing *c, int64_t j) {
  io_table *t = c->table;
  const io_column *column = &t->column[j];
  char text[COLUMN_TEXT], word[COLUMN_TEXT], value[64] = "";
  if (!column->texts) return LAVDM_OK;
  io_texts texts;
  int status = io_table_texts(t, j, &texts, c->error);
  if (status < 0) return status;
  const char *at = texts.text;
  for (int64_t i = 0; i <= column->odd; i++) {
    int64_t bytes;
    const char *here = io_texts_next(&at, &bytes);
    snprintf(value, sizeof value, "%.*s", bytes < 28 ? (int)bytes : text_cut(here, 28), here);
  }
  io_texts_free(&texts);
  bool comma = strchr(value, ',') && value[0] >= '0' && value[0] <= '9';
  return refuse(c->error, LAVDM_ERROR_DATA,
                "%.200s: line %" PRId64 ", %s: '%s' is not a number%s; --drop %s leaves "
                "the column out",
                t->path, io_table_line(t, column->odd), column_text(t, j, text), shown(value),
                comma ? " (thousands go without commas)" : "", column_word(t, j, word));
}

static int collect(choosing *c) {
  int64_t named = c->count;
  c->count = 0;
  for (int64_t k = 0; k < named; k++) /* less those that --drop leaves out */
    if (c->role[c->list[k]] == ROLE_NAMED) c->list[c->count++] = c->list[k];
  for (int64_t j = 0; j < c->table->columns && !c->named; j++)
    if (c->role[j] == ROLE_COORDINATE) c->list[c->count++] = j;
  if (!c->count)
    return refuse(c->error, LAVDM_ERROR_DATA,
                  "%.200s has no column of numbers that is left for the coordinates", c->table->path);
  for (int64_t k = 0; k < c->count; k++) {
    int status = check_numbers(c, c->list[k]);
    if (status < 0) return status;
  }
  c->out->coordinate = c->list;
  c->out->count = c->count;
  c->list = NULL;
  return LAVDM_OK;
}

/* What the user, or the model, named; the rest is recognised. */
static int choose(choosing *c, const io_texts *pinned) {
  const column_terms *terms = c->terms;
  bool by_model = pinned && pinned->text && !terms->columns && c->table->column[0].name;
  column_choice *out = c->out;
  sort_columns(c);
  int status = take_one(c, "--labels", terms->labels, &out->labels);
  if (status >= 0) status = take_one(c, "--ids", terms->ids, &out->ids);
  if (status >= 0 && out->labels >= 0) c->role[out->labels] = ROLE_LABELS;
  if (status >= 0 && out->ids >= 0) c->role[out->ids] = ROLE_IDS;
  c->named = terms->columns || by_model;
  if (status >= 0 && terms->columns) status = take_list(c, "--columns", terms->columns, ROLE_NAMED);
  if (status >= 0 && by_model) status = take_pinned(c, pinned);
  if (status >= 0 && terms->drop) status = take_list(c, "--drop", terms->drop, ROLE_LEFT);
  if (status >= 0 && !terms->ids) status = find_ids(c);
  if (status >= 0) status = find_labels(c);
  if (status >= 0) status = doubt(c);
  return status < 0 ? status : collect(c);
}

int columns_choose(io_table *t, const column_terms *terms, const io_texts *pinned, column_choice *out,
                   column_notes *told, column_notes *doubts, lavdm_error *error) {
  choosing c = {.table = t, .terms = terms, .out = out, .told = told, .doubts = doubts, .error = error};
  *out = (column_choice){.labels = -1, .ids = -1};
  c.role = calloc((size_t)t->columns + 1, sizeof *c.role);
  c.list = calloc((size_t)t->columns + 1, sizeof *c.list);
  int status = c.role && c.list ? choose(&c, pinned) : no_memory(&c);
  if (status >= 0 && (told->failed || doubts->failed)) status = no_memory(&c);
  free(c.role);
  free(c.list);
  return status;
}
