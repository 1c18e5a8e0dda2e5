"""Progress on a terminal, and runs that are stopped."""
import os
import pty
import select
import signal
import subprocess
import time
import unittest

import numpy as np

from support import PROGRAM, Case, caught, circle


class Interrupt(Case):
    """A run that would take minutes, its stderr on a terminal of our own."""

    def setUp(self):
        super().setUp()
        self.save("big.npy", np.random.default_rng(0).standard_normal((150000, 24)))

    def start(self, *words):
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=terminal)
        os.close(terminal)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.seen, self.master = "", master
        return run

    def wait_for(self, run, piece, seconds=600):
        """Reads the terminal until it shows a piece of text."""
        end = time.monotonic() + seconds
        while piece not in self.seen and time.monotonic() < end:
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.master, 65536).decode(errors="replace")
                except OSError:
                    break
            elif run.poll() is not None:
                break
        self.assertIn(piece, self.seen)

    def stopped(self, number, *words):
        run = self.start(*words)
        self.wait_for(run, "%")
        began = time.monotonic()
        run.send_signal(number)
        self.wait_for(run, "lavdm: interrupted\r\n")
        self.assertEqual(run.wait(600), 3)
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(run.stdout.read(), b"")
        self.assertEqual(self.files(), ["big.npy"])

    def test_interrupt(self):
        self.stopped(signal.SIGINT, "embed", "big.npy", "-o", "out.npz", "--method", "vdm", "--dim", "4")

    def test_terminate(self):
        self.stopped(signal.SIGTERM, "embed", "big.npy", "-o", "out.h5", "--dim", "4")

    def test_orient(self):
        self.stopped(signal.SIGINT, "orient", "big.npy", "-o", "out.npz", "--dim", "4")

    def test_sample(self):
        run = subprocess.Popen([PROGRAM, "sample", "sphere", "-n", "30000000", "-o", "out.npy"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        caught(run, signal.SIGINT)
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=600)
        self.assertEqual((run.returncode, out, err), (3, "", "lavdm: interrupted\n"))
        self.assertEqual(self.files(), ["big.npy"])

    def test_progress_has_stage_share_and_times(self):
        run = self.start("embed", "big.npy", "-o", "out.npz", "--method", "vdm", "--dim", "4")
        self.wait_for(run, "%")
        self.wait_for(run, "left in this stage")
        self.assertRegex(self.seen, r"lavdm: \w[\w -]* +\d+%  \d+:\d\d elapsed, (\?|\d+:\d\d) left")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(600), 3)

    def test_quiet_draws_nothing(self):
        self.save("x.npy", circle(100))
        run = self.start("embed", "x.npy", "-o", "out.npz", "--quiet", "--components", "3", "--method", "dm")
        self.assertEqual(run.wait(600), 0)
        try:
            shown = os.read(self.master, 1000) if select.select([self.master], [], [], 0)[0] else b""
        except OSError:  # the other end is closed
            shown = b""
        self.assertEqual(shown, b"")

    def test_an_ignored_signal_stays_ignored(self):
        self.save("x.npy", circle(100))
        run = subprocess.run(["sh", "-c", f"trap '' INT; {PROGRAM} embed x.npy -qo out.npz & kill -INT $!; wait $!"],
                             cwd=self.folder, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
