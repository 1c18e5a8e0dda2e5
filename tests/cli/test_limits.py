"""Limits of the process (ulimit): every command ends by itself, with a result or with one sentence and its code."""
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np

from support import PROGRAM, Case, caught, main, sanitized, sphere

MB = 1 << 20
NOBODY = 65534


def limits(**chosen):
    """What is to be done in the process before the program: limits by the names of the module resource."""
    def apply():
        for name, value in chosen.items():
            kind = getattr(resource, "RLIMIT_" + name.upper())
            resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))
        if "nproc" in chosen and os.getuid() == 0:  # no limit of processes holds for root
            os.setgid(NOBODY), os.setuid(NOBODY)
    return apply


@unittest.skipIf(sanitized(), "the sanitizers' own memory is beyond any limit")
class Limits(Case):
    commands = [
        ("sample", "klein", "-n", "3000", "-o", "points.npy"),
        ("embed", "x.npy", "-o", "out.npz"),
        ("embed", "x.npy", "-o", "out.h5", "--method", "vdm", "--precision", "single", "--threads", "4"),
        ("orient", "x.npy"),
        ("sync", "graph.csv", "--group", "so2", "-o", "out.npz"),
        ("average", "images.npy", "-o", "out.npy"),
        ("denoise", "picture.npy", "-o", "out.npy"),
        ("extend", "model.h5", "new.npy", "-o", "out.npz"),
        ("distance", "model.h5", "--from", "0,1", "-k", "3", "-o", "out.npz"),
        ("info", "model.h5"),
        ("plot", "model.h5", "-o", "out.png"),
        ("options",),
        ("help", "embed"),
    ]

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(prefix="lavdm-test-")
        cls.addClassCleanup(cls.made.cleanup)
        for name, array in (("x", sphere(300)), ("new", sphere(20, seed=1)),
                            ("picture", np.random.default_rng(0).random((40, 40)))):
            np.save(os.path.join(cls.made.name, name + ".npy"), array)
        for words in (("sample", "projections", "-n", "60", "--size", "16", "-o", "images.npy"),
                      ("sample", "graph", "-n", "60", "--group", "so2", "-o", "graph.csv"),
                      ("embed", "x.npy", "-o", "model.h5", "--quiet")):
            subprocess.run([PROGRAM, *words], cwd=cls.made.name, check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)

    def setUp(self):
        super().setUp()
        shutil.copytree(self.made.name, self.folder, dirs_exist_ok=True)
        self.usual = set(self.files())

    def end(self, words, program=PROGRAM, codes=(0, 2), **chosen):
        """Runs under limits; returns the code. A minute is a hundred times what it takes."""
        environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
        run = subprocess.run([program, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                             preexec_fn=limits(**chosen))
        said = f"{words} {chosen}: {run.returncode} {run.stdout[-300:]} {run.stderr}"
        self.assertIn(run.returncode, codes, said)
        errors = [line for line in run.stderr.splitlines() if line.startswith("lavdm: error: ")]
        self.assertEqual(len(errors), 1 if run.returncode else 0, said)
        self.assertNotIn("libgomp", run.stderr)
        self.assertNotIn("OpenBLAS", run.stderr)
        left = set(self.files()) - self.usual
        for name in left:
            os.remove(self.path(name))
        self.assertFalse(left and run.returncode, f"{said} left {left}")
        return run.returncode, run.stderr

    def test_address_space(self):
        done = {}
        for words in self.commands:
            for size in (150, 250, 350, 800, 2000):
                code, said = self.end(words, **{"as": size * MB})
                done.setdefault(size, []).append(code)
        self.assertEqual(done[2000], [0] * len(self.commands))
        self.assertIn(2, done[150])

    def test_what_is_missing_is_said(self):
        code, said = self.end(self.commands[1], **{"as": 200 * MB})
        self.assertEqual(code, 2)
        self.assertRegex(said, r"BLAS needs 16\d MB of address space and the limit of this process leaves \d+ MB")

    def test_fewer_threads(self):
        for size, threads in ((400, 1), (2000, 2)):
            run = self.done("embed", "x.npy", "--json", env={**os.environ, "OMP_NUM_THREADS": "2"},
                            preexec_fn=limits(**{"as": size * MB}))
            self.assertIn(f'"threads": {threads},', run.stdout)

    def test_data(self):
        for words in self.commands:
            for size in (30, 200, 1000):
                self.end(words, data=size * MB)

    def test_stack(self):
        for words in self.commands:
            for size in (64, 200):
                code, said = self.end(words, stack=size << 10)
                self.assertEqual(code, 2)
                self.assertIn(f"the stack may have {size} kB and 256 kB are needed", said)
            self.assertEqual(self.end(words, stack=256 << 10)[0], 0)

    def test_processes(self):
        # the program from a folder that anybody can read
        program = shutil.copy(PROGRAM, self.path("lavdm"))
        self.usual.add("lavdm")
        os.chmod(self.folder, 0o777)
        for words in self.commands:
            self.end(words, program=program, nproc=1)

    def test_files(self):
        for words in self.commands:
            for count in (4, 6, 16):
                self.end(words, codes=(0, 1, 2), nofile=count)

    def test_file_size(self):
        for words in self.commands:
            for size in (0, 100, 5000):
                self.end(words, fsize=size)

    def long(self, points, **chosen):
        self.save("large.npy", sphere(points))
        self.usual.add("large.npy")
        return subprocess.Popen([PROGRAM, "embed", "large.npy", "-o", "out.npz", "--quiet"], cwd=self.folder,
                                stderr=subprocess.PIPE, text=True, preexec_fn=limits(**chosen))

    def test_processor_time(self):
        run = self.long(1000000, cpu=1)
        said = run.communicate(timeout=300)[1]
        self.assertEqual((run.returncode, said), (3, "lavdm: interrupted\n"))
        self.assertEqual(set(self.files()), self.usual)

    def test_terminated_at_any_time(self):
        for size in (150, 400, 2000):
            for wait in (0, 0.1, 0.3, 1):
                run = self.long(200000, **{"as": size * MB})
                caught(run, signal.SIGTERM)
                time.sleep(wait)
                run.send_signal(signal.SIGTERM)
                run.communicate(timeout=300)
                self.assertIn(run.returncode, (0, 2, 3))
                left = set(self.files())
                self.assertEqual(left - {"out.npz"} if run.returncode == 0 else left, self.usual)
                if "out.npz" in left:
                    os.remove(os.path.join(self.folder, "out.npz"))


if __name__ == "__main__":
    main()
