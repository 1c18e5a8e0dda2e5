"""Graphs in the files that people have: matrices dense and sparse, Matrix Market, arrays of edges; and bad ones."""
import h5py
import numpy as np
import scipy.io
import scipy.sparse

from support import Case, main


def weights(n=60, seed=1, loops=False):
    """A symmetric sparse matrix of weights, in one piece."""
    rng = np.random.default_rng(seed)
    w = scipy.sparse.random(n, n, 0.08, random_state=seed, data_rvs=lambda k: rng.uniform(0.5, 1.5, k))
    w = scipy.sparse.triu(w, 1) + scipy.sparse.diags([np.ones(n - 1)], [1])
    w = (w + w.T).tocsr()
    return (w + scipy.sparse.eye(n)).tocsr() if loops else w


class GraphCase(Case):
    def fails(self, words, *command):
        self.refused(1, *command, says=words)


class Files(GraphCase):
    def embed(self, name, *words, **more):
        return self.json("embed", "--graph", name, "--method", "dm", "--components", "4", *words, **more)

    def expect(self, found, w):
        """Its eigenvalues are those of the matrix."""
        dense = np.asarray(w.todense())
        dense = dense / np.outer(dense.sum(1), dense.sum(1))
        degree = dense.sum(1)
        values = np.linalg.eigvalsh(dense / np.sqrt(np.outer(degree, degree)))
        top = values[np.argsort(-values)][:4]
        np.testing.assert_allclose(found["eigenvalues"], top, atol=1e-9)
        self.assertEqual(found["n"], len(dense))

    def graph(self, found):
        return next(text for text in found["reasons"] if text.startswith("graph: "))

    def test_scipy(self):
        w = weights()
        for kind in ("csr", "csc", "coo"):
            scipy.sparse.save_npz(self.path(f"{kind}.npz"), w.asformat(kind), compressed=kind != "csc")
            found = self.embed(f"{kind}.npz")
            self.expect(found, w)
            self.assertEqual(self.graph(found),
                             f"graph: 60 nodes, {scipy.sparse.triu(w, 1).nnz} edges, symmetric, diagonal none")
        scipy.sparse.save_npz(self.path("bsr.npz"), w.tobsr((2, 2)))
        self.fails("tocsr", "embed", "--graph", "bsr.npz", "--json")

    def test_input_with_bundle_given(self):
        scipy.sparse.save_npz(self.path("w.npz"), weights())
        self.expect(self.json("embed", "w.npz", "--bundle", "given", "--method", "dm", "--components", "4"), weights())

    def test_dense(self):
        w = weights(loops=True)
        dense = np.asarray(w.todense())
        self.save("w.npy", dense)
        np.savetxt(self.path("w.csv"), dense, delimiter=",", fmt="%.17g")
        scipy.io.savemat(self.path("w.mat"), {"w": dense})
        np.savez(self.path("w.npz"), w=dense)
        with h5py.File(self.path("w.h5"), "w") as file:
            file["w"] = dense
        for name in ("w.npy", "w.csv", "w.mat", "w.npz", "w.h5"):
            found = self.embed(name)
            self.expect(found, w)
            self.assertIn("60 on the diagonal", self.graph(found))

    def test_matrix_market(self):
        w = weights()
        for name, matrix, options in (("general.mtx", w, {"symmetry": "general"}), ("symmetric.mtx", w, {}),
                                      ("array.mtx", np.asarray(w.todense()), {"symmetry": "general"}),
                                      ("half.mtx", np.asarray(w.todense()), {"symmetry": "symmetric"})):
            scipy.io.mmwrite(self.path(name), matrix, precision=17, **options)
            self.expect(self.embed(name), w)
        whole = (w > 0).astype(int)
        scipy.io.mmwrite(self.path("integer.mtx"), whole, field="integer")
        scipy.io.mmwrite(self.path("pattern.mtx"), whole, field="pattern")
        for name in ("integer.mtx", "pattern.mtx"):
            self.expect(self.embed(name), whole)

    def test_matlab_sparse(self):
        w = weights()
        scipy.io.savemat(self.path("w.mat"), {"w": w, "other": np.ones(3)})
        scipy.io.savemat(self.path("small.mat"), {"w": w}, do_compression=True)
        for name in ("w.mat", "w.mat:w", "small.mat"):
            self.expect(self.embed(name), w)
        scipy.io.savemat(self.path("two.mat"), {"w": w, "v": w})
        self.fails("several sparse matrices", "embed", "--graph", "two.mat", "--json")
        self.expect(self.embed("two.mat:v"), w)

    def test_arrays_of_edges(self):
        w = scipy.sparse.triu(weights()).tocoo()
        arrays = {"row": w.row.astype(np.int64), "col": w.col, "weight": w.data}
        np.savez(self.path("e.npz"), **arrays)
        np.savez_compressed(self.path("small.npz"), **arrays)
        scipy.io.savemat(self.path("e.mat"), {name: a.astype(float) for name, a in arrays.items()})
        with h5py.File(self.path("e.h5"), "w") as file:
            for name, a in arrays.items():
                file[name] = a
        for name in ("e.npz", "small.npz", "e.mat", "e.h5"):
            found = self.embed(name)
            self.expect(found, weights())
            self.assertIn("each listed once, for both directions", self.graph(found))
        angle = np.linspace(-1, 1, w.nnz)
        turned = [{"element": angle}, {"element": np.stack([np.cos(angle), -np.sin(angle), np.sin(angle),
                                                            np.cos(angle)], 1).reshape(-1, 2, 2)}]
        values = []
        for more in turned:
            np.savez(self.path("t.npz"), **arrays, **more)
            found = self.json("embed", "--graph", "t.npz", "--method", "vdm", "--components", "4")
            self.assertEqual(found["q"], 2)
            values.append(found["eigenvalues"])
        np.testing.assert_allclose(*values, atol=1e-12)
        np.savez(self.path("s.npz"), **arrays, element=np.where(angle < 0, -1, 1))
        self.assertEqual(self.json("embed", "--graph", "s.npz", "--method", "vdm", "--components", "4")["q"], 1)

    def test_edges_or_weights(self):
        three = np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 1]])
        self.save("three.npy", three)
        self.fails("--form edges or --form affinity", "embed", "--graph", "three.npy", "--json")
        found = self.json("embed", "--graph", "three.npy", "--method", "dm", "--form", "affinity", "--components", "2")
        self.assertEqual((found["n"], found["edges"]), (3, 7))
        listed = self.json("embed", "--graph", "three.npy", "--method", "dm", "--form", "edges", "--components", "2")
        self.assertEqual(listed["n"], 4)
        self.save("list.npy", np.array([[0, 1, 0.5], [1, 2, 0.5], [2, 0, 0.25]]))
        self.assertEqual(self.json("embed", "--graph", "list.npy", "--method", "dm", "--components", "2")["n"], 3)
        self.save("weights.npy", np.array([[0, 0.5, 0.1], [0.5, 0, 0.2], [0.1, 0.2, 0]]))
        self.assertEqual(self.json("embed", "--graph", "weights.npy", "--method", "dm", "--components", "2")["n"], 3)
        self.fails("--form is 'both'", "embed", "--graph", "list.npy", "--form", "both", "--json")
        scipy.sparse.save_npz(self.path("w.npz"), weights())
        self.fails("says itself what it is", "embed", "--graph", "w.npz", "--form", "edges", "--json")

    def test_not_symmetric_is_told(self):
        dense = np.asarray(weights().todense())
        i, k = np.argwhere(dense > 0)[3]
        dense[i, k] *= 2
        self.save("w.npy", dense)
        self.assertIn("1 with other weights in the two directions, averaged", self.graph(self.embed("w.npy")))
        mean = scipy.sparse.csr_matrix((dense + dense.T) / 2)
        self.expect(self.embed("w.npy"), mean)

    def test_tails_of_a_gaussian(self):
        x = np.arange(100.0)
        self.save("w.npy", np.exp(-np.subtract.outer(x, x) ** 2 / 4))
        run = self.done("embed", "--graph", "w.npy", "--method", "dm", "--components", "3", "--json")
        self.assertRegex(run.stderr, r"w.npy: \d+ weights below 1e-100 were taken for no edge")

    def test_landmarks(self):
        scipy.sparse.save_npz(self.path("w.npz"), weights(200))
        for words, m in ((["--landmarks", "20"], 20), (["--landmarks", "20", "--design", "farthest"], 20),
                         (["--ends", "landmarks"], 200)):
            found = self.json("embed", "--graph", "w.npz", "--method", "roseland", "--components", "4", *words)
            self.assertEqual((found["n"], found["m"]), (200, m))
        self.save("marks.npy", np.array([3, 50, 120]))
        found = self.json("embed", "--graph", "w.npz", "--method", "roseland", "--components", "3", "--design",
                          "marks.npy", "-o", "out.npz")
        self.assertEqual(found["m"], 3)
        self.assertEqual(list(np.load(self.path("out.npz"))["landmark_index"]), [3, 50, 120])
        self.save("bad.npy", np.array([3, 500]))
        self.fails("landmark 2 is node 500, which the graph does not have", "embed", "--graph", "w.npz", "--method",
                   "roseland", "--design", "bad.npy", "--json")
        self.save("points.npy", np.array([[0.5, 1.0]]))
        self.fails("a list of numbers of nodes", "embed", "--graph", "w.npz", "--method", "roseland", "--design",
                   "points.npy", "--json")
        scipy.sparse.save_npz(self.path("wide.npz"), weights(50)[:, :20])
        self.assertEqual(self.json("embed", "--graph", "wide.npz", "--method", "roseland", "--components", "3")["m"], 20)
        self.fails("no square matrix", "embed", "--graph", "wide.npz", "--method", "roseland", "--ends", "nodes",
                   "--json")
        self.fails("--ends is 'none'", "embed", "--graph", "w.npz", "--ends", "none", "--json")
        self.fails("knn is 5", "embed", "--graph", "w.npz", "--method", "dm", "--knn", "5", "--json")

    def test_new_nodes(self):
        w = weights(80, loops=True)
        old, new = np.arange(70), np.arange(70, 80)
        block = w[new][:, old].tocsr()
        scipy.sparse.save_npz(self.path("w.npz"), w[old][:, old].tocsr())
        scipy.sparse.save_npz(self.path("new.npz"), block)
        scipy.io.mmwrite(self.path("new.mtx"), block, precision=17)
        coo = block.tocoo()
        self.save("new.npy", np.stack([coo.row, coo.col, coo.data], 1))
        for method, words in (("dm", []), ("roseland", ["--landmarks", "30"])):
            self.json("embed", "--graph", "w.npz", "--method", method, "--components", "3", *words, "-o", "model.h5")
            made = []
            for name in ("new.npz", "new.mtx", "new.npy"):
                found = self.json("extend", "model.h5", "--graph", name, "-o", "out.npz")
                self.assertEqual(found["n"], 10)
                made.append(np.load(self.path("out.npz"))["eigenvectors"])
            for other in made[1:]:
                np.testing.assert_array_equal(other, made[0])
            self.assertTrue(np.isfinite(made[0]).any())
        with h5py.File(self.path("model.h5")) as file:
            index = file["landmark_index"][:]
        scipy.sparse.save_npz(self.path("marks.npz"), block[:, index].tocsr())
        self.json("extend", "model.h5", "--graph", "marks.npz", "-o", "out.npz")
        np.testing.assert_array_equal(np.load(self.path("out.npz"))["eigenvectors"], made[0])
        scipy.sparse.save_npz(self.path("narrow.npz"), block[:, :69].tocsr())
        self.fails("69 columns, and the model has 70 nodes and 30 landmarks", "extend", "model.h5", "--graph",
                   "narrow.npz", "--json")
        self.fails("NEW, or --graph FILE, is missing", "extend", "model.h5", "--json")
        self.fails("one is needed", "extend", "model.h5", "new.npy", "--graph", "new.npz", "--json")


class Bad(GraphCase):
    HEADER = "%%MatrixMarket matrix coordinate real general\n"

    def refuses(self, text, words):
        with open(self.path("bad.mtx"), "w") as file:
            file.write(text)
        self.fails(words, "embed", "--graph", "bad.mtx", "--method", "dm", "--json")

    def test_matrix_market(self):
        h = self.HEADER
        for text, words in (
                ("", "is empty"), ("1 2 3\n", "line 1: the header"),
                ("%%MatrixMarket vector coordinate real general\n", "does not begin"),
                (h.replace("real", "complex") + "2 2 1\n1 2 1 0\n", "complex numbers"),
                (h.replace("general", "hermitian") + "2 2 1\n", "hermitian"),
                (h.replace("general", "skew-symmetric") + "2 2 1\n", "skew-symmetric"),
                (h.replace("coordinate", "list") + "2 2 1\n", "coordinate or array"),
                (h.replace("real", "quaternion") + "2 2 1\n", "the field is not"),
                (h, "before the sizes"), (h + "% nothing\n\n", "before the sizes"), (h + "2 2\n", "too few"),
                (h + "2 2.5 1\n1 1 1\n", "whole numbers"), (h + "-2 2 1\n1 1 1\n", "whole numbers"),
                (h + "3 3 1000000000\n1 2 1\n", "cut short"), (h + "3 3 3\n1 2 1\n2 3 1\n", "cut short"),
                (h + "3 3 1\n1 2 1\n2 3 1\n", "line 4: there are more entries"), (h + "3 3 1\n1 4 1\n", "line 3: the row"),
                (h + "3 3 1\n0 1 1\n", "line 3: the row"), (h + "3 3 1\n1 2 x\n", "line 3: 'x' is not a number"),
                (h + "3 3 1\n1 2 1 1\n", "too many"), (h + "3 3 1\n1 2 -1\n", "row 1, column 2"),
                (h + "3 3 1\n1 2 nan\n", "row 1, column 2"), (h + "3 3 1\n1 2 0\n", "no edges"),
                (h.replace("general", "symmetric") + "3 2 1\n1 2 1\n", "not square"),
                (h.replace("general", "symmetric") + "3 3 1\n1 2 1\n", "above the diagonal"),
                (h.replace("coordinate", "array") + "2 2\n1\n2\n3\n", "cut short")):
            with self.subTest(words=words, text=text):
                self.refuses(text, words)

    def test_bad_entries(self):
        dense = np.asarray(weights(20).todense())
        for value in (-1, np.nan, np.inf):
            dense[4, 7] = value
            self.save("w.npy", dense)
            self.fails("row 5, column 8", "embed", "--graph", "w.npy", "--method", "dm", "--json")
        sparse = weights(20)
        sparse.data[0] = -2
        scipy.sparse.save_npz(self.path("w.npz"), sparse)
        self.fails("row 1, column 2", "embed", "--graph", "w.npz", "--method", "dm", "--json")
        self.save("zero.npy", np.zeros((5, 5)))
        self.fails("no edges", "embed", "--graph", "zero.npy", "--method", "dm", "--json")

    def test_bad_arrays(self):
        row, col = np.arange(5), np.arange(1, 6)
        for arrays, words in (({"row": row, "col": col[:4]}, "'row' has 5 entries, and 'col' 4"),
                              ({"row": row + 0.5, "col": col}, "entry 1 of 'row' is no whole number"),
                              ({"row": row.reshape(1, 5), "col": np.ones((5, 1, 1))}, "'col' is not a list"),
                              ({"row": row, "col": col, "weight": np.ones(4)}, "and 'weight' 4"),
                              ({"row": row, "col": col, "weight": -np.ones(5)}, "edge 1 has weight -1"),
                              ({"row": row, "col": col, "weight": np.ones(5) * 1j}, "weight: holds complex numbers"),
                              ({"row": row, "col": col, "element": np.full(5, None)}, "element: holds Python objects"),
                              ({"row": row - 1, "col": col}, "edge 1 names a negative node"),
                              ({"row": row[:0], "col": col[:0]}, "no edges"),
                              ({"row": row, "col": col, "element": np.ones((5, 3))}, "'element' has 15 numbers"),
                              ({"row": row, "col": col, "element": np.full(5, 0.5), "kind": "sign"}, None)):
            kind = arrays.pop("kind", None)
            np.savez(self.path("e.npz"), **arrays)
            if words:
                self.fails(words, "embed", "--graph", "e.npz", "--method", "vdm", "--json")
            else:
                self.fails("not orthogonal", "embed", "--graph", "e.npz", "--method", "vdm", "--element", kind,
                           "--json")

    def test_cut_short(self):
        w = weights(30)
        scipy.sparse.save_npz(self.path("w.npz"), w)
        scipy.io.savemat(self.path("w.mat"), {"w": w})
        for name in ("w.npz", "w.mat"):
            with open(self.path(name), "rb") as file:
                whole = file.read()
            for length in range(0, len(whole), max(1, len(whole) // 23)):
                with open(self.path("cut" + name[1:]), "wb") as file:
                    file.write(whole[:length])
                self.fails("", "embed", "--graph", "cut" + name[1:], "--method", "dm", "--json")

    def test_lying_sparse(self):
        w = weights(30)
        good = {"format": np.array("csr"), "shape": np.array([30, 30]), "data": w.data, "indices": w.indices,
                "indptr": w.indptr}
        for change, words in (({"shape": np.array([30, 5])}, "indices"), ({"indptr": w.indptr[:-1]}, "indptr"),
                              ({"indices": w.indices[:-1]}, "entries"), ({"indptr": w.indptr[::-1]}, "indptr"),
                              ({"data": np.array(["a"] * w.nnz)}, ""), ({"shape": np.array([30])}, "shape"),
                              ({"format": np.array("xyz")}, "xyz")):
            np.savez(self.path("bad.npz"), **{**good, **change})
            self.fails(words, "embed", "--graph", "bad.npz", "--method", "dm", "--json")


if __name__ == "__main__":
    main()
