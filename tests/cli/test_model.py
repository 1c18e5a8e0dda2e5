"""Models in files: HDF5 that others read, and that is refused when it is not whole."""
import os
import signal
import subprocess
import time
import unittest

import h5py
import numpy as np

from support import PROGRAM, Case, circle, sphere


class Embedded(Case):
    def embed(self, name, *words, points=sphere(200)):
        self.save("x.npy", points)
        self.done("embed", "x.npy", "-o", name, "--quiet", "--dim", "2", "--components", "5", "--landmarks", "40",
                  "--threads", "1", *words)
        return self.path(name)


class Model(Embedded):
    def test_h5py_reads_it(self):
        self.embed("m.h5", "--embedding", "--ambient")
        self.embed("m.npz", "--embedding", "--ambient")
        with h5py.File(self.path("m.h5"), "r") as file, np.load(self.path("m.npz")) as other:
            attributes = dict(file.attrs)
            for name in other.files:
                value = other[name]
                if value.ndim:
                    self.assertEqual(file[name].dtype, value.dtype)
                    self.assertEqual(file[name].id.get_offset() % 64, 0)
                    np.testing.assert_array_equal(file[name][()], value)
                elif name not in ("seconds", "fit_seconds", "timings", "command", "output", "peak_memory_bytes", "max_memory"):
                    self.assertEqual(attributes[name], value.item(), name)
            for name in ("eigenvalues", "eigenvectors", "frames", "landmarks", "landmark_frames", "ambient", "embedding"):
                self.assertIn(name, file)
            for name in ("format", "format_version", "version", "method", "bundle", "option_method", "option_epsilon",
                         "timings", "auto", "input"):
                self.assertIsInstance(attributes[name], str, name)
            for name in ("n", "p", "m", "q", "edges", "isolated", "graph_components", "components", "compact"):
                self.assertIsInstance(attributes[name], np.int64, name)
            self.assertEqual((attributes["format"], attributes["format_version"]), ("lavdm model", "1.0"))
            self.assertEqual((attributes["n"], attributes["m"], attributes["q"], attributes["compact"]), (200, 40, 2, 0))
            self.assertEqual(float(attributes["option_epsilon"]), attributes["epsilon"])
        self.assertIn("lavdm model", self.done("info", "m.h5").stdout)

    def test_attributes_are_counted(self):
        self.embed("m.h5")
        self.done("sample", "klein", "-n", "20", "-o", "s.h5", "--quiet")
        for name in ("m.h5", "s.h5"):
            with h5py.File(self.path(name), "r") as file:
                self.assertGreater(len(file.attrs), 0)
                self.assertEqual(len(file.attrs), len(dict(file.attrs)))
                for array in file.values():
                    self.assertEqual((len(array.attrs), list(array.attrs)), (1, ["checksum"]))

    def test_files_of_old(self):
        """Whose attributes are not counted."""
        for name in ("kept-double.h5", "kept-single.h5"):
            path = os.path.join(os.environ["LAVDM_SOURCE"], "tests", "data", name)
            with h5py.File(path, "r") as file:
                self.assertEqual(len(file.attrs), 0)
                self.assertGreater(len(dict(file.attrs)), 10)
            self.done("info", path)

    def test_single_precision(self):
        self.embed("m.h5", "--precision", "single")
        with h5py.File(self.path("m.h5"), "r") as file:
            self.assertEqual(file["eigenvectors"].dtype, np.float32)
            self.assertEqual(file["landmarks"].dtype, np.float64)
        self.done("info", "m.h5")

    def test_the_same_bytes(self):
        """But for the times, and what they depend on."""
        changing = {"timings", "fit_seconds", "seconds", "peak_memory_bytes", "option_max_memory", "checksum", "memory_needed"}
        with h5py.File(self.embed("a.h5"), "r") as a, h5py.File(self.embed("b.h5"), "r") as b:
            self.assertEqual(list(a), list(b))
            for name in a:
                self.assertEqual(a[name].attrs["checksum"], b[name].attrs["checksum"])
                self.assertEqual(a[name].id.get_offset(), b[name].id.get_offset())
            self.assertEqual({k: v for k, v in a.attrs.items() if k not in changing | {"output", "command"}},
                             {k: v for k, v in b.attrs.items() if k not in changing | {"output", "command"}})

    def test_checksums_are_crc64(self):
        table = []
        for byte in range(256):
            for _ in range(8):
                byte = byte >> 1 ^ (0xC96C5795D7870F42 if byte & 1 else 0)
            table.append(byte)
        with h5py.File(self.embed("m.h5"), "r") as file:
            for name in ("eigenvalues", "landmark_index"):
                rest = 2 ** 64 - 1
                for byte in file[name][()].tobytes():
                    rest = rest >> 8 ^ table[(rest ^ byte) & 255]
                self.assertEqual(file[name].attrs["checksum"].decode(), f"crc64xz:{rest ^ 2 ** 64 - 1:016x}")

    def test_compact(self):
        self.embed("m.h5")
        self.embed("c.h5", "--compact")
        with h5py.File(self.path("m.h5"), "r") as whole, h5py.File(self.path("c.h5"), "r") as compact:
            self.assertLess(set(compact), set(whole))
            self.assertLessEqual({"eigenvectors", "degrees", "frames"}, set(whole) - set(compact))
            for name in compact:
                np.testing.assert_array_equal(whole[name][()], compact[name][()])
            self.assertEqual(compact.attrs["compact"], 1)
        self.done("info", "c.h5")
        self.refused(1, "embed", "x.npy", "-o", "c.npz", "--compact", says=["--compact", ".h5"])
        self.refused(1, "embed", "x.npy", "--json", "--compact", says=["--compact", ".h5"])
        self.done("embed", "x.npy", "-o", "dm.h5", "-q", "--method", "dm", "--compact", "--components", "4")
        with h5py.File(self.path("dm.h5"), "r") as file:
            self.assertIn("eigenvectors", file)

    def test_orient(self):
        self.save("x.npy", sphere(400))
        self.done("orient", "x.npy", "--dim", "2", "-qo", "o.h5")
        with h5py.File(self.path("o.h5"), "r") as file:
            self.assertEqual(file["signs"].shape, (400,))
            self.assertEqual(file.attrs["orientable"], 1)
            self.assertEqual(file.attrs["option_bundle"], "orientation")
        self.done("info", "o.h5")

    def test_isolated_points(self):
        x = sphere(200)
        x[7] += 1000
        self.save("x.npy", x)
        self.done("embed", "x.npy", "--method", "dm", "--epsilon", "0.3", "-qo", "m.h5", "--components", "4")
        with h5py.File(self.path("m.h5"), "r") as file:
            self.assertEqual(list(file["isolated_points"]), [7])
            self.assertIn("isolated point", file.attrs["warnings"])
        self.done("info", "m.h5")

    def test_a_sample_is_read_again(self):
        self.done("sample", "klein", "-n", "300", "--frames", "--seed", "5", "-qo", "k.h5")
        self.done("sample", "klein", "-n", "300", "--seed", "5", "-qo", "k.npy")
        with h5py.File(self.path("k.h5"), "r") as file:
            np.testing.assert_array_equal(file["points"][()], np.load(self.path("k.npy")))
            self.assertEqual(file["frames"].shape, (300, 4, 2))
        one = self.json("embed", "k.h5", "--components", "4", "--threads", "1")
        two = self.json("embed", "k.npy", "--components", "4", "--threads", "1")
        self.assertEqual(one["eigenvalues"], two["eigenvalues"])
        self.done("embed", "k.h5:/points", "-qo", "m.h5", "--components", "4")
        self.done("embed", "m.h5:/landmarks", "--json", "--components", "3")


class Damaged(Embedded):
    def test_damaged(self):
        path = self.embed("m.h5")
        with h5py.File(path, "r") as file:
            at = file["eigenvectors"].id.get_offset()
        with open(path, "rb") as file:
            whole = bytearray(file.read())
        whole[at + 100] ^= 1
        self.data("m.h5", bytes(whole))
        run = self.refused(1, "info", "m.h5", says=["m.h5", "damaged", "eigenvectors"])
        self.assertEqual(run.stderr.count("\n"), 1)
        whole[at + 100] ^= 1
        self.data("m.h5", bytes(whole[:-1]))
        self.refused(1, "info", "m.h5", says="m.h5")
        self.data("m.h5", bytes(whole))
        self.done("info", "m.h5")

    def test_changed_by_another_program(self):
        path = self.embed("m.h5")
        with h5py.File(path, "r+") as file:
            file["eigenvalues"][0] = 2
        self.refused(1, "info", "m.h5", says=["m.h5", "damaged", "eigenvalues"])

    def test_foreign(self):
        for version in ("earliest", "latest"):
            with h5py.File(self.path("f.h5"), "w", libver=version) as file:
                file["x"] = circle(20)
                file.attrs["format"] = "lavdm model"
                file.attrs["format_version"] = "1.0"
            self.refused(1, "info", "f.h5", says=["f.h5", "HDF5 but not a lavdm model"])


class Killed(Case):
    def test_kill_leaves_the_old_file_or_the_new(self):
        """Killed at any moment; then the next run removes what is left."""
        self.save("x.npy", np.random.default_rng(0).standard_normal((20000, 3)))
        words = ["embed", "x.npy", "-o", "m.h5", "-q", "--landmarks", "40", "--method", "roseland"]
        self.done(*words)
        began = time.monotonic()
        self.done(*words)
        took = time.monotonic() - began
        for k in range(12):
            run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stderr=subprocess.DEVNULL)
            time.sleep(took * (0.5 + 0.05 * k))
            run.send_signal(signal.SIGKILL)
            run.wait()
            self.done("info", "m.h5")
        self.done(*words)
        self.assertEqual(self.files(), ["m.h5", "x.npy"])
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".lavdm")])


if __name__ == "__main__":
    unittest.main()
