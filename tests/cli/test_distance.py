"""lavdm distance: distances, neighbours and alignments of a model, against numpy."""
import signal
import subprocess
import time
import unittest

import h5py
import numpy as np
import scipy.io

from support import PROGRAM, Case, caught, circle, sphere


class Model:
    """Embedding and alignments by their definition, from the arrays of a result."""

    def __init__(self, path, t=1.0, rank=None):
        with h5py.File(path) as file:
            self.u = file["eigenvectors"][:].astype(float)
            values = file["eigenvalues"][:]
        self.n, self.q, r = self.u.shape
        self.y = (self.u * np.maximum(values, 0) ** t)[:, :, : rank or r]
        gram = np.einsum("ncl,ncs->nls", self.y, self.y).reshape(self.n, -1)
        self.distance = np.sqrt(np.maximum(((gram[:, None] - gram[None]) ** 2).sum(2), 0))

    def alignment(self, i, j):
        left, _, right = np.linalg.svd(np.einsum("cl,dl->cd", self.y[i], self.y[j]))
        return left @ right


class Distance(Case):
    def model(self, name="model.h5", n=150, **options):
        self.save("x.npy", sphere(n))
        options = {"components": 8, "dim": 2, **options}
        self.done("embed", "x.npy", "-qo", name, *[word for key in options for word in (f"--{key}", options[key])])
        return name

    def load(self, name):
        if name.endswith(".mat"):
            return {key: np.squeeze(value) for key, value in scipy.io.loadmat(self.path(name)).items()}
        if name.endswith(".h5"):
            with h5py.File(self.path(name)) as file:
                return {**{key: file[key][()] for key in file}, **file.attrs}
        with np.load(self.path(name)) as file:
            return dict(file)

    def test_pairs(self):
        truth = Model(self.path(self.model()))
        pairs = np.random.default_rng(1).integers(0, 150, (40, 2))
        self.save("pairs.npy", pairs)
        np.savetxt(self.path("pairs.csv"), pairs, delimiter=",", fmt="%d", header="i,j", comments="")
        self.save("real.npy", pairs.astype(float))
        for file, output in (("pairs.npy", "a.npz"), ("pairs.csv", "a.h5"), ("real.npy", "a.mat")):
            self.assertIn("40 distances", self.done("distance", "model.h5", "--pairs", file, "-o", output).stdout)
            found = self.load(output)
            np.testing.assert_array_equal(found["pairs"], pairs)
            np.testing.assert_allclose(found["distance"], truth.distance[pairs[:, 0], pairs[:, 1]], rtol=1e-9, atol=1e-12)
            self.assertEqual(found["alignment"].shape, (40, 2, 2))
            for (i, j), o in zip(pairs, found["alignment"]):
                np.testing.assert_allclose(o, truth.alignment(i, j), atol=1e-8)
            self.assertEqual((float(found["time"]), int(found["rank"])), (1, 8))
        self.done("distance", "model.h5", "--pairs", "pairs.npy", "-qo", "a.csv")
        table = np.loadtxt(self.path("a.csv"), delimiter=",")
        found = self.load("a.npz")
        np.testing.assert_array_equal(table, np.c_[pairs, found["distance"], found["alignment"].reshape(40, 4)])

    def test_from_some_to_all(self):
        truth = Model(self.path(self.model()), rank=5, t=2)
        self.text("points.txt", "3\n149\n3\n")
        self.save("row.npy", np.array([[3, 149, 3]]))
        for number, points in enumerate(("3,149,3", "points.txt", "row.npy", " 3, 149 ,3")):
            name = f"a{number}.npz"
            self.done("distance", "model.h5", "--from", points, "--time", "2", "--rank", "5", "-o", name)
            found = self.load(name)
            np.testing.assert_array_equal(found["points"], [3, 149, 3])
            np.testing.assert_allclose(found["distance"], truth.distance[[3, 149, 3]], rtol=1e-9, atol=1e-12)
            self.assertEqual(found["distance"][0, 3], 0)
            self.assertNotIn("alignment", found)
        self.done("distance", "model.h5", "--from", "3,149,3", "--time", "2", "--rank", "5", "-qo", "b.npy")
        np.testing.assert_array_equal(np.load(self.path("b.npy")), self.load("a0.npz")["distance"])

    def check_neighbours(self, truth, points, found, k):
        np.testing.assert_array_equal(found["points"], points)
        self.assertEqual(found["index"].shape, (len(points), k))
        self.assertEqual(found["alignment"].shape, (len(points), k, truth.q, truth.q))
        for row, i in enumerate(points):
            others = np.delete(np.arange(truth.n), i)
            nearest = np.sort(truth.distance[i, others])[:k]
            np.testing.assert_allclose(found["distance"][row], nearest, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(truth.distance[i, found["index"][row]], nearest, rtol=1e-9, atol=1e-12)
            self.assertNotIn(i, found["index"][row])
            self.assertEqual(len(set(found["index"][row])), k)
            for j, o in zip(found["index"][row], found["alignment"][row]):
                np.testing.assert_allclose(o, truth.alignment(i, j), atol=1e-7)

    def test_neighbours(self):
        for method in ("lavdm", "vdm", "dm", "roseland"):
            with self.subTest(method):
                truth = Model(self.path(self.model(method=method)))
                self.done("distance", "model.h5", "-qo", "all.npz")
                self.check_neighbours(truth, range(150), self.load("all.npz"), 10)
                self.done("distance", "model.h5", "-k", "3", "--from", "7,100,7", "--threads", "1", "-qo", "some.npz")
                self.check_neighbours(truth, [7, 100, 7], self.load("some.npz"), 3)
                self.done("distance", "model.h5", "-k149", "--from", "7", "-qo", "one.npz")
                self.check_neighbours(truth, [7], self.load("one.npz"), 149)
        self.done("distance", "model.h5", "-k", "3", "--from", "7,100,7", "-qo", "some.tsv")
        table, found = np.loadtxt(self.path("some.tsv")), self.load("some.npz")
        np.testing.assert_array_equal(
            table, np.c_[np.repeat([7, 100, 7], 3), found["index"].ravel(), found["distance"].ravel(), found["alignment"].ravel()])

    def test_time_and_delta_are_those_of_the_model(self):
        self.model(time=3, delta=0.5)
        with h5py.File(self.path("model.h5")) as file:
            values = file["eigenvalues"][:]
        kept = int(((values / values[0]) ** 6 > 0.5).sum())
        self.assertLess(kept, 8)
        found = self.json("distance", "model.h5", "--from", "0", "-k", "2")
        self.assertEqual((found["time"], found["rank"], found["k"], found["n"], found["q"]), (3, kept, 2, 150, 2))
        truth = Model(self.path("model.h5"), 3, kept)
        np.testing.assert_allclose(found["distance"], [np.sort(truth.distance[0])[1:3]], rtol=1e-9)
        found = self.json("distance", "model.h5", "--from", "0", "-k", "2", "--time", "1", "--delta", "0")
        self.assertEqual((found["time"], found["rank"]), (1, 8))

    def test_diffusion_distance(self):
        self.model(method="dm")
        y = Model(self.path("model.h5"), 2).y[:, 0]
        truth = np.linalg.norm(y[:, None] - y[None], axis=2)
        found = self.json("distance", "model.h5", "--diffusion", "--from", "3,8", "--time", "2")
        np.testing.assert_allclose(found["distance"], truth[[3, 8]], rtol=1e-9, atol=1e-12)
        self.assertEqual(found["kind"], "diffusion")
        found = self.json("distance", "model.h5", "--diffusion", "--from", "3,8", "--time", "2", "-k", "4")
        np.testing.assert_allclose(found["distance"], np.sort(truth[[3, 8]])[:, 1:5], rtol=1e-9)
        self.text("pairs.csv", "3,8\n8,3\n")
        found = self.json("distance", "model.h5", "--diffusion", "--pairs", "pairs.csv", "--time", "2")
        np.testing.assert_allclose(found["distance"], truth[[3, 8], [8, 3]], rtol=1e-9)
        self.model("vectors.h5")
        self.refused(1, "distance", "vectors.h5", "--diffusion", says=["--diffusion", "vectors of 2"])

    def test_printed(self):
        self.model()
        run = self.done("distance", "model.h5", "--from", "4", "-k", "2")
        self.assertRegex(run.stdout, r"model\.h5: 150 points, time 1, rank 8\n")
        self.assertEqual(len([line for line in run.stdout.splitlines() if line.split()[:1] == ["4"]]), 2)
        self.assertEqual(run.stderr, "")
        self.assertIn("1480 lines more", self.done("distance", "model.h5").stdout)
        self.assertEqual(self.done("distance", "model.h5", "-qo", "a.npz").stdout, "")
        self.assertEqual(self.json("distance", "model.h5", "-o", "a.npz")["output"], "a.npz")
        self.assertNotIn("index", self.json("distance", "model.h5", "-o", "a.npz"))
        found = self.json("distance", "model.h5", "--from", "4,5")
        self.assertEqual(np.shape(found["distance"]), (2, 150))

    def test_refused(self):
        self.model()
        self.text("three.csv", "1,2,3\n4,5,6\n")
        self.text("far.csv", "1,2\n4,150\n")
        self.text("half.csv", "1,2\n4,2.5\n")
        self.text("empty.csv", "")
        refused = lambda *words, says: self.refused(1, "distance", "model.h5", *words, says=says)
        refused("--pairs", "three.csv", says=["three.csv", "3 columns"])
        refused("--pairs", "far.csv", says=["far.csv", "no point 150", "row 2", "150 points"])
        refused("--pairs", "half.csv", says=["half.csv", "row 2, column 2", "2.5"])
        refused("--pairs", "empty.csv", says="empty.csv")
        refused("--pairs", "nowhere.csv", says=["nowhere.csv", "no such file"])
        refused("--from", "150", says=["no point 150"])
        refused("--from", "-1", says=["no point -1"])
        refused("--from", "1,,2", says=["no list of points"])
        refused("--from", "99999999999999999999", says=["no list of points"])
        refused("--from", "three.csv", says=["three.csv", "one row or one column"])
        refused("-k", "150", says=["-k is 150", "149 others"])
        refused("-k", "0", says="-k is '0'")
        refused("-k", "many", says="-k is 'many'")
        refused("--rank", "9", says=["--rank is 9", "8 components"])
        refused("--rank", "2", "--delta", "0.1", says="give one")
        refused("--from", "0", "--pairs", "far.csv", says="ask one")
        refused("--pairs", "far.csv", "-k", "2", says="-k goes with")
        refused("-o", "model.h5", says="model.h5 is the input")
        refused("--pairs", "far.csv", "-o", "far.csv", says="far.csv is the input")
        refused("-o", "out.xyz", says="out.xyz")
        self.refused(2, "distance", "model.h5", "-o", "nowhere/out.npz", says="nowhere/out.npz")
        self.refused(2, "distance", "model.h5", "--max-memory", "1K", says="ask about fewer points")
        self.refused(1, "distance", says="missing")

    def test_compact(self):
        self.save("x.npy", sphere(150))
        self.done("embed", "x.npy", "--compact", "--dim", "2", "-qo", "small.h5")
        self.refused(1, "distance", "small.h5", says=["small.h5 is compact", "--compact"])

    def test_not_a_model(self):
        self.save("x.npy", circle(50))
        with h5py.File(self.path("other.h5"), "w") as file:
            file["x"] = circle(50)
        self.text("text.h5", "hello")
        for name in ("x.npy", "other.h5", "text.h5", "nowhere.h5"):
            with self.subTest(name):
                self.refused(1, "distance", name, "-o", "out.npz", says=name)

    def test_interrupted(self):
        self.model(n=4000, components=20)
        self.save("all.npy", np.arange(4000))
        run = subprocess.Popen([PROGRAM, "distance", "model.h5", "--from", "all.npy", "--threads", "1", "-o", "out.npy"],
                               cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        caught(run, signal.SIGINT)
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=600)
        self.assertEqual((run.returncode, out, said), (3, "", "lavdm: interrupted\n"))
        self.assertEqual(self.files(), ["all.npy", "model.h5", "x.npy"])


if __name__ == "__main__":
    unittest.main()
