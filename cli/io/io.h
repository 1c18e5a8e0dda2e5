/*
 * Arrays in files: .npy, .npz, .csv/.tsv/.txt, .mat, .h5, .mrc/.mrcs/.map; pictures
 * (.png, .tif, .pgm, .ppm) are read as arrays too, and written by picture.h; of meshes
 * and clouds of points (.ply, .obj, .stl, .off, .xyz, .asc, .pcd, .las) the vertices
 * are read.
 *
 * Reading never trusts the file: sizes are checked against the file's length
 * before memory is asked for, and every error is one sentence that names the
 * file and, where there is one, the row and column (counted from 1).
 * Writing goes to a temporary file beside the target, which is synced and
 * renamed over it at the end: the target appears whole or not at all.
 */
#ifndef LAVDM_CLI_IO_H
#define LAVDM_CLI_IO_H

#include "lavdm/file.h"

#include <stdbool.h>

enum { IO_RANK = LAVDM_ITEM_RANK };

/* Beside the library's statuses: a result that could not be written. A file
 * that cannot be used is LAVDM_ERROR_DATA; a name or extension that is wrong,
 * LAVDM_ERROR_ARGUMENT; LAVDM_ERROR_INTERRUPTED, that SIGINT or SIGTERM reached
 * the child process which reads and writes HDF5. */
enum { IO_ERROR_WRITE = -100 };

typedef lavdm_item_type io_type; /* double, int64_t, char, float */
#define IO_REAL    LAVDM_ITEM_REAL
#define IO_INTEGER LAVDM_ITEM_INTEGER
#define IO_TEXT    LAVDM_ITEM_TEXT
#define IO_SINGLE  LAVDM_ITEM_SINGLE

/* An array in memory, row-major. Numbers of any width in a file become double
 * or int64_t (but see io_read_points); TEXT has rank 1 and shape[0] bytes plus
 * a terminating zero. */
typedef struct {
  char *name; /* owned; may be NULL */
  io_type type;
  int rank;
  int64_t shape[IO_RANK];
  void *data;   /* owned, malloc'ed */
  bool picture; /* one picture, height x width (x channels), rather than points or a stack */
} io_array;

void io_array_free(io_array *array); /* accepts a zeroed one */
int64_t io_array_count(const io_array *array);

/*
 * Reads one array of numbers: "file.npy", "file.csv", "file.npz",
 * "file.npz:name", "file.mat:name", "file.h5:/group/dataset". Without a name a
 * container must hold exactly one numeric array (scalars aside), or one called
 * "points", "data" or "x" (tried in that order, any case); otherwise the error
 * lists what is there. Text files come as INTEGER if every cell is a whole
 * number, else as REAL; an empty cell is NaN; the first line is a header if no
 * cell of it is a number. An .mrc file is sections x rows x columns, in the
 * order of the file: its row 0, which viewers show at the bottom, comes first. A
 * picture is height x width, with channels as a third axis if it has several;
 * pages of a TIFF file, which must be alike and grey, come before these. Meshes and clouds of
 * points (.ply, .obj, ...) come as the coordinates of their vertices, REAL (n,3).
 */
int io_read(const char *spec, io_array *out, lavdm_error *error);

/* The same, but that floats of an .npy file stay SINGLE, and that the numbers of
 * an .mrc file, all of which a float holds exactly, become SINGLE. */
int io_read_points(const char *spec, io_array *out, lavdm_error *error);

/* True for "-", the standard input (.npy or text, told apart by its first bytes) where a file is read, and
 * the standard output where one array is written (pipe.h). */
bool io_is_pipe(const char *path);

/* What a result ends in: ".npy", or of "-" what it is written as; "" if there is no dot. */
const char *io_extension(const char *path);

/* What readers recognised, chose or left out: one sentence each, that begins with
 * the name of the file; the first 16. NULL outside. */
void io_note(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *io_note_at(int i);
void io_notes_clear(void);

/* A text of a container by its name; *text, owned by the caller, is NULL if there is none. */
int io_read_text(const char *path, const char *name, char **text, lavdm_error *error);
/* 1 if a container (.npz, .mat, .h5) has an array of that name, readable or not, else 0. */
int io_has(const char *path, const char *name, lavdm_error *error);

/* The file of "file.npz:name", owned by the caller, and its name or NULL; NULL: no memory. */
char *io_split(const char *spec, const char **name);

/* Which file it was, and when it was last changed. */
typedef struct {
  int64_t device, inode, size, seconds, nanoseconds;
} io_stamp;

/* All zeros if there is no such file, which io_stamp_check takes for no change. */
io_stamp io_stamp_of(const char *path);

/* LAVDM_ERROR_DATA if there is now another file under that name, or it was changed;
 * one that is gone was not. What was read of it in between is then of no one file. */
int io_stamp_check(const char *path, const io_stamp *stamp, lavdm_error *error);

/* An .npy file in row-major order of this machine's doubles or floats, or any
 * .mrc file, whose rows (what lies beyond the first axis) are read when they are
 * wanted. */
typedef struct {
  const char *path; /* borrowed */
  int fd;
  io_type type;         /* REAL or SINGLE */
  int64_t count, width; /* rows, and numbers in a row */
  int64_t lines;        /* of a row, if it is an image: the second of three axes; else 0 */
  int64_t start;        /* of the first, in bytes */
  char kind;            /* of a number in the file: 'f', 'i' or 'u', ... */
  int size;             /* its bytes, ... */
  bool swapped;         /* and whether they are not in this machine's order */
  io_stamp stamp;       /* of the file when it was opened */
} io_rows;

/* 1 if the file is of that kind, and as long as its header says; 0 if io_read
 * is to be tried. */
int io_rows_open(const char *path, io_rows *rows, lavdm_error *error);
int io_rows_read(const io_rows *rows, int64_t first, int64_t count, void *out, lavdm_error *error);
int io_rows_check(const io_rows *rows, lavdm_error *error); /* io_stamp_check; accepts a zeroed one */
void io_rows_close(io_rows *rows);                          /* accepts a zeroed one */

/* Every array of a container (.npz, .mat, .h5), scalars and text included, or
 * the single one of the other formats. HDF5 attributes of the root group come
 * as arrays too. What is neither numbers nor text (complex, sparse, structs,
 * groups) is left out. *out is owned: free each, then free(*out). */
int io_read_all(const char *path, io_array **out, int *count, lavdm_error *error);

/* One thing to write. Real and integer arrays of rank 0 are scalars. */
typedef lavdm_item io_item;

/* Called between slices of arrays; it may be called in a child process. */
typedef struct {
  lavdm_trim_function call;
  const void *user;
} io_trim;

/* True if the extension is one that io_write can write; the error says which
 * are. `container`: more than one array, or text, is to be written. */
bool io_can_write(const char *path, bool container, lavdm_error *error);

/* True for .h5 and .hdf5, where a result is also a model that can be opened again. */
bool io_is_h5(const char *path);

/* Writes items to .h5, .npz, .mat (any number), or .npy, .csv, .tsv (exactly
 * one numeric item), or .mrc, .mrcs (one of rank 2 or 3, as floats: a stack of
 * images with pixels of 1 Angstrom). Rank-0 and text items become attributes of
 * the root group in .h5 and variables elsewhere. A link is written through. The
 * same items give the same bytes. The caller should ignore SIGXFSZ, as a
 * shell's file-size limit is otherwise fatal. */
int io_write(const char *path, const io_item *items, int count, lavdm_error *error);

/* The same, with a function to call between slices (or NULL). No array is
 * copied as a whole. */
int io_write_trimmed(const char *path, const io_item *items, int count, const io_trim *trim,
                     lavdm_error *error);

#endif
