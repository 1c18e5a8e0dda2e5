/*
 * The tables obs and var of an .h5ad file, each a group with a dataset for each column. Texts
 * are strings; categories are codes, -1 for none, and their texts.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/h5ad.h"
#include "io/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRING_MOST = 1 << 16 };

/* ---------------------------------------------------------------- h5ad_lines */

int h5ad_add(h5_reading *r, h5ad_lines *l, const char *text) {
  int64_t bytes = text ? (int64_t)strnlen(text, STRING_MOST) : 0;
  if (l->used + bytes + 2 > l->room) {
    int64_t room = 2 * l->room + bytes + 4096;
    int status = room_check(r->label, NULL, l->room, room, r->error);
    if (status < 0) return status;
    sender_allow(r->to, room);
    char *more = realloc(l->text, (size_t)room);
    if (!more) return h5_memory(r, room);
    l->text = more;
    l->room = room;
  }
  if (l->count++) l->text[l->used++] = '\n';
  for (int64_t i = 0; i < bytes; i++) l->text[l->used++] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
  l->text[l->used] = 0;
  return LAVDM_OK;
}

void h5ad_send(h5_reading *r, const char *name, h5ad_lines *l) {
  io_array array = {.name = (char *)(uintptr_t)name, .type = IO_TEXT, .rank = 1, .shape = {l->used}};
  send_array(r->to, &array, false, true);
  send_bytes(r->to, l->text, l->used);
}

/* ----------------------------------------------------------- attributes */

bool h5ad_attribute(hid_t id, const char *name, char text[H5AD_WORD]) {
  text[0] = 0;
  hid_t attribute = H5Aexists(id, name) > 0 ? H5Aopen(id, name, H5P_DEFAULT) : -1;
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1,
        space = attribute >= 0 ? H5Aget_space(attribute) : -1;
  bool one = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
  if (one && H5Tis_variable_str(type) > 0) {
    char *value = NULL;
    if (H5Aread(attribute, type, &value) >= 0 && value) {
      snprintf(text, H5AD_WORD, "%s", value);
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, &value);
    }
  } else if (one && H5Tget_size(type) < H5AD_WORD && H5Aread(attribute, type, text) < 0) {
    text[0] = 0;
  }
  text[H5AD_WORD - 1] = 0;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
  return text[0] != 0;
}

/* ---------------------------------------------------------------- texts */

/* The cells of a dataset, called with each in turn; texts, or numbers as text. */
typedef int (*cell_function)(h5_reading *r, const char *text, double number, void *user);

static int walk_strings(h5_reading *r, h5_entry *e, cell_function call, void *user, char *part,
                        hsize_t step) {
  bool variable = H5Tis_variable_str(e->type) > 0;
  size_t width = variable ? sizeof(char *) : e->size + 1;
  hid_t as = H5Tcopy(H5T_C_S1);
  H5Tset_size(as, variable ? H5T_VARIABLE : width);
  H5Tset_cset(as, H5Tget_cset(e->type));
  int status = LAVDM_OK;
  for (hsize_t at = 0; at < (hsize_t)e->count && status >= 0; at += step) {
    hsize_t count = (hsize_t)e->count - at < step ? (hsize_t)e->count - at : step;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    memset(part, 0, (size_t)step * width);
    H5Sselect_hyperslab(e->space, H5S_SELECT_SET, &at, NULL, &count, NULL);
    if (H5Dread(e->id, as, memory, e->space, H5P_DEFAULT, part) < 0) status = h5_damaged(r);
    for (hsize_t i = 0; i < count && status >= 0; i++)
      status = call(r, variable ? ((char **)(void *)part)[i] : part + i * width, 0, user);
    if (variable && status >= 0) H5Dvlen_reclaim(as, memory, H5P_DEFAULT, part);
    H5Sclose(memory);
  }
  H5Tclose(as);
  return status;
}

static int walk_numbers(h5_reading *r, h5_entry *e, cell_function call, void *user, double *part,
                        hsize_t step) {
  int status = LAVDM_OK;
  for (hsize_t at = 0; at < (hsize_t)e->count && status >= 0; at += step) {
    hsize_t count = (hsize_t)e->count - at < step ? (hsize_t)e->count - at : step;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    H5Sselect_hyperslab(e->space, H5S_SELECT_SET, &at, NULL, &count, NULL);
    if (H5Dread(e->id, e->as, memory, e->space, H5P_DEFAULT, part) < 0) status = h5_damaged(r);
    if (status >= 0 && e->array.type == IO_INTEGER)
      for (hsize_t i = 0; i < count; i++) {
        int64_t whole;
        memcpy(&whole, part + i, 8);
        part[i] = (double)whole;
      }
    for (hsize_t i = 0; i < count && status >= 0; i++) status = call(r, NULL, part[i], user);
    H5Sclose(memory);
  }
  return status;
}

/* All cells of a dataset with one axis; `wanted`: of text alone, or of numbers. */
static int walk_cells(h5_reading *r, const char *name, char wanted, cell_function call, void *user) {
  const hsize_t step = 4096;
  h5_entry e = {.id = h5_open_inside(r, name), .type = -1, .space = -1};
  if (e.id == -1) return IO_UNSUPPORTED;
  if (e.id < 0) return IO_NOT_FOUND;
  if (H5Iget_type(e.id) != H5I_DATASET) {
    H5Oclose(e.id);
    return h5_refuse(r, "no plain column");
  }
  int status = h5_describe(r, &e);
  bool text = e.array.type == IO_TEXT;
  if (status >= 0 && e.array.rank != 1) status = h5_refuse(r, "no list");
  if (status >= 0 && text && e.size > STRING_MOST) status = h5_refuse(r, "texts that are too long");
  if (status >= 0 && ((wanted == 't' && !text) || (wanted == 'n' && text)))
    status = h5_refuse(r, text ? "text where numbers belong" : "numbers where text belongs");
  char *part = status < 0 ? NULL : malloc((size_t)step * (text ? e.size + 16 : 8));
  if (status >= 0 && !part) status = h5_memory(r, 0);
  if (status >= 0)
    status = text ? walk_strings(r, &e, call, user, part, step)
                  : walk_numbers(r, &e, call, user, (double *)(void *)part, step);
  free(part);
  h5_close(&e);
  return status;
}

static int take_line(h5_reading *r, const char *text, double number, void *user) {
  char digits[DECIMAL_SIZE];
  if (!text) decimal_print(number, digits);
  return h5ad_add(r, user, text ? text : digits);
}

/* Codes of categories become their texts. */
typedef struct {
  h5ad_lines words, out;
  const char **word;
} categories;

static int take_code(h5_reading *r, const char *text, double code, void *user) {
  categories *c = user;
  (void)text;
  if (!(code >= -1 && code < (double)c->words.count)) return h5_damaged(r);
  return h5ad_add(r, &c->out, code < 0 ? "" : c->word[(int64_t)code]);
}

static int read_categories(h5_reading *r, const char *words, const char *codes, h5ad_lines *out) {
  categories c = {0};
  int status = walk_cells(r, words, 0, take_line, &c.words);
  if (status >= 0 && !(c.word = calloc((size_t)c.words.count + 1, sizeof *c.word))) status = h5_memory(r, 0);
  char *at = c.words.text;
  for (int64_t i = 0; i < c.words.count && status >= 0; i++) {
    c.word[i] = at;
    at += strcspn(at, "\n");
    if (*at) *at++ = 0;
  }
  if (status >= 0) status = walk_cells(r, codes, 'n', take_code, &c);
  free(c.words.text);
  free(c.word);
  *out = c.out;
  return status;
}

/* A column of obs or var: a dataset, or a group with codes and categories; before anndata 0.8
 * the categories were in a group of their own. */
static int read_column(h5_reading *r, const char *table, const char *name, h5ad_lines *out) {
  char path[H5_NAME], words[H5_NAME];
  *out = (h5ad_lines){0};
  if (snprintf(path, sizeof path, "%s/%s", table, name) >= (int)sizeof path) return IO_NOT_FOUND;
  hid_t id = h5_open_inside(r, path);
  if (id == -1) return IO_UNSUPPORTED;
  if (id < 0) return IO_NOT_FOUND;
  bool group = H5Iget_type(id) == H5I_GROUP;
  H5Oclose(id);
  if (group) {
    char codes[H5_NAME + 8];
    snprintf(words, sizeof words, "%.900s/categories", path);
    snprintf(codes, sizeof codes, "%.900s/codes", path);
    int status = read_categories(r, words, codes, out);
    return status == IO_NOT_FOUND ? h5_refuse(r, "a column of a kind that is not read") : status;
  }
  snprintf(words, sizeof words, "%.400s/__categories/%.400s", table, name);
  id = h5_open_inside(r, words);
  if (id >= 0) H5Oclose(id);
  return id >= 0 ? read_categories(r, words, path, out) : walk_cells(r, path, 0, take_line, out);
}

int h5ad_send_index(h5_reading *r, const char *table, const char *as) {
  char index[H5AD_WORD];
  h5ad_lines found = {0};
  hid_t id = h5_open_inside(r, table);
  if (id < 0) return id == -1 ? IO_UNSUPPORTED : LAVDM_OK;
  bool group = H5Iget_type(id) == H5I_GROUP;
  if (!group || !h5ad_attribute(id, "_index", index)) snprintf(index, sizeof index, "_index");
  H5Oclose(id);
  if (!group) return LAVDM_OK; /* before anndata 0.7: a compound */
  int status = read_column(r, table, index, &found);
  if (status >= 0) h5ad_send(r, as, &found);
  free(found.text);
  return status == IO_NOT_FOUND ? LAVDM_OK : status;
}

static herr_t add_link(hid_t group, const char *name, const H5L_info_t *link, void *user) {
  void **both = user;
  (void)group, (void)link;
  return !strncmp(name, "__", 2) || !strcmp(name, "_index") ? 0 : h5ad_add(both[0], both[1], name) < 0;
}

int h5ad_columns(h5_reading *r, h5ad_lines *found) {
  hid_t id = h5_open_inside(r, "obs");
  void *both[] = {r, found};
  if (id >= 0 && H5Iget_type(id) == H5I_GROUP &&
      H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, NULL, add_link, both) < 0)
    return h5_damaged(r);
  if (id >= 0) H5Oclose(id);
  return id == -1 ? IO_UNSUPPORTED : LAVDM_OK;
}

int h5ad_send_column(h5_reading *r, const char *name, const char *option, const char *as) {
  h5ad_lines found = {0}, all = {0};
  int status = read_column(r, "obs", name, &found);
  if (status >= 0) h5ad_send(r, as, &found);
  if (status == IO_NOT_FOUND) {
    status = h5ad_columns(r, &all);
    for (int64_t i = 0; i < all.used; i++)
      if (all.text[i] == '\n') all.text[i] = ' ';
    if (status >= 0)
      status =
          io_fail(r->error, LAVDM_ERROR_ARGUMENT, r->path, "%s: obs has no column '%.60s'; it has %.200s",
                  option, name, all.text ? all.text : "none");
  }
  free(found.text);
  free(all.text);
  return status;
}
