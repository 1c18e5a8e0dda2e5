"""Data and options that cannot work, or only just: a clear sentence, a warning, or a sound result."""
import unittest

import numpy as np

from support import Case, circle, sphere


class Values(Case):
    def test_nan_and_inf_are_named(self):
        for value, shown in ((np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")):
            x = sphere(60)
            x[41, 1] = value
            self.save("x.npy", x)
            for method in ("dm", "vdm", "roseland", "lavdm"):
                self.refused(1, "embed", "x.npy", "-o", "out.npz", "--method", method,
                             says=["x.npy", "row 42, column 2", shown])

    def test_the_first_of_several_is_named(self):
        x = sphere(60)
        x[50, 0] = x[20, 2] = np.nan
        self.save("x.npy", x)
        self.refused(1, "embed", "x.npy", "-o", "out.npz", says="row 21, column 3")

    def test_empty_cell_of_a_table(self):
        self.text("x.csv", "1,2\n3,\n5,6\n")
        self.refused(1, "embed", "x.csv", "-o", "out.npz", says=["x.csv", "row 2, column 2"])

    def test_numbers_too_large_to_square(self):
        x = sphere(60)
        x[10, 0] = 1e200
        self.save("x.npy", x)
        self.refused(1, "embed", "x.npy", "-o", "out.npz", says=["x.npy", "row 11, column 1", "1e+200"])


class Sizes(Case):
    def test_no_rows_or_columns(self):
        for shape in ((0, 3), (5, 0), (0, 0), (0,)):
            self.save("x.npy", np.zeros(shape))
            self.refused(1, "embed", "x.npy", "-o", "out.npz", says=["x.npy", "no points"])
            self.refused(1, "orient", "x.npy", says=["x.npy", "no points"])

    def test_one_point(self):
        self.save("x.npy", np.ones((1, 3)))
        self.refused(1, "embed", "x.npy", "-o", "out.npz", says=["x.npy", "one point"])
        self.save("x.npy", np.float64(3))
        self.refused(1, "embed", "x.npy", "-o", "out.npz", says=["x.npy", "one point"])

    def test_few_points(self):
        for n in (2, 3, 5):
            self.save("x.npy", sphere(n))
            for method in ("dm", "vdm", "roseland", "lavdm"):
                found = self.json("embed", "x.npy", "--method", method)
                self.assertEqual(found["n"], n)
                self.assertLessEqual(len(found["eigenvalues"]), n * found["q"])

    def test_text_only(self):
        np.savez(self.path("x.npz"), np.array(["a", "b"]))
        self.refused(1, "embed", "x.npz", "-o", "out.npz", says="x.npz")


class Degenerate(Case):
    def sound(self, *words):
        """A result: eigenvalues in [-1, 1], the first positive; its warnings."""
        found = self.json(*words)
        values = np.array(found["eigenvalues"], dtype=float)
        self.assertTrue(np.all(np.isfinite(values)) and values[0] <= 1 + 1e-8, values)
        return found

    def test_all_points_equal(self):
        self.save("x.npy", np.ones((50, 3)))
        for method in ("dm", "vdm", "roseland", "lavdm"):
            self.refused(1, "embed", "x.npy", "-o", "out.npz", "--method", method, says=["x.npy", "equal"])

    def test_duplicates(self):
        x = sphere(120)
        x[60:] = x[:60]
        self.save("x.npy", x)
        for method in ("dm", "vdm", "roseland", "lavdm"):
            found = self.sound("embed", "x.npy", "--method", method, "--components", "5")
            self.assertEqual(found["n"], 120)

    def test_most_points_equal(self):
        x = np.zeros((100, 3))
        x[:30] = sphere(30)
        self.save("x.npy", x)
        for method in ("roseland", "lavdm"):
            self.sound("embed", "x.npy", "--method", method, "--components", "5")

    def test_constant_columns(self):
        x = np.c_[np.full(150, 7.0), circle(150), np.zeros(150)]
        self.save("x.npy", x)
        self.save("y.npy", circle(150))
        for method in ("vdm", "lavdm"):
            words = ["--method", method, "--dim", "1", "--components", "5", "--threads", "1"]
            found = self.sound("embed", "x.npy", *words)
            self.assertEqual(found["p"], 4)
            plain = self.sound("embed", "y.npy", *words)
            np.testing.assert_allclose(found["eigenvalues"], plain["eigenvalues"], atol=1e-8)

    def test_two_far_clusters(self):
        x = np.vstack([sphere(100), sphere(100, seed=1) + 1e6])
        self.save("x.npy", x)
        for method in ("dm", "vdm", "roseland", "lavdm"):
            found = self.sound("embed", "x.npy", "--method", method, "--components", "4")
            self.assertEqual(found["components_of_graph"], 2, method)
            self.assertTrue(any("component" in w for w in found["warnings"]), found["warnings"])
        run = self.done("embed", "x.npy", "-o", "out.npz")
        self.assertIn("lavdm: warning: ", run.stderr)
        self.assertIn("component", run.stderr)

    def test_an_isolated_point(self):
        x = np.vstack([sphere(150), [[1e3, 0, 0]]])
        self.save("x.npy", x)
        for method in ("dm", "vdm"):
            found = self.sound("embed", "x.npy", "--method", method, "--edges", "ball", "--epsilon", "0.3", "--dim",
                               *(["2"] if method == "vdm" else ["1"]), "--components", "4")
            self.assertEqual((found["isolated"], found["isolated_points"]), (1, [150]))
            self.assertTrue(found["warnings"])
        for method in ("roseland", "lavdm"):
            found = self.sound("embed", "x.npy", "--method", method, "--design", "random", "--landmarks", "20", "--epsilon",
                               "0.3", "--seed", "2", "--dim", "2", "--components", "4")
            self.assertEqual(found["isolated"] + found["far_points"] > 0, bool(found["warnings"]))

    def test_isolated_points_in_the_file(self):
        x = np.vstack([sphere(150), [[1e3, 0, 0]]])
        self.save("x.npy", x)
        self.done("embed", "x.npy", "-qo", "out.npz", "--method", "dm", "--edges", "ball", "--epsilon", "0.3", "--components",
                  "3")
        with np.load(self.path("out.npz")) as file:
            self.assertEqual(list(file["isolated_points"]), [150])
            self.assertTrue(np.all(np.isfinite(file["eigenvectors"])))


class Options(Case):
    def setUp(self):
        super().setUp()
        self.save("x.npy", sphere(80))

    def bad(self, *words, says):
        self.refused(1, "embed", "x.npy", "-o", "out.npz", *words, says=says)

    def test_too_many_landmarks(self):
        self.bad("--landmarks", "81", says=["landmarks is 81", "80 points"])

    def test_all_points_as_landmarks(self):
        self.assertEqual(self.json("embed", "x.npy", "--landmarks", "80", "--components", "3")["m"], 80)

    def test_one_landmark(self):
        found = self.json("embed", "x.npy", "--landmarks", "1", "--dim", "2")
        self.assertEqual(found["m"], 1)
        self.assertLessEqual(len(found["eigenvalues"]), 2)

    def test_dimension_too_large(self):
        self.bad("--dim", "4", says=["dim is 4", "3 coordinates"])

    def test_too_many_components(self):
        self.bad("--components", "21", "--landmarks", "10", "--dim", "2", says=["components is 21", "20 exist"])
        self.bad("--components", "81", "--method", "dm", says=["components is 81", "80 exist"])
        found = self.json("embed", "x.npy", "--components", "20", "--landmarks", "10", "--dim", "2")
        self.assertEqual((found["components"], len(found["eigenvalues"])), (20, 20))
        found = self.json("embed", "x.npy", "--landmarks", "4", "--dim", "2")
        self.assertEqual((found["components"], len(found["eigenvalues"])), (8, 8))

    def test_bandwidth(self):
        for value in ("-1", "0", "nan", "inf", "1e300", "1e-300", "x", ""):
            self.bad("--epsilon", value, says="epsilon is")
        for method in ("dm", "vdm", "roseland", "lavdm"):
            self.bad("--epsilon", "1e-12", "--method", method, says=["x.npy", "epsilon (1e-12) is too small"])
        huge = self.json("embed", "x.npy", "--epsilon", "1e12", "--components", "3")
        self.assertTrue(0 < huge["eigenvalues"][0] <= 1 + 1e-9)
        huge = self.json("embed", "x.npy", "--epsilon", "1e12", "--components", "3", "--method", "dm")
        np.testing.assert_allclose(huge["eigenvalues"], [1, 0, 0], atol=1e-6)

    def test_neighbours(self):
        self.bad("--knn", "80", says=["knn is 80", "79"])
        self.bad("--knn", "0", says="knn is '0'")

    def test_bundle_and_method(self):
        self.bad("--method", "dm", "--bundle", "tangent", says="vdm")
        self.bad("--method", "dm", "--ambient", "--bundle", "trivial", says="--ambient")
        self.bad("--method", "roseland", "--ambient", says="ambient")

    def test_memory_limit(self):
        self.refused(2, "embed", "x.npy", "-o", "out.npz", "--max-memory", "1K", says="memory")
        self.refused(2, "embed", "x.npy", "-o", "out.npz", "--max-memory", "1M", "--components", "2000", "--embedding",
                     says=["embedding", "GB"])


if __name__ == "__main__":
    unittest.main()
