/*
 * .h5ad, the files of anndata: HDF5 in which X, layers and obsm hold matrices, dense or
 * sparse, and obs and var tables (h5ad_obs.c).
 */
#define _POSIX_C_SOURCE 200809L
#include "io/h5ad.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The attribute that says how many rows and columns a sparse matrix has. */
static bool attribute_shape(hid_t id, int64_t shape[2]) {
  const char *name = H5Aexists(id, "shape") > 0 ? "shape" : "h5sparse_shape";
  hid_t attribute = H5Aexists(id, name) > 0 ? H5Aopen(id, name, H5P_DEFAULT) : -1;
  hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
  bool done = space >= 0 && H5Sget_simple_extent_npoints(space) == 2 &&
              H5Aread(attribute, H5T_NATIVE_INT64, shape) >= 0;
  if (space >= 0) H5Sclose(space);
  if (attribute >= 0) H5Aclose(attribute);
  return done;
}

/* --------------------------------------------------------------- matrix */

/* A dataset of numbers under another name. */
static int send_dataset(h5_reading *r, const char *path, const char *as, int rank) {
  h5_entry e = {.id = h5_open_inside(r, path), .type = -1, .space = -1};
  if (e.id == -1) return IO_UNSUPPORTED;
  if (e.id < 0 || H5Iget_type(e.id) != H5I_DATASET) return h5_damaged(r);
  e.array.name = (char *)(uintptr_t)as;
  int status = h5_describe(r, &e);
  if (status >= 0 && e.array.type == IO_TEXT) status = h5_refuse(r, "text");
  if (status >= 0 && e.array.rank != rank)
    status = io_fail(r->error, IO_UNSUPPORTED, r->label, "has %d dimensions, not %d", e.array.rank, rank);
  if (status >= 0) status = h5_send(r, &e);
  h5_close(&e);
  return status;
}

static int send_sparse(h5_reading *r, hid_t id, const char *part, const char *kind) {
  static const char *const names[] = {"data", "indices", "indptr"};
  int64_t shape[3] = {0, 0, !strncmp(kind, "csr", 3)};
  if (!attribute_shape(id, shape)) return h5_damaged(r);
  io_array array = {.name = (char[]){"shape"}, .type = IO_INTEGER, .rank = 1, .shape = {3}};
  send_array(r->to, &array, false, true);
  send_bytes(r->to, shape, sizeof shape);
  int status = LAVDM_OK;
  for (int i = 0; i < 3 && status >= 0; i++) {
    char path[H5_NAME];
    snprintf(path, sizeof path, "%.900s/%s", part, names[i]);
    status = send_dataset(r, path, names[i], 1);
  }
  return status;
}

static int send_matrix(h5_reading *r, const char *part) {
  char kind[H5AD_WORD] = "";
  hid_t id = h5_open_inside(r, part);
  if (id == -1) return IO_UNSUPPORTED;
  if (id < 0) return IO_NOT_FOUND;
  bool group = H5Iget_type(id) == H5I_GROUP;
  if (!h5ad_attribute(id, "encoding-type", kind)) h5ad_attribute(id, "h5sparse_format", kind);
  int status;
  if (!group)
    status = send_dataset(r, part, "points", 2);
  else if (!strncmp(kind, "csr", 3) || !strncmp(kind, "csc", 3))
    status = send_sparse(r, id, part, kind);
  else
    status = h5_refuse(r, *kind ? "a table or a matrix of another kind" : "several arrays");
  H5Oclose(id);
  return status;
}

static int send_part(h5_reading *r, const char *part) {
  h5ad_lines word = {0};
  int status = h5ad_add(r, &word, part);
  if (status >= 0) h5ad_send(r, "part", &word);
  free(word.text);
  return status < 0 ? status : send_matrix(r, part);
}

static int send_points(h5_reading *r, const h5ad_question *q, bool *genes) {
  *genes = !q->part || !strncmp(q->part + (q->part[0] == '/'), "layers/", 7) || !strcmp(q->part, "X");
  if (q->part) {
    int status = send_part(r, q->part);
    return status == IO_NOT_FOUND
               ? io_fail(r->error, LAVDM_ERROR_ARGUMENT, r->path, "has no array '%.60s'", q->part)
               : status;
  }
  hid_t pca = h5_open_inside(r, "obsm/X_pca");
  if (pca == -1) return IO_UNSUPPORTED;
  if (pca >= 0) {
    H5Oclose(pca);
    *genes = false;
    return send_part(r, "obsm/X_pca");
  }
  int status = send_part(r, "X");
  return status == IO_NOT_FOUND ? io_fail(r->error, LAVDM_ERROR_DATA, r->path,
                                          "has neither obsm/X_pca nor X; is it a file of anndata?")
                                : status;
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  const h5ad_question *q = user;
  h5_reading r = {.path = q->path, .data = true, .texts = true, .to = to, .error = error};
  bool genes = false;
  h5ad_lines columns = {0};
  int status = h5_open_file(&r);
  if (status < 0) return status;
  status = send_points(&r, q, &genes);
  if (status >= 0)
    status = q->ids ? h5ad_send_column(&r, q->ids, "--ids", "ids") : h5ad_send_index(&r, "obs", "ids");
  if (status >= 0 && q->labels) status = h5ad_send_column(&r, q->labels, "--labels", "labels");
  if (status >= 0 && genes) status = h5ad_send_index(&r, "var", "names");
  if (status >= 0) status = h5ad_columns(&r, &columns);
  if (status >= 0 && columns.count) h5ad_send(&r, "columns", &columns);
  free(columns.text);
  if (isolate_inside) H5close();
  return status;
}

int h5ad_ask(const h5ad_question *q, io_list *list, lavdm_error *error) {
  return isolate_file(q->path, "is not a readable .h5ad file (damaged?)", read_in_child, (void *)(uintptr_t)q,
                      list, error);
}
