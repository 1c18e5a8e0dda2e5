"""What the tests of the command share: a folder of their own, and the program."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np

# Programs started here shall be interruptible also where the shell ignores it, in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

PROGRAM = os.path.abspath(os.environ.get("LAVDM", "build/lavdm"))
ROOT = os.environ.get("LAVDM_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def sanitized():
    """Whether the program was built to watch itself, and is slow."""
    with open(PROGRAM, "rb") as file:
        return b"__asan_init" in file.read()


def caught(run, number):
    """Waits until a process that was started catches a signal, or has ended."""
    while run.poll() is None:
        with open(f"/proc/{run.pid}/status") as file:
            mask = next(line.split()[1] for line in file if line.startswith("SigCgt"))
        if int(mask, 16) >> (number - 1) & 1:
            return
        time.sleep(0.01)


class Case(unittest.TestCase):
    """Each test runs in a folder of its own, and must leave in it what it says and no more."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lavdm-test-")
        self.folder = self._folder.name
        self.addCleanup(self._folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def files(self):
        found = []
        for base, _, names in os.walk(self.folder):
            found += [os.path.relpath(os.path.join(base, name), self.folder) for name in names]
        return sorted(found)

    def save(self, name, array):
        np.save(self.path(name), array)
        return name

    def text(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return name

    def data(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def run_lavdm(self, *words, **more):
        more.setdefault("timeout", 600)
        more.setdefault("cwd", self.folder)
        run = subprocess.run([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, **more)
        # a sanitizer exits with 1 as well, and would pass for a refusal
        self.assertNotRegex(run.stderr, "Sanitizer|runtime error", f"{words}")
        return run

    def done(self, *words, **more):
        """Runs, expects exit code 0, returns the process."""
        run = self.run_lavdm(*words, **more)
        self.assertEqual(run.returncode, 0, f"{words}: {run.stderr}")
        return run

    def json(self, *words, **more):
        """Runs with --json, returns the object; stdout must hold nothing else."""
        run = self.done(words[0], "--json", *words[1:], **more)
        return json.loads(run.stdout, parse_constant=lambda name: self.fail(f"{name} in JSON"))

    def refused(self, code, *words, says=(), **more):
        """Runs, expects this exit code, one sentence with these pieces, and no new file."""
        before = self.files()
        run = self.run_lavdm(*words, **more)
        self.assertEqual(run.returncode, code, f"{words}: {run.stdout}{run.stderr}")
        self.assertEqual(run.stdout, "")
        # an estimate, and what was recognised, may come before it
        self.assertRegex(run.stderr, r"\A(  (memory|table|note)  .*\n|lavdm: warning: .*\n)*lavdm: error: ")
        for piece in [says] if isinstance(says, str) else says:
            self.assertIn(piece, run.stderr)
        self.assertEqual(self.files(), before, "a file was left behind")
        return run


def circle(n=200, noise=0.0, seed=0):
    """Points of the unit circle."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * (np.arange(n) + 0.5) / n
    return np.c_[np.cos(angle), np.sin(angle)] + noise * rng.standard_normal((n, 2))


def sphere(n=400, seed=0):
    """Points of the unit sphere in space."""
    x = np.random.default_rng(seed).standard_normal((n, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def main():
    unittest.main(verbosity=1)
