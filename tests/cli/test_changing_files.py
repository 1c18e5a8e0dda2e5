"""Files that are changed while they are read: nothing is written of them."""
import os
import signal
import struct
import subprocess
import time
import unittest

import numpy as np

from support import PROGRAM, Case


class Changed(Case):
    """In place, or by another file, between the first rows and the result."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        self.save("x.npy", rng.standard_normal((15000, 3)))
        self.old = os.stat(self.path("x.npy"))

    def stopped(self, name, *words):
        """Starts, and stops once the header of the file has been read, which is when its time of change is known.
        A run that was over before it was seen is started again."""
        for _ in range(20):
            run = self.stopped_once(name, *words)
            if run:
                return run
            for left in set(self.files()) - {"x.npy", "model.h5"}:
                os.unlink(self.path(left))
        self.fail(f"{name} was not left in its file")

    def stopped_once(self, name, *words):
        run = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               cwd=self.folder, text=True)
        folder = f"/proc/{run.pid}"
        while run.poll() is None:
            try:
                for fd in os.listdir(folder + "/fd"):
                    if os.readlink(f"{folder}/fd/{fd}") == os.path.realpath(self.path(name)):
                        with open(f"{folder}/fdinfo/{fd}") as file:
                            if int(file.readline().split()[1]) > 0:
                                run.send_signal(signal.SIGSTOP)
                                return run
            except OSError:
                pass
            time.sleep(0.001)
        run.communicate()
        return None

    def goes_on(self, run):
        run.send_signal(signal.SIGCONT)
        out, err = run.communicate(timeout=600)
        return run.returncode, out, err

    def write_inside(self, name):
        with open(self.path(name), "r+b") as file:
            file.seek(5000)
            file.write(struct.pack("d", 0.25))

    def grow(self, name):
        with open(self.path(name), "ab") as file:
            file.write(b"x")

    def replace(self, name):
        with open(self.path(name), "rb") as file:
            data = file.read()
        self.data("new", data)
        os.rename(self.path("new"), self.path(name))

    EMBED = "embed", "x.npy", "-o", "out.npz", "--stream", "yes", "--landmarks", "60", "--components", "3"

    def test_embed(self):
        for change in (self.write_inside, self.grow, self.replace):
            with self.subTest(change.__name__):
                run = self.stopped("x.npy", *self.EMBED)
                change("x.npy")
                code, out, err = self.goes_on(run)
                self.assertEqual((code, out), (1, ""), err)
                self.assertIn("x.npy: was ", err)
                self.assertIn("while it was read", err)
                self.assertEqual(self.files(), ["x.npy"])
                os.truncate(self.path("x.npy"), self.old.st_size)

    def test_left_alone_or_removed(self):
        for change in (lambda: None, lambda: os.unlink(self.path("x.npy"))):
            run = self.stopped("x.npy", *self.EMBED)
            change()
            code, _, err = self.goes_on(run)
            self.assertEqual(code, 0, err)

    def test_extend(self):
        self.done("embed", "x.npy", "-qo", "model.h5", "--landmarks", "60", "--components", "3")
        words = "extend", "model.h5", "x.npy", "-o", "out.npz", "--stream", "yes"
        for name, change in (("x.npy", self.write_inside), ("model.h5", self.replace),
                             ("model.h5", lambda name: os.utime(self.path(name)))):
            with self.subTest(name):
                run = self.stopped("x.npy", *words)
                change(name)
                code, _, err = self.goes_on(run)
                self.assertEqual(code, 1, err)
                self.assertIn(f"{name}: was ", err)
                self.assertEqual(self.files(), ["model.h5", "x.npy"])


if __name__ == "__main__":
    unittest.main()
