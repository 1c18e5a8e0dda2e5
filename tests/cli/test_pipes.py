"""- as the standard input and output: .npy and text."""
import io
import os
import subprocess
import unittest

import numpy as np

from support import PROGRAM, Case, circle


class Pipes(Case):
    def piped(self, data, *words, code=0):
        run = subprocess.run([PROGRAM, *map(str, words)], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             cwd=self.folder, timeout=600)
        self.assertNotRegex(run.stderr.decode(), "Sanitizer|runtime error")
        self.assertEqual(run.returncode, code, run.stderr.decode())
        return run

    def npy(self, array):
        out = io.BytesIO()
        np.save(out, array)
        return out.getvalue()

    def csv(self, array):
        out = io.StringIO()
        np.savetxt(out, array, delimiter=",", fmt="%r")
        return out.getvalue().encode()

    def test_endless(self):
        """What cannot be used is not kept until the disk is full."""
        with subprocess.Popen([PROGRAM, "embed", "-", "-o", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder) as run:
            with self.assertRaises(BrokenPipeError):
                for _ in range(256):
                    run.stdin.write(bytes(1 << 20))
            run.stdin = None
            self.assertIn(b"neither .npy nor text", run.communicate()[1])
            self.assertEqual(run.returncode, 1)

    def test_embed(self):
        """Either form comes in and goes out; all else is on stderr."""
        points = circle(120)
        self.save("c.npy", points)
        options = ["--method", "dm", "--components", 3]
        self.done("embed", "c.npy", *options, "-o", "want.npy")
        want = np.load(self.path("want.npy"))
        for data in (self.npy(points), self.csv(points), b"x,y\n" + self.csv(points)):
            run = self.piped(data, "embed", "-", *options, "-o", "-")
            np.testing.assert_array_equal(np.loadtxt(io.BytesIO(run.stdout), delimiter=",", skiprows=1)[:, 1:], want[:, 0])
            self.assertIn(b"120 points with 2 coordinates (standard input)", run.stderr)
            run = self.piped(data, "embed", "-", *options, "-o", "-", "--format", "npy", "-q")
            np.testing.assert_array_equal(np.load(io.BytesIO(run.stdout)), want)
            self.assertEqual(run.stderr, b"")
            run = self.piped(data, "embed", "-", *options, "-o", "x.npy", "-q")
            np.testing.assert_array_equal(np.load(self.path("x.npy")), want)

    def test_chain(self):
        """sample | embed, extend and distance."""
        sample = self.piped(b"", "sample", "klein", "-n", 300, "-o", "-", "-q").stdout
        points = self.piped(b"", "sample", "klein", "-n", 300, "-o", "-", "--format", "npy", "-q").stdout
        np.testing.assert_array_equal(np.loadtxt(io.BytesIO(sample), delimiter=","), np.load(io.BytesIO(points)))
        self.piped(sample, "embed", "-", "--method", "dm", "-o", "m.h5", "-q")
        run = self.piped(points, "extend", "m.h5", "-", "-o", "-", "-q")
        self.assertEqual(np.loadtxt(io.BytesIO(run.stdout), delimiter=",", skiprows=1).shape[0], 300)
        run = self.piped(b"", "distance", "m.h5", "--from", "0,5", "-k", 4, "-o", "-", "-q")
        self.assertEqual(np.loadtxt(io.BytesIO(run.stdout), delimiter=",").shape, (8, 4))
        run = self.piped(points, "info", "-")
        self.assertIn(b"300 x 4", run.stdout)

    def test_refused(self):
        points = circle(50)
        self.save("c.npy", points)
        for data, words, says in (
                (b"", [], "standard input: is empty"), (b"hello\nyou\n", [], "standard input"),
                (b"\x1f\x8b 123", [], "gunzip"), (b"PK\x03\x04 123", [], "neither .npy nor text"), (b"a\0b", [], "neither .npy nor text"),
                (self.npy(points)[:-8], [], "standard input"), (self.csv(points), ["--format", "npy"], "is no .npy array"),
                (self.npy(points), ["--format", "csv"], "is an .npy array"), (self.csv(points), ["--format", "xml"], "csv or npy"),
                (self.csv(points), ["-o", "-"], "both go to the standard output"), (b"1,2\n3\n", [], "standard input: line 2")):
            run = self.piped(data, "embed", "-", "--json", *words, code=1)
            self.assertIn(says, run.stderr.decode())
            self.assertEqual(run.stdout, b"")
        self.refused(1, "embed", "c.npy", "--format", "csv", "--json", says="--format is for -")
        self.refused(1, "orient", "c.npy", "-o", "-", says="give -o FILE")
        self.refused(1, "sample", "klein", "-n", 9, "--frames", "-o", "-", says="--frames and --parameters need a file")
        self.refused(1, "sample", "graph", "-n", 9, "-o", "-", says="give -o FILE")
        self.refused(1, "embed", "c.npy", "-o", "-", "--ambient", says="--ambient needs a file")

    def test_broken_pipe(self):
        """A reader that has seen enough ends the writer in silence, or with a sentence where the signal is ignored."""
        for ignored, code in ((False, -13), (True, 2)):
            words = f"trap '' PIPE; exec {PROGRAM}" if ignored else f"exec {PROGRAM}"
            run = subprocess.Popen(["sh", "-c", words + " sample klein -n 200000 -q -o -"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.folder)
            self.assertTrue(run.stdout.readline())
            run.stdout.close()
            told = run.stderr.read().decode()
            self.assertEqual(run.wait(timeout=600), code, told)
            self.assertEqual(told, "lavdm: error: standard output: could not be written: Broken pipe\n" if ignored else "")
            run.stderr.close()

    def test_full(self):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([PROGRAM, "sample", "klein", "-n", "9", "-q", "-o", "-"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"standard output: could not be written", run.stderr)

    def test_no_room(self):
        """Without a folder for what comes in."""
        run = subprocess.run([PROGRAM, "embed", "-", "--json"], input=b"1 2\n", stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                             env=dict(os.environ, TMPDIR="/nowhere"))
        self.assertIn(b"standard input: cannot be kept", run.stderr)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
