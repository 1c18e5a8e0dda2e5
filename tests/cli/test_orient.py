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

    def check_cover(self, name, n, r, found):
        with np.load(self.path(name)) as file:
            cover, values, parity = file["cover"], file["cover_eigenvalues"], file["cover_parity"]
            odd = file["eigenvalues"]
            degrees = np.tile(file["degrees"], 2)
        self.assertEqual((cover.shape, values.shape, parity.shape), ((2 * n, r), (r,), (r,)))
        self.assertEqual(parity.dtype.kind, "i")
        self.assertEqual((found["cover_eigenvalues"], found["cover_parity"]), (list(values), list(parity)))
        self.assertTrue((np.diff(values) <= 0).all())
        np.testing.assert_array_equal(values[parity < 0], odd[:(parity < 0).sum()])
        np.testing.assert_array_equal(cover[n:], cover[:n] * parity)
        # lambda^t u, with u of length 1 in the degrees
        u = cover / values ** found["time"]
        np.testing.assert_allclose(u.T @ (degrees[:, None] * u), np.eye(r), atol=1e-8)
        return values, parity

    def test_cover_of_the_projective_plane(self):
        found = self.json("orient", self.sample("rp2"), "--dim", "2", "--cover", "--components", "8", "--time", "3",
                          "-o", "out.npz")
        self.assertEqual(found["time"], 3)
        _, parity = self.check_cover("out.npz", 1500, 8, found)
        self.assertEqual(list(parity), 3 * [-1] + 5 * [1])
        run = self.done("orient", "rp2.npy", "--dim", "2", "--cover", "--components", "8")
        self.assertIn("3000 points of the double cover, 8 coordinates (5 even, 3 odd)", run.stdout)

    def test_cover_of_the_torus_is_two(self):
        found = self.json("orient", self.sample("torus"), "--dim", "2", "--cover", "-o", "out.npz", "--components", "7")
        values, parity = self.check_cover("out.npz", 1500, 7, found)
        self.assertEqual(parity[0], -1)
        self.assertAlmostEqual(values[0], 1, 9)
        np.testing.assert_allclose(values[1::2], values[2::2], atol=1e-9)

    def test_cover_by_embed(self):
        words = ["embed", self.sample("mobius"), "--dim", "2", "--bundle", "orientation", "--cover", "--components", "6"]
        whole = self.json(*words, "-o", "out.npz")
        self.check_cover("out.npz", 1500, 6, whole)
        self.done(*words, "-o", "out.h5")
        self.done(*words, "-o", "out.mat")
        streamed = self.json(*words, "--stream", "yes", "-o", "streamed.npz")
        self.assertIs(streamed["streamed"], True)
        with np.load(self.path("out.npz")) as a, np.load(self.path("streamed.npz")) as b:
            np.testing.assert_array_equal(a["cover"], b["cover"])
        vdm = self.json(*words, "--method", "vdm", "--precision", "single")
        self.assertEqual(len(vdm["cover_eigenvalues"]), 6)
        self.assertNotIn("cover_parity", self.json(*[word for word in words if word != "--cover"]))

    def test_cover_refused(self):
        x = self.sample("mobius", 200)
        self.refused(1, "embed", x, "--cover", "-o", "out.npz", says="--cover needs --bundle orientation")
        self.refused(1, "embed", x, "--cover", "--bundle", "tangent", "--json", says="--cover needs --bundle orientation")
        self.refused(1, "embed", x, "--cover", "--bundle", "orientation", "-o", "out.npy", says=["out.npy", "--cover"])
        self.text("edges.txt", "0 1\n1 2\n2 0\n")
        self.refused(1, "embed", "--graph", "edges.txt", "--cover", "--json", says="--cover needs --bundle orientation")
        self.refused(1, "orient", x, "--cover", "--stream", "yes", says="points in memory")
        self.refused(2, "orient", x, "--cover", "--max-memory", "1K", says="do without --cover")

    def test_bad_input(self):
        self.refused(1, "orient", "nowhere.npy", says=["nowhere.npy", "no such file"])
        x = np.random.default_rng(0).standard_normal((50, 3))
        x[7, 2] = np.inf
        self.save("x.npy", x)
        self.refused(1, "orient", "x.npy", "-o", "out.npz", says=["x.npy", "row 8, column 3"])
        self.refused(1, "orient", "x.npy", "-o", "out.txt", says="out.txt")


if __name__ == "__main__":
    unittest.main()
