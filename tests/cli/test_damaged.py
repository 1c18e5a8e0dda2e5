"""Files that lie or break off: one sentence that names the file, never a crash."""
import io
import os
import struct
import unittest
import zipfile

import h5py
import numpy as np
import scipy.io

from support import Case, circle


def npy_bytes(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npy_with_header(text, data=b"\0" * 64):
    text = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


LYING = {
    "more rows than there are": "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 2), }",
    "more than any machine has": "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
    "negative": "{'descr': '<f8', 'fortran_order': False, 'shape': (-4, 2), }",
    "objects": "{'descr': '|O', 'fortran_order': False, 'shape': (4, 2), }",
    "no such type": "{'descr': '<q9', 'fortran_order': False, 'shape': (4, 2), }",
    "no shape": "{'descr': '<f8', 'fortran_order': False, }",
    "no header": "hello",
    "unclosed": "{'descr': '<f8', 'fortran_order': False, 'shape': (4, ",
}


class Damaged(Case):
    def bad(self, name, data):
        self.data(name, data)
        self.refused(1, "embed", name, "-o", "out.npz", says=name)
        self.refused(1, "info", name, says=name)

    def test_missing(self):
        for name in ("x.npy", "x.npz", "x.csv", "x.tsv", "x.mat", "x.h5"):
            self.refused(1, "embed", name, "-o", "out.npz", says=[name, "no such file"])

    def test_unknown_kind(self):
        self.text("x.docx", "hello")
        self.refused(1, "embed", "x.docx", "-o", "out.npz", says=["x.docx", ".npy"])
        os.mkdir(self.path("folder.npy"))
        self.refused(1, "embed", "folder.npy", "-o", "out.npz", says=["folder.npy", "folder"])

    def test_truncated_npy(self):
        whole = npy_bytes(circle(50))
        for size in (0, 3, 9, 40, 128, 200, len(whole) - 1):
            with self.subTest(size):
                self.bad("x.npy", whole[:size])

    def test_lying_npy(self):
        for what, header in LYING.items():
            with self.subTest(what):
                self.bad("x.npy", npy_with_header(header))

    def test_truncated_npz(self):
        out = io.BytesIO()
        np.savez(out, circle(50))
        whole = out.getvalue()
        for size in (0, 10, 100, len(whole) // 2, len(whole) - 1):
            with self.subTest(size):
                self.bad("x.npz", whole[:size])

    def test_lying_npz(self):
        for what, header in LYING.items():
            with self.subTest(what):
                out = io.BytesIO()
                with zipfile.ZipFile(out, "w") as file:
                    file.writestr("x.npy", npy_with_header(header))
                self.data("x.npz", out.getvalue())
                self.refused(1, "embed", "x.npz", "-o", "out.npz", says="x.npz")

    def test_corrupt_npz(self):
        out = io.BytesIO()
        np.savez_compressed(out, np.random.default_rng(0).standard_normal((200, 3)))
        whole = bytearray(out.getvalue())
        for place in (60, 500, 2000):
            whole[place] ^= 0xFF
        self.bad("x.npz", bytes(whole))

    def test_truncated_mat(self):
        for compressed in (False, True):
            out = io.BytesIO()
            scipy.io.savemat(out, {"x": np.random.default_rng(0).standard_normal((80, 3))}, do_compression=compressed)
            whole = out.getvalue()
            for size in (0, 50, 130, 150, len(whole) // 2, len(whole) - 9):
                with self.subTest((compressed, size)):
                    self.data("x.mat", whole[:size])
                    self.refused(1, "embed", "x.mat", "-o", "out.npz", says="x.mat")

    def test_lying_mat(self):
        out = io.BytesIO()
        scipy.io.savemat(out, {"x": circle(50)})
        whole = bytearray(out.getvalue())
        whole[160:168] = struct.pack("<ii", 2 ** 30, 2 ** 30)
        self.data("x.mat", bytes(whole))
        self.refused(1, "embed", "x.mat", "-o", "out.npz", says="x.mat")

    def test_truncated_h5(self):
        path = self.path("whole.h5")
        with h5py.File(path, "w") as file:
            file["x"] = circle(500)
        with open(path, "rb") as file:
            whole = file.read()
        for size in (0, 8, 90, len(whole) // 2, len(whole) - 1):
            with self.subTest(size):
                self.data("x.h5", whole[:size])
                self.refused(1, "embed", "x.h5", "-o", "out.npz", says="x.h5")

    def test_lying_h5(self):
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", shape=(2 ** 40, 3), dtype="f8", chunks=(1024, 3))
        run = self.run_lavdm("embed", "x.h5", "-o", "out.npz")
        self.assertIn(run.returncode, (1, 2))
        self.assertIn("x.h5", run.stderr)
        self.assertEqual(self.files(), ["x.h5"])

    def test_names_of_another_kind(self):
        self.bad("x.npy", b"PK\x03\x04 not an array at all, but long enough to look like one")
        self.bad("x.npz", npy_bytes(circle(20)))
        self.bad("x.h5", b"a,b\n1,2\n" * 50)
        self.bad("x.mat", b"a,b\n1,2\n" * 50)

    def test_csv(self):
        self.text("x.csv", "1,2\n3,four\n5,6\n")
        self.refused(1, "embed", "x.csv", "-o", "out.npz", says=["x.csv", "line 2, column 2", "four"])
        self.text("x.csv", "1,2\n3,4\n5\n")
        self.refused(1, "embed", "x.csv", "-o", "out.npz", says=["x.csv", "line 3"])
        self.text("x.csv", "a,b\n1,2\n3,4\n5,x\n")
        self.refused(1, "embed", "x.csv", "-o", "out.npz", says=["x.csv", "line 4, column 2", "'x'"])
        self.bad("x.csv", b"")
        self.bad("x.csv", b"\x00\x01\x02\xff" * 20)


if __name__ == "__main__":
    unittest.main()
