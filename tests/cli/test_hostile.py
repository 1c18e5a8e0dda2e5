"""Files that were made to do harm: links that lead away, names that write to the terminal, sizes out of all proportion."""
import io
import json

import os
import struct
import subprocess
import sys
import unittest
import zipfile
import zlib

import h5py
import numpy as np
import scipy.io

from support import PROGRAM, Case, circle, sanitized


def npy_bytes(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def png(height, width, channels=1, bits=8):
    """A black picture."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    packer = zlib.compressobj(1)
    row = bytes(1 + width * channels * bits // 8)
    rows = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, bits, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Links(Case):
    """HDF5 that is made of other files: none of them is opened, whatever the path to it."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.path("pipe"))
        with h5py.File(self.path("other.h5"), "w") as file:
            file["x"] = circle(20)

    def test_external_links(self):
        for target in ("pipe", "other.h5", "nowhere.h5"):
            with h5py.File(self.path("x.h5"), "w") as file:
                file["away"] = h5py.ExternalLink(target, "/x")
                file["group"] = h5py.ExternalLink(target, "/")
                file["by"] = h5py.SoftLink("/group/x")
                file.create_group("inner")["deep"] = h5py.ExternalLink(target, "/")
            for name in ("", ":away", ":group", ":group/x", ":/group/x", ":by", ":inner/deep/x", ":inner//deep/x"):
                with self.subTest((target, name)):
                    self.refused(1, "embed", f"x.h5{name}", "-o", "out.npz", timeout=120, says=["x.h5", "link to another file"])
            self.refused(1, "info", "x.h5", timeout=120, says="link to another file")

    def test_the_rest_of_a_file_with_links_is_read(self):
        with h5py.File(self.path("x.h5"), "w") as file:
            file["away"] = h5py.ExternalLink("pipe", "/x")
            file["here"] = circle(30)
            file["soft"] = h5py.SoftLink("/here")
        found = self.json("info", "x.h5", timeout=120)
        self.assertEqual([a["name"] for a in found["arrays"]], ["here", "soft"])

    def test_external_storage(self):
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", (20, 2), "f8", external=[("pipe", 0, h5py.h5f.UNLIMITED)])
        for words in (("embed", "x.h5", "-o", "out.npz"), ("embed", "x.h5:x", "-o", "out.npz"), ("info", "x.h5")):
            self.refused(1, *words, timeout=120, says=["x.h5:x", "external storage"])

    def test_virtual_datasets(self):
        for target in ("pipe", "other.h5"):
            layout = h5py.VirtualLayout((20, 2), "f8", maxshape=(None, 2))
            source = h5py.VirtualSource(target, "x", (20, 2), maxshape=(None, 2))
            layout[:h5py.h5s.UNLIMITED] = source[:h5py.h5s.UNLIMITED]
            with h5py.File(self.path("x.h5"), "w", libver="latest") as file:
                file.create_virtual_dataset("x", layout)
            for words in (("embed", "x.h5", "-o", "out.npz"), ("embed", "x.h5:x", "-o", "out.npz"), ("info", "x.h5")):
                self.refused(1, *words, timeout=120, says=["x.h5:x", "virtual dataset"])


# What a terminal would act on, and how it is shown.
EVIL = {b"a\x1b[31mb": "a\\x1b[31mb", b"a\nb": "a\\x0ab", b"a\xff\xfeb": "a\\xff\\xfeb", b"a\xc2\x9bb": "a\\xc2\\x9bb",
        b"a\x07\x7fb": "a\\x07\\x7fb"}


class Names(Case):
    def plain(self, *words):
        """Runs in bytes: nothing but printable UTF-8 and ends of lines comes out; both streams as text."""
        run = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             cwd=self.folder, timeout=600)
        text = (run.stdout + run.stderr).decode()
        self.assertNotRegex(text, "Sanitizer|runtime error")
        for c in text:
            self.assertTrue(c in "\n\xa0\x7f" or c.isprintable(), f"{words}: {c!r} in {text!r}")
        return text

    def test_names_in_hdf5(self):
        for name, seen in EVIL.items():
            with self.subTest(name):
                with h5py.File(self.path("x.h5"), "w") as file:
                    file[name] = circle(20)
                    file[b"other" + name] = circle(20)
                    file.attrs[name] = "text \x1b[2J"
                told = self.plain("info", "x.h5")
                self.assertIn(seen, told)
                self.assertIn("other" + seen, told)
                self.assertIn("text \\x1b[2J", told)
                self.assertIn(seen, self.plain("embed", "x.h5", "-o", "out.npz"))
                self.plain("embed", b"x.h5:none" + name, "-o", "out.npz")
                told = self.plain("info", "--json", "x.h5")
                self.assertTrue(told.isascii())
                self.assertEqual(len(json.loads(told)["arrays"]), 2)

    def test_names_in_npz(self):
        for name in EVIL:
            with self.subTest(name):
                member = b"Z" * len(name) + b".npy"
                out = io.BytesIO()
                with zipfile.ZipFile(out, "w") as file:
                    file.writestr(member.decode(), npy_bytes(circle(20)))
                    file.writestr("other.npy", npy_bytes(circle(20)))
                data = bytearray(out.getvalue().replace(member, name + b".npy"))
                for utf8 in (0, 8):
                    data[7] = data[data.index(b"PK\x01\x02") + 9] = utf8
                    self.data("x.npz", bytes(data))
                    self.plain("info", "x.npz")  # libzip refuses the name, or makes letters of it, those of DOS
                    self.plain("embed", "x.npz", "-o", "out.npz")

    def test_names_in_mat(self):
        for name, seen in EVIL.items():
            with self.subTest(name):
                out = io.BytesIO()
                scipy.io.savemat(out, {"Z" * len(name): circle(20), "other": circle(20)})
                self.data("x.mat", out.getvalue().replace(b"Z" * len(name), name))
                self.assertIn(seen, self.plain("info", "x.mat"))
                self.assertIn(seen, self.plain("embed", "x.mat", "-o", "out.npz"))

    def test_words_of_text_files(self):
        for name, seen in EVIL.items():
            if b"\n" in name:
                continue
            with self.subTest(name):
                self.data("x.csv", b"1,2\n3," + name + b"\n")
                self.assertIn(seen, self.plain("info", "x.csv"))
                self.data("x.ply", b"ply\nformat ascii 1.0\nelement " + name + b" 1\nproperty float x\nelement vertex 1\n"
                          b"property float x\nproperty float y\nproperty float z\nend_header\n1 2\n1 2 3\n")
                self.assertIn(seen, self.plain("info", "x.ply"))
                self.data("x.ply", b"ply\n" + name + b"\n")
                self.assertIn(seen, self.plain("info", "x.ply"))
                self.data("x.obj", b"v 1 2 " + name + b"\n")
                self.assertIn(seen, self.plain("info", "x.obj"))
                self.data("x.g2o", name + b" 1 2\n")
                self.assertIn(seen, self.plain("sync", "x.g2o", "-o", "out.npz"))
                self.data("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", 118)
                          + (b"{'descr': '<" + name + b"', 'fortran_order': False, 'shape': (1,), }").ljust(117) + b"\n")
                self.assertIn("x.npy", self.plain("info", "x.npy"))

    def test_names_of_files(self):
        for name, seen in EVIL.items():
            with self.subTest(name):
                path = os.path.join(self.folder.encode(), name)
                with open(path + b".npy", "wb") as file:
                    file.write(npy_bytes(circle(60)))
                self.assertIn(seen, self.plain("info", name + b".npy"))
                self.assertIn(seen, self.plain("info", name + b".nowhere"))
                self.assertIn(seen, self.plain("info", name + b"2.npy"))
                self.assertIn(seen, self.plain("embed", name + b".npy", "-o", name + b".h5"))
                self.assertIn(seen, self.plain("distance", name + b".h5", "--neighbours", "3"))
                self.assertIn(seen, self.plain("extend", name + b".h5", name + b".npy", "-o", name + b".npz"))
                self.assertIn(seen, self.plain("orient", name + b".npy"))
                self.plain("embed", "--method", name, name + b".npy", "-o", "out.npz")
                self.plain(name)
                self.plain("embed", b"--" + name, name + b".npy")


class Packed(Case):
    def test_other_compressions_have_their_reason(self):
        for method, word in ((zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "lzma")):
            with zipfile.ZipFile(self.path("x.npz"), "w", method) as file:
                file.writestr("x.npy", npy_bytes(circle(50)))
            for words in (("embed", "x.npz", "-o", "out.npz"), ("embed", "x.npz:x", "-o", "out.npz"), ("info", "x.npz")):
                self.refused(1, *words, says=["x.npz:x", f"compressed by {word}", "numpy.savez"])

    def test_methods_that_python_cannot_write(self):
        for method, word in ((93, "zstd"), (95, "xz"), (9, "deflate64"), (77, "method 77")):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as file:
                file.writestr("x.npy", npy_bytes(circle(50)))
            data = bytearray(out.getvalue())
            struct.pack_into("<H", data, 8, method)
            struct.pack_into("<H", data, data.index(b"PK\x01\x02") + 10, method)
            self.data("x.npz", bytes(data))
            self.refused(1, "embed", "x.npz", "-o", "out.npz", says=["x.npz:x", f"compressed by {word}", "numpy.savez"])

    def test_encrypted(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            file.writestr("x.npy", npy_bytes(circle(50)))
        data = bytearray(out.getvalue())
        for at in (6, data.index(b"PK\x01\x02") + 8):  # the first of the flags
            data[at] |= 1
        self.data("x.npz", bytes(data))
        for words in (("embed", "x.npz", "-o", "out.npz"), ("info", "x.npz")):
            self.refused(1, *words, says=["x.npz:x", "is encrypted", "numpy.savez"])

    def test_what_can_be_read_is(self):
        with zipfile.ZipFile(self.path("x.npz"), "w", zipfile.ZIP_BZIP2) as file:
            file.writestr("x.npy", npy_bytes(circle(50)))
            file.writestr("y.npy", npy_bytes(circle(50)), zipfile.ZIP_DEFLATED)
        self.assertEqual([a["name"] for a in self.json("info", "x.npz")["arrays"]], ["y"])

    def test_the_reason_in_hdf5_and_mat(self):
        with h5py.File(self.path("x.h5"), "w") as file:
            file["x"] = circle(20)[:, 0] + 1j
        scipy.io.savemat(self.path("x.mat"), {"x": circle(20)[:, 0] + 1j})
        for name in ("x.h5", "x.mat"):
            for words in (("embed", name, "-o", "out.npz"), ("info", name)):
                self.refused(1, *words, says=[f"{name}:x", "complex"])


class Sizes(Case):
    def spent(self, *words):
        """Processor seconds and the largest megabytes of the command and its children, one at a time."""
        run = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               cwd=self.folder)
        text = run.stdout.read().decode()
        _, status, used = os.wait4(run.pid, 0)
        run.stdout.close()
        run.returncode = os.waitstatus_to_exitcode(status)
        return run.returncode, text, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def test_a_picture_takes_its_array_and_a_row(self):
        if sanitized():
            self.skipTest("a sanitizer takes memory of its own")
        self.data("x.png", png(3000, 3000, 4, 16))
        code, text, _, peak = self.spent("info", "x.png")
        self.assertEqual(code, 0, text)
        array = 3000 * 3000 * 4 * 8 / 2 ** 20
        self.assertLess(peak, array + 40)

    def test_sizes_are_told_before_memory_is_taken(self):
        self.data("x.png", png(6000, 6000))
        # in a process of its own: what this one has taken counts for those that it starts
        subprocess.run([sys.executable, "-c", """if True:
            import h5py, numpy, scipy.io
            x = numpy.zeros((6000, 6000))
            numpy.save("x.npy", x)
            numpy.savez_compressed("x.npz", x=x)
            scipy.io.savemat("x.mat", {"x": x}, do_compression=True)
            with h5py.File("x.h5", "w") as file:
                file.create_dataset("x", data=x, chunks=(80, 6000), compression="gzip", compression_opts=1)
            """], cwd=self.folder, check=True)
        for name in ("x.png", "x.npz", "x.h5", "x.mat", "x.npy"):
            with self.subTest(name):
                words = "embed", name, "-o", "out.npz", "--method", "dm", "--max-memory", "100M"
                self.refused(2, *words, says=[name, "6000 x 6000 numbers", "0.", "max_memory is 0.10 GB"])
                if not sanitized():
                    self.assertLess(self.spent(*words)[3], 200)

    def test_more_than_the_machine_has(self):
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (200000, 1000000), }".ljust(117) + b"\n"
        self.data("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
        os.truncate(self.path("x.npy"), 128 + 200000 * 1000000 * 8)
        self.refused(2, "info", "x.npy", says=["x.npy", "200000 x 1000000 numbers", "1600 GB", "--stream yes"])

    def test_many_datasets_and_attributes(self):
        with h5py.File(self.path("x.h5"), "w", libver="latest") as file:
            for i in range(20000):
                file.create_dataset(f"d{i}", data=np.arange(2.))
        with h5py.File(self.path("y.h5"), "w", libver="latest") as file:
            file["x"] = circle(20)
            for i in range(20000):
                file.attrs[f"a{i}"] = 1.5
        for name in ("x.h5", "y.h5"):
            code, text, seconds, _ = self.spent("info", name)
            self.assertEqual(code, 0, text)
            self.assertGreater(text.count("\n"), 20000)
            if not sanitized():
                self.assertLess(seconds, 3)


if __name__ == "__main__":
    unittest.main()
