"""lavdm embed: the files it reads and writes, the object it prints."""
import json
import os
import unittest

import h5py
import numpy as np
import scipy.io

from support import Case, circle, sphere

KEYS = """n p m q method bundle epsilon alpha beta dim components eigenvalues residuals isolated components_of_graph
warnings seconds peak_memory_bytes version isolated_points landmarks design kernel cutoff knn edges_rule edges seed threads
time delta far_points degenerate_frames ill_aligned output""".split()


def read_result(path):
    """Every array and value of a result file, by name; MAT's two-dimensional vectors as they are."""
    if path.endswith(".npz"):
        with np.load(path) as file:
            return {name: file[name] for name in file.files}
    if path.endswith(".mat"):
        return {k: v for k, v in scipy.io.loadmat(path).items() if not k.startswith("__")}
    with h5py.File(path, "r") as file:
        found = {name: file[name][()] for name in file}
        found.update(file.attrs)
        return found


def scalar(value):
    if isinstance(value, bytes):
        return value.decode()
    value = np.asarray(value)
    value = value.reshape(-1)[0] if value.size else ""
    return value.decode() if isinstance(value, bytes) else value.item() if hasattr(value, "item") else value


class Json(Case):
    def test_keys(self):
        x = self.save("x.npy", sphere(300))
        found = self.json("embed", x, "--dim", "2", "--components", "7")
        self.assertEqual(sorted(set(KEYS) - set(found)), [])
        self.assertEqual((found["n"], found["p"], found["q"], found["dim"]), (300, 3, 2, 2))
        self.assertEqual((found["method"], found["bundle"], found["design"]), ("lavdm", "tangent", "kmeans"))
        self.assertEqual(found["m"], found["landmarks"])
        self.assertEqual(len(found["eigenvalues"]), 7)
        self.assertEqual(len(found["residuals"]), 7)
        self.assertLess(max(found["residuals"]), 1e-8)
        self.assertEqual(found["eigenvalues"], sorted(found["eigenvalues"], reverse=True))
        self.assertLessEqual(found["eigenvalues"][0], 1 + 1e-9)
        self.assertEqual(found["isolated"], 0)
        self.assertEqual(found["components_of_graph"], 1)
        self.assertEqual(found["output"], None)
        self.assertGreater(found["epsilon"], 0)
        self.assertGreater(found["peak_memory_bytes"], 1e6)
        seconds = found["seconds"]
        self.assertGreater(len(seconds), 2)
        self.assertAlmostEqual(sum(v for k, v in seconds.items() if k != "total"), seconds["total"],
                               delta=0.1 + 0.5 * seconds["total"])
        self.assertEqual(self.files(), ["x.npy"])

    def test_nothing_else_is_printed(self):
        x = self.save("x.npy", circle(80))
        run = self.done("embed", x, "--json", "-o", "x.npz", "--components", "4")
        json.loads(run.stdout)
        self.assertEqual(run.stderr, "")

    def test_trivial_bundle_has_no_frames(self):
        x = self.save("x.npy", circle(100))
        found = self.json("embed", x, "--method", "dm", "--components", "5")
        self.assertEqual((found["dim"], found["q"], found["bundle"]), (1, 1, "trivial"))  # epsilon wants to know d
        self.assertEqual((found["landmarks"], found["design"], found["beta"]), (None, None, None))
        self.assertEqual(found["m"], 100)
        self.assertAlmostEqual(found["eigenvalues"][0], 1, places=9)

    def test_chosen_and_given(self):
        x = self.save("x.npy", circle(150))
        found = self.json("embed", x, "--epsilon", "0.05", "--landmarks", "30", "--dim", "1", "--seed", "11", "--threads",
                          "1", "--time", "2", "--alpha", "0.5", "--components", "4")
        self.assertEqual(found["epsilon"], 0.05)
        self.assertEqual((found["m"], found["seed"], found["threads"], found["time"], found["alpha"]), (30, 11, 1, 2, 0.5))
        self.assertNotIn("epsilon", found["auto"])
        self.assertIn("beta", found["auto"])
        self.assertIn("knn", found["auto"])

    def test_same_seed_same_result(self):
        x = self.save("x.npy", sphere(250))
        words = ["embed", x, "--components", "6", "--threads", "1", "--seed", "3"]
        self.assertEqual(self.json(*words)["eigenvalues"], self.json(*words)["eigenvalues"])


class Output(Case):
    def embed(self, name, *words):
        x = self.save("x.npy", sphere(200))
        self.done("embed", x, "-o", name, "--quiet", "--dim", "2", "--components", "5", "--landmarks", "40", *words)
        self.assertEqual(self.files(), sorted([name, "x.npy"]))
        return read_result(self.path(name))

    def check(self, found, vector=lambda n: (n,)):
        self.assertEqual(found["eigenvalues"].shape, vector(5))
        self.assertEqual(found["residuals"].shape, vector(5))
        self.assertEqual(found["eigenvectors"].shape, (200, 2, 5))
        self.assertEqual(found["frames"].shape, (200, 3, 2))
        self.assertEqual(found["landmarks"].shape, (40, 3))
        self.assertEqual(found["landmark_index"].shape, vector(40))
        self.assertEqual(found["degrees"].shape, vector(200))
        self.assertTrue(np.issubdtype(found["landmark_index"].dtype, np.integer))
        self.assertEqual([scalar(found[k]) for k in ("n", "p", "m", "q", "components", "dim")], [200, 3, 40, 2, 5, 2])
        self.assertEqual([scalar(found[k]) for k in ("method", "bundle", "design", "kernel")],
                         ["lavdm", "tangent", "kmeans", "gaussian"])
        self.assertGreater(scalar(found["epsilon"]), 0)
        points = sphere(200)
        np.testing.assert_allclose(found["landmarks"], points[np.ravel(found["landmark_index"])], atol=1e-15)
        frames = found["frames"]
        np.testing.assert_allclose(np.einsum("ipd,ipe->ide", frames, frames), np.broadcast_to(np.eye(2), (200, 2, 2)),
                                   atol=1e-12)

    def test_npz(self):
        self.check(self.embed("out.npz"))

    def test_h5(self):
        self.check(self.embed("out.h5"))

    def test_mat(self):
        found = self.embed("out.mat")
        for name in ("eigenvalues", "residuals", "landmark_index", "degrees"):
            found[name] = found[name].reshape(-1)
        self.check(found)

    def test_the_formats_agree(self):
        one, two = self.embed("out.npz"), None
        os.remove(self.path("out.npz"))
        two = self.embed("out.h5")
        for name in ("eigenvalues", "eigenvectors", "degrees"):
            np.testing.assert_array_equal(one[name], two[name])

    def test_embedding(self):
        found = self.embed("out.npz", "--embedding", "--time", "1")
        self.assertEqual(found["embedding"].shape, (200, 15))
        self.assertNotIn("coordinates", found)
        u, lam = found["eigenvectors"], np.maximum(found["eigenvalues"], 0)
        gram = np.einsum("iql,iqs->ils", u, u) * np.sqrt(np.outer(lam, lam)) ** 2
        upper = np.array([gram[:, l, s] * (1 if l == s else np.sqrt(2)) for l in range(5) for s in range(l, 5)]).T
        np.testing.assert_allclose(found["embedding"], upper, atol=1e-12)

    def test_embedding_truncated_by_delta(self):
        found = self.embed("out.npz", "--embedding", "--delta", "0.999999", "--time", "50")
        width = found["embedding"].shape[1]
        self.assertLess(width, 15)
        self.assertGreaterEqual(width, 1)

    def test_coordinates_where_q_is_1(self):
        x = self.save("x.npy", circle(100))
        self.done("embed", x, "-qo", "out.npz", "--method", "dm", "--embedding", "--components", "4", "--time", "2")
        found = read_result(self.path("out.npz"))
        self.assertEqual(found["embedding"].shape, (100, 10))
        expected = found["eigenvectors"][:, 0, :] * np.maximum(found["eigenvalues"], 0) ** 2
        np.testing.assert_allclose(found["coordinates"], expected, atol=1e-12)
        self.assertNotIn("frames", found)

    def test_ambient(self):
        found = self.embed("out.npz", "--ambient")
        self.assertEqual(found["ambient"].shape, (200, 3, 5))
        np.testing.assert_allclose(found["ambient"], np.einsum("ipd,idl->ipl", found["frames"], found["eigenvectors"]),
                                   atol=1e-12)

    def test_output_replaces_an_old_file(self):
        self.text("out.npz", "old")
        self.assertIn("eigenvalues", self.embed("out.npz"))


class Summary(Case):
    def test_for_people(self):
        x = self.save("x.npy", circle(120))
        run = self.done("embed", x, "-o", "out.npz", "--epsilon", "0.1", "--components", "4")
        self.assertIn("120 points with 2 coordinates (x.npy)", run.stdout)
        self.assertRegex(run.stdout, r"lavdm, bundle tangent \(auto\)")
        self.assertRegex(run.stdout, r"epsilon 0\.1,")
        self.assertRegex(run.stdout, r"beta [0-9.]+ \(auto\)")
        self.assertRegex(run.stdout, r"eigenvalues +[01]\.\d+")
        self.assertRegex(run.stdout, r"written +out\.npz")
        self.assertNotIn("\033", run.stdout + run.stderr)

    def test_quiet(self):
        x = self.save("x.npy", circle(120))
        run = self.done("embed", x, "-o", "out.npz", "--quiet")
        self.assertEqual(run.stdout, "")


class Input(Case):
    def same(self, spec, reference):
        found = self.json("embed", spec, "--method", "roseland", "--components", "4", "--threads", "1")
        np.testing.assert_allclose(found["eigenvalues"], reference, rtol=1e-12)

    def test_every_format_gives_the_same(self):
        x = circle(90)
        self.save("x.npy", x)
        reference = self.json("embed", "x.npy", "--method", "roseland", "--components", "4", "--threads", "1")["eigenvalues"]
        np.save(self.path("f.npy"), np.asfortranarray(x))
        np.savez(self.path("x.npz"), x)
        np.savez(self.path("two.npz"), other=x[:5], cloud=x)
        scipy.io.savemat(self.path("x.mat"), {"cloud": x, "other": x[:3]})
        np.savetxt(self.path("x.csv"), x, delimiter=",", fmt="%.17g", header="a,b", comments="")
        np.savetxt(self.path("x.tsv"), x, delimiter="\t", fmt="%.17g")
        with h5py.File(self.path("x.h5"), "w") as file:
            file["group/cloud"] = x
            file["other"] = x[:4]
        for spec in ("f.npy", "x.npz", "two.npz:cloud", "x.mat:cloud", "x.csv", "x.tsv", "x.h5:/group/cloud"):
            with self.subTest(spec):
                self.same(spec, reference)

    def test_ranks_and_types(self):
        line = self.save("line.npy", np.linspace(0, 1, 60) ** 1.5)
        self.assertEqual(self.json("embed", line, "--components", "3", "--method", "dm")["p"], 1)
        images = self.save("images.npy", np.random.default_rng(0).integers(0, 255, (50, 4, 5)).astype(np.uint8))
        found = self.json("embed", images, "--components", "3", "--method", "dm")
        self.assertEqual((found["n"], found["p"]), (50, 20))
        x = circle(80).astype(np.float32)
        found = self.json("embed", self.save("f4.npy", x), "--components", "3")
        self.assertEqual((found["n"], found["p"]), (80, 2))

    def test_several_arrays_without_a_name(self):
        np.savez(self.path("two.npz"), apples=circle(20), pears=circle(30))
        self.refused(1, "embed", "two.npz", "--json", says=["two.npz", "apples", "pears"])
        self.refused(1, "embed", "two.npz:plums", "--json", says=["plums", "apples"])


class Landmarks(Case):
    def setUp(self):
        super().setUp()
        self.points = sphere(150)
        self.save("x.npy", self.points)

    def test_indices(self):
        index = np.array([3, 1, 140, 77, 20, 60, 99, 5, 33, 111])
        for name, array in (("i.npy", index), ("i8.npy", index.astype(np.int8)[[0, 1, 4]]),
                            ("column.npy", index.reshape(-1, 1)), ("row.npy", index.reshape(1, -1))):
            self.save(name, array)
            self.done("embed", "x.npy", "-qo", "out.npz", "--design", name, "--dim", "2", "--components", "3", "--epsilon",
                      "0.5")
            found = read_result(self.path("out.npz"))
            self.assertEqual(sorted(found["landmark_index"]), sorted(array.ravel()))
            self.assertEqual(scalar(found["design"]), "given")
        np.savetxt(self.path("i.csv"), index, fmt="%d")
        self.assertEqual(self.json("embed", "x.npy", "--design", "i.csv", "--components", "3")["m"], 10)
        self.save("whole.npy", index.astype(float))
        self.assertEqual(self.json("embed", "x.npy", "--design", "whole.npy", "--components", "3")["m"], 10)

    def test_points(self):
        marks = sphere(30, seed=5)
        self.save("marks.npy", marks)
        self.done("embed", "x.npy", "-qo", "out.npz", "--design", "marks.npy", "--components", "3")
        found = read_result(self.path("out.npz"))
        np.testing.assert_allclose(found["landmarks"], marks, atol=1e-15)

    def test_mistakes(self):
        self.refused(1, "embed", "x.npy", "--json", "--design", "kmean", says=["kmeans, farthest, random", "kmean"])
        self.refused(1, "embed", "x.npy", "--json", "--design", "given", says="FILE")
        self.save("big.npy", np.array([0, 150]))
        self.refused(1, "embed", "x.npy", "--json", "--design", "big.npy", says=["big.npy", "landmark 2", "150"])
        self.save("minus.npy", np.array([0, -1]))
        self.refused(1, "embed", "x.npy", "--json", "--design", "minus.npy", says=["minus.npy", "landmark 2", "-1"])
        self.save("flat.npy", sphere(10)[:, :2])
        self.refused(1, "embed", "x.npy", "--json", "--design", "flat.npy", says=["flat.npy", "2 columns", "3"])
        bad = sphere(10)
        bad[4, 1] = np.nan
        self.save("bad.npy", bad)
        self.refused(1, "embed", "x.npy", "--json", "--design", "bad.npy", says=["bad.npy", "row 5, column 2"])
        self.save("none.npy", np.zeros(0, dtype=int))
        self.refused(1, "embed", "x.npy", "--json", "--design", "none.npy", says="no landmarks")


if __name__ == "__main__":
    unittest.main()
