"""lavdm sample projections and lavdm average: formats, truth, bad use."""
import unittest

import numpy as np

from support import Case

SIZE = 24


def turn_of(rotations, i, j):
    """The turn of j that brings its image to that of i, and the angle between their directions."""
    m = np.einsum("nba,nbc->nac", rotations[i], rotations[j])
    return np.arctan2(m[:, 1, 0] - m[:, 0, 1], m[:, 0, 0] + m[:, 1, 1]), np.arccos(np.clip(m[:, 2, 2], -1, 1))


def mrc(path):
    data = np.fromfile(path, np.uint8)
    nx, ny, nz, mode = data[:16].view("<i4")
    assert mode == 2
    return data[1024:].view("<f4").reshape(nz, ny, nx)


class Projections(Case):
    def test_formats_agree(self):
        for name in ("a.npy", "a.mrcs"):
            self.done("sample", "projections", "-n", 20, "--size", SIZE, "--snr", "1/4", "-o", name)
        a = np.load(self.path("a.npy"))
        self.assertEqual((a.shape, a.dtype), ((20, SIZE, SIZE), np.float32))
        np.testing.assert_array_equal(a, mrc(self.path("a.mrcs")))

    def test_noise_and_rotations(self):
        self.done("sample", "projections", "-n", 200, "--size", SIZE, "--snr", "0.25", "-o", "a.npy", "--rotations",
                  "r.npy", "--clean", "c.npy", "--seed", 3)
        a, c, r = (np.load(self.path(f"{name}.npy")) for name in "acr")
        self.assertAlmostEqual(np.var(c) / np.var(a - c), 0.25, delta=0.01)
        np.testing.assert_allclose(np.einsum("nba,nbc->nac", r, r), np.broadcast_to(np.eye(3), r.shape), atol=1e-12)
        self.done("sample", "projections", "-n", 10, "--size", SIZE, "-o", "few.npy", "--seed", 3)
        np.testing.assert_allclose(np.load(self.path("few.npy")), c[:10], atol=1e-6)

    def test_volume(self):
        """A ball of ones: every projection is the chord through it."""
        x = (np.arange(32) * 2 + 1) / 32 - 1
        ball = (x[:, None, None] ** 2 + x[:, None] ** 2 + x ** 2 < 0.49).astype(float)
        self.save("ball.npy", ball)
        self.done("sample", "projections", "-n", 3, "--size", 32, "--volume", "ball.npy", "-o", "a.npy")
        chord = 2 * np.sqrt(np.maximum(0.49 - x[:, None] ** 2 - x ** 2, 0))
        for image in np.load(self.path("a.npy")):
            self.assertLess(np.abs(image - chord).mean(), 0.03)
        self.save("flat.npy", np.zeros((3, 4, 4)))
        self.refused(1, "sample", "projections", "-n", 3, "--volume", "flat.npy", "-o", "b.npy", says="cube")

    def test_bad_use(self):
        self.refused(1, "sample", "projections", "-o", "a.npy", says="how many projections")
        self.refused(1, "sample", "projections", "-n", 3, says="where to")
        self.refused(1, "sample", "projections", "-n", 3, "-o", "a.npy", "--snr", "1/0", says="--snr")
        self.refused(1, "sample", "projections", "-n", 3, "-o", "a.npy", "--size", 0, says="--size")
        self.refused(1, "sample", "projections", "-n", 3, "-o", "a.npy", "--frames", says="--frames")
        self.refused(1, "sample", "sphere", "-n", 3, "-o", "a.npy", "--snr", 1, says="--snr is for sample projections")
        self.assertEqual(self.files(), [])


class Average(Case):
    def stack(self, n=400, snr="1/2", name="stack.mrcs"):
        self.done("sample", "projections", "-n", n, "--size", SIZE, "--snr", snr, "--rotations", "true.npy", "--clean",
                  "clean.npy", "-o", name)
        return name

    def test_averages_are_nearer_to_the_truth(self):
        stack = self.stack()
        rotations, clean = np.load(self.path("true.npy")), np.load(self.path("clean.npy"))
        raw = mrc(self.path(stack))
        y, x = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2
        disk = x ** 2 + y ** 2 < (0.45 * SIZE) ** 2
        for method in ("rid", "vdm", "lavdm"):
            run = self.done("average", stack, "-o", "a.mrcs", "--table", "a.npz", "--method", method, "-k", 6,
                            "--landmarks", 100, "--components", 30, "--montage", "a.png")
            self.assertIn("400 averages of 7 images each", run.stderr)
            averages = mrc(self.path("a.mrcs"))
            with np.load(self.path("a.npz")) as table:
                i = np.repeat(table["images"], 6)
                j, angle = table["neighbours"].ravel(), table["angles"].ravel()
                self.assertTrue((table["reflected"] == 0).all())
                self.assertTrue((np.diff(table["distances"], axis=1) >= -1e-9).all())
            turn, viewing = turn_of(rotations, i, j)
            near = viewing < np.radians(25)
            self.assertGreater(near.mean(), 0.55, method)
            wrong = np.abs((turn - angle + np.pi) % (2 * np.pi) - np.pi)[near]
            self.assertLess(np.median(wrong), np.radians(6), method)
            self.assertLess(((averages - clean)[:, disk] ** 2).sum(), 0.4 * ((raw - clean)[:, disk] ** 2).sum(), method)
        with open(self.path("a.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_classes_and_mirrors(self):
        stack = self.stack(name="stack.npy")
        self.done("average", stack, "--table", "a.h5", "-o", "a.npy", "--classes", 25, "-k", 5, "--reflections", "yes",
                  "--method", "vdm", "--components", 20)
        self.assertEqual(np.load(self.path("a.npy")).shape, (25, SIZE, SIZE))
        self.done("average", stack, "--table", "a.npz", "--classes", 25, "-k", 5, "--reflections", "yes",
                  "--method", "vdm", "--components", 20, "-q")
        with np.load(self.path("a.npz")) as table:
            self.assertEqual(table["neighbours"].shape, (25, 5))
            self.assertTrue(0.2 < table["reflected"].mean() < 0.8)

    def test_bad_use(self):
        stack = self.stack(20)
        self.save("flat.npy", np.zeros((5, 4)))
        for words, says in (((stack,), "where to"), ((stack, "-o", "a.mrcs", "--method", "vmd"), "vdm"),
                            ((stack, "-o", "a.mrcs", "-k", 0), "neighbours"), ((stack, "-o", "a.xyz"), "a.xyz"),
                            ((stack, "--table", "a.npy"), "a.npy"), ((stack, "--montage", "a.txt"), "a.txt"),
                            (("flat.npy", "-o", "a.npy"), "images x rows x columns"),
                            (("missing.mrcs", "-o", "a.npy"), "missing.mrcs")):
            self.refused(1, "average", *words, says=says)


if __name__ == "__main__":
    unittest.main()
