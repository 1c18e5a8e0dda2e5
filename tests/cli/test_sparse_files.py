"""Sparse points: what scipy.sparse.save_npz writes is fitted, extended, or refused by a sentence."""
import io
import unittest
import zipfile

import numpy as np
import scipy.sparse

from support import Case


def curve(n, seed):
    """Bumps along a closed curve, in 200 coordinates of which a tenth is not zero."""
    at = np.random.default_rng(seed).uniform(0, 20, n)
    away = np.abs(at[:, None] - np.arange(200)[None] / 10)
    away = np.minimum(away, 20 - away)
    return np.where(away < 1.2, (1.2 - away) * (1 + np.arange(200) % 3), 0)


class Sparse(Case):
    how = "--method", "dm", "--pca", 5, "--components", 6, "--trust", "no"

    def matrix(self, name, matrix, **more):
        scipy.sparse.save_npz(self.path(name), matrix, **more)
        return name

    def test_every_format_is_the_dense_table(self):
        points = curve(300, 1)
        dense = self.json("embed", self.save("x.npy", points), "--json", *self.how)["eigenvalues"]
        for form in ("csr", "csc", "coo"):
            for compressed in (False, True):
                name = self.matrix(form + ".npz", scipy.sparse.csr_matrix(points).asformat(form), compressed=compressed)
                out = self.json("embed", name, "--json", *self.how)
                self.assertTrue(np.allclose(out["eigenvalues"], dense, atol=1e-9))
                self.assertTrue(any(reason.startswith("sparse: 300 points with 200") for reason in out["reasons"]))

    def test_pca_is_chosen(self):
        name = self.matrix("x.npz", scipy.sparse.csr_matrix(curve(300, 1)))
        out = self.json("embed", name, "--json", "--method", "dm", "--trust", "no")
        self.assertGreater(out["pca"], 0)
        self.assertEqual(out["p"], out["pca"])

    def test_extension(self):
        old, new = curve(300, 1), curve(40, 2)
        self.done("embed", self.matrix("x.npz", scipy.sparse.csr_matrix(old)), "-o", "m.h5", "-q", *self.how)
        self.done("extend", "m.h5", self.matrix("z.npz", scipy.sparse.coo_matrix(new)), "-o", "a.npz", "-q")
        self.done("extend", "m.h5", self.save("z.npy", new), "-o", "b.npz", "-q")
        a, b = np.load(self.path("a.npz"))["eigenvectors"], np.load(self.path("b.npz"))["eigenvectors"]
        self.assertTrue(np.allclose(a, b, atol=1e-9))

    def test_what_cannot_be_done_is_told(self):
        matrix = scipy.sparse.csr_matrix(curve(60, 1))
        name = self.matrix("x.npz", matrix)
        self.refused("embed", name, "-o", "o.h5", "--method", "dm", "--pca", 0, words="give pca 50, or auto")
        self.refused("orient", name, words="takes no sparse points")
        for other in (matrix.tobsr(), scipy.sparse.eye(60).todia()):
            self.refused("embed", self.matrix("y.npz", other), "-o", "o.h5", words=r"matrix.tocsr\(\)")
        self.refused("embed", self.matrix("y.npz", matrix.astype(complex)), "-o", "o.h5", words="'data'|complex")
        self.refused("embed", self.matrix("y.npz", matrix * np.inf), "-o", "o.h5", words="finite")

    def lie(self, **members):
        """The file with some of its members replaced, and None: left out."""
        matrix = scipy.sparse.csr_matrix(curve(60, 1))
        good = {"indices": matrix.indices, "indptr": matrix.indptr, "data": matrix.data, "shape": matrix.shape,
                "format": np.array(b"csr")}
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for name, array in {**good, **members}.items():
                if array is not None:
                    member = io.BytesIO()
                    np.save(member, array)
                    file.writestr(name + ".npy", member.getvalue())
        return self.data("lie.npz", out.getvalue())

    def test_files_that_lie(self):
        matrix = scipy.sparse.csr_matrix(curve(60, 1))
        index, start = matrix.indices.copy(), matrix.indptr.copy()
        index[3] = 200
        start[2] = start[1] - 1
        for members, words in (({"indices": index}, "'indices' is 200"), ({"indptr": start}, "'indptr' falls"),
                               ({"indptr": matrix.indptr[:-1]}, "'indptr' has 60"), ({"shape": (60,)}, "'shape'"),
                               ({"shape": (10 ** 18, 200)}, "shape"), ({"indices": None}, "no 'indices'"),
                               ({"data": matrix.data[1:]}, "entries"), ({"indices": index.astype(float)}, "whole"),
                               ({"data": matrix.data.astype("U")}, "'data'|data"), ({"shape": (-60, 200)}, "shape")):
            self.refused("embed", self.lie(**members), "-o", "o.h5", words=words)
        with open(self.path(self.matrix("x.npz", matrix)), "rb") as file:
            whole = file.read()
        for share in (0.2, 0.5, 0.9, 0.99):
            self.refused("embed", self.data("cut.npz", whole[:int(share * len(whole))]), "-o", "o.h5", words="npz")

    def refused(self, *words_of_command, words):
        run = self.run_lavdm(*words_of_command)
        self.assertIn(run.returncode, (1, 2), run.stderr)
        self.assertRegex(run.stderr, words)
        self.assertNotIn("o.h5", self.files())


if __name__ == "__main__":
    unittest.main()
