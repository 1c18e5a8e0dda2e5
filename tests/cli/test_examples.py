"""The examples: short, with a section and a picture each, and the files that the pictures are drawn from."""
import os
import subprocess
import sys
import unittest

from page import Page
from support import PROGRAM, ROOT, Case

GALLERY = {
    "jigsaw": ["jigsaw_chained.ppm", "jigsaw_found.ppm", "jigsaw_synchronised.ppm"],
    "respiration": ["respiration_simulated.txt"],
    "ptychography": [f"ptychography_{name}.txt" for name in ("chained", "found", "synchronised", "true")],
    "fusion": [f"fusion_{name}.txt" for name in ("both", "fused", "sensor_1", "sensor_2")],
    "phases": ["phases_errors.txt", "phases_recordings.txt"],
}


class Examples(Case):
    def run_example(self, name, *words):
        program = os.path.join(os.path.dirname(PROGRAM), "examples", name)
        return subprocess.run([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, cwd=self.folder, timeout=600)

    def test_short_and_shown(self):
        with open(os.path.join(ROOT, "docs", "examples.md")) as file:
            page = file.read()
        for name in GALLERY:
            with open(os.path.join(ROOT, "examples", "c", name + ".c")) as file:
                text = file.read()
            self.assertLessEqual(text.count("\n"), 150, name)
            self.assertIn(f"examples/c/{name}.c", page)
            self.assertIn(f"examples/{name}.png", page)
            self.assertTrue(os.path.exists(os.path.join(ROOT, "docs", "examples", name + ".png")), name)

    def test_files_for_pictures(self):
        for name, files in GALLERY.items():
            os.mkdir(self.path(name))
            run = self.run_example(name, name)
            self.assertEqual(run.returncode, 0, f"{name}: {run.stdout}{run.stderr}")
            self.assertEqual(sorted(os.listdir(self.path(name))), sorted(files))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(GALLERY))

    def test_page(self):
        run = self.run_example("page", "sphere.html")
        self.assertEqual(run.returncode, 0, run.stderr)
        page = Page(self.path("sphere.html"))
        self.assertEqual((page.kind, page.rows, page.json["title"]), ("embed", 1000, "A sphere"))
        self.assertEqual(page.labels(), ["north" if z > 0 else "south" for z in page["data"][:, 2]])
        for name in ("eigenvectors", "frames", "landmarks", "height"):
            self.assertIn(name, page)

    def test_real_ecg(self):
        script = os.path.join(ROOT, "examples", "c", "ecg.py")
        ecg = subprocess.run([sys.executable, "-B", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if ecg.returncode:
            self.skipTest("this SciPy comes without the ECG")
        run = self.run_example("respiration", ".", self.text("ecg.txt", ecg.stdout))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(self.files(), ["ecg.txt", "respiration_real.txt"])
        agreement = float(run.stdout.split("agree to")[1].split()[0])
        self.assertGreater(agreement, 0.12)  # 0.07 if the signals are shifted against each other

    def test_ecg_that_is_none(self):
        for words in ([".", "missing.txt"], [".", self.text("short.txt", "0.1\n0.2\n")]):
            run = self.run_example("respiration", *words)
            self.assertEqual(run.returncode, 1)
            self.assertIn("ECG", run.stdout)


if __name__ == "__main__":
    unittest.main()
