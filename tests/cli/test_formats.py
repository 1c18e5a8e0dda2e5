"""Stacks of images and pictures, as the command reads them."""
import struct
import unittest
import zlib

import numpy as np

from support import Case


def mrc(stack, mode=2, order="<"):
    sections, rows, columns = stack.shape
    head = bytearray(1024)
    struct.pack_into(order + "4i", head, 0, columns, rows, sections, mode)
    head[208:214] = b"MAP " + (b"DD" if order == "<" else b"\x11\x11")
    kind = {0: "i1", 1: "i2", 2: "f4", 6: "u2", 12: "f2"}[mode]
    return bytes(head) + stack.astype(order + kind).tobytes()


def png(picture):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = picture.shape
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in picture)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def tiff(stack):
    """Pages of 8 bits, little-endian, one strip each."""
    out, link = b"II*\0" + bytes(4), 4
    for page in stack:
        height, width = page.shape
        at = len(out)
        out += page.astype("u1").tobytes()
        out += bytes(len(out) % 2)
        tags = {256: width, 257: height, 258: 8, 259: 1, 262: 1, 273: at, 277: 1, 278: height, 279: height * width}
        out = out[:link] + struct.pack("<I", len(out)) + out[link + 4:]
        out += struct.pack("<H", len(tags))
        out += b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
        link = len(out)
        out += bytes(4)
    return out


def images(n, size=6):
    """A bump that goes round: n images on a circle, of whole numbers to 120."""
    y, x = np.mgrid[:size, :size] - (size - 1) / 2
    angle = np.arange(n) * 2 * np.pi / n
    distance = (x - 1.5 * np.cos(angle)[:, None, None]) ** 2 + (y - 1.5 * np.sin(angle)[:, None, None]) ** 2
    return np.round(120 * np.exp(-distance / 4))


class Formats(Case):
    def eigenvalues(self, name, *words):
        out = self.json("embed", name, "--json", "--quiet", "--method", "lavdm", "--bundle", "tangent", "--dim", 1, "--landmarks", 20,
                        "--design", "farthest", "--knn", 12, "--components", 5, "--precision", "double", "--pca", 0, *words)
        return np.array(out["eigenvalues"])

    def test_stacks_are_points(self):
        stack = images(80)
        self.save("x.npy", stack)
        wanted = self.eigenvalues("x.npy")
        for mode in (0, 1, 2, 6, 12):
            for order in "<>":
                with self.subTest(mode=mode, order=order):
                    self.data("x.mrcs", mrc(stack, mode, order))
                    for stream in ("no", "yes"):
                        found = self.eigenvalues("x.mrcs", "--stream", stream)
                        np.testing.assert_allclose(found, wanted, atol=1e-9)
        self.data("x.tif", tiff(stack))
        np.testing.assert_allclose(self.eigenvalues("x.tif"), wanted, atol=1e-9)

    def test_info(self):
        stack = images(5)
        self.data("x.mrc", mrc(stack))
        self.data("x.tif", tiff(stack))
        self.data("x.png", png(stack[0] * 500))
        self.data("x.pgm", b"P5 3 2 255\nabcdef")
        for name, shape in (("x.mrc", "5 x 6 x 6"), ("x.tif", "5 x 6 x 6"), ("x.png", "6 x 6"), ("x.pgm", "2 x 3")):
            with self.subTest(name=name):
                self.assertIn(shape, self.done("info", name).stdout)

    def test_damaged(self):
        stack = images(4)
        files = {"x.mrc": mrc(stack), "x.tif": tiff(stack), "x.png": png(stack[0]), "x.pgm": b"P5 3 2 255\nabcdef"}
        for name, whole in files.items():
            for size in (0, 1, len(whole) // 3, len(whole) - 5):
                with self.subTest(name=name, size=size):
                    self.data(name, whole[:size])
                    self.refused(1, "info", name, says=name)
                    self.refused(1, "embed", name, "-o", "out.npz", says=name)
        self.data("x.png", b"\xff\xd8\xff\xe0" + bytes(20))
        self.refused(1, "info", "x.png", says=["x.png", "JPEG"])


if __name__ == "__main__":
    unittest.main()
