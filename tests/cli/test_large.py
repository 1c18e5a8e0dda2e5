"""Half the memory or none: results in single precision, eigenvectors alone, points that stay in their file."""
import json
import os
import unittest

import h5py
import numpy as np
import scipy.io

from support import Case, circle, sanitized, sphere

FEW = ("--components", "5", "--landmarks", "30", "--dim", "2")


def read_result(path):
    """The arrays of a result file by name, MATLAB's of version 5 as they are."""
    if path.endswith(".npz"):
        with np.load(path) as file:
            return {name: file[name] for name in file.files}
    if path.endswith(".h5"):
        with h5py.File(path) as file:
            return {name: file[name][()] for name in file}
    return scipy.io.loadmat(path)


class Single(Case):
    def test_every_format_keeps_floats(self):
        x = self.save("x.npy", sphere(300))
        found = {}
        for name in ("out.npz", "out.h5", "out.mat"):
            self.done("embed", x, "-o", name, "--precision", "single", *FEW)
            found[name] = read_result(self.path(name))
        for name, arrays in found.items():
            with self.subTest(name):
                for array, shape in (("eigenvectors", (300, 2, 5)), ("frames", (300, 3, 2)), ("landmark_frames", (30, 3, 2))):
                    self.assertEqual(arrays[array].dtype, np.float32)
                    self.assertEqual(arrays[array].shape, shape)
                    np.testing.assert_array_equal(arrays[array], found["out.npz"][array])
                self.assertEqual(arrays["eigenvalues"].dtype, np.float64)
        self.done("embed", x, "-o", "u.npy", "--precision", "single", *FEW)
        vectors = np.load(self.path("u.npy"))
        self.assertEqual(vectors.dtype, np.float32)
        np.testing.assert_array_equal(vectors, found["out.npz"]["eigenvectors"])
        self.done("embed", x, "-o", "u.csv", "--precision", "single", *FEW)
        table = np.loadtxt(self.path("u.csv"), delimiter=",", dtype=np.float32, skiprows=1)[:, 1:]
        np.testing.assert_array_equal(table.reshape(300, 2, 5), vectors)

    def test_close_to_double(self):
        x = self.save("x.npy", sphere(300))
        one = self.json("embed", x, *FEW)
        two = self.json("embed", x, "--precision", "single", *FEW)
        self.assertEqual((one["precision"], two["precision"]), ("double", "single"))
        np.testing.assert_allclose(one["eigenvalues"], two["eigenvalues"], atol=1e-5)

    def test_info_reads_them(self):
        x = self.save("x.npy", sphere(200))
        for name in ("out.npz", "out.h5", "out.mat"):
            self.done("embed", x, "-o", name, "--precision", "single", *FEW)
            listed = json.loads(self.done("info", "--json", name).stdout)
            shape = {a["name"]: a["shape"] for a in listed["arrays"]}
            self.assertEqual(shape["eigenvectors"], [200, 2, 5])


class Radius(Case):
    def test_said_in_the_result(self):
        """Frames over a radius are an option, and the result says so."""
        x = self.save("x.npy", sphere(300))
        plain = self.json("embed", x, *FEW)
        self.assertIsNone(plain["radius"])
        found = self.json("embed", x, "-o", "out.npz", "--hood", "radius", *FEW)
        self.assertGreater(found["radius"], 0)
        self.assertEqual(read_result(self.path("out.npz"))["radius"], found["radius"])
        np.testing.assert_allclose(found["eigenvalues"], plain["eigenvalues"], atol=0.02)
        self.assertIn("hood radius", self.done("embed", x, "-o", "out.npz", "--hood", "radius", *FEW).stdout)


class EigenvectorsAlone(Case):
    def test_npy_and_tables(self):
        x = self.save("x.npy", sphere(120))
        self.done("embed", x, "-o", "out.npz", *FEW)
        expected = read_result(self.path("out.npz"))["eigenvectors"]
        self.done("embed", x, "-o", "out.npy", *FEW)
        vectors = np.load(self.path("out.npy"))
        self.assertEqual(vectors.dtype, np.float64)
        np.testing.assert_array_equal(vectors, expected)
        for name, separator in (("out.csv", ","), ("out.tsv", "\t")):
            self.done("embed", x, "-o", name, *FEW)
            with open(self.path(name)) as file:
                names = file.readline().rstrip("\n").split(separator)
            self.assertEqual(names, ["id"] + [f"psi{l}_{c}" for c in (0, 1) for l in range(5)])
            table = np.loadtxt(self.path(name), delimiter=separator, skiprows=1)
            np.testing.assert_array_equal(table[:, 0], np.arange(120))
            table = table[:, 1:]
            np.testing.assert_array_equal(table, expected.reshape(120, 10))

    def test_no_room_for_more(self):
        x = self.save("x.npy", sphere(120))
        self.refused(1, "embed", x, "-o", "out.npy", "--embedding", says=["out.npy", "--embedding", ".npz"])
        self.refused(1, "embed", x, "-o", "out.csv", "--ambient", says=["out.csv", "--ambient", ".npz"])

    def test_never_over_the_input(self):
        x = self.save("x.npy", sphere(120))
        self.refused(1, "embed", x, "-o", "x.npy", says=["x.npy", "overwrite"])

    def test_said_in_the_help(self):
        self.assertIn(".npy", self.done("embed", "--help").stdout.split("--output")[1].split("--graph")[0])


class Floats(Case):
    """Points of single precision, in either order, are what they are as doubles."""

    def test_orders_and_widths(self):
        x = sphere(200).astype(np.float32)
        expected = self.json("embed", self.save("d.npy", x.astype(np.float64)), *FEW)["eigenvalues"]
        same = {"c.npy": x, "f.npy": np.asfortranarray(x), "big.npy": x.astype(">f4"), "three.npy": x.reshape(200, 3, 1)}
        for name, array in same.items():
            with self.subTest(name):
                found = self.json("embed", self.save(name, array), *FEW)
                self.assertEqual((found["n"], found["p"]), (200, 3))
                self.assertEqual(found["eigenvalues"], expected)

    def test_bad_values_are_named(self):
        x = sphere(200).astype(np.float32)
        x[7, 1] = np.nan
        self.refused(1, "embed", self.save("x.npy", x), "-o", "out.npz", says=["x.npy", "row 8, column 2"])


class Streamed(Case):
    def test_cut_short(self):
        for type in (np.float64, np.float32):
            self.save("x.npy", sphere(400).astype(type))
            with open(self.path("x.npy"), "rb") as file:
                whole = file.read()
            for length in (len(whole) - 1, len(whole) // 2, 128, 40, 0):
                self.data("x.npy", whole[:length])
                self.refused(1, "embed", "x.npy", "-o", "out.npz", "--stream", "yes", *FEW, says="x.npy")
            self.data("x.npy", whole + b"more")
            self.refused(1, "embed", "x.npy", "-o", "out.npz", "--stream", "yes", *FEW, says=["x.npy", "4 bytes beyond"])

    def test_no_such_file(self):
        self.refused(1, "embed", "x.npy", "-o", "out.npz", "--stream", "yes", says=["x.npy", "no such file"])

    def test_no_points(self):
        for shape in ((0, 3), (3, 0), (0,)):
            self.save("x.npy", np.zeros(shape))
            self.refused(1, "embed", "x.npy", "-o", "out.npz", "--stream", "yes", says=["x.npy", "no points"])

    def test_the_same_results(self):
        self.save("x.npy", sphere(300))
        for type in (np.float64, np.float32):
            x = sphere(300).astype(type)
            self.save("x.npy", x)
            self.save("f.npy", np.asfortranarray(x))
            np.savez(self.path("x.npz"), x=x)
            expected = self.json("embed", "x.npy", "--stream", "no", *FEW)
            self.assertFalse(expected["streamed"])
            for name in ("x.npy", "f.npy", "x.npz"):
                with self.subTest(name):
                    found = self.json("embed", name, "-o", "out.npz", "--stream", "yes", *FEW)
                    self.assertTrue(found["streamed"])
                    np.testing.assert_allclose(found["eigenvalues"], expected["eigenvalues"], rtol=1e-9)

    def test_landmarks_of_ones_own(self):
        self.save("x.npy", sphere(300))
        self.save("index.npy", np.arange(0, 300, 7))
        self.save("points.npy", sphere(300)[::7])
        for design in ("index.npy", "points.npy"):
            words = ("embed", "x.npy", "--design", design, "--components", "5", "--dim", "2")
            np.testing.assert_allclose(self.json(*words, "--stream", "yes")["eigenvalues"], self.json(*words)["eigenvalues"],
                                       rtol=1e-9)

    def test_without_landmarks(self):
        """No method but those with landmarks leaves its points in the file."""
        x = self.save("x.npy", circle(100))
        run = self.run_lavdm("embed", x, "--json", "--method", "dm", "--components", "3", "--stream", "yes")
        if run.returncode:
            self.assertIn("lavdm: error: ", run.stderr)
            self.assertIn("stream", run.stderr)


class Estimate(Case):
    def test_silence(self):
        x = self.save("x.npy", sphere(200))
        for more in (("--quiet",), ("--json",)):
            self.assertEqual(self.done("embed", x, "-o", "out.npz", *more, *FEW).stderr, "")

    def test_one_line(self):
        x = self.save("x.npy", sphere(200))
        size = r"[\d.]+ [MG]B"
        for words in (("embed", "-o", "out.npz"), ("orient",)):
            run = self.done(words[0], x, *words[1:], *FEW)
            self.assertRegex(run.stderr, rf"\A(  memory       about {size} \(of {size} free\)\n)?\Z")

    def test_facts(self):
        x = self.save("x.npy", sphere(200))
        found = self.json("embed", x, "-o", "out.npz", *FEW)
        self.assertIs(found["streamed"], False)
        self.assertGreater(found["memory_needed"], 0)
        self.assertEqual(int(read_result(self.path("out.npz"))["memory_needed"]), found["memory_needed"])

    @unittest.skipIf(sanitized(), "the sanitizers take memory of their own")
    def test_what_was_said_is_enough(self):
        x = self.save("x.npy", sphere(2500))
        for method in ("dm", "vdm"):  # far more than the program that runs this, which counts until it is replaced
            found = self.json("embed", x, "--method", method, "--edges", "complete", "--dim", "2", "--components", "5")
            self.assertLess(found["peak_memory_bytes"], 1.05 * found["memory_needed"], method)


if __name__ == "__main__":
    unittest.main()
