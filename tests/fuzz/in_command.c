/*
 * The command as a function: standard output and error are files in memory, the
 * working folder is one of TMPDIR.
 */
#define _GNU_SOURCE
#include "in_command.h"
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int command_main(int argc, char **argv);
enum { PRINTED = 1 << 16, WORDS = 16 };

static FILE *out_before, *error_before, *out_now, *error_now;
static char out_text[PRINTED], error_text[PRINTED];

static FILE *stream_in_memory(const char *name) {
  int fd = memfd_create(name, MFD_CLOEXEC);
  FILE *stream = fd >= 0 ? fdopen(fd, "w+") : NULL;
  PROMISE(stream, "a stream can be made");
  return stream;
}

static void empty(FILE *stream) {
  fflush(stream);
  clearerr(stream);
  rewind(stream);
  PROMISE(ftruncate(fileno(stream), 0) == 0, "a stream can be emptied");
}

static void take(FILE *stream, char text[PRINTED]) {
  fflush(stream);
  ssize_t got = pread(fileno(stream), text, PRINTED - 1, 0);
  text[got > 0 ? got : 0] = 0;
}

static void put_file(const char *name, const void *data, size_t size) {
  FILE *file = fopen(name, "wb");
  PROMISE(file && fwrite(data, 1, size, file) == size && !fclose(file), "a file can be made");
}

static void make(const char *line) {
  char text[256], *words[WORDS], *rest = NULL;
  int count = 0;
  snprintf(text, sizeof text, "%s", line);
  for (char *word = strtok_r(text, " ", &rest); word && count < WORDS - 1; word = strtok_r(NULL, " ", &rest))
    words[count++] = word;
  words[count] = NULL;
  if (command_main(count, words)) {
    take(stderr, error_text);
    fuzz_broken(error_text);
  }
}

static void make_files(void) {
  static const char edges[] = "0 1 1 -1\n1 2 1 1\n2 3 2 1\n3 0 1 -1\n",
                    poses[] = "EDGE_SE2 0 1 1 0 0.5 1 0 0 1 0 4\nEDGE_SE2 1 2 1 0 -0.5 1 0 0 1 0 4\n";
  static const char *const lines[] = {
      "lavdm sample sphere -n 24 --frames -o x.npz",
      "lavdm sample sphere -n 24 -o x.npy",
      "lavdm sample circle -n 9 -o x.csv",
      "lavdm sample circle -n 9 -o x.mat",
      "lavdm sample circle -n 9 --frames -o x.h5",
      "lavdm embed x.npy --dim 2 --landmarks 6 --components 3 -o m.h5",
      "lavdm embed x.npy --dim 2 --landmarks 6 --components 3 --compact -o c.h5"};
  unsigned char image[4 * 1024] = {0};
  char grey[16 + 144] = "P5 12 12 255\n";
  size_t head = strlen(grey);
  for (int i = 0; i < 144; i++) grey[head + (size_t)i] = (char)(i * 37 % 251);
  put_file("i.pgm", grey, head + 144);
  put_file("e.csv", edges, sizeof edges - 1);
  put_file("e.g2o", poses, sizeof poses - 1);
  for (int i = 0; i < 4; i++)
    image[4 * i] = (unsigned char)(i < 2 ? 6 : i == 2 ? 12 : 0); /* 12 bytes images of 6 x 6 */
  memcpy(image + 208, "MAP DD\0", 8);
  for (int i = 0; i < 12 * 36; i++) image[1024 + i] = (unsigned char)(i * i % 83);
  put_file("s.mrc", image, 1024 + 12 * 36);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) make(lines[i]);
  make("lavdm denoise i.pgm --method nlm -o i.png");
  make("lavdm denoise i.pgm --method nlm -o i.tif");
}

static const char *const names[] = {"x.npy", "x.csv", "x.npz", "x.mat", "x.h5",  "e.csv", "e.g2o",
                                    "m.h5",  "c.h5",  "i.pgm", "i.png", "i.tif", "s.mrc"};

enum { NAMES = sizeof names / sizeof *names };

static struct stat made[NAMES];

static bool ours(const char *name) {
  for (int i = 0; i < NAMES; i++)
    if (!strcmp(names[i], name)) return true;
  return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Whether every file is as it was made. */
static bool untouched(void) {
  for (int i = 0; i < NAMES; i++) {
    struct stat now;
    if (stat(names[i], &now) || now.st_ino != made[i].st_ino || now.st_size != made[i].st_size ||
        now.st_mtim.tv_nsec != made[i].st_mtim.tv_nsec)
      return false;
  }
  return true;
}

/* Removes what a run left, or at the end everything. */
static void clean(bool all) {
  DIR *folder = opendir(".");
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if ((all && entry->d_name[0] != '.') || !ours(entry->d_name)) remove(entry->d_name);
  if (folder) closedir(folder);
}

static char folder_name[300];
static int folder_before;

static void leave(void) {
  if (chdir(folder_name)) return;
  clean(true);
  if (!fchdir(folder_before)) rmdir(folder_name);
}

static void start(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder_name, sizeof folder_name, "%s/lavdm-fuzz-XXXXXX", base && *base ? base : "/tmp");
  folder_before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  PROMISE(folder_before >= 0 && mkdtemp(folder_name), "a folder can be made");
  atexit(leave);
  out_now = stream_in_memory("out");
  error_now = stream_in_memory("error");
}

void command_begin(void) {
  if (!out_now) start();
  PROMISE(!chdir(folder_name), "the folder is there");
  isolate_inside = true;
  out_before = stdout, error_before = stderr;
  stdout = out_now, stderr = error_now;
  if (!untouched()) {
    clean(true);
    make_files();
    for (int i = 0; i < NAMES; i++) PROMISE(!stat(names[i], &made[i]), "a file was made");
  }
  empty(out_now);
  empty(error_now);
}

const char *command_end(const char **said) {
  take(out_now, out_text);
  take(error_now, error_text);
  stdout = out_before, stderr = error_before;
  clean(false);
  PROMISE(!fchdir(folder_before), "there is a way back");
  *said = error_text;
  return out_text;
}
