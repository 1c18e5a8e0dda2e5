"""Stacks of images and signals: embed, extend, distance, info, plan, bad input."""
import h5py
import numpy as np

from support import Case, main

SIDE = 15


def pictures(n, noise=0.02, seed=0):
    """One picture in n directions, and the angles."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * rng.random(n)
    y, x = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2
    stack = np.zeros((n, SIDE, SIDE))
    for i, a in enumerate(angle):
        u, v = np.cos(a) * x + np.sin(a) * y, np.cos(a) * y - np.sin(a) * x
        for cx, cy, w, h in ((3, 0, 1.3, 1), (0, 3.3, 1.2, .7), (-2, -2, 1.4, .5)):
            stack[i] += h * np.exp(-((u - cx) ** 2 + (v - cy) ** 2) / (2 * w * w))
    return stack + noise * rng.standard_normal(stack.shape), angle


def angles_of(alignment):
    """Of rotations (count, 2, 2)."""
    return np.arctan2(alignment[:, 1, 0], alignment[:, 0, 0])


class Images(Case):
    def test_embed_extend_distance(self):
        stack, angle = pictures(150)
        self.save("stack.npy", stack)
        for method in ("lavdm", "vdm"):
            run = self.done("embed", "stack.npy", "--bundle", "rotation", "--method", method, "-o", "model.h5")
            self.assertIn("150 images of 15 x 15 pixels", run.stdout)
            self.assertRegex(run.stdout, r"of 177 pixels in a disk of radius 7.5, by \d+ coefficients in \d+ bands")
            self.assertIn("by knn (auto)", run.stdout)
            with h5py.File(self.path("model.h5")) as model:
                u, values = model["eigenvectors"][:], model["eigenvalues"][:]
                self.assertEqual(list(model["image_shape"][:]), [SIDE, SIDE])
            self.assertEqual(u.shape, (150, 2, 20))
            np.testing.assert_allclose(values[:2], 1, atol=1e-3)
            self.assertLess(values[2], 0.9)
            self.done("extend", "model.h5", "stack.npy", "-o", "same.npz", "-q")
            np.testing.assert_allclose(np.load(self.path("same.npz"))["eigenvectors"], u, atol=1e-10)
            pairs = np.c_[np.arange(149), np.arange(1, 150)]
            self.save("pairs.npy", pairs)
            self.done("distance", "model.h5", "--pairs", "pairs.npy", "--rank", 2, "-o", "d.npz", "-q")
            found = np.load(self.path("d.npz"))
            wrong = angles_of(found["alignment"]) - (angle[pairs[:, 0]] - angle[pairs[:, 1]])
            self.assertLess(np.abs(np.angle(np.exp(1j * wrong))).max(), 0.05)
            self.assertIn("image_shape", self.done("info", "model.h5").stdout)

    def test_shapes_and_formats(self):
        stack, _ = pictures(60)
        wide = np.pad(stack, ((0, 0), (0, 0), (3, 3)))
        self.save("stack.npy", stack)
        self.save("flat.npy", stack.reshape(60, -1))
        self.save("single.npy", stack.astype("f4"))
        np.savez(self.path("stack.npz"), stack=stack)
        with h5py.File(self.path("stack.h5"), "w") as file:
            file["stack"] = stack
        self.save("wide.npy", wide)
        self.save("index.npy", np.arange(0, 60, 4))
        options = ("--bundle", "rotation", "--noise", 0, "--design", "index.npy")
        truth = self.json("embed", "stack.npy", *options)
        for name in ("flat.npy", "single.npy", "stack.npz", "stack.h5", "wide.npy"):
            found = self.json("embed", name, *options)
            np.testing.assert_allclose(found["eigenvalues"], truth["eigenvalues"], atol=1e-4, err_msg=name)
        self.assertEqual((truth["height"], truth["width"], truth["pixels"]), (SIDE, SIDE, 177))
        self.assertEqual((found["height"], found["width"], found["pixels"]), (SIDE, SIDE + 6, 177))
        self.assertEqual((truth["noise"], truth["reflections"], truth["edges_rule"]), (0, "no", "knn"))
        streamed = self.json("embed", "stack.npy", *options, "--stream", "yes")
        self.assertTrue(streamed["streamed"])
        np.testing.assert_allclose(streamed["eigenvalues"], truth["eigenvalues"], atol=1e-12)
        for kind in ("npz", "mat", "npy", "csv"):
            self.done("embed", "stack.npy", *options, "-q", "-o", f"out.{kind}")

    def test_landmarks_of_ones_own(self):
        stack, _ = pictures(60)
        self.save("stack.npy", stack)
        self.save("index.npy", np.arange(0, 60, 3))
        self.save("marks.npy", stack[::3])
        a = self.json("embed", "stack.npy", "--bundle", "rotation", "--design", "index.npy")
        b = self.json("embed", "stack.npy", "--bundle", "rotation", "--design", "marks.npy")
        self.assertEqual(a["landmarks"], 20)
        np.testing.assert_allclose(a["eigenvalues"], b["eigenvalues"], atol=1e-10)

    def test_reflections(self):
        stack, _ = pictures(120)
        stack[::2] = stack[::2, ::-1]  # mirror images
        self.save("stack.npy", stack)
        for reflections, components in (("no", 2), ("yes", 1)):
            found = self.json("embed", "stack.npy", "--bundle", "rotation", "--reflections", reflections, "--edges",
                              "ball", "--noise", 0, "--epsilon", 0.1, "--cutoff", 2)
            self.assertEqual(found["components_of_graph"], components)

    def test_signals(self):
        self.done("sample", "signals", "-n", 300, "--parameters", "-o", "s.npz", "-q")
        run = self.done("embed", "s.npz:points", "--bundle", "shift", "-o", "s.h5")
        self.assertIn("300 signals of 32 samples", run.stdout)
        shift = np.load(self.path("s.npz"))["parameters"][:, 0]
        self.done("distance", "s.h5", "-k", 1, "--rank", 2, "-o", "d.npz", "-q")
        found = np.load(self.path("d.npz"))
        near = found["index"][:, 0]
        wrong = angles_of(found["alignment"][:, 0]) - (shift - shift[near])
        self.assertLess(np.median(np.abs(np.angle(np.exp(1j * wrong)))), 0.1)

    def test_interrupted_run_goes_on(self):
        stack, _ = pictures(80)
        self.save("stack.npy", stack)
        words = ("embed", "stack.npy", "--bundle", "rotation", "--checkpoint", "run.h5")
        self.done(*words, "-o", "a.npz", "-q")
        self.assertNotIn("run.h5", self.files())
        self.done("embed", "stack.npy", "--bundle", "rotation", "-o", "b.npz", "-q")
        a, b = np.load(self.path("a.npz")), np.load(self.path("b.npz"))
        np.testing.assert_array_equal(a["eigenvectors"], b["eigenvectors"])

    def test_refused(self):
        stack, _ = pictures(20)
        self.save("odd.npy", stack.reshape(20, -1)[:, :-1])
        self.refused(1, "embed", "odd.npy", "--bundle", "rotation", "--json", says=["224 pixels", "height"])
        stack[3, 0, 6] = np.nan
        self.save("nan.npy", stack)
        self.refused(1, "embed", "nan.npy", "--bundle", "rotation", "--json", says=["row 4, column 7", "nan"])
        self.save("thin.npy", np.ones((20, 2, 50)))
        self.refused(1, "embed", "thin.npy", "--bundle", "rotation", "--json", says="2 x 50")
        self.save("short.npy", np.ones((20, 2)))
        self.refused(1, "embed", "short.npy", "--bundle", "shift", "--json", says="2 samples")
        stack, _ = pictures(20)
        self.save("stack.npy", stack)
        self.save("other.npy", stack.reshape(20, 5, 45))
        self.done("embed", "stack.npy", "--bundle", "rotation", "-o", "model.h5", "-q")
        self.refused(1, "extend", "model.h5", "other.npy", "-o", "x.npz", says=["5 x 45", "15 x 15"])
        self.refused(1, "extend", "model.h5", "odd.npy", "-o", "x.npz", says=["224", "225"])

    def test_plain_points(self):
        """A stack is asked for its bundle, and is points to the other bundles."""
        stack, _ = pictures(40)
        self.save("stack.npy", stack)
        ask = ["40 images of 15 x 15", "lavdm embed stack.npy --bundle rotation", "lavdm embed stack.npy --method dm"]
        self.refused(1, "embed", "stack.npy", "-o", "x.npz", says=ask)
        self.refused(1, "embed", "stack.npy", "--method", "vdm", "--json", says=ask)
        for words in (["--method", "dm"], ["--method", "roseland"], ["--bundle", "trivial"], ["--bundle", "tangent"]):
            self.assertEqual(self.json("embed", "stack.npy", "--pca", 0, *words)["p"], 225)


if __name__ == "__main__":
    main()
