"""Files of anndata, read and written; colours of pictures by labels."""
import unittest
import warnings

import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sparse

from support import Case, circle

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import anndata

FEW = ("--method", "dm", "--components", "4", "--pca", "0")


def cells(n=90, genes=12, seed=0):
    """Counts of genes along a circle, half of them zero."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(np.exp(circle(n) @ rng.standard_normal((2, genes)))).astype(np.float32)
    obs = pd.DataFrame({"kind": pd.Categorical(np.array(["a", "b", "c, d"])[np.arange(n) * 3 // n]),
                        "batch": np.arange(n) % 4, "note": [f"n{i % 5}" for i in range(n)], "good": np.arange(n) > 9},
                       index=[f"cell{i}" for i in range(n)])
    return counts, obs, pd.DataFrame(index=[f"gene{j}" for j in range(genes)])


class Cells(Case):
    def write(self, name, x, obs=True, **how):
        counts, o, var = cells()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a = anndata.AnnData(x, obs=o if obs else None, var=var)
            a.layers["doubled"] = sparse.csc_matrix(2 * counts)
            a.obsm.update(how.pop("obsm", {}))
            a.write(self.path(name), **how)
        return a

    def values(self, *words):
        found = self.json("embed", *words, *FEW)
        return np.array(found["eigenvalues"]), found["table"]

    def wanted(self, x):
        self.save("wanted.npy", np.asarray(x, float))
        return np.array(self.json("embed", "wanted.npy", *FEW)["eigenvalues"])


class Reading(Cells):
    def test_matrices(self):
        counts, _, _ = cells()
        pca = circle(90)
        self.write("dense.h5ad", counts)
        self.write("csr.h5ad", sparse.csr_matrix(counts))
        self.write("csc.h5ad", sparse.csc_matrix(counts), compression="gzip")
        self.write("pca.h5ad", counts, obsm={"X_pca": pca, "X_umap": 3 * pca + counts[:, :2]})
        for name, x, part in (("dense.h5ad", counts, "X"), ("csr.h5ad", counts, "X"), ("csc.h5ad", counts, "X"),
                              ("pca.h5ad", pca, "obsm/X_pca"), ("pca.h5ad:X", counts, "X"),
                              ("pca.h5ad:obsm/X_umap", 3 * pca + counts[:, :2], "obsm/X_umap"),
                              ("pca.h5ad:layers/doubled", 2 * counts, "layers/doubled")):
            with self.subTest(name=name):
                values, table = self.values(name)
                np.testing.assert_allclose(values, self.wanted(x), atol=1e-9)
                self.assertIn(f"{part} (90 x {x.shape[1]}) holds the points", table["told"][0])
                self.assertEqual("no obsm/X_pca" in table["told"][0], part == "X" and ":" not in name)
                self.assertEqual(any("made dense" in line for line in table["told"]), "cs" in name or "layers" in name)
                self.assertTrue(table["ids"])

    def test_sparse_stays_sparse(self):
        """Principal coordinates of a sparse matrix, as of the same from SciPy; for new cells too, by the same genes."""
        counts, _, _ = cells()
        words = ("--method", "dm", "--components", "4", "--pca", "3")
        self.write("x.h5ad", sparse.csc_matrix(counts))
        sparse.save_npz(self.path("x.npz"), sparse.csr_matrix(counts))
        one = self.json("embed", "x.h5ad", "-o", "m.h5", *words)
        two = self.json("embed", "x.npz", "-o", "o.npz", *words)
        np.testing.assert_allclose(one["eigenvalues"], two["eigenvalues"], atol=1e-9)
        self.assertIn("principal coordinates are taken of it", one["table"]["told"][1])
        self.done("extend", "m.h5", "x.h5ad", "-qo", "e.npz")
        with np.load(self.path("e.npz")) as new, np.load(self.path("o.npz")) as old:
            np.testing.assert_allclose(np.abs(new["eigenvectors"]), np.abs(old["eigenvectors"]), atol=1e-6)
            kept = new["eigenvectors"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            anndata.read_h5ad(self.path("x.h5ad"))[:, ::-1].copy().write(self.path("turned.h5ad"))
        run = self.done("extend", "m.h5", "turned.h5ad", "-o", "e.npz")
        self.assertIn("made dense", run.stderr)
        with np.load(self.path("e.npz")) as new:
            np.testing.assert_allclose(new["eigenvectors"], kept, atol=1e-6)

    def test_genes_by_name(self):
        counts, _, _ = cells()
        self.write("x.h5ad", sparse.csr_matrix(counts))
        values, table = self.values("x.h5ad", "--columns", "gene3,gene5,7", "--standardise")
        x = counts[:, [3, 5, 6]].astype(float)
        np.testing.assert_allclose(values, self.wanted((x - x.mean(0)) / x.std(0)), atol=1e-9)
        self.assertEqual(table["columns"], ["gene3", "gene5", "gene6"])

    def test_labels(self):
        counts, obs, _ = cells()
        self.write("x.h5ad", counts)
        for column in obs:
            self.done("embed", "x.h5ad", "--labels", column, "-qo", "o.csv", *FEW)
            back = pd.read_csv(self.path("o.csv"))
            self.assertEqual(list(back["id"]), list(obs.index))
            self.assertEqual(list(back["label"].astype(str)),
                             list(obs[column].astype(int if column == "good" else str).astype(str)))
        self.done("embed", "x.h5ad", "--ids", "note", "-qo", "o.csv", *FEW)
        self.assertEqual(list(pd.read_csv(self.path("o.csv"))["id"]), list(obs["note"]))
        self.refused(1, "embed", "x.h5ad", "--labels", "nothing", "-o", "o.csv", says=["nothing", "batch good kind note"])
        run = self.done("embed", "x.h5ad", "-o", "o.csv", *FEW)
        self.assertIn("columns of obs for --labels: batch good kind note", run.stderr)

    def test_categories_of_before(self):
        """anndata 0.7 kept categories in a group of their own."""
        counts, obs, _ = cells()
        self.write("x.h5ad", counts)
        with h5py.File(self.path("x.h5ad"), "r+") as file:
            codes, words = file["obs/kind/codes"][:], file["obs/kind/categories"][:]
            del file["obs/kind"]
            file["obs/kind"] = codes
            file["obs/__categories/kind"] = words
        self.done("embed", "x.h5ad", "--labels", "kind", "-qo", "o.csv", *FEW)
        self.assertEqual(list(pd.read_csv(self.path("o.csv"))["label"]), list(obs["kind"]))

    def test_new_cells(self):
        counts, _, _ = cells()
        self.write("x.h5ad", counts)
        self.done("embed", "x.h5ad", "-qo", "m.h5", *FEW)
        self.done("extend", "m.h5", "x.h5ad", "-qo", "e.csv")
        self.done("embed", "x.h5ad", "-qo", "o.csv", *FEW)
        one, two = (pd.read_csv(self.path(name), index_col="id") for name in ("e.csv", "o.csv"))
        np.testing.assert_allclose(one, two, atol=1e-7)


class Bad(Cells):
    def test_cut_and_changed(self):
        self.write("x.h5ad", sparse.csr_matrix(cells()[0]))
        with open(self.path("x.h5ad"), "rb") as file:
            whole = file.read()
        for size in (0, 7, 500, len(whole) // 2, len(whole) - 100):
            with self.subTest(size=size):
                self.data("cut.h5ad", whole[:size])
                self.refused(1, "embed", "cut.h5ad", "-o", "o.npz", says="cut.h5ad")

    def change(self, what):
        self.write("x.h5ad", sparse.csr_matrix(cells()[0]))
        with h5py.File(self.path("x.h5ad"), "r+") as file:
            what(file)

    def test_lies(self):
        def put(name, index, value):
            def change(file):
                file[name][index] = value
            return change

        def shape(rows, columns):
            def change(file):
                file["X"].attrs["shape"] = np.array([rows, columns])
            return change

        def replace(name, value):
            def change(file):
                del file[name]
                file[name] = value
            return change

        def remove(name):
            def change(file):
                del file[name]
            return change

        def outside(file):
            del file["X"]
            file["X"] = h5py.ExternalLink("other.h5", "/X")

        def nowhere(file):
            file["obsm/X_pca"] = h5py.SoftLink("/nowhere")

        def kind(file):
            file["X"].attrs["encoding-type"] = "coo_matrix"

        for change, says in ((put("X/indices", 3, 12), "numbered 0 to 11"), (put("X/indices", 3, -1), "numbered 0 to 11"),
                             (put("X/indptr", 1, 10 ** 6), "indptr"), (put("X/indptr", 0, 1), "indptr"),
                             (put("X/indptr", -1, 5), "indptr"), (shape(89, 12), "91 entries"), (shape(-90, 12), "shape cannot be right"),
                             (shape(90, 2 ** 60), "shape cannot be right"), (remove("X/data"), "x.h5ad"), (remove("X"), "neither"),
                             (replace("X/data", "text"), "x.h5ad"), (replace("X/indices", np.zeros(3, int)), "and 3 entries"),
                             (replace("obs/_index", np.array([b"a", b"b"])), "different numbers of rows"),
                             (put("obs/kind/codes", 4, 99), "damaged"), (replace("obs/kind/categories", np.ones((2, 2))), "list"),
                             (outside, "link to another file"), (nowhere, "obsm/X_pca: cannot be read"), (kind, "another kind"),
                             (replace("X", np.ones((3, 3, 3))), "3 dimensions"), (replace("X", np.ones(3)), "1 dimension")):
            with self.subTest(says=says):
                self.change(change)
                self.refused(1, "embed", "x.h5ad", "--labels", "kind", "-o", "o.npz", says=says)

    def test_no_room(self):
        self.write("x.h5ad", sparse.csr_matrix(cells()[0]))
        with h5py.File(self.path("x.h5ad"), "r+") as file:
            file["X"].attrs["shape"] = np.array([90, 10 ** 9])
        self.refused(2, "embed", "x.h5ad", "--pca", "0", "-o", "o.npz", says=["x.h5ad", "memory"])


class Writing(Cells):
    def test_as_scanpy_writes(self):
        """Eigenvectors of the symmetric operator, orthonormal; all else as it was."""
        counts, obs, _ = cells()
        before = self.write("x.h5ad", sparse.csr_matrix(counts), obsm={"X_pca": circle(90)})
        for method in ("dm", "roseland"):
            words = ("--method", method, "--components", "4", "--pca", "0")
            found = self.json("embed", "x.h5ad", "-o", "o.h5ad", *words)
            self.done("embed", "x.h5ad", "-qo", "o.npz", *words)
            after = anndata.read_h5ad(self.path("o.h5ad"))
            np.testing.assert_array_equal(after.uns["diffmap_evals"], found["eigenvalues"])
            z = after.obsm["X_diffmap"]
            np.testing.assert_allclose(z.T @ z, np.eye(4), atol=1e-10)
            with np.load(self.path("o.npz")) as kept:
                np.testing.assert_allclose(z, np.sqrt(kept["degrees"])[:, None] * kept["eigenvectors"][:, 0], atol=1e-12)
            self.assertTrue((after.obs == obs).all().all())
            self.assertEqual((after.X != before.X).nnz, 0)
            np.testing.assert_array_equal(after.obsm["X_pca"], before.obsm["X_pca"])
        self.done("embed", "o.h5ad", "-qo", "p.h5ad", "--method", "dm", "--components", "2")
        self.assertEqual(anndata.read_h5ad(self.path("p.h5ad")).obsm["X_diffmap"].shape, (90, 2))

    def test_refused(self):
        self.write("x.h5ad", cells()[0])
        self.save("x.npy", circle())
        for words, says in ((("x.h5ad", "-o", "o.h5ad"), ["X_diffmap", "lavdm embed x.h5ad -o o.h5ad --method dm"]),
                            (("x.npy", "-o", "o.h5ad", "--method", "dm"), "copy of an .h5ad"),
                            (("x.h5ad", "-o", "x.h5ad", "--method", "dm"), "overwrite"),
                            (("x.h5ad", "-o", "o.h5ad", "--method", "dm", "--embedding"), "--embedding needs"),
                            (("x.h5ad", "-o", "o.h5ad", "--method", "dm", "--missing", "drop"), "--missing drop"),
                            (("x.h5ad", "-o", "no/o.h5ad", "--method", "dm"), "no/o.h5ad")):
            with self.subTest(words=words):
                self.refused(2 if "no/o.h5ad" in words else 1, "embed", *words, says=says)

    def test_links_are_not_followed(self):
        self.write("x.h5ad", cells()[0])
        with h5py.File(self.path("other.h5"), "w") as file:
            file.create_group("obsm")
        with h5py.File(self.path("x.h5ad"), "r+") as file:
            del file["obsm"]
            file["obsm"] = h5py.ExternalLink("other.h5", "/obsm")
        self.refused(1, "embed", "x.h5ad", "-o", "o.h5ad", *FEW, says="link")
        self.refused(2, "embed", "x.h5ad:X", "-o", "o.h5ad", *FEW, says=["x.h5ad: its 'obsm' is a link", "-o FILE.npz"])
        with h5py.File(self.path("other.h5")) as file:
            self.assertEqual(list(file["obsm"]), [])


class Colours(Case):
    def setUp(self):
        super().setUp()
        t = pd.DataFrame(circle(80), columns=["x", "y"])
        t["kind"] = [f"k{i // 20}" for i in range(80)]
        t["many"] = [f"m{i // 4}" for i in range(80)]
        t["age"] = np.arange(80) * 1.5
        t.to_csv(self.path("x.csv"), index=False)
        self.done("embed", "x.csv", "--columns", "x,y", "-qo", "o.npz", *FEW)
        self.done("embed", "x.csv", "--columns", "x,y", "-qo", "o.h5", *FEW)
        self.save("texts.npy", np.array(t["kind"], dtype=str))
        self.save("numbers.npy", np.arange(80))

    def drawn(self, *words):
        self.done("plot", *words, "-qo", "p.svg")
        with open(self.path("p.svg")) as file:
            return file.read()

    def test_groups(self):
        for words in (("o.npz",), ("o.h5",), ("o.npz", "--colour", "labels"), ("o.npz", "--colour", "x.csv"),
                      ("o.npz", "--colour", "x.csv:kind"), ("o.npz", "--colour", "texts.npy"), ("o.npz", "--colour", "x.csv:3")):
            with self.subTest(words=words):
                picture = self.drawn(*words)
                for k in range(4):
                    self.assertIn(f">k{k}<", picture)
        picture = self.drawn("o.npz", "--colour", "x.csv:many")
        self.assertIn("9 others", picture)

    def test_numbers(self):
        for what in ("degrees", "x.csv:age", "numbers.npy", "none"):
            with self.subTest(what=what):
                self.assertNotIn(">k0<", self.drawn("o.npz", "--colour", what))
        self.assertIn(">age<", self.drawn("o.npz", "--colour", "x.csv:age"))

    def test_refused(self):
        self.save("few.npy", np.arange(3))
        self.save("z.npy", circle())
        self.done("embed", "z.npy", "-qo", "z.npz", *FEW)
        for words, says in ((("o.npz", "--colour", "nothing"), "no array of that name"), (("o.npz", "--colour", "few.npy"), "3 rows"),
                            (("o.npz", "--colour", "x.csv:kin"), "did you mean 'kind'"), (("z.npz", "--colour", "labels"), "--labels"),
                            (("o.npz", "--colour", "eigenvectors"), "320"), (("o.npz", "--colour", "no.csv"), "no such file")):
            with self.subTest(words=words):
                self.refused(1, "plot", *words, "-o", "p.png", says=says)


if __name__ == "__main__":
    unittest.main()
