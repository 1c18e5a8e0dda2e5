"""Ctrl-C in Octave: the run ends, with its identifier, and Octave goes on. Progress is seen at once."""
import os
import signal
import subprocess
import sys
import time
import unittest

# Programs started here shall be interruptible also where the shell ignores it, in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

OCTAVE = sys.argv.pop() if len(sys.argv) > 1 else "octave-cli"
SESSION = """
addpath (getenv ('LAVDM_OCTAVE'));
X = lavdm_sample ('sphere', 100000, 'dim', 7);
lavdm_embed (X, 'method', 'vdm', 'dim', 7, 'progress', true);
[text, identifier] = lasterr ();
disp (identifier);
r = lavdm_embed (X(1:300,:), 'components', 3, 'dim', 5);
disp (size (r.eigenvectors));
"""


class Interrupt(unittest.TestCase):
    def test_interrupt(self):
        run = subprocess.Popen([OCTAVE, "--quiet", "--norc", "--no-history", "--interactive"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env=dict(os.environ, PAGER="cat"))
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        run.stdin.write(SESSION)
        run.stdin.flush()
        seen = ""
        while "lavdm: frames" not in seen:
            line = run.stdout.readline()
            self.assertTrue(line, seen)
            seen += line
        time.sleep(0.3)
        self.assertIsNone(run.poll())
        began = time.monotonic()
        run.send_signal(signal.SIGINT)
        while "lavdm:interrupted" not in seen:
            line = run.stdout.readline()
            self.assertTrue(line, seen)
            seen += line
        self.assertLess(time.monotonic() - began, 60)  # all of it takes minutes
        rest = run.communicate(timeout=600)[0]
        self.assertIn("interrupted during", seen)
        self.assertRegex(rest, r"300\s+5\s+3")
        self.assertEqual(run.returncode, 0)


if __name__ == "__main__":
    unittest.main()
