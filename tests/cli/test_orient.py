"""lavdm orient: verdicts, numbers and signs."""
import unittest

import numpy as np

from support import Case

KEYS = """orientable confidence eigenvalue trivial_eigenvalue ratio mean_magnitude components_of_graph n p dim
epsilon warnings seconds version""".split()


class Orient(Case):
    def sample(self, shape, n=1500):
        self.done("sample", shape, "-n", n, "-o", f"{shape}.npy", "--seed", "4")
        return f"{shape}.npy"

    def test_torus_is_orientable(self):
        found = self.json("orient", self.sample("torus"), "--dim", "2", "-o", "out.npz")
        self.assertEqual(sorted(set(KEYS) - set(found)), [])
        self.assertIs(found["orientable"], True)
        self.assertGreater(found["confidence"], 0.5)
        self.assertEqual((found["n"], found["p"], found["dim"], found["q"]), (1500, 3, 2, 1))
        with np.load(self.path("out.npz")) as file:
            self.assertEqual(file["signs"].shape, (1500,))
            self.assertLessEqual(set(np.unique(file["signs"])), {-1.0, 1.0})
            self.assertIn("eigenvalues", file.files)
            self.assertEqual(int(file["orientable"]), 1)

    def test_klein_bottle_is_not(self):
        found = self.json("orient", self.sample("klein"), "--dim", "2")
        self.assertIs(found["orientable"], False)
        self.assertGreater(found["confidence"], 0.5)
        self.assertEqual(self.files(), ["klein.npy"])

    def test_in_words(self):
        run = self.done("orient", self.sample("mobius", 1000), "--dim", "2")
        self.assertRegex(run.stdout, r"^(probably |perhaps )?not orientable \(confidence")
        self.assertIn("magnitude", run.stdout)
        run = self.done("orient", self.sample("sphere", 800), "--dim", "2")
        self.assertRegex(run.stdout, r"^(probably |perhaps )?orientable \(confidence")

    def test_bad_input(self):
        self.refused(1, "orient", "nowhere.npy", says=["nowhere.npy", "no such file"])
        x = np.random.default_rng(0).standard_normal((50, 3))
        x[7, 2] = np.inf
        self.save("x.npy", x)
        self.refused(1, "orient", "x.npy", "-o", "out.npz", says=["x.npy", "row 8, column 3"])
        self.refused(1, "orient", "x.npy", "-o", "out.txt", says="out.txt")


if __name__ == "__main__":
    unittest.main()
