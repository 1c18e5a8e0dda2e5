"""Meshes and clouds of points as users have them: .stl .off .xyz .asc .pcd .las, and files of other programs."""
import re
import struct
import unittest

import meshio
import numpy as np

from support import Case, sphere


def icosphere(n=300):
    """Points of the sphere and the triangles of their hull."""
    from scipy.spatial import ConvexHull

    points = sphere(n).astype("f4").astype(float)
    return points, ConvexHull(points).simplices


def lzf(data):
    """Compresses: matches of three bytes and more within the last 8192, else literals."""
    out, literal, seen, at = bytearray(), bytearray(), {}, 0

    def flush():
        for k in range(0, len(literal), 32):
            part = literal[k:k + 32]
            out.append(len(part) - 1)
            out.extend(part)
        literal.clear()

    while at < len(data):
        key, found = data[at:at + 3], seen.get(data[at:at + 3])
        seen[key] = at
        if len(key) == 3 and found is not None and at - found <= 8192:
            count = 3
            while count < 264 and at + count < len(data) and data[found + count] == data[at + count]:
                count += 1
            flush()
            back, length = at - found - 1, count - 2
            if length < 7:
                out.append(length << 5 | back >> 8)
            else:
                out.extend((7 << 5 | back >> 8, length - 7))
            out.append(back & 255)
            at += count
        else:
            literal.append(data[at])
            at += 1
    flush()
    return bytes(out)


def pcd(points, form="ascii", kind="f4", extra=True):
    """A cloud by the layout of the Point Cloud Library: rgb, x, y, z and a normal of three numbers."""
    n = len(points)
    fields = [("rgb", "u4", 1), ("x", kind, 1), ("y", kind, 1), ("z", kind, 1), ("normal", "f4", 3)] if extra else \
        [(a, kind, 1) for a in "xyz"]
    rows = np.zeros(n, np.dtype([(name, "<" + t, (c,) if c > 1 else ()) for name, t, c in fields]))
    for k, axis in enumerate("xyz"):
        rows[axis] = points[:, k]
    if extra:
        rows["rgb"] = 7
    head = "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n"
    head += "FIELDS " + " ".join(f[0] for f in fields) + "\nSIZE " + " ".join(f[1][1] for f in fields)
    head += "\nTYPE " + " ".join(f[1][0].upper() for f in fields) + "\nCOUNT " + " ".join(str(f[2]) for f in fields)
    head += f"\nWIDTH {n}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\nDATA {form}\n"
    if form == "ascii":
        body = "".join(" ".join(repr(float(x)) for name, _, _ in fields for x in np.ravel(row[name])) + "\n"
                       for row in rows).encode()
    elif form == "binary":
        body = rows.tobytes()
    else:
        plain = b"".join(np.ascontiguousarray(rows[name]).tobytes() for name, _, _ in fields)
        packed = lzf(plain)
        body = struct.pack("<II", len(packed), len(plain)) + packed
    return head.encode() + body


LAS_WIDTH = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67]


def las(points, minor=2, form=0, scale=1e-4, offset=(0.0, 0.0, 0.0), more=0):
    """LAS by its published layout, with a record of variable length between header and points."""
    size = {0: 227, 1: 227, 2: 227, 3: 235, 4: 375}[minor]
    start, width = size + 54 + 10, LAS_WIDTH[form] + more
    head = bytearray(size)
    head[:4] = b"LASF"
    head[24:26] = 1, minor
    struct.pack_into("<HIIBH", head, 94, size, start, 1, form, width)
    if minor < 4 or form < 6:
        struct.pack_into("<I", head, 107, len(points))
    struct.pack_into("<6d", head, 131, scale, scale, scale, *offset)
    if minor == 4:
        struct.pack_into("<Q", head, 247, len(points))
    rows = np.zeros((len(points), width), "u1")
    rows[:, :12] = np.rint((points - offset) / scale).astype("<i4").view("u1")
    rows[:, 12:] = 0xA5
    return bytes(head) + bytes(54) + b"0123456789" + rows.tobytes()


class Shapes(Case):
    def points(self, name):
        """What the command reads of a file: the points that a model keeps; and what it says."""
        run = self.done("embed", name, "--method", "dm", "--components", 3, "-o", "kept.h5")
        import h5py

        with h5py.File(self.path("kept.h5")) as file:
            return file["points"][:], run.stderr

    def holds(self, name, want, *says, exact=True):
        got, told = self.points(name)
        self.assertEqual(got.shape, want.shape, name)
        self.assertTrue(np.array_equal(got, want) if exact else np.allclose(got, want, atol=1e-4), name)
        for word in says:
            self.assertIn(word, told)

    def test_meshio(self):
        """Meshes that meshio wrote; of .stl, whose triangles repeat corners, every vertex once."""
        points, triangles = icosphere()
        mesh = meshio.Mesh(points, [("triangle", triangles)])
        for name, how in [("a.stl", {"binary": False}), ("b.stl", {"binary": True}), ("c.off", {}), ("d.obj", {}),
                          ("e.ply", {})]:
            meshio.write(self.path(name), mesh, **how)
        order = list(dict.fromkeys(triangles.ravel()))  # of the first appearance
        for name in ("a.stl", "b.stl"):
            self.holds(name, points[order], f"{triangles.size} corners of {len(triangles)} triangles are 300 vertices")
        for name in ("c.off", "d.obj", "e.ply"):
            self.holds(name, points)
        self.holds("c.off", points, "faces are left out")
        out = self.json("embed", "a.stl", "--method", "dm")
        self.assertEqual((out["n"], out["p"]), (300, 3))
        self.assertRegex(out["notes"][0], r"^a\.stl: the \d+ corners")

    def test_off_kinds(self):
        """Colours and normals behind the coordinates, comments, the numbers on the first line."""
        points = sphere(60)
        rows = [" ".join(repr(x) for x in p) for p in points]
        for head, tail in (("OFF\n# a comment\n60 1 0\n", ""), ("COFF\n60 1 0\n", " 255 0 0 255"), ("OFF60 1 0\n", ""),
                           ("NOFF 60 1 0\n", " 0 0 1"), ("STCNOFF\n\n60 1 0\n", " 0 0 1 9 9 9 0.5 0.5")):
            self.text("a.off", head + "\n".join(row + tail for row in rows) + "\n3 0 1 2\n")
            self.holds("a.off", points, *{"COFF": ["colours"], "NOFF": ["normals"]}.get(head[:4], []))
        good = "OFF\n60 1 0\n" + "\n".join(rows)
        for text, says in ((good, "promises 1 faces, and 0 are there"), (good.replace("60 1", "60 -1"), "numbers of vertices"),
                           ("OFF\n61 0 0\n" + "\n".join(rows), "promises 61 vertices, and 60 are there"),
                           ("OFF BINARY\n60 1 0\n", "binary OFF"), ("4OFF\n60 1 0\n", "more than three coordinates"),
                           ("ON\n60 1 0\n", "no word OFF"), ("OFF\nmany 1 0\n", "numbers of vertices"), ("", "it is empty"),
                           ("OFF\n99999999999999 0 0\n0 0 0\n", "promises 99999999999999 vertices, and 1"),
                           ("OFF\n1 0 0\n1 2\n", "vertex 1 has 2 numbers"), ("OFF\n1 0 0\n1 2 x\n", "'x' is not a number")):
            self.text("b.off", text)
            self.refused(1, "embed", "b.off", "--json", says=["b.off", says])

    def test_stl_bad(self):
        points, triangles = icosphere(40)
        mesh = meshio.Mesh(points, [("triangle", triangles)])
        meshio.write(self.path("b.stl"), mesh, binary=True)
        meshio.write(self.path("a.stl"), mesh, binary=False)
        with open(self.path("b.stl"), "rb") as file:
            data = file.read()
        with open(self.path("a.stl")) as file:
            text = file.read()
        count = len(triangles)
        for bad, says in ((data[:-1], f"promises {count} triangles"), (data + b"x", f"promises {count} triangles"),
                          (data[:50], "not an STL file"), (data[:80] + b"\xff\xff\xff\xff" + data[84:], "4294967295"),
                          (data[:80] + bytes(4), "holds no triangles")):
            self.data("c.stl", bad)
            self.refused(1, "embed", "c.stl", "--json", says=["c.stl", says])
        # a header of bytes that begins with the word of text
        self.data("c.stl", b"solid made by a program".ljust(80) + data[80:])
        self.holds("c.stl", points[list(dict.fromkeys(triangles.ravel()))])
        cut = text[:text.rindex("endloop")]
        for bad, says in ((cut, "ends too early"), (text[:len(text) // 2].rpartition("\n")[0] + "\n", "ends too early"),
                          (text.replace("vertex", "corner", 1), "'corner' is not known"),
                          (re.sub(r"vertex .*\n", "", text, count=1), "three vertices"),
                          (text.replace("vertex ", "vertex 1 ", 1), "and no more"), ("solid a\nendsolid a\n", "no triangles")):
            self.text("c.stl", bad)
            self.refused(1, "embed", "c.stl", "--json", says=["c.stl", says])

    def test_xyz(self):
        """Molecules, and points that numpy wrote, with further columns."""
        points = sphere(80)
        atoms = [f"{'CHO'[i % 3]} {x!r} {y!r} {z!r} 0.5\n" for i, (x, y, z) in enumerate(points.tolist())]
        self.text("m.xyz", "80\nEnergy = -1.5\n" + "".join(atoms))
        self.holds("m.xyz", points, "molecule of 80 atoms", "symbols are left out")
        np.savetxt(self.path("p.xyz"), points, fmt="%r")
        self.holds("p.xyz", points)
        np.savetxt(self.path("p.asc"), np.c_[points, points], fmt="%r", delimiter=",", header="x,y,z,nx,ny,nz")
        self.holds("p.asc", points, "the first 3 of 6 columns")
        np.savetxt(self.path("h.asc"), points, fmt="%r", header="//X Y Z\nX Y Z", comments="")
        self.holds("h.asc", points)
        for name, text, says in (
                ("b.xyz", "80\n\n" + "".join(atoms[:79]), "promises 80 atoms, and 79 are there"),
                ("b.xyz", "80\n\n" + "".join(atoms) * 2, "split -l 82"),
                ("b.xyz", "1\n\nC 1 2\n", "'symbol x y z'"), ("b.xyz", "1 2\n3 4\n", "x y z are needed"),
                ("b.xyz", "1 2 3\n3 4\n", "line 2: the row has 2 numbers"), ("b.xyz", "1 2 3\n3 4 x\n", "'x' is not a number"),
                ("b.xyz", "", "holds no points"), ("b.xyz", "z y x\n1 2 3\n", "must be the first three"),
                ("b.asc", "ncols 4\nnrows 6\n0 1 2 3\n", "ESRI ASCII grid"),
                ("b.xyz", "99999999999999999\n\nC 1 2 3\n", "and 1 are there")):
            self.text(name, text)
            self.refused(1, "embed", name, "--json", says=[name, says])

    def test_pcd(self):
        points = sphere(90).astype("f4").astype(float)
        for form in ("ascii", "binary", "binary_compressed"):
            for extra in (True, False):
                self.data("a.pcd", pcd(points, form, extra=extra))
                self.holds("a.pcd", points, *["left out: rgb, normal"] * extra)
        self.data("a.pcd", pcd(sphere(90), "binary_compressed", "f8"))
        self.holds("a.pcd", sphere(90))
        missing = points.copy()
        missing[::9, 1] = np.nan
        for form in ("ascii", "binary"):
            self.data("a.pcd", pcd(missing, form))
            self.holds("a.pcd", missing[~np.isnan(missing).any(1)], "10 of its 90 points have no measurement")

    def test_pcd_bad(self):
        points = sphere(30)
        text, data, packed = (pcd(points, form) for form in ("ascii", "binary", "binary_compressed"))
        lie = packed.index(b"compressed\n") + 11
        for bad, says in ((text[:-40], "numbers where the header promises 7"), (text + b"1 2 3 4 5 6 7\n", "more points"),
                          (data[:-1], "promises 30 points, and 29 are whole"), (data + b"x", "1 bytes more"),
                          (packed[:-1], "is damaged"), (packed[:lie + 6] + b"\xff" + packed[lie + 7:], "is damaged"),
                          (packed[:lie + 8] + b"\xff" + packed[lie + 9:], "compressed data are damaged"),
                          (data.replace(b" y ", b" w "), "no field 'y'"), (data.replace(b"F F", b"Q F"), "'Q' is no type"),
                          (data.replace(b"POINTS 30", b"POINTS 9999999999"), "promises 9999999999 points"),
                          (text.replace(b"POINTS 30", b"POINTS 9999999999"), "promises 9999999999 points"),
                          (packed.replace(b"POINTS 30", b"POINTS 9999999999"), "promises 9999999999 points"),
                          (data.replace(b"DATA binary", b"DATA zip"), "'zip' is no form"), (b"hello\n", "not how a PCD"),
                          (b"", "not a PCD file"), (data.replace(b"SIZE 4", b"SIZE 3"), "'3' is no size"),
                          (data.replace(b"COUNT 1 1", b"COUNT 1"), "fewer words"), (text[:text.index(b"DATA")], "within its header")):
            self.data("b.pcd", bad)
            self.refused(1, "embed", "b.pcd", "--json", says=["b.pcd", says])

    def test_las(self):
        points = np.rint(sphere(70) * 1e4) / 1e4
        offset = np.array([500000.0, 5400000.0, 100.0])
        for form in range(11):
            for minor in range(5):
                if (form >= 6) > (minor == 4) or (form in (4, 5) and minor < 3):
                    continue
                self.data("a.las", las(points + offset, minor, form, offset=offset, more=form % 3))
                self.holds("a.las", points + offset, f"LAS 1.{minor}, 70 points of format {form}", exact=False)

    def test_las_bad(self):
        good = las(sphere(70))

        def changed(at, data):
            return good[:at] + data + good[at + len(data):]

        for bad, says in ((good[:-1], "ends too early: its header promises 70 points"), (good[:100], "no header of 227 bytes"),
                          (changed(0, b"LAZF"), "does not begin with LASF"), (changed(24, b"\x02"), "is LAS 2.2"),
                          (changed(104, b"\x80"), "is compressed (LAZ)"), (changed(104, b"\x0b"), "format 11"),
                          (changed(105, b"\x05\x00"), "takes 20 bytes"), (changed(107, b"\xff\xff\xff\xff"), "4294967295 points"),
                          (changed(96, b"\x00\x00\x00\x00"), "from byte 0"), (changed(107, bytes(4)), "holds no points"),
                          (changed(131, struct.pack("<d", np.nan)), "the scale of x is"), (b"", "no header")):
            self.data("b.las", bad)
            self.refused(1, "embed", "b.las", "--json", says=["b.las", says])

    def test_foreign(self):
        """Files of other programs are named, with the command that converts them."""
        for name, says in (("a.laz", "pdal translate a.laz a.las"), ("a.e57", "pdal translate a.e57 a.las"),
                           ("a.gltf", "save its mesh as .ply"), ("a.glb", "glTF"), ("a.vtk", "meshio convert a.vtk a.ply"),
                           ("a.pkl", "runs code"), ("a.parquet", "to_csv('a.csv'"), ("a.star", ".mrcs"),
                           ("a.dcm", "a.png"), ("a.nii", "nibabel.load('a.nii')"), ("a.nii.gz", "nibabel.load('a.nii.gz')"),
                           ("a.jpg", "convert a.jpg a.png")):
            self.data(name, b"x")
            self.refused(1, "embed", name, "--json", says=[name, "which is not read; convert it: ", says])
        self.data("a.abc", b"x")
        self.refused(1, "embed", "a.abc", "--json", says=["a.abc: is of no known kind", ".npy, .npz", ".las", ".png"])
        self.refused(1, "embed", "gone.abc", "--json", says="gone.abc: no such file")


if __name__ == "__main__":
    unittest.main()
