/*
 * HDF5 files, and with them MAT files of version 7.3: HDF5 whose dimensions
 * come in reverse and whose attributes give MATLAB's class. All of it runs in
 * an isolated child, as the library may crash on a damaged file.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHECKSUM = 24 }; /* bytes of "crc64xz:0123456789abcdef" */

static const char *verdict_of(const h5_reading *r) {
  return r->matlab ? "is not a readable MAT file (damaged?)" : "is not a readable HDF5 file (damaged?)";
}

/* -------------------------------------------------------------- MATLAB */

/* MATLAB_class of a dataset; "" if it has none. */
static void matlab_class(hid_t id, char class[32]) {
  memset(class, 0, 32);
  hid_t attribute = H5Aexists(id, "MATLAB_class") > 0 ? H5Aopen(id, "MATLAB_class", H5P_DEFAULT) : -1;
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
      H5Tget_size(type) < 32)
    H5Aread(attribute, type, class);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
}

/* An array without elements is kept as a list of its dimensions. */
static int empty_shape(h5_reading *r, h5_entry *e) {
  uint64_t size[IO_RANK];
  if (e->array.type != IO_INTEGER || e->count < 2 || e->count > IO_RANK ||
      h5_fetch(e, H5T_NATIVE_UINT64, size) < 0)
    return h5_damaged(r);
  e->array.rank = (int)e->count;
  for (int i = 0; i < e->array.rank; i++) e->array.shape[i] = size[i] > INT64_MAX ? -1 : (int64_t)size[i];
  if (shape_count(e->array.rank, e->array.shape) != 0) return h5_damaged(r);
  return LAVDM_OK;
}

static int send_char(h5_reading *r, h5_entry *e) {
  uint16_t *units = malloc(2 * (size_t)e->count + 2);
  char *text = NULL;
  int64_t bytes = 0;
  if (units && e->count && h5_fetch(e, H5T_NATIVE_UINT16, units) < 0) {
    free(units);
    return h5_damaged(r);
  }
  if (units) text = text_from_units(units, 2, e->count, &bytes);
  if (!text) {
    free(units);
    return h5_memory(r, 2 * e->count);
  }
  e->array.rank = 1;
  e->array.shape[0] = bytes;
  send_array(r->to, &e->array, false, true);
  send_bytes(r->to, text, bytes);
  free(text);
  free(units);
  return LAVDM_OK;
}

/* Settles type and shape by MATLAB's attributes; `done` if nothing is left to send. */
static int adapt_matlab(h5_reading *r, h5_entry *e, bool *done) {
  char class[32];
  matlab_class(e->id, class);
  bool text = strcmp(class, "char") == 0, empty = H5Aexists(e->id, "MATLAB_empty") > 0;
  bool real = strcmp(class, "double") == 0 || strcmp(class, "single") == 0;
  if (strcmp(class, "cell") == 0 || strcmp(class, "struct") == 0)
    return h5_refuse(r, "a cell array or struct");
  int status = empty ? empty_shape(r, e) : LAVDM_OK;
  if (status < 0) return status;
  if (empty) {
    e->array.type = text ? IO_TEXT : real ? IO_REAL : IO_INTEGER;
    if (text) e->array.rank = 1, e->array.shape[0] = 0;
    send_array(r->to, &e->array, false, r->data);
    *done = true;
  } else if (text) {
    if (e->array.type != IO_INTEGER || e->array.rank > 2 || (e->array.rank == 2 && e->array.shape[0] > 1))
      return h5_refuse(r, "text in several rows");
    e->array.type = IO_TEXT;
    if (!r->data) return LAVDM_OK;
    *done = true;
    return send_char(r, e);
  }
  return LAVDM_OK;
}

/* --------------------------------------------------------------- entries */

static int send_entry(h5_reading *r, h5_entry *e, const char *name) {
  bool done = false;
  file_label(r->label, r->path, name);
  e->array.name = (char *)(uintptr_t)name;
  e->type = e->space = -1;
  int status = h5_describe(r, e);
  if (status >= 0 && r->matlab) status = adapt_matlab(r, e, &done);
  if (status >= 0 && !done) {
    if (r->data)
      status = h5_send(r, e);
    else
      send_array(r->to, &e->array, false, false);
  }
  h5_close(e);
  return status;
}

/* --------------------------------------------------------------- links */

static int fail_link(h5_reading *r) {
  return io_fail(r->error, IO_UNSUPPORTED, r->label,
                 "is, or lies behind, a link to another file, which is not followed; name the file itself");
}

static herr_t stay_inside(const char *group, const char *name, const char *file, const char *object,
                          unsigned *flags, hid_t access, void *user) {
  (void)group, (void)name, (void)file, (void)object, (void)flags, (void)access;
  *(bool *)user = true;
  return -1;
}

/* A way of opening by name that does not leave the file; it notes where it would have. */
static hid_t inner_access(hid_t class, bool *left) {
  hid_t access = H5Pcreate(class);
  H5Pset_elink_cb(access, stay_inside, left);
  return access;
}

/* Whether a part of the path is a link to another file, or one of somebody's own
 * making; soft links are left to inner_access. */
static bool leads_out(const h5_reading *r, const char *path, hid_t access) {
  char part[H5_NAME];
  for (const char *end = path; *end;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    size_t length = (size_t)(end - path);
    if (length >= sizeof part || !length) return length > 0;
    memcpy(part, path, length);
    part[length] = 0;
    H5L_info_t link;
    if (H5Lget_info(r->file, part, &link, access) < 0) return false;
    if (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT) return true;
  }
  return false;
}

/* Whether the path leads to an object that holds no others. */
static bool is_leaf(const h5_reading *r, const char *part, hid_t access) {
  hid_t id = H5Oopen(r->file, part, access);
  bool leaf = id >= 0 && H5Iget_type(id) != H5I_GROUP;
  if (id >= 0) H5Oclose(id);
  return leaf;
}

/* Whether nothing has this path; false too if the file does not say, as it is damaged or cannot be read. */
static bool is_absent(const h5_reading *r, const char *path, hid_t access) {
  char part[H5_NAME];
  for (const char *end = path; *end;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    size_t length = (size_t)(end - path);
    if (length >= sizeof part || !length) return true;
    memcpy(part, path, length);
    part[length] = 0;
    htri_t there = H5Lexists(r->file, part, access);
    if (there <= 0) return there == 0;
    if (*end && is_leaf(r, part, access)) return true;
  }
  return false;
}

/* An attribute of the root group, which stands for a number or a text. */
static int send_root_attribute(h5_reading *r) {
  if (r->matlab || strchr(r->name, '/') || H5Aexists(r->file, r->name) <= 0) return IO_NOT_FOUND;
  h5_entry e = {.id = H5Aopen(r->file, r->name, H5P_DEFAULT), .attribute = true};
  return e.id < 0 ? h5_damaged(r) : send_entry(r, &e, r->name);
}

static int send_named(h5_reading *r) {
  bool left = false;
  hid_t access = inner_access(H5P_DATASET_ACCESS, &left), inside = inner_access(H5P_GROUP_ACCESS, &left);
  hid_t link = inner_access(H5P_LINK_ACCESS, &left);
  const char *slash = strrchr(r->name, '/');
  file_label(r->label, r->path, r->name);
  if (leads_out(r, r->name, link)) return fail_link(r);
  h5_entry e = {.id = H5Dopen2(r->file, r->name, access)};
  if (e.id >= 0) return send_entry(r, &e, slash ? slash + 1 : r->name);
  hid_t group = left ? -1 : H5Gopen2(r->file, r->name, inside);
  if (left) return fail_link(r);
  if (group >= 0 && r->matlab) return h5_refuse(r, "a struct or sparse matrix");
  if (group >= 0) return io_fail(r->error, IO_UNSUPPORTED, r->label, "is a group; name a dataset inside it");
  if (is_absent(r, r->name, link)) return send_root_attribute(r);
  return io_fail(r->error, IO_UNSUPPORTED, r->label, "cannot be opened (damaged, or a link to nowhere)");
}

/* The checksum of the texts in a file of our own, which is nobody's value. */
static bool is_checksum(hid_t attribute, const char *name) {
  hid_t type = strcmp(name, "checksum") ? -1 : H5Aget_type(attribute);
  bool found = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
               H5Tget_size(type) == CHECKSUM;
  if (type >= 0) H5Tclose(type);
  return found;
}

/* ---------------------------------------------------------------- every */

/* The walk over all links of the root, and then over its attributes. */
typedef struct {
  h5_reading *reading;
  hid_t access;
  bool left;
  passed_over passed;
  int status;
} h5_walk;

/* 0 to go on, 1 to stop. */
static herr_t pass(h5_walk *w, int status) {
  w->status = pass_over(&w->passed, status, w->reading->error);
  return w->status < 0;
}

/* Whether a link leads to something that is no dataset. */
static bool is_other(hid_t group, const char *name) {
  hid_t id = H5Oopen(group, name, H5P_DEFAULT);
  bool other = id >= 0 && H5Iget_type(id) != H5I_DATASET;
  if (id >= 0) H5Oclose(id);
  return other;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *link, void *user) {
  h5_walk *w = user;
  h5_reading *r = w->reading;
  file_label(r->label, r->path, name);
  if (link->type != H5L_TYPE_HARD && link->type != H5L_TYPE_SOFT) return pass(w, fail_link(r));
  w->left = false;
  h5_entry e = {.id = H5Dopen2(group, name, w->access)};
  if (e.id >= 0) return pass(w, send_entry(r, &e, name));
  if (w->left) return pass(w, fail_link(r));
  return link->type == H5L_TYPE_HARD && !is_other(group, name) ? pass(w, h5_damaged(r)) : 0;
}

static herr_t visit_attribute(hid_t group, const char *name, const H5A_info_t *info, void *user) {
  h5_walk *w = user;
  (void)info;
  h5_entry e = {.id = H5Aopen(group, name, H5P_DEFAULT), .attribute = true};
  if (e.id < 0) return pass(w, h5_damaged(w->reading));
  if (!is_checksum(e.id, name)) return pass(w, send_entry(w->reading, &e, name));
  H5Aclose(e.id);
  return 0;
}

static int send_every(h5_reading *r) {
  h5_walk w = {.reading = r};
  w.access = inner_access(H5P_DATASET_ACCESS, &w.left);
  hid_t root = H5Gopen2(r->file, "/", H5P_DEFAULT);
  snprintf(r->label, sizeof r->label, "%.*s", text_cut(r->path, IO_LABEL - 1), r->path);
  herr_t walked = root < 0 ? -1 : H5Literate(root, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &w);
  if (walked == 0 && r->data && !r->matlab)
    walked = H5Aiterate2(root, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, &w);
  if (walked < 0) return h5_damaged(r);
  return w.status < 0 ? w.status : passed_status(&w.passed, r->error);
}

int h5_open_file(h5_reading *r) {
  int fd, status = file_open(r->path, &fd, &r->length, r->error);
  if (status < 0) return status;
  close(fd);
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0); /* only read; some file systems have no locks */
  H5PLset_loading_state(0);                    /* no code but the library's own */
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  return r->file < 0 ? io_fail(r->error, LAVDM_ERROR_DATA, r->path, "%s", verdict_of(r)) : LAVDM_OK;
}

hid_t h5_open_inside(h5_reading *r, const char *name) {
  bool left = false;
  hid_t link = inner_access(H5P_LINK_ACCESS, &left);
  file_label(r->label, r->path, name);
  bool out = leads_out(r, name, link);
  hid_t id = out ? -1 : H5Oopen(r->file, name, link);
  bool absent = id < 0 && !out && !left && is_absent(r, name, link);
  H5Pclose(link);
  if (out || left)
    fail_link(r);
  else if (id < 0 && !absent)
    h5_damaged(r);
  return id >= 0 ? id : absent ? -2 : -1;
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  h5_reading *r = user;
  r->to = to;
  r->error = error;
  int status = h5_open_file(r);
  if (status < 0) return status;
  status = r->name ? send_named(r) : send_every(r);
  if (isolate_inside) H5close();
  return status;
}

int h5_read(const char *path, const char *name, bool data, io_list *list, lavdm_error *error) {
  h5_reading r = {.path = path, .name = name, .data = data};
  return isolate_file(path, verdict_of(&r), read_in_child, &r, list, error);
}

int mat73_read(const char *path, const char *name, bool data, io_list *list, lavdm_error *error) {
  h5_reading r = {.path = path, .name = name, .data = data, .matlab = true};
  return isolate_file(path, verdict_of(&r), read_in_child, &r, list, error);
}
