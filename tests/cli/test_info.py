"""lavdm info: a result read back, and files of other origin."""
import os
import unittest

import h5py
import numpy as np
import scipy.io

from support import Case, circle


class Info(Case):
    def test_round_trip(self):
        self.save("x.npy", circle(90))
        for name in ("out.npz", "out.h5", "out.mat"):
            with self.subTest(name):
                told = self.json("embed", "x.npy", "-o", name, "--components", "4", "--dim", "1")
                found = self.json("info", name)
                self.assertEqual(found["file"], name)
                arrays = {a["name"]: a for a in found["arrays"]}
                self.assertEqual(arrays["eigenvectors"]["shape"], [90, 1, 4])
                self.assertEqual(arrays["frames"]["shape"], [90, 2, 1])
                self.assertEqual(arrays["eigenvectors"]["type"], "real")
                self.assertEqual(arrays["landmark_index"]["type"], "integer")
                self.assertEqual(arrays["eigenvalues"]["leading"], told["eigenvalues"])
                self.assertEqual(arrays["degrees"]["nan"], 0)
                for key in ("n", "p", "m", "q", "method", "bundle", "epsilon", "alpha", "beta", "dim", "components", "seed",
                            "design", "kernel", "cutoff", "knn", "time", "delta", "edges", "isolated", "components_of_graph",
                            "version"):
                    self.assertEqual(found["values"][key], told[key], key)
                text = self.done("info", name).stdout
                self.assertRegex(text, r"eigenvectors +real +90 x 1 x 4")
                self.assertRegex(text, r"method +lavdm")
                self.assertIn(f"{told['eigenvalues'][0]:.6f}", text)

    def test_other_files(self):
        x = circle(10)
        x[3, 1] = np.nan
        self.save("x.npy", x)
        np.savetxt(self.path("x.csv"), circle(10), delimiter=",")
        scipy.io.savemat(self.path("x.mat"), {"a": x, "label": "hello"})
        with h5py.File(self.path("x.h5"), "w") as file:
            file["a"] = x
            file.attrs["label"] = "hello"
        found = self.json("info", "x.npy")["arrays"][0]
        self.assertEqual((found["shape"], found["nan"]), ([10, 2], 1))
        self.assertAlmostEqual(found["max"], np.nanmax(x))
        self.assertIn("1 NaN", self.done("info", "x.npy").stdout)
        self.assertEqual(self.json("info", "x.csv")["arrays"][0]["shape"], [10, 2])
        for name in ("x.mat", "x.h5"):
            found = self.json("info", name)
            self.assertEqual(found["values"]["label"], "hello")
            self.assertEqual(found["arrays"][0]["name"], "a")

    def test_columns_of_a_table(self):
        self.text("t.csv", "id,length,count,half\np1,0.5,3,left\np2,,4,right\np3,2.5,5,left\n")
        found = self.json("info", "t.csv")
        self.assertEqual(found["rows"], 3)
        self.assertEqual([(c["name"], c["type"], c["min"], c["max"], c["different"], c["missing"])
                          for c in found["columns"]],
                         [("id", "text", None, None, 3, 0), ("length", "real", 0.5, 2.5, 0, 1),
                          ("count", "integer", 3, 5, 0, 0), ("half", "text", None, None, 2, 0)])
        said = self.done("info", "t.csv").stdout
        for words in ("3 rows and 4 columns", "from 0.5 to 2.5, 1 missing", "2 different"):
            self.assertIn(words, said)
        self.text("bad.csv", "a,b\n1,2\n3\n")
        self.refused(1, "info", "bad.csv", says="bad.csv")

    def test_damaged(self):
        self.save("x.npy", circle(90))
        self.refused(1, "info", "nowhere.npz", says=["nowhere.npz", "no such file"])
        os.mkdir(self.path("folder.npz"))
        self.refused(1, "info", "folder.npz", says="folder")
        for name in ("out.npz", "out.h5", "out.mat"):
            with self.subTest(name):
                self.done("embed", "x.npy", "-qo", name, "--components", "4")
                with open(self.path(name), "rb") as file:
                    whole = file.read()
                self.data(name, whole[: len(whole) // 2])
                self.refused(1, "info", name, says=name)
                self.data(name, b"")
                self.refused(1, "info", name, says=name)


if __name__ == "__main__":
    unittest.main()
