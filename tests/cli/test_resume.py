"""Runs that are killed at any moment and taken up again: the result is that of a run left alone."""
import os
import random
import signal
import subprocess
import time
import unittest

import numpy as np

from support import PROGRAM, Case, sanitized, sphere

STAGES = ["landmarks", "frames", "degrees", "operator", "spectrum", "eigenvectors"]
# facts of the run rather than of the result
OF_THE_RUN = {"seconds", "timings", "command", "peak_memory_bytes", "resumed", "input", "output", "memory_needed", "streamed"}

SLOW = sanitized()


class Checkpoint(Case):
    def points(self, n):
        return self.save("points.npy", sphere(n // 8 if SLOW else n, seed=1))

    def start(self, *words):
        run = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def arrays(self, name):
        with np.load(self.path(name)) as file:
            return {key: file[key] for key in file.files if key not in OF_THE_RUN}

    def same(self, name, reference):
        found = self.arrays(name)
        self.assertEqual(sorted(found), sorted(reference))
        for key, value in reference.items():
            self.assertEqual(found[key].dtype, value.dtype, key)
            self.assertEqual(found[key].shape, value.shape, key)
            self.assertEqual(found[key].tobytes(), value.tobytes(), key)

    def one_try_left(self):
        """Of every target, the remains of one killed process at most."""
        tries = {tuple(name.split("-")[1:3]) for name in self.files() if name.startswith(".lavdm-")}
        targets = [target for target, _ in tries]
        self.assertEqual(len(targets), len(set(targets)), tries)

    def whole_or_absent(self, name):
        """True if the file is there, and then all of it."""
        if not os.path.exists(self.path(name)):
            return False
        self.assertIn("lavdm checkpoint", self.done("info", name).stdout)
        return True

    def watched(self, *words):
        """A run that has come to its first checkpoint, or to its end."""
        run = self.start(*words)
        while run.poll() is None and not os.path.exists(self.path("run.h5")):
            time.sleep(0.002)
        return run

    def stop(self, number, *words):
        """Stops a run as soon as there is a checkpoint; returns its exit code."""
        for _ in range(20):
            run = self.watched(*words)
            run.send_signal(number)
            code = run.wait()
            if os.path.exists(self.path("run.h5")):
                return code
        self.fail("there was no checkpoint to be seen")


class Killed(Checkpoint):
    def killed_and_resumed(self, kills, *words):
        """Kills the run at random moments, now and then starting anew, and lets it end at last."""
        began = time.monotonic()
        self.done("embed", "points.npy", "-o", "reference.npz", *words)
        took = time.monotonic() - began
        reference = self.arrays("reference.npz")
        chance = random.Random(4)
        embed = ["embed", "points.npy", "-o", "out.npz", "--checkpoint", "run.h5", *words]
        self.data("out.npz", b"old")
        for k in range(kills):
            # every other one past its first checkpoint
            run = self.watched(*embed) if k % 2 else self.start(*embed)
            try:
                run.wait(chance.uniform(0, took))
            except subprocess.TimeoutExpired:
                run.kill()
            code = run.wait()
            there = self.whole_or_absent("run.h5")
            self.one_try_left()
            if code == 0:
                self.assertFalse(there)
            else:
                self.assertEqual(code, -signal.SIGKILL, run.stderr.read())
            if code == 0 or self.read("out.npz") != b"old":
                self.same("out.npz", reference)
                self.data("out.npz", b"old")
            if there and chance.random() < 0.2:
                os.remove(self.path("run.h5"))
        self.stop(signal.SIGKILL, *embed)
        self.done(*embed)
        self.same("out.npz", reference)
        self.assertEqual(self.files(), ["out.npz", "points.npy", "reference.npz"])

    def test_lavdm(self):
        self.points(80000)
        self.killed_and_resumed(5 if SLOW else 25, "--landmarks", 400)

    def test_vdm(self):
        self.points(6000)
        self.killed_and_resumed(4 if SLOW else 15, "--method", "vdm", "--components", 30)

    def test_streamed_in_single_precision(self):
        self.points(160000)
        self.killed_and_resumed(3 if SLOW else 12, "--landmarks", 300, "--stream", "yes", "--precision", "single")


class Resumed(Checkpoint):
    def setUp(self):
        super().setUp()
        self.points(60000)
        self.words = ["embed", "points.npy", "-o", "out.npz", "--checkpoint", "run.h5", "--landmarks", "300"]

    def test_says_so(self):
        self.stop(signal.SIGKILL, *self.words)
        found = self.json(*self.words)
        self.assertIn(found["resumed"], STAGES)
        self.assertIn("resume", found["seconds"])
        self.assertIn("landmarks", found["seconds"])
        self.assertEqual(self.files(), ["out.npz", "points.npy"])
        self.assertIsNone(self.json(*self.words)["resumed"])
        self.stop(signal.SIGKILL, *self.words)
        self.assertRegex(self.done(*self.words).stdout, r"resumed +after the stage [a-z]+ \(saved [-0-9 ]*\d\d:\d\d\)")
        self.assertEqual(self.files(), ["out.npz", "points.npy"])

    def test_interrupt(self):
        self.assertEqual(self.stop(signal.SIGINT, *self.words), 3)
        self.assertTrue(self.whole_or_absent("run.h5"))
        self.assertEqual(self.files(), ["points.npy", "run.h5"])
        self.assertIn(self.json(*self.words)["resumed"], STAGES)

    def test_other_options(self):
        self.stop(signal.SIGKILL, *self.words)
        before = self.read("run.h5")
        self.refused(1, *self.words, "--knn", 17, says=["run.h5", "option knn was auto and is now 17", "remove"])
        self.refused(1, *self.words, "--seed", 9, says="option seed was 1 and is now 9")
        x = np.load(self.path("points.npy"))
        x[-1] = x[0]
        self.save("points.npy", x)
        self.refused(1, *self.words, says=["run.h5", "other data"])
        self.assertEqual(self.read("run.h5"), before)

    def test_damaged(self):
        self.stop(signal.SIGKILL, *self.words)
        damaged = bytearray(self.read("run.h5"))
        damaged[len(damaged) // 2] ^= 1
        for content in [bytes(damaged), bytes(damaged[:5000]), b"", b"no checkpoint\n"]:
            self.data("run.h5", content)
            self.refused(1, *self.words, says="run.h5")
            self.assertEqual(self.read("run.h5"), content)

    def test_result_is_no_checkpoint(self):
        self.done("embed", "points.npy", "-o", "run.h5", "--landmarks", 50, "--quiet")
        before = self.read("run.h5")
        self.refused(1, *self.words, says="run.h5")
        self.assertEqual(self.read("run.h5"), before)


class Names(Checkpoint):
    def test_files_of_the_run(self):
        self.points(2000)
        self.save("landmarks.npy", np.arange(40))
        self.text("edges.txt", "0 1\n1 2\n2 0\n")
        os.mkdir(self.path("folder"))
        embed = ["embed", "points.npy", "-o", "out.npz"]
        self.refused(1, *embed, "--checkpoint", "points.npy", says="input")
        self.refused(1, *embed, "--checkpoint", self.path("points.npy"), says="input")
        self.refused(1, *embed, "--checkpoint", "out.npz", says="output")
        self.refused(1, *embed, "--checkpoint", "folder/../out.npz", says="output")
        self.refused(1, *embed, "--design", "landmarks.npy", "--checkpoint", "landmarks.npy", says="input")
        self.refused(1, "embed", "--graph", "edges.txt", "--method", "vdm", "-o", "out.npz", "--checkpoint", "edges.txt",
                     says="input")
        self.refused(1, *embed, "--checkpoint", "folder", says="folder")
        self.refused(2, *embed, "--checkpoint", "nowhere/run.h5", says="nowhere")

    def test_without_output(self):
        self.points(2000)
        self.assertIsNone(self.json("embed", "points.npy", "--checkpoint", "run.h5")["resumed"])
        self.assertEqual(self.files(), ["points.npy"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
