"""lavdm extend: a model file applied to new points."""
import os

import numpy as np

from support import Case, main


class Extend(Case):
    def setUp(self):
        super().setUp()
        self.done("sample", "sphere", "-n", 1500, "-o", "old.npy")
        self.done("sample", "sphere", "-n", 400, "--seed", 2, "-o", "new.npy")

    def fit(self, name="model.h5", *more):
        self.done("embed", "old.npy", "--dim", 2, "--components", 6, "-o", name, "-q", *more)
        return np.load(self.path("fit.npz")) if os.path.exists(self.path("fit.npz")) else None

    def test_old_points_come_back(self):
        for more in [], ["--precision", "single"], ["--method", "vdm"], ["--method", "roseland", "--epsilon", "0.2"]:
            self.fit("model.h5", *more)
            self.fit("fit.npz", *more)
            self.done("extend", "model.h5", "old.npy", "-o", "again.npz", "-q")
            fit, again = np.load(self.path("fit.npz")), np.load(self.path("again.npz"))
            scale, close = np.abs(fit["eigenvectors"]).max(), 2e-4 if "single" in more else 1e-10
            self.assertEqual(fit["eigenvectors"].dtype, again["eigenvectors"].dtype)
            self.assertLess(np.abs(fit["eigenvectors"] - again["eigenvectors"]).max(), close * scale, more)
            self.assertEqual(again["embedding"].shape, (1500, 21))

    def test_threads_and_ways(self):
        self.fit()
        self.done("extend", "model.h5", "new.npy", "-o", "a.npz", "-q", "--ambient")
        self.done("extend", "model.h5", "new.npy", "-o", "b.npz", "-q", "--threads", 1, "--stream", "yes", "--ambient")
        self.done("extend", "model.h5", "new.npy", "-o", "c.npz", "-q", "--reference", "old.npy", "--ambient")
        a, b, c = (np.load(self.path(name)) for name in ("a.npz", "b.npz", "c.npz"))
        for name in "eigenvectors", "frames", "ambient":
            self.assertTrue(np.array_equal(a[name], b[name]), name)
            self.assertTrue(np.array_equal(a[name], c[name]), name)
        x = np.load(self.path("new.npy"))
        along = np.einsum("ip,ipr->ir", x, a["ambient"])
        self.assertLess(np.sqrt((along ** 2).sum() / (a["ambient"] ** 2).sum()), 0.05)  # tangent to the sphere

    def test_compact(self):
        few = "--landmarks", 77
        self.fit("model.h5", *few)
        self.fit("small.h5", "--compact", *few)
        self.assertLess(os.path.getsize(self.path("small.h5")), 0.2 * os.path.getsize(self.path("model.h5")))
        self.refused(1, "extend", "small.h5", "new.npy", "-o", "a.npz", says="reference")
        self.done("extend", "model.h5", "new.npy", "-o", "a.npz", "-q")
        self.done("extend", "small.h5", "new.npy", "-o", "b.npz", "-q", "--reference", "old.npy")
        a, b = np.load(self.path("a.npz")), np.load(self.path("b.npz"))
        self.assertTrue(np.array_equal(a["eigenvectors"], b["eigenvectors"]))
        self.assertTrue(np.array_equal(a["embedding"], b["embedding"]))

    def test_far_points_are_named(self):
        self.fit()
        x = np.load(self.path("new.npy"))
        x[[3, 250]] *= 5
        self.save("new.npy", x)
        run = self.done("extend", "model.h5", "new.npy", "-o", "far.npz")
        self.assertIn("2 new points are too far from every landmark, the first of them in row 4", run.stderr)
        far = np.load(self.path("far.npz"))
        self.assertEqual(list(far["isolated_points"]), [3, 250])
        nan = np.isnan(far["eigenvectors"]).all(axis=(1, 2))
        self.assertEqual(list(np.flatnonzero(nan)), [3, 250])
        self.assertFalse(np.isnan(far["eigenvectors"][~nan]).any())
        found = self.json("extend", "model.h5", "new.npy")
        self.assertEqual(found["isolated_points"], [3, 250])
        self.assertGreater(found["points_per_second"], 0)

    def test_outputs(self):
        self.fit()
        self.done("extend", "model.h5", "new.npy", "-o", "u.npy", "-q")
        self.done("extend", "model.h5", "new.npy", "-o", "u.npz", "-q", "--no-embedding")
        self.done("extend", "model.h5", "new.npy", "-o", "t.npz", "-q", "--time", 3)
        u = np.load(self.path("u.npz"))
        self.assertTrue(np.array_equal(np.load(self.path("u.npy")), u["eigenvectors"]))
        self.assertNotIn("embedding", u)
        values, fields = u["eigenvalues"], u["eigenvectors"]
        first = values[0] ** 3 * (fields[:, :, 0] ** 2).sum(axis=1) * values[0] ** 3
        self.assertLess(np.abs(np.load(self.path("t.npz"))["embedding"][:, 0] - first).max(), 1e-12)

    def test_refusals(self):
        self.fit()
        self.save("flat.npy", np.zeros((5, 2)))
        self.save("nan.npy", np.array([[0, 0, 1.0], [np.nan, 0, 0]]))
        self.save("none.npy", np.zeros((0, 3)))
        self.refused(1, "extend", "model.h5", "flat.npy", "-o", "a.npz", says="flat.npy: new points have 2 coordinates")
        self.refused(1, "extend", "model.h5", "nan.npy", "-o", "a.npz", says="nan.npy: row 2, column 1")
        self.refused(1, "extend", "model.h5", "none.npy", "-o", "a.npz", says="0 rows")
        self.refused(1, "extend", "model.h5", "new.npy", "-o", "a.npz", "--reference", "flat.npy", says="flat.npy")
        self.refused(1, "extend", "old.npy", "new.npy", "-o", "a.npz", says="old.npy")
        self.refused(1, "extend", "model.h5", "new.npy", "-o", "new.npy", says="overwrite")
        self.refused(1, "extend", "model.h5", "new.npy", "-o", "model.h5", says="overwrite")
        self.refused(1, "extend", "model.h5", "new.npy", says="-o OUTPUT")
        self.refused(1, "extend", "model.h5", says="NEW")


if __name__ == "__main__":
    main()
