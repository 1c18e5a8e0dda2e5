"""The experiments of the paper, quick: their files, and that they show what they should.

    check.py lavdm_paper FOLDER
"""
import csv
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

# Programs started here shall be interruptible also where the shell ignores it, in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

program, folder = sys.argv[1:3]
names = ["landmark_size", "beta", "alpha", "recovery"]


def run(*arguments, out=folder):
    return subprocess.run([program, *arguments, "--quick", "--out", out], capture_output=True, text=True, timeout=600)


def rows(name, where=folder):
    with open(os.path.join(where, name + ".csv"), encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def series(name, column, **where):
    """The column of the summary in the rows that fit, as numbers."""
    fits = [r for r in rows(name + "_summary") if all(r[k] == str(v) for k, v in where.items())]
    return [float(r[column]) for r in fits]


class Paper(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(folder, ignore_errors=True)
        cls.done = run("all")

    def test_ends_well(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def test_files(self):
        expected = {"landmark_size": 3 * 3 * 8, "beta": 3 * 7 * 3, "alpha": 3 * 7 * 3, "recovery": 3 * 2 * 20}
        for name in names:
            self.assertEqual(len(rows(name)), expected[name], name)
            self.assertEqual({int(r["repetition"]) for r in rows(name)}, {0, 1, 2}, name)
        figures = names + ["landmark_size_fields", "landmark_size_error", "landmark_size_angle",
                           "landmark_size_magnitude"]
        for figure in figures:
            for kind in ("png", "svg"):
                path = os.path.join(folder, f"{figure}.{kind}")
                self.assertGreater(os.path.getsize(path), 3000, path)

    def test_page(self):
        with open(folder + ".md", encoding="utf-8") as file:
            page = file.read()
        for section in ("4.2", "4.3", "4.4", "4.5"):
            self.assertIn(f"\n## {section} ", page)
        self.assertGreaterEqual(page.count("\n3 repetitions ("), 4)
        self.assertNotIn("nan", page)

    def test_more_landmarks_are_better(self):
        for design in ("random", "kmeans"):
            error = series("landmark_size", "error", design=design, l=1)
            self.assertLess(error[-1], 0.5 * error[0])
            self.assertGreater(series("landmark_size", "space", design=design, l=3)[-1], 0.95)
            last = [float(r["error_p"]) for r in rows("landmark_size") if (r["design"], r["m"], r["l"]) ==
                    (design, "512", "1")]
            self.assertLess(max(last), 0.05 / 18)
        self.assertLess(series("landmark_size", "error", design="kmeans", l=1, m=128)[0],
                        series("landmark_size", "error", design="random", l=1, m=128)[0])

    def test_eigenspaces_are_no_worse(self):
        for name, column in (("landmark_size", "error"), ("landmark_size", "magnitude")):
            for design in ("random", "kmeans"):
                for l in (3, 5):
                    self.assertLess(series(name, "space_" + column, design=design, l=l)[-1],
                                    series(name, column, design=design, l=l)[-1] + 0.02)

    def test_beta_one_half_is_best(self):
        values = sorted({float(r["beta"]) for r in rows("beta")})
        total = {v: sum(series("beta", "difference", beta="%g" % v)) for v in values}
        self.assertIn(min(total, key=total.get), (0.4, 0.5, 0.6))
        self.assertGreater(total[0], 1.2 * total[0.5])
        self.assertGreater(total[1], 1.5 * total[0.5])

    def test_alpha_one_is_best(self):
        for l in (2, 4, 6):
            difference = series("alpha", "difference", l=l)
            self.assertEqual(min(difference), difference[-1])
            self.assertGreater(difference[0], 2 * difference[-1])
        for l in (2, 4, 6):
            self.assertGreater(series("alpha", "space", l=l, alpha=1)[0], 0.95)

    def test_recovery_of_six(self):
        self.assertGreater(min(series("recovery", "cosine", design="random")[:6]), 0.85)
        self.assertGreater(min(series("recovery", "space", design="kmeans")[:16]), 0.9)

    def test_files_of_the_others(self):
        expected = {"transport": 3 * 24, "large_scale": 3 * 8, "large_scale_vdm": 1, "designs": 3 * 22,
                    "bandwidth": 3 * 96, "convergence": 3 * 16, "two_step": 16}
        for name, count in expected.items():
            self.assertEqual(len(rows(name)), count, name)
        for figure in ["transport_surface", *(set(expected) - {"large_scale_vdm"})]:
            for kind in ("png", "svg"):
                path = os.path.join(folder, f"{figure}.{kind}")
                self.assertGreater(os.path.getsize(path), 3000, path)
        with open(folder + ".md", encoding="utf-8") as file:
            page = file.read()
        for section in ("4.1", "4.6", "Ours: landmark", "Ours: matched", "Ours: convergence", "Ours: two-step"):
            self.assertIn(f"\n## {section} ", page)

    def test_transport_nears_its_limit(self):
        for radius in ("epsilon", "sqrt"):
            limit = series("transport", "limit", radius=radius, frames="exact")
            self.assertLess(limit[-1], limit[0])
            self.assertLess(max(series("transport", "error", radius=radius, frames="exact")), 0.05)
        landmarks = series("transport", "error", radius="sqrt", frames="landmarks")
        self.assertLess(landmarks[-1], landmarks[0])
        self.assertGreater(landmarks[0], 2 * series("transport", "error", radius="sqrt", frames="exact")[0])

    def test_truth_of_transport(self):
        vectors = {r["name"]: r for r in rows("transport_vectors")}
        for name in ("start", "truth"):
            self.assertEqual(float(vectors[name]["tangent"]), 1)
            self.assertAlmostEqual(sum(float(vectors[name][c]) ** 2 for c in ("dx", "dy", "dz")), 1, places=5)
        self.assertLess(float(vectors["printed"]["tangent"]), 0.8)
        self.assertGreater(float(vectors["printed_end"]["error"]), 1)

    def test_large_scale_reaches_every_point(self):
        for r in rows("large_scale"):
            self.assertEqual(int(r["far"]), 0)
            self.assertGreater(float(r["edges"]), 5)

    def test_designed_landmarks_beat_random_ones(self):
        for shape in ("klein", "distorted-sphere"):
            random = series("designs", "space", shape=shape, design="random", m=128)[0]
            for design in ("farthest", "kmeans"):
                self.assertGreater(series("designs", "space", shape=shape, design=design, m=128)[0], random)
        self.assertGreater(min(float(r["worth"]) for r in rows("designs_worth") if r["shape"] == "distorted-sphere"),
                           1.5)

    def test_matched_bandwidth_has_nearer_eigenvalues(self):
        for shape in ("klein", "distorted-sphere"):
            equal = series("bandwidth", "eigenvalue", shape=shape, bandwidth="equal")
            matched = series("bandwidth", "eigenvalue", shape=shape, bandwidth="matched")
            self.assertLess(sum(matched), 0.8 * sum(equal), shape)

    def test_convergence(self):
        for design in ("random", "kmeans"):
            for column in ("sampling", "angle1", "angle2"):
                error = series("convergence", column, sweep="balanced", design=design)
                self.assertLess(error[-1], 0.8 * error[0], (design, column))
        angle = series("convergence", "angle2", sweep="landmarks", design="random")
        self.assertLess(angle[-1], 0.5 * angle[0])
        self.assertLess(series("convergence", "sampling", sweep="balanced", design="kmeans")[-1], 0.02)

    def test_two_steps_in_closed_form(self):
        for r in rows("two_step"):
            most = {"paper": 1e-12, "triangle": 1e-12, "average": 1e-6, "across": 1e-6}[r["kind"]]
            if float(r["epsilon"]) < 0.3 or r["kind"] == "triangle":
                self.assertLess(float(r["error"]), most, r)

    def test_torn_file_goes_on(self):
        out = folder + "-torn"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(folder, out)
        path = os.path.join(out, "recovery.csv")
        with open(path, "rb") as file:
            whole = file.read()
        with open(path, "wb") as file:
            file.write(whole[: 5 * len(whole) // 6])
        again = run("recovery", out=out)
        self.assertEqual(again.returncode, 0, again.stderr)
        first, second = rows("recovery"), rows("recovery", out)
        self.assertEqual(len(first), len(second))
        for a, b in zip(first, second):
            self.assertEqual(a["seed"], b["seed"])
            self.assertAlmostEqual(float(a["mu"]), float(b["mu"]), places=5)
            self.assertAlmostEqual(float(a["space"]), float(b["space"]), places=4)
        shutil.rmtree(out)
        os.remove(out + ".md")

    def test_interrupted_run_goes_on(self):
        out = folder + "-interrupted"
        shutil.rmtree(out, ignore_errors=True)
        started = subprocess.Popen([program, "recovery", "--quick", "--out", out], stderr=subprocess.PIPE, text=True)
        path = os.path.join(out, "recovery.csv")
        while started.poll() is None and (not os.path.exists(path) or not rows("recovery", out)):
            time.sleep(0.02)
        started.send_signal(signal.SIGINT)
        message = started.communicate()[1]
        self.assertEqual(started.returncode, 3, message)
        self.assertIn("goes on", message)
        kept = len(rows("recovery", out))
        self.assertTrue(0 < kept < 120)
        self.assertEqual(run("recovery", out=out).returncode, 0)
        self.assertEqual(len(rows("recovery", out)), 120)
        shutil.rmtree(out)
        os.remove(out + ".md")

    def test_finished_experiment_is_not_run_again(self):
        before = rows("beta")
        began = os.path.getsize(os.path.join(folder, "beta.csv"))
        self.assertEqual(run("page").returncode, 0)
        self.assertEqual(run("beta", "--repetitions", "1").returncode, 0)
        self.assertEqual(before, rows("beta"))
        self.assertEqual(began, os.path.getsize(os.path.join(folder, "beta.csv")))

    def test_bad_arguments(self):
        for arguments in (["nonsense"], ["all", "--what"], ["beta", "alpha"]):
            bad = run(*arguments)
            self.assertEqual(bad.returncode, 1, arguments)
            self.assertEqual(bad.stderr.count("\n"), 1, bad.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
