"""Where the result goes: refused before the work, or whole, or not at all."""
import os
import resource
import shutil
import subprocess
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


if __name__ == "__main__":
    unittest.main()
