"""A file that is cut short while the command reads it, before each of its system calls on it: the result, or one
sentence that names the file; never a signal."""
import os
import subprocess
import unittest

import numpy as np

from support import PROGRAM, Case, sphere

# Cuts the file CUT before call number AT of those that read or close it.
CUTTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void look(int fd) {
  static int calls;
  const char *path = getenv("CUT"), *at = getenv("AT");
  struct stat own, cut;
  if (!path || !at || fstat(fd, &own) || stat(path, &cut) || own.st_ino != cut.st_ino) return;
  if (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) == atoi(at)) truncate(path, 100);
}

ssize_t read(int fd, void *buffer, size_t bytes) {
  look(fd);
  return ((ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read"))(fd, buffer, bytes);
}

ssize_t pread(int fd, void *buffer, size_t bytes, off_t at) {
  look(fd);
  return ((ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread"))(fd, buffer, bytes, at);
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off_t at) {
  look(fd);
  return ((ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64"))(fd, buffer, bytes, at);
}

int close(int fd) {
  look(fd);
  return ((int (*)(int))dlsym(RTLD_NEXT, "close"))(fd);
}
"""


class CutShort(Case):
    def setUp(self):
        super().setUp()
        self.text("cutter.c", CUTTER)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-w", "-o", self.path("cutter.so"), self.path("cutter.c"), "-ldl"],
                       check=True)
        self.save("x.npy", sphere(400))
        self.save("new.npy", sphere(50))

    def cut_everywhere(self, name, *words):
        """Cuts `name` at one call after the other, later ones further apart, until there are no more; which was too many."""
        with open(self.path(name), "rb") as file:
            whole = file.read()
        before = self.files()
        at = 0
        while True:
            self.data(name, whole)
            environment = dict(os.environ, LD_PRELOAD=self.path("cutter.so"), CUT=self.path(name), AT=str(at),
                               ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
            run = subprocess.run([PROGRAM, *words], cwd=self.folder, env=environment, capture_output=True, text=True)
            cut = os.path.getsize(self.path(name)) < len(whole)
            with self.subTest((words[0], name, at)):
                self.assertIn(run.returncode, (0, 1, 2), run.stderr)
                if run.returncode:
                    self.assertIn(name, run.stderr)
                    self.assertEqual(self.files(), before)
            if os.path.exists(self.path("out.npz")):
                os.remove(self.path("out.npz"))
            if not cut:
                self.assertEqual(run.returncode, 0, run.stderr)
                return at
            at += 1 + at // 6

    def test_models(self):
        self.done("embed", "x.npy", "-o", "m.h5", "--quiet", "--dim", "2", "--landmarks", "60", "--threads", "1")
        for words in (("extend", "m.h5", "new.npy", "-o", "out.npz", "--quiet"), ("info", "m.h5"),
                      ("distance", "m.h5", "--from", "1", "-k", "3")):
            self.assertGreater(self.cut_everywhere("m.h5", *words), 1)

    def test_points(self):
        words = ("embed", "x.npy", "-o", "out.npz", "--quiet", "--dim", "2", "--landmarks", "60", "--threads", "1")
        self.assertGreater(self.cut_everywhere("x.npy", *words), 1)
        self.assertGreater(self.cut_everywhere("x.npy", *words, "--stream", "yes"), 5)

    def test_new_points(self):
        self.done("embed", "x.npy", "-o", "m.h5", "--quiet", "--dim", "2", "--landmarks", "60", "--threads", "1")
        for stream in ("no", "yes"):
            self.assertGreater(self.cut_everywhere("new.npy", "extend", "m.h5", "new.npy", "-o", "out.npz", "--quiet",
                                                   "--stream", stream), 1)


if __name__ == "__main__":
    unittest.main()
