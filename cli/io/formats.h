/*
 * What the formats share: arrays under construction, checked sources of bytes,
 * numbers of any width, column-major order and the isolated child.
 */
#ifndef LAVDM_CLI_IO_FORMATS_H
#define LAVDM_CLI_IO_FORMATS_H

#include "io/output.h"
#include "io/sentence.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Internal statuses; io_read and io_read_all never return them. */
enum {
  IO_UNSUPPORTED = -101, /* whole, but neither real numbers nor text */
  IO_NOT_FOUND = -102    /* no array of that name */
};

/* Bytes that deflate can make of one byte, at most. */
enum { INFLATION = 1032 };

/* ------------------------------------------------------------- file.c */

/* "file:array", with the end of a long path and the start of a long name. */
void file_label(char label[IO_LABEL], const char *path, const char *name);

/* Opens a regular file to read; its length in bytes. */
int file_open(const char *path, int *fd, int64_t *length, lavdm_error *error);

/* The stamp of an open file, and what io_stamp_check says of two. */
io_stamp file_stamp(int fd);
int stamp_compare(const char *path, const io_stamp *then, const io_stamp *now, lavdm_error *error);

/* The whole file, owned by the caller, with a zero after it. */
int file_load(const char *path, char **data, int64_t *length, lavdm_error *error);

/* Bytes to come, never more than `left` of them. They are asked for in parts that
 * every system call and library can count: some stop at 2 or 4 GiB. */
enum { SOURCE_MOST = 1 << 30 };
typedef struct source source;
struct source {
  const char *label; /* file, or file:array */
  int64_t left;
  int64_t (*pull)(source *s, void *buffer, int64_t most); /* 0 at the end, < 0 broken; most <= SOURCE_MOST */
  int fd;
  void *user;
  lavdm_error *error;
};

int64_t file_pull(source *s, void *buffer, int64_t most); /* from fd */

/* Exactly so many bytes, or an error. */
int source_read(source *s, void *buffer, int64_t bytes);
int source_skip(source *s, int64_t bytes);

/* ------------------------------------------------------------ array.c */

/* a * b, or -1 if either is negative or the product passes INT64_MAX / 16. */
int64_t checked_product(int64_t a, int64_t b);
int64_t type_size(io_type type);                     /* bytes of an element */
int64_t shape_count(int rank, const int64_t *shape); /* elements, or -1 */

/* An array without data; name may be NULL. False without memory: it is then empty. */
bool array_describe(io_array *array, const char *name, io_type type, int rank, const int64_t *shape);

/* Room for its elements and a zero after them, beside so many bytes that are `held`
 * (room.h). Without it the array becomes empty, and the sentence names `label`. */
int array_allocate(io_array *array, const char *label, int64_t held, lavdm_error *error);

/* A text array that takes ownership of `text`. */
bool array_text(io_array *array, const char *name, char *text, int64_t bytes);

typedef struct {
  io_array *array;
  int count, room;
  int64_t held; /* bytes of those that came from a child */
} io_list;

io_array *list_add(io_list *list); /* zeroed and owned by the list; NULL without memory */
void list_free(io_list *list);

/* A walk over a row-major array in column-major order. */
typedef struct {
  int64_t size; /* of an element: 4 or 8 */
  int rank;
  int64_t shape[IO_RANK], stride[IO_RANK], index[IO_RANK], at;
} column_walk;

column_walk column_start(io_type type, int rank, const int64_t *shape);
void column_put(column_walk *walk, void *array, const void *values, int64_t count);
void column_get(column_walk *walk, const void *array, void *values, int64_t count);

/* ---------------------------------------------------------- numbers.c */

/* A number as a file holds it: kind 'f', 'i', 'u' or 'b' of 1 to 8 bytes. */
typedef struct {
  char kind;
  int size;
  bool swapped; /* not in this machine's byte order */
} number_format;

bool machine_is_big(void);
void swap_bytes(void *values, int size, int64_t count);

bool number_known(number_format f);
io_type number_type(number_format f);

/* `count` numbers at `raw`, which is overwritten, as doubles; false if one
 * passes INT64_MAX. */
bool numbers_real(number_format f, void *raw, int64_t count, double *out);

/* The same as floats, which hold every number of such a kind exactly. */
bool number_fits_single(number_format f);
void numbers_single(number_format f, void *raw, int64_t count, float *out);

/* One number of a file, unsigned of 8 bytes aside. */
double number_real(number_format f, const void *raw);

/* Reads all elements of an array into its data, as array->type; SINGLE only
 * from numbers that fit. */
int read_numbers(source *s, number_format f, bool columns, io_array *array);

/* The same, sent from a child: the array, which needs no data, and its elements. */
typedef struct sender sender;
int send_numbers(source *s, number_format f, bool columns, const io_array *array, sender *to);

/* ------------------------------------------------------------- text.c */

/* Characters of 1 (UTF-8), 2 (UTF-16) or 4 bytes as zero-terminated UTF-8,
 * owned by the caller; NULL without memory. Zeros at the end are dropped. */
char *text_from_units(const void *units, int size, int64_t count, int64_t *bytes);

/* The reverse, for size 2 and 4. */
void *text_to_units(const char *text, int size, int64_t *count);

/* ---------------------------------------------------------- decimal.c */

typedef enum { CELL_EMPTY, CELL_INTEGER, CELL_REAL, CELL_TEXT } cell_kind;

/* The number in [s,end), which holds no blanks at its ends; a byte that is no
 * part of a number follows it. `real` is set for INTEGER too. The locale must be C. */
cell_kind decimal_parse(const char *s, const char *end, int64_t *integer, double *real);

enum { DECIMAL_SIZE = 32 };

/* The shortest decimal that reads back to the same double; returns its length. */
int decimal_print(double x, char text[DECIMAL_SIZE]);
int decimal_print_single(float x, char text[DECIMAL_SIZE]); /* to the same float */

/* ------------------------------------------------------------ lines.c */

/* A file of text, held whole, line by line; the locale is C while it is open. */
typedef struct {
  const char *path;
  char *text;
  const char *at, *end;     /* what is left to read; a zero stands at the end */
  int64_t line;             /* of the file, from 1 */
  const char *start, *stop; /* the line under way, without its end */
  const char *feed, *back;  /* the next \n and \r that were found, or the end; before `at`: not looked for */
  void *plain, *before;     /* locales */
  lavdm_error *error;
} text_lines;

/* A byte order mark is passed over; UTF-16 is refused. */
int lines_open(const char *path, text_lines *t, lavdm_error *error);
void lines_close(text_lines *t);

/* The next line, which ends at \n, \r\n or \r; false at the end of the file. */
bool lines_next(text_lines *t);

/* Back to where `at` was before the first line. */
void lines_rewind(text_lines *t, const char *at);

/* The next that is not blank. */
bool lines_next_row(text_lines *t);

/* The next word of [*at,stop) between blanks; false if there is none. */
bool next_word(const char **at, const char *stop, const char **from, const char **to);
bool word_is(const char *from, const char *to, const char *word);

/* A word as an error shows it: its start, if it is long. */
enum { SHOWN_WORD = 28 };
void shown_word(const char *from, const char *to, char text[SHOWN_WORD]);

/* The number that the word is, or the error that it is none. */
int lines_number(const text_lines *t, const char *from, const char *to, double *number);

/* ---------------------------------------------------------- isolate.c */

/*
 * Work in a child process that may crash, loop, hang or ask for too much memory:
 * the parent then returns `status` with the sentence "LABEL: `verdict`".
 * Arrays that the child sends are added to the list.
 */
typedef int (*isolated_work)(sender *to, void *user, lavdm_error *error);

typedef struct {
  const char *label, *verdict;
  int status;
  int64_t memory;   /* bytes that a reader may ask for; or -1 for one that writes, without limits */
  const char *path; /* the only file that a reader can open, once (sandbox.c) */
  int patience;     /* seconds in which it neither sends nor computes; 0: a minute */
} isolate_terms;

int isolate(const isolate_terms *terms, isolated_work work, void *user, io_list *list, lavdm_error *error);

/* The same for a reader of a regular file; the memory follows from its length. */
int isolate_file(const char *path, const char *verdict, isolated_work work, void *user, io_list *list,
                 lavdm_error *error);

/* Set by programs that are to watch the work: it is done in their own process. */
extern bool isolate_inside;

/* In the child: announces an array, then its bytes in as many parts as liked
 * (8 per number, or the text), in row-major or column-major order. */
void send_array(sender *to, const io_array *array, bool columns, bool data);
void send_bytes(sender *to, const void *data, int64_t bytes);

/* In the child: allows for this much more memory, and the time to fill it. */
void sender_allow(sender *to, int64_t bytes);

/* ------------------------------------------------------------ formats */

/*
 * A container: the array of that name (IO_NOT_FOUND if there is none), or with
 * NULL every one; without `data` only names, types and shapes, and for HDF5 no
 * attributes.
 */
typedef int container_reader(const char *path, const char *name, bool data, io_list *list,
                             lavdm_error *error);

container_reader npz_read, mat_read, h5_read, mat73_read;

/* Of every array those that are no numbers (IO_UNSUPPORTED) are passed over. If
 * none is left, why the first was is the answer. */
typedef struct {
  int read;
  lavdm_error first;
} passed_over;

int pass_over(passed_over *p, int status, const lavdm_error *error); /* the status to go on with */
int passed_status(const passed_over *p, lavdm_error *error);

int npy_read(const char *path, bool single, io_array *out, lavdm_error *error); /* single: keep floats */
int csv_read(const char *path, io_array *out, lavdm_error *error);

/* The vertices of a mesh or cloud of points, (n,3). */
typedef int shape_reader(const char *path, io_array *out, lavdm_error *error);
shape_reader ply_read, obj_read, stl_read, off_read, xyz_read, pcd_read, las_read;

/* "is a ..., which is not read; convert it: ..." for the files of some other programs, by their extension;
 * NULL for others. */
enum { FOREIGN_SIZE = 320 };
const char *foreign_way(const char *path, char text[FOREIGN_SIZE]);

/* single: every number becomes a float, exactly. */
int mrc_read(const char *path, bool single, io_array *out, lavdm_error *error);

/* Where the numbers of an .mrc file begin: sections x rows x columns. */
typedef struct {
  number_format number;
  int64_t shape[3];
  int64_t start;
} mrc_header;

int mrc_read_header(source *s, mrc_header *header); /* all of the file is to come */

/* A picture, height x width (x channels), or the pages of a TIFF file. */
int picture_read_array(const char *path, io_array *out, lavdm_error *error);

typedef struct {
  char kind; /* of number_format, or 'S' or 'U' for one string */
  number_format number;
  bool columns;
  bool single; /* set by the caller: floats are to stay floats */
  int rank;
  int64_t shape[IO_RANK];
} npy_header;

/* Reads the header and checks that exactly its data follow; then the data, or sends them. */
int npy_read_header(source *s, npy_header *header);
int npy_send(source *s, const npy_header *header, const char *name, bool data, sender *to);

/* The header of an item, text being of `units` characters; returns its length. */
enum { NPY_HEADER_SIZE = 256 };
int npy_print_header(const io_item *item, int64_t units, char text[NPY_HEADER_SIZE]);
int npy_print_typed(const char *type, int rank, const int64_t *shape, char text[NPY_HEADER_SIZE]);

int npy_write(output_file *file, const io_item *item);
int csv_write(output_file *file, const io_item *item, char separator);
int mrc_write(output_file *file, const io_item *item);
int npz_write(output_file *file, const io_item *items, int count);

/* Version 5, or 7.3 if an array has more than `most` bytes. */
#define MAT5_MOST ((int64_t)2000000000)
int mat_write(output_file *file, const io_item *items, int count, int64_t most);
int mat73_write(output_file *file, const io_item *items, int count);

int64_t item_count(const io_item *item);

/* Of "file:name" the length of "file", which ends in a known extension; else that of all. */
size_t io_file_part(const char *spec);

/* Internal statuses, and those of the library for files, as public ones. */
int io_settled(int status, lavdm_error *error);
int io_written(int status, lavdm_error *error);

#endif
