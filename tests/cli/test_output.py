"""Where the result goes: refused before the work, or whole, or not at all."""
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

from support import PROGRAM, Case, circle, sphere


class Refused(Case):
    def setUp(self):
        super().setUp()
        self.save("x.npy", sphere(100))

    def test_unknown_extension(self):
        for name in ("out", "out.txt", "out.pdf"):
            self.refused(1, "embed", "x.npy", "-o", name, says=[name, ".npz"])
        for name in ("out", "out.txt", "out.pdf", "out.npy", "out.csv"):
            self.refused(1, "orient", "x.npy", "-o", name, says=[name, ".npz"])

    def test_no_such_folder(self):
        self.refused(2, "embed", "x.npy", "-o", "nowhere/out.npz", says=["nowhere/out.npz", "No such file or directory"])
        self.refused(2, "orient", "x.npy", "-o", "nowhere/out.npz", says="nowhere/out.npz")

    def test_a_folder(self):
        os.mkdir(self.path("out.npz"))
        self.refused(2, "embed", "x.npy", "-o", "out.npz", says=["out.npz", "folder"])

    def test_not_allowed(self):
        os.mkdir(self.path("locked"))
        os.chmod(self.path("locked"), 0o555)
        try:
            with open(self.path("locked/probe"), "w"):
                pass
            os.remove(self.path("locked/probe"))
            locked = "/proc/lavdm-out.npz"  # the superuser may write everywhere but here
        except PermissionError:
            locked = "locked/out.npz"
        self.refused(2, "embed", "x.npy", "-o", locked, says=locked)

    def test_before_the_work(self):
        self.save("big.npy", np.random.default_rng(0).standard_normal((200000, 20)))
        run = self.refused(2, "embed", "big.npy", "-o", "nowhere/out.npz", "--method", "vdm", says="nowhere")
        self.assertNotIn("memory", run.stderr)  # it is estimated when the work begins

    def test_the_input_is_never_overwritten(self):
        np.savez(self.path("x.npz"), x=sphere(100))
        self.refused(1, "embed", "x.npz", "-o", "x.npz", says=["x.npz", "overwrite"])
        self.refused(1, "embed", "x.npz:x", "-o", "./x.npz", says=["x.npz", "overwrite"])
        self.refused(1, "orient", "x.npz:x", "-o", "./x.npz", says=["x.npz", "overwrite"])
        with np.load(self.path("x.npz")) as file:
            self.assertEqual(file["x"].shape, (100, 3))


class FullDisk(Case):
    def test_file_size_limit(self):
        self.save("x.npy", sphere(400))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        for name in ("out.npz", "out.h5", "out.mat", "out.npy"):
            with self.subTest(name):
                self.text(name, "kept")
                self.refused(2, "embed", "x.npy", "-o", name, "--components", "8", "--landmarks", "40", preexec_fn=limit,
                             says=[name, "could not be written"])
                with open(self.path(name)) as file:
                    self.assertEqual(file.read(), "kept")

    def test_full_file_system(self):
        self.save("x.npy", sphere(400))
        script = ("mkdir small && mount -t tmpfs -o size=64k none small || exit 77; "
                  f"for o in out.npz out.h5 out.mat; do {PROGRAM} embed x.npy -o small/$o --components 12 --landmarks 40; "
                  "echo code $?; done; ls -A small")
        if not shutil.which("unshare"):
            self.skipTest("no unshare")
        run = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=self.folder, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=600)
        if run.returncode == 77 or "unshare" in run.stderr:
            self.skipTest("no small file system may be mounted here")
        self.assertEqual(run.stdout.split("\n"), ["code 2", "code 2", "code 2", ""], run.stderr)
        self.assertEqual(run.stderr.count("could not be written"), 3, run.stderr)

    def test_standard_output_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.save("x.npy", circle(60))
        with open("/dev/full", "w") as full:
            run = subprocess.run([PROGRAM, "embed", "x.npy", "--json", "--components", "3"], stdout=full, cwd=self.folder,
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("standard output", run.stderr)


class Picture(Case):
    """gnuplot draws, and does not always say that it failed."""

    def setUp(self):
        super().setUp()
        self.save("x.npy", circle(60))
        self.done("embed", "x.npy", "-qo", "x.npz", "--method", "dm", "--components", 3)
        self.data("out.png", b"old")

    def gnuplot(self, script):
        """The environment in which gnuplot is this, once it has told its version."""
        os.makedirs(self.path("bin"), exist_ok=True)
        self.text("bin/gnuplot", f"#!/bin/sh\n[ \"$1\" != --version ] || exit 0\n{script}\n")
        os.chmod(self.path("bin/gnuplot"), 0o755)
        return {**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def test_cut_short(self):
        self.done("plot", "x.npz", "-o", "whole.png")
        for script in ("head -c 5000 whole.png", "exit 0", "cat whole.png; exit 1", "cat whole.png; kill $$",
                       "cat whole.png; echo more"):
            self.refused(2, "plot", "x.npz", "-o", "out.png", env=self.gnuplot(script), says=["out.png", "gnuplot"])
            with open(self.path("out.png"), "rb") as file:
                self.assertEqual(file.read(), b"old", script)
        self.done("plot", "x.npz", "-o", "out.png", env=self.gnuplot("cat whole.png"))
        with open(self.path("out.png"), "rb") as file, open(self.path("whole.png"), "rb") as whole:
            self.assertEqual(file.read(), whole.read())

    def test_any_name(self):
        for name in ("it's.png", "two\nlines.svg", "$(touch x).svg"):
            self.done("plot", "x.npz", "-qo", name)
            self.assertIn(name, self.files())

    def test_interrupted(self):
        run = subprocess.Popen([PROGRAM, "plot", "x.npz", "-o", "out.png"], cwd=self.folder, stderr=subprocess.PIPE,
                               env=self.gnuplot("echo begun > begun; exec sleep 1000"), text=True,
                               start_new_session=True)
        self.addCleanup(run.stderr.close)
        while run.poll() is None and not os.path.exists(self.path("begun")):
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGINT)
        self.assertEqual((run.wait(600), run.stderr.read()), (3, "lavdm: interrupted\n"))
        self.assertEqual(self.files(), ["begun", "bin/gnuplot", "out.png", "x.npy", "x.npz"])


if __name__ == "__main__":
    unittest.main()
