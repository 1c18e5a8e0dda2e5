#define _POSIX_C_SOURCE 200809L
#include "input/pictures.h"
#include "base/command.h"
#include "base/progress.h"
#include "io/picture_formats.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  char **path; /* owned, and each */
  int64_t count, room;
  int64_t passed; /* other files of the folder */
} name_list;

static void names_free(name_list *names) {
  for (int64_t i = 0; i < names->count; i++) free(names->path[i]);
  free(names->path);
  *names = (name_list){0};
}

static bool is_folder(const char *path) {
  struct stat there;
  return !stat(path, &there) && S_ISDIR(there.st_mode);
}

bool pictures_meant(const char *const *operand, int operands) {
  return operands > 1 || (operands == 1 && is_folder(operand[0]));
}

/* ----------------------------------------------------------------- names */

/* "a9" before "a10": runs of digits by their value, then by their length; all else by its bytes. */
static int natural(const void *a, const void *b) {
  const char *x = *(const char *const *)a, *y = *(const char *const *)b, *whole_x = x, *whole_y = y;
  while (*x && *y) {
    if (!isdigit((unsigned char)*x) || !isdigit((unsigned char)*y)) {
      if (*x != *y) return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
      x++, y++;
      continue;
    }
    x += strspn(x, "0");
    y += strspn(y, "0");
    size_t digits_x = strspn(x, "0123456789"), digits_y = strspn(y, "0123456789");
    if (digits_x != digits_y) return digits_x < digits_y ? -1 : 1;
    int order = strncmp(x, y, digits_x);
    if (order) return order;
    x += digits_x;
    y += digits_y;
  }
  return *x || *y ? (*x ? 1 : -1) : strcmp(whole_x, whole_y);
}

static int add_name(name_list *names, const char *folder, const char *name, lavdm_error *error) {
  if (strchr(name, '\n'))
    return io_fail(error, LAVDM_ERROR_ARGUMENT, name,
                   "has a line break in its name, which could not be its id");
  if (names->count == names->room) {
    int64_t room = names->room ? 2 * names->room : 64;
    char **path = realloc(names->path, (size_t)room * sizeof *path);
    if (!path) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the names of pictures");
    names->path = path;
    names->room = room;
  }
  size_t before = folder ? strlen(folder) : 0, size = before + strlen(name) + 2;
  char *text = malloc(size);
  if (!text) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the names of pictures");
  bool slash = before && folder[before - 1] != '/';
  snprintf(text, size, "%s%s%s", folder ? folder : "", slash ? "/" : "", name);
  names->path[names->count++] = text;
  return LAVDM_OK;
}

/* A picture that is not read must not be missing in silence. */
static int take_entry(name_list *names, const char *folder, const char *name, lavdm_error *error) {
  char way[FOREIGN_SIZE];
  const char *end = strrchr(name, '.');
  if (name[0] == '.') return LAVDM_OK;
  if (picture_named(name)) return add_name(names, folder, name, error);
  names->passed++;
  if (!end || !foreign_way(name, way) || !strstr(way, " picture,")) return LAVDM_OK;
  return io_fail(error, LAVDM_ERROR_DATA, folder,
                 "%.100s cannot be read; convert such pictures: mogrify -format png %.100s/*%.10s", name,
                 folder, end);
}

static int list_folder(name_list *names, const char *folder, lavdm_error *error) {
  DIR *open = opendir(folder);
  int status = LAVDM_OK;
  if (!open) return io_fail(error, LAVDM_ERROR_ARGUMENT, folder, "cannot be opened: %s", strerror(errno));
  for (struct dirent *entry; status >= 0 && (entry = readdir(open));)
    status = take_entry(names, folder, entry->d_name, error);
  closedir(open);
  if (status < 0) return status;
  if (!names->count)
    return io_fail(error, LAVDM_ERROR_DATA, folder,
                   "is a folder without pictures: .png, .tif, .pgm or .ppm, one in each file");
  if (names->passed)
    io_note(folder, "%lld other file%s of the folder %s passed over", (long long)names->passed,
            names->passed == 1 ? "" : "s", names->passed == 1 ? "is" : "are");
  return LAVDM_OK;
}

static int list_operands(name_list *names, const char *const *operand, int operands, lavdm_error *error) {
  int status = LAVDM_OK;
  for (int i = 0; i < operands && status >= 0; i++) {
    char way[FOREIGN_SIZE];
    if (is_folder(operand[i]))
      return io_fail(error, LAVDM_ERROR_ARGUMENT, operand[i],
                     "is a folder; give one folder of pictures, or a list of pictures");
    if (!picture_named(operand[i]))
      return io_fail(
          error, LAVDM_ERROR_ARGUMENT, operand[i], "%s",
          foreign_way(operand[i], way)
              ? way
              : "is no picture (.png, .tif, .pgm, .ppm), and several files must be a list of pictures");
    status = add_name(names, NULL, operand[i], error);
  }
  return status;
}

/* The names, one a line, without the folder that all are in. */
static char *join_names(const name_list *names) {
  const char *first = names->path[0], *slash = strrchr(first, '/');
  size_t folder = slash ? (size_t)(slash - first) + 1 : 0, size = 1;
  for (int64_t i = 0; i < names->count; i++) {
    const char *last = strrchr(names->path[i], '/');
    if ((last ? (size_t)(last - names->path[i]) + 1 : 0) != folder || strncmp(names->path[i], first, folder))
      folder = 0;
    size += strlen(names->path[i]) + 1;
  }
  char *text = malloc(size), *at = text;
  for (int64_t i = 0; text && i < names->count; i++) {
    size_t length = strlen(names->path[i] + folder);
    if (i) *at++ = '\n';
    memcpy(at, names->path[i] + folder, length);
    at += length;
  }
  if (text) *at = 0;
  return text;
}

/* -------------------------------------------------------------- pictures */

typedef struct {
  int64_t colours, alphas; /* pictures that had them */
} counts_t;

/* Grey as ITU-R 601 weighs red, green and blue. */
static double grey(const double *pixel, int64_t channels) {
  return channels < 3 ? pixel[0] : 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

static void put_picture(const picture_t *p, io_array *out, int64_t i) {
  int64_t pixels = p->height * p->width;
  for (int64_t k = 0; k < pixels; k++) {
    double value = grey(p->value + k * p->channels, p->channels);
    if (out->type == IO_SINGLE)
      ((float *)out->data)[i * pixels + k] = (float)value;
    else
      ((double *)out->data)[i * pixels + k] = value;
  }
}

static int check_alike(const char *path, const picture_t *p, const char *first_path, const picture_t *first,
                       lavdm_error *error) {
  if (p->height != first->height || p->width != first->width)
    return io_fail(error, LAVDM_ERROR_DATA, path,
                   "has %" PRId64 " x %" PRId64 " pixels (height x width), and %.150s has %" PRId64
                   " x %" PRId64 ": pictures of a stack are of one size",
                   p->height, p->width, first_path, first->height, first->width);
  if (p->bits != first->bits)
    return io_fail(error, LAVDM_ERROR_DATA, path,
                   "has %d bits a pixel, and %.150s has %d: their scales differ (0 stands for real numbers)",
                   p->bits, first_path, first->bits);
  return LAVDM_OK;
}

static int read_one(const name_list *names, int64_t i, picture_t *first, counts_t *counts, io_array *out,
                    lavdm_error *error) {
  picture_t p;
  int64_t pages;
  int status = picture_read_pages(names->path[i], &p, &pages, error);
  if (status < 0) return status;
  if (pages > 1)
    status =
        io_fail(error, LAVDM_ERROR_DATA, names->path[i],
                "has %lld pages; of a folder or list each file holds one picture, and a file of pages is a "
                "stack by itself",
                (long long)pages);
  if (status >= 0 && i == 0) {
    bool single = p.bits || p.single;
    *first = p;
    first->value = NULL;
    array_describe(out, NULL, single ? IO_SINGLE : IO_REAL, 3, (int64_t[]){names->count, p.height, p.width});
    status = array_allocate(out, names->path[i], 0, error);
  }
  if (status >= 0) status = check_alike(names->path[i], &p, names->path[0], first, error);
  if (status >= 0) put_picture(&p, out, i);
  counts->colours += p.channels > 2;
  counts->alphas += p.channels % 2 == 0;
  picture_free(&p);
  return status;
}

int pictures_read(const char *const *operand, int operands, io_array *out, char **ids, lavdm_error *error) {
  name_list names = {0};
  picture_t first = {0};
  counts_t counts = {0};
  *ids = NULL;
  int status = operands == 1 ? list_folder(&names, operand[0], error)
                             : list_operands(&names, operand, operands, error);
  if (status >= 0) qsort(names.path, (size_t)names.count, sizeof *names.path, natural);
  for (int64_t i = 0; i < names.count && status >= 0; i++) {
    if (i % 64 == 0) progress_enter(PHASE_READ, "reading", names.path[i]);
    status = read_one(&names, i, &first, &counts, out, error);
  }
  if (status >= 0 && !(*ids = join_names(&names)))
    status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the names of pictures");
  if (status < 0) {
    io_array_free(out);
  } else {
    io_note(operand[0], "%lld pictures of %lld x %lld pixels, in the order of their names",
            (long long)names.count, (long long)first.height, (long long)first.width);
    if (counts.colours)
      io_note(operand[0], "the colours of %lld pictures became grey", (long long)counts.colours);
    if (counts.alphas)
      io_note(operand[0], "the alpha channel of %lld pictures is left out", (long long)counts.alphas);
  }
  names_free(&names);
  return status;
}
