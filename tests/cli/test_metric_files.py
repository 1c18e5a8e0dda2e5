"""--metric: distances by name, and distances in files as SciPy, scikit-learn and h5py write them."""
import unittest

import h5py
import numpy as np
import scipy.io
import scipy.sparse
from scipy.spatial.distance import cdist

from support import Case

DM = ("--method", "dm", "--components", "4", "--threads", "1")
GIVEN = (*DM, "--metric", "precomputed")


def cloud(n=120):
    return 1 + np.random.default_rng(3).random((n, 3))


class Files(Case):
    """One matrix in every format gives what the metric gives by name."""

    def setUp(self):
        super().setUp()
        self.x = cloud()
        self.d = cdist(self.x, self.x, "cityblock")
        self.save("x.npy", self.x)
        self.truth = self.json("embed", "x.npy", *DM, "--metric", "manhattan")

    def check(self, name, *words):
        found = self.json("embed", name, *GIVEN, *words)
        np.testing.assert_allclose(found["eigenvalues"], self.truth["eigenvalues"], atol=1e-9)
        self.assertEqual(found["metric"], "precomputed")

    def test_matrices(self):
        self.assertEqual(self.truth["metric"], "manhattan")
        np.savez(self.path("d.npz"), d=self.d)
        np.savez(self.path("two.npz"), d=self.d, other=self.x)
        np.savetxt(self.path("d.csv"), self.d, delimiter=",", fmt="%.17g")
        scipy.io.savemat(self.path("d.mat"), {"d": self.d})
        with h5py.File(self.path("d.h5"), "w") as file:
            file["d"] = self.d
        self.save("d.npy", self.d)
        self.save("turned.npy", np.asfortranarray(self.d))
        for name in ("d.npy", "turned.npy", "d.npz", "d.csv", "d.mat", "d.h5", "two.npz:d"):
            self.check(name)

    def lists(self, k=9):
        index = np.argsort(self.d, axis=1, kind="stable")[:, :k]
        return index, np.take_along_axis(self.d, index, axis=1)

    def test_lists(self):
        index, value = self.lists()
        np.savez(self.path("k.npz"), indices=index.astype(np.int32), distances=value)
        with h5py.File(self.path("k.h5"), "w") as file:
            file["indices"], file["distances"] = index, value
        rows = np.repeat(np.arange(len(index)), index.shape[1])
        graph = scipy.sparse.csr_matrix((value.ravel(), (rows, index.ravel())), shape=self.d.shape)
        for kind in ("csr", "csc", "coo"):
            scipy.sparse.save_npz(self.path(kind + ".npz"), graph.asformat(kind))
        truth = self.json("embed", "x.npy", *DM, "--metric", "manhattan", "--edges", "knn", "--knn", "8", "--dim", "3")
        for name in ("k.npz", "k.h5", "csr.npz", "csc.npz", "coo.npz"):
            found = self.json("embed", name, *GIVEN, "--dim", "3")
            np.testing.assert_allclose(found["eigenvalues"], truth["eigenvalues"], atol=1e-9)
            self.assertEqual((found["knn"], found["edges_rule"]), (8, "knn"))
            self.assertTrue(any(reason.startswith("knn") for reason in found["reasons"]))

    def test_extension(self):
        self.save("d.npy", self.d)
        self.save("new.npy", self.d[:7])
        for words in (("--edges", "ball"), ("--edges", "knn"), ("--method", "roseland", "--landmarks", "40")):
            self.done("embed", "d.npy", *GIVEN, *words, "-o", "model.h5")
            self.done("extend", "model.h5", "new.npy", "-o", "new.npz", "--threads", "1")
            with h5py.File(self.path("model.h5")) as model, np.load(self.path("new.npz")) as new:
                np.testing.assert_allclose(new["eigenvectors"], model["eigenvectors"][:7], atol=1e-9)
        self.refused(1, "extend", "model.h5", "x.npy", "-o", "new.npz", says="3 distances each")
        self.refused(1, "extend", "model.h5", "new.npy", "--labels", "1", "-o", "new.npz", says="about points")

    def test_equal_distances(self):
        """A simplex has as many dimensions as it can have: the distances do not grow with the number of neighbours."""
        self.save("d.npy", 1 - np.eye(60))
        found = self.json("embed", "d.npy", *GIVEN)
        self.assertEqual(found["dim"], 10)
        np.testing.assert_allclose(found["eigenvalues"][1:], found["eigenvalues"][1], atol=1e-12)

    def test_told(self):
        self.save("d.npy", self.d)
        told = self.json("embed", "d.npy", *DM)
        self.assertTrue(any("--metric precomputed" in sentence for sentence in told["warnings"]))
        self.assertEqual(self.json("embed", "x.npy", *DM)["warnings"], [])
        run = self.done("embed", "d.npy", *GIVEN, "-o", "o.npz")
        self.assertIn("distances of 120 points", run.stdout)
        self.assertIn("precomputed", run.stdout)


class Refused(Case):
    def no(self, match, name, *words):
        self.refused(1, "embed", name, *GIVEN, "-o", "o.npz", *words, says=match)
        self.assertNotIn("o.npz", self.files())

    def test_matrices(self):
        d = cdist(cloud(30), cloud(30))
        for change, match in (((2, 3, 9.0), "symmetric"), ((4, 4, 1.0), "itself"), ((1, 2, -1.0), "number from 0"),
                              ((1, 2, np.nan), "number from 0")):
            bad = d.copy()
            bad[change[0], change[1]] = change[2]
            self.no(match, self.save("bad.npy", bad))
        self.no("square", self.save("bad.npy", d[:20]))
        self.no("axis", self.save("bad.npy", d[0]))

    def test_lists(self):
        index = np.arange(30)[:, None] + np.arange(1, 5)
        good = {"indices": index % 30, "distances": np.ones((30, 4))}
        bad = {"one is short": ({"distances": np.ones((30, 3))}, "n x k"),
               "beyond": ({"indices": index}, "names the point 30"),
               "not whole": ({"indices": index + 0.5}, "whole number"),
               "text": ({"distances": np.array("hello")}, "text"),
               "negative": ({"distances": -np.ones((30, 4))}, "number from 0")}
        for change, match in bad.values():
            np.savez(self.path("bad.npz"), **{**good, **change})
            self.no(match, "bad.npz")

    def test_sparse(self):
        graph = scipy.sparse.random(30, 30, 0.3, random_state=0)
        scipy.sparse.save_npz(self.path("bad.npz"), graph.asformat("bsr"))
        self.no("tocsr", "bad.npz")
        parts = {"data": np.ones(30), "indices": np.arange(30), "indptr": np.arange(31), "shape": np.array([30, 30]),
                 "format": np.array(b"csr")}
        for change, match in (({"indptr": np.arange(31) + 1}, "begins with 1"), ({"indptr": np.arange(30)}, "30 entries"),
                              ({"indices": np.arange(29)}, "30 and 29 entries"),
                              ({"shape": np.array([2**62, 30])}, "shape cannot be right"),
                              ({"indptr": np.arange(31)[::-1]}, "begins with 30"), ({"shape": np.array([30])}, "no matrix")):
            np.savez(self.path("bad.npz"), **{**parts, **change})
            self.no(match, "bad.npz")
        np.savez(self.path("bad.npz"), **parts)
        self.no("row 1 to itself is 1", "bad.npz")
        np.savez(self.path("bad.npz"), **{**parts, "data": np.zeros(30)})
        self.no("only 0 neighbours of row 1", "bad.npz")

    def test_words(self):
        self.save("x.npy", cloud())
        for words, match in ((("--method", "vdm"), "--method dm"), (("--bundle", "rotation"), "best turn"),
                             (("--pca", "2", "--method", "dm"), "pca")):
            self.refused(1, "embed", "x.npy", "--metric", "hamming", *words, "-o", "o.npz", says=match)
        self.refused(1, "embed", "x.npy", *DM, "--metric", "cosines", "-o", "o.npz", says="cosine")
        self.refused(1, "embed", "x.npy", "--metric", "cosine", "--method", "roseland", "--stream", "yes", "-o", "o.npz",
                     says="memory")


if __name__ == "__main__":
    unittest.main()
