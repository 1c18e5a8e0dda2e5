"""Writes the seed corpus, tests/fuzz/corpus/TARGET/: small files of every kind that the readers know.

    python3 tests/fuzz/make_corpus.py [LAVDM]

LAVDM is the command (default build/lavdm), whose own files are among the seeds. The same program gives the
same bytes, but for the times in results of `embed`.
"""
import io
import itertools
import math
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

import h5py
import numpy as np
import scipy.io
import scipy.sparse

HERE = os.path.dirname(os.path.abspath(__file__))
LAVDM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "build", "lavdm"))


def seed(target, name, data):
    folder = os.path.join(HERE, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)


def written(extension, *arguments, points=None):
    """What the command writes, given x.npy if there are points."""
    with tempfile.TemporaryDirectory() as folder:
        if points is not None:
            np.save(os.path.join(folder, "x.npy"), points)
        name = "out" + extension
        subprocess.run([LAVDM, *arguments, "-o", name], check=True, capture_output=True, cwd=folder)
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npz(compressed, **arrays):
    """As numpy.savez, but with the dates that a zip file has at least."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as file:
        for name, array in arrays.items():
            file.writestr(zipfile.ZipInfo(name + ".npy"), npy(array),
                          zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED)
    return out.getvalue()


def mat(**arrays):
    out = io.BytesIO()
    scipy.io.savemat(out, arrays)
    return b"MATLAB 5.0 MAT-file".ljust(124) + out.getvalue()[124:]


def mat_big(value):
    """One double in the other byte order."""
    element = struct.pack(">iiIIiiiiiicccc4xii", 6, 8, 6, 0, 5, 8, 1, 1, 1, 4, b"x", b"y", b"z", b"w", 9, 8)
    element += struct.pack(">d", value)
    return b"big".ljust(124) + struct.pack(">H", 0x0100) + b"MI" + struct.pack(">ii", 14, len(element)) + element


ARRAYS = {
    "doubles": np.arange(12.).reshape(4, 3) / 7,
    "floats": np.arange(6, dtype="f4").reshape(3, 2) / 3,
    "halves": np.array([1, 2.5, -3, np.inf], "f2"),
    "columns": np.asfortranarray(np.arange(24.).reshape(2, 3, 4)),
    "swapped": np.arange(5, dtype=">f8"),
    "swapped_floats": np.arange(4, dtype=">f4").reshape(2, 2),
    "integers": np.array([[1, -2], [3, 4]], "i4"),
    "bytes": np.array([0, 255], "u1"),
    "large": np.array([2 ** 63 - 1], "u8"),
    "logical": np.array([True, False, True]),
    "empty": np.zeros((0, 3)),
    "scalar": np.array(2.5),
    "text": np.array("diffusion \u2206"),
    "ascii": np.array(b"maps"),
    "complex": np.array([1 + 2j]),
    "strings": np.array(["a", "bc"]),
}


def containers():
    for name, array in ARRAYS.items():
        seed("npy", name, npy(array))
    seed("npy", "command", written(".npy", "sample", "circle", "-n", "6"))
    seed("npy", "version2", b"\x93NUMPY\x02\x00" + struct.pack("<I", 60)
         + b"{'descr': '<i2', 'fortran_order': False, 'shape': (2L,), }".ljust(59) + b"\n" + b"\1\0\2\0")
    few = {name: ARRAYS[name] for name in ("floats", "integers", "text", "scalar", "empty")}
    seed("npz", "stored", npz(False, **few))
    seed("npz", "deflated", npz(True, **few))
    seed("npz", "one", npz(False, points=ARRAYS["doubles"]))
    seed("npz", "other", npz(False, a=ARRAYS["complex"], b=ARRAYS["columns"], c=ARRAYS["ascii"]))
    seed("npz", "command", written(".npz", "sample", "circle", "-n", "4"))
    line = np.arange(6.0)
    near = np.abs(line[:, None] - line)
    index = np.argsort(near, axis=1)[:, :4]
    lists = {"indices": index, "distances": np.take_along_axis(near, index, 1)}
    seed("distances", "matrix", npz(False, d=near))
    seed("distances", "lists", npz(False, **lists))
    seed("distances", "sparse", npz(False, data=lists["distances"].ravel(), indices=index.ravel().astype(np.int32),
                                    indptr=np.arange(0, 25, 4, dtype=np.int32), shape=np.array([6, 6]),
                                    format=np.array(b"csr")))
    sparse = scipy.sparse.csr_matrix(np.array([[0, 1.5, 0], [2, 0, 0], [0, 0, -3]]))
    for form, names in {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}.items():
        matrix = sparse.asformat(form)
        lists = {name: getattr(matrix, name) for name in names}
        seed("scipy", form, npz(form == "csr", **lists, format=np.array(form.encode()), shape=matrix.shape,
                                data=matrix.data))
    seed("scipy", "twice", npz(False, row=np.array([1, 1, 0]), col=np.array([0, 0, 1]), format=np.array("coo"),
                               shape=np.array([2, 2]), data=np.array([1, 2, 3])))
    for name in ("doubles", "floats", "columns", "integers", "bytes", "empty", "scalar", "text", "complex"):
        seed("mat", name, mat(x=ARRAYS[name]))
    seed("mat", "several", mat(x=ARRAYS["floats"], title="maps", cells=np.array([1, "a"], object), s={"f": 1}))
    seed("mat", "sparse", mat(x=scipy.sparse.eye(3).tocsc(), y=ARRAYS["logical"]))
    seed("mat", "big", mat_big(2.5))
    seed("mat", "command", written(".mat", "sample", "circle", "-n", "4"))


def tables():
    seed("csv", "command", written(".csv", "sample", "circle", "-n", "4"))
    seed("csv", "commas", "x,y,z\n1,2,3\n4,5,6\n")
    seed("csv", "blanks", "# comment\n 1.5  2\n3   -4e-3 \n\n")
    seed("csv", "tabs", "a b\tc\n1\t2\n\t\n")
    seed("csv", "semicolons", "\"a;b\";c\r\n\"1\";2\r\n;nan\r\n")
    seed("csv", "signed", "\ufeff+1,-0,inf\r-2,.5,5.\r")
    seed("csv", "long", "0.1234567890123456789,1e308\n12345678901234567890,1e-310\n")
    seed("csv", "ragged", "1 2\n3\n")
    seed("csv", "word", "1,2\n3,four,5\n")
    seed("csv", "pandas", ",0,1,kind\n0,0.5,2,a\n1,1.5,,b\n2,2.5,NA,a\n")
    seed("csv", "r", '"V1" "V2"\n"1" 0.5 "a b"\n"2" 0.25 "c"\n')
    seed("csv", "lines", '"a ""x""","b\nc"\n1,"two\nlines"\n2,"d,e"\n')
    seed("csv", "comma", "a;b\n1,5;2\n3,25;?\n")
    seed("csv", "packed", zlib.compress(b"a,b\n1,2\n3,x\n", 9, 31))
    for i, text in enumerate(("0", "-1", "+3.5", "1e22", "9007199254740993", "0.1", "1.7976931348623157e308",
                              "4.9e-324", "12345678901234567890.5", "inf", "-nan", "1e-5")):
        seed("decimal", f"{i:02}", text)
    seed("decimal", "bits", struct.pack("<d", 0.1))
    half = 2 ** -.5
    for kind, name, text in (
            (0, "pairs", "0 1\n1 2\n2 0\n"),
            (0, "weights", "i,k,w\n0,1,0.5\n1,2,1e-3\n"),
            (2, "signs", "0 1 1 -1\n1 2 1 1\n"),
            (3, "angles", "0,1,1,0.3\n1,2,2,-3\n"),
            (4, "matrices", "0 1 1 0 1 -1 0\n1 2 1 1 0 0 1\n"),
            (4, "cubes", "0 1 1 0 1 0 0 0 1 1 0 0\n"),
            (5, "quaternions", f"0 1 1 {half!r} {half!r} 0 0\n1 2 1 0 0 1 0\n"),
            (0, "guess", "0 1 1 1 0 0 1\n1 2 1 0 1 1 0\n"),
            (1, "extra", "0 1 1 9\n")):
        seed("graph", name, bytes([kind]) + text.encode())
    dense = np.array([[0, 0.5, 0], [0.5, 1, 2], [0, 2, 0]])
    seed("graph", "dense", bytes([32]) + "\n".join(",".join(map(str, line)) for line in dense).encode())
    sparse = scipy.sparse.csr_matrix(dense)
    for name, matrix, options in (("general", sparse, {"symmetry": "general"}), ("symmetric", sparse, {}),
                                  ("array", dense, {"symmetry": "general"}), ("half", dense, {"symmetry": "symmetric"}),
                                  ("pattern", sparse, {"field": "pattern"}), ("complex", sparse * 1j, {})):
        file = io.BytesIO()
        scipy.io.mmwrite(file, matrix, **options)
        seed("mtx", name, file.getvalue())
    ends = {"row": np.array([0, 1, 2]), "col": np.array([1, 2, 0], np.int32)}
    for name, arrays in (("plain", ends), ("weights", {**ends, "weight": np.ones(3)}),
                         ("angles", {**ends, "element": np.array([0.1, 0.2, 0.3])}), ("dense", {"w": dense}),
                         ("matrices", {**ends, "element": np.stack([np.eye(2)] * 3)})):
        file = io.BytesIO()
        np.savez(file, **arrays)
        seed("edges", name, file.getvalue())
    file = io.BytesIO()
    scipy.sparse.save_npz(file, sparse, compressed=False)
    seed("edges", "scipy", file.getvalue())
    plane = "EDGE_SE2 0 1 1 0 0.5 1 0 0 1 0 4\nEDGE_SE2 1 2 1 0 -0.5 1 0 0 1 0 4\nEDGE_SE2 2 0 -2 0 0 1 0 0 1 0 4\n"
    information = "1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 2 0 0 2 0 2\n"
    space = (f"EDGE_SE3:QUAT 0 1 1 0 0 0 0 0 1 {information}EDGE_SE3:QUAT 1 7 0 1 0 0 0 {half!r} {half!r} {information}")
    seed("g2o", "plane", plane)
    seed("g2o", "space", space)
    seed("g2o", "vertices", "# poses\nVERTEX_SE2 0 0 0 0\nVERTEX_SE2 9 1 1 1\nFIX 0\r\n" + plane)
    seed("g2o", "both", plane + space)
    seed("g2o", "short", plane + "EDGE_SE2 0 1 1\n")
    seed("g2o", "word", "EDGE_SE2 0 x 1 0 0.5 1 0 0 1 0 4\n")


def meshes():
    """Vertices with other properties, lists among them, and faces, in every format."""
    corners = np.arange(12.).reshape(4, 3)
    header = ("ply\nformat %s 1.0\ncomment made up\nelement vertex 4\nproperty %s x\nproperty uchar red\nproperty %s y\n"
              "property %s z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n")
    for name, order, word, letter in (("little", "<", "float", "f"), ("big", ">", "double", "d"),
                                      ("shorts", "<", "int16", "h"), ("bytes", ">", "uchar", "B")):
        kind = "binary_little_endian" if order == "<" else "binary_big_endian"
        convert = int if letter in "hB" else float
        data = b"".join(struct.pack(f"{order}{letter}B{letter}{letter}", convert(x), 9, convert(y), convert(z))
                        for x, y, z in corners)
        data += b"".join(struct.pack(f"{order}B3i", 3, 0, 1, k) for k in (2, 3))
        seed("ply", name, (header % (kind, word, word, word)).encode() + data)
    rows = "".join(f"{x:g} 9 {y:g} {z:g}\n" for x, y, z in corners)
    seed("ply", "text", header % ("ascii", "float", "float", "float") + rows + "3 0 1 2\n3 0 1 3\n")
    seed("ply", "returns", (header % ("ascii", "float", "float", "float") + rows + "3 0 1 2\n3 0 1 3\n").replace("\n", "\r"))
    seed("ply", "lists", "ply\nformat ascii 1.0\nelement none 3\nelement vertex 2\nproperty list int float w\n"
         "property int x\nproperty int y\nproperty int z\nend_header\n2 .5 .5 1 2 3\n0 -4 5e3 nan\n")
    seed("ply", "cut", (header % ("binary_little_endian", "float", "float", "float")).encode() + bytes(30))
    seed("obj", "mesh", "# made up\nmtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 .5e-3 0.1 0.2 0.3\nvn 0 0 1\n"
         "vt 0 1\nf 1/1/1 2/1/1 3/1/1\n")
    seed("obj", "goes_on", "v 1 \\\n2 3\nf 1 2 \\\n v 3\r\nv 4 5 6 # c\r\nv -1 -2 -3 1 1 1 1")
    seed("obj", "short", "v 1 2 3\nv 1 two 3\n")


def clouds():
    """Meshes and clouds in the other formats, as text and bytes."""
    corners = np.arange(12.).reshape(4, 3)
    faces = corners[[[0, 1, 2], [0, 1, 3]]].astype("<f4")
    rows = [" ".join(f"{x:g}" for x in p) for p in corners]
    loops = "".join("facet normal 0 0 1\nouter loop\n" + "".join("vertex %g %g %g\n" % tuple(p) for p in face)
                    + "endloop\nendfacet\n" for face in faces)
    seed("stl", "text", "solid a\n" + loops + "endsolid a\n")
    seed("stl", "cut", "solid a\n" + loops[:90])
    seed("stl", "bytes", b"solid".ljust(80) + struct.pack("<I", 2) + b"".join(bytes(12) + f.tobytes() + bytes(2) for f in faces))
    for word, tail in (("OFF", ""), ("COFF", " 255 0 0 255"), ("NOFF", " 0 0 1"), ("STOFF", " .5 .5"), ("OFF BINARY", "")):
        seed("off", word.replace(" ", "_").lower(), f"{word}\n# c\n4 1 0\n" + "".join(r + tail + "\n" for r in rows) + "3 0 1 2\n")
    seed("off", "one_line", "OFF4 0 0\n" + "\n".join(rows))
    seed("xyz", "points", "\n".join(rows))
    seed("xyz", "columns", "//X,Y,Z,R\nX;Y;Z;R\n" + "".join(r.replace(" ", ",") + ",7\n" for r in rows))
    seed("xyz", "molecule", "4\nwater\n" + "".join(f"C {r}\n" for r in rows))
    seed("xyz", "grid", "ncols 4\nnrows 6\n1 2 3 4\n")
    head = ("# .PCD v0.7\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 2\nTYPE F F F U\nCOUNT 1 1 1 2\nWIDTH 2\nHEIGHT 2\n"
            "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA ")
    seed("pcd", "text", head + "ascii\n" + "".join(r + " 1 2\n" for r in rows[:3]) + "nan nan nan 0 0\n")
    seed("pcd", "bytes", head.encode() + b"binary\n" + b"".join(p.astype("<f4").tobytes() + b"rgb." for p in corners))
    plain = corners.T.astype("<f4").tobytes() + bytes(16)
    packed = b"\x1f" + plain[:32] + b"\x0f" + plain[32:48] + b"\0\0\xe0\x06\0"
    seed("pcd", "packed", head.encode() + b"binary_compressed\n" + struct.pack("<II", len(packed), len(plain)) + packed)
    for minor, form, size, width in ((0, 0, 227, 20), (2, 3, 227, 34), (3, 4, 235, 57), (4, 6, 375, 30)):
        header = bytearray(size)
        header[:4], header[24:26] = b"LASF", bytes([1, minor])
        struct.pack_into("<HIIBHI", header, 94, size, size, 0, form, width, 0 if minor == 4 else 4)
        struct.pack_into("<6d", header, 131, .01, .01, .01, 5e5, 5e6, 0)
        if minor == 4:
            struct.pack_into("<Q", header, 247, 4)
        seed("las", f"one_{minor}", bytes(header) + b"".join(p.astype("<i4").tobytes().ljust(width, b"x") for p in corners))


def records():
    """What a child that reads sends (struct record of cli/io/isolate.h, and lengths before bytes)."""
    def record(kind, status, type, rank, columns, data, shape, name):
        shape = list(shape) + [0] * (4 - len(shape))
        return struct.pack("<6i4qq", kind, status, type, rank, columns, data, *shape, len(name)) + name

    def parts(data, *sizes):
        cuts = [0, *np.cumsum(sizes, dtype=int), len(data)]
        return b"".join(struct.pack("<q", b - a) + data[a:b] for a, b in zip(cuts, cuts[1:]))

    done = record(0x4c42, 0, 0, 0, 0, 0, (), b"")
    numbers = record(0x4c41, 0, 0, 2, 0, 1, (2, 3), b"x") + parts(np.arange(6.).tobytes(), 9, 16)
    columns = record(0x4c41, 0, 1, 3, 1, 1, (2, 2, 2), b"y") + parts(np.arange(8).tobytes(), 40)
    text = record(0x4c41, 0, 2, 1, 0, 1, (4,), b"title") + parts(b"maps", 1)
    seed("isolate", "several", numbers + columns + text + done)
    seed("isolate", "names", record(0x4c41, 0, 0, 1, 0, 0, (1000000,), b"large") + done)
    seed("isolate", "broken_off", numbers + columns[:90])
    seed("isolate", "gives_up", numbers + record(0x4c41, 0, 0, 1, 0, 1, (9,), b"z") + parts(bytes(8))
         + struct.pack("<q", -1) + record(0x4c42, -2, 0, 0, 0, 0, (), b"x.h5: z is damaged"))
    seed("isolate", "error", record(0x4c42, -2, 0, 0, 0, 0, (), b"x.h5: cannot be read (damaged?)"))


def h5ad(sparse):
    """A file as anndata lays it out: a matrix, obs with texts and categories, var."""
    out = io.BytesIO()
    with h5py.File(out, "w", libver="latest") as file:
        if sparse:
            matrix = scipy.sparse.csr_matrix([[0, 1.5, 0], [2, 0, 0], [0, 0, 3], [1, 0, 1]]).asformat(sparse[:3])
            for name in ("X", "layers/counts"):
                group = file.create_group(name)
                group.attrs["encoding-type"] = sparse
                group.attrs["shape"] = np.array(matrix.shape)
                group["data"], group["indices"], group["indptr"] = matrix.data, matrix.indices, matrix.indptr
        else:
            file["X"] = np.arange(12, dtype="f4").reshape(4, 3)
            file["obsm/X_pca"] = np.arange(8.).reshape(4, 2)
        obs, var = file.create_group("obs"), file.create_group("var")
        obs.attrs["_index"], var.attrs["_index"] = "cell", "_index"
        obs["cell"], var["_index"] = ["a", "b", "c", "d"], ["g", "h", "i"]
        obs["note"] = np.array([b"x", b"yz", b"", b"x"])
        obs["kind/codes"], obs["kind/categories"] = np.array([0, 1, -1, 0], "i1"), ["u", "v"]
    return out.getvalue()


def hdf5(matlab=False, **how):
    """What h5py writes: numbers of several kinds, packed and not, texts, groups, links."""
    out = io.BytesIO()
    with h5py.File(out, "w", **how) as file:
        def add(name, array, kind, **more):
            item = file.create_dataset(name, data=array, **more)
            if matlab:
                item.attrs["MATLAB_class"] = np.bytes_(kind)
        add("doubles", ARRAYS["doubles"], "double")
        add("floats", ARRAYS["swapped_floats"], "single")
        add("integers", ARRAYS["integers"], "int32")
        add("packed", np.arange(40.).reshape(10, 4), "double", chunks=(5, 4), compression="gzip", shuffle=True,
            fletcher32=True)
        if matlab:
            add("text", np.frombuffer("maps".encode("utf-16-le"), "u2")[None, :], "char")
            add("empty", np.array([0, 3], "u8"), "double")
            file["empty"].attrs["MATLAB_empty"] = np.uint8(1)
        else:
            file["title"] = "maps"
            file["fixed"] = np.bytes_(b"maps")
            file.attrs["count"] = 3
            file.attrs["words"] = "diffusion"
            file["complex"] = ARRAYS["complex"]
            file["enum"] = ARRAYS["logical"]
        file.create_group("group")["inner"] = np.arange(3)
        file["soft"] = h5py.SoftLink("/group/inner")
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
    return out.getvalue()


def models():
    """Precision x method x bundle x compact x pca, as far as they go together."""
    angle = np.arange(12)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    sphere = np.column_stack([circle * np.sin(angle / 3)[:, None], np.cos(angle / 3)])
    images = np.random.default_rng(0).normal(size=(8, 25))
    edges = np.array([[0, 1, 1, .3], [1, 2, 1, -1], [2, 5, 2, 0], [5, 0, 1, 1]])
    bundles = {"dm": ["trivial"], "vdm": ["tangent", "orientation"], "roseland": ["trivial"],
               "lavdm": ["tangent", "orientation"], "nystrom": ["trivial", "tangent"]}
    for method, kinds in bundles.items():
        for bundle, precision, small in itertools.product(kinds, ("double", "single"), (False, True)):
            words = ["--method", method, "--bundle", bundle, "--precision", precision, "--dim", "1"]
            if method in ("roseland", "lavdm", "nystrom"):
                words += ["--landmarks", "4"]
            if small:
                words += ["--compact", "--pca", "2"]
            model = written(".h5", "embed", "x.npy", "--components", "2", "--knn", "4", *words,
                            points=sphere if small else circle)
            seed("model", f"{method}-{bundle}-{precision}{'-compact-pca' if small else ''}", model)
    seed("model", "given", written(".h5", "embed", "x.npy", "--method", "vdm", "--bundle", "given", "--components", "2",
                                   points=edges))
    seed("model", "rotation", written(".h5", "embed", "x.npy", "--method", "vdm", "--bundle", "rotation",
                                      "--components", "2", "--knn", "3", "--noise", "0", points=images.reshape(8, 5, 5)))


def stores():
    seed("store", "points", written(".h5", "sample", "circle", "-n", "2"))
    seed("store", "several", written(".h5", "sample", "sphere", "-n", "2", "--frames", "--parameters"))
    seed("store", "texts", written(".h5", "embed", "x.npy", "--method", "vdm", "--bundle", "given", "--components", "2",
                                   points=np.array([[0, 1, 1, .3], [1, 2, 1, -1], [2, 0, 2, 0]])))
    for name, sparse in (("dense", None), ("csr", "csr_matrix"), ("csc", "csc_matrix")):
        seed("h5ad", name, h5ad(sparse))
    seed("h5", "old", hdf5())
    seed("h5", "new", hdf5(libver="latest"))
    seed("h5", "own", written(".h5", "sample", "sphere", "-n", "2", "--frames"))
    seed("mat73", "old", bytes(512) + hdf5(True))
    seed("mat73", "new", hdf5(True, libver="latest"))


def checkpoints():
    """Of the fits of tests/fuzz/fuzz_checkpoint.c, whose first byte says which."""
    sys.path.insert(0, os.path.join(os.path.dirname(LAVDM), "python"))
    import lavdm
    points = np.array([[math.cos(i), math.sin(i)] for i in range(24)])
    for kind, method in enumerate(("lavdm", "vdm", "roseland", "dm")):
        for precision in ("double", "single"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "checkpoint")
                lavdm.fit(points, method=method, precision=precision, dim=1, components=3, knn=5, landmarks=8, threads=1,
                          checkpoint=path)
                with open(path, "rb") as file:
                    seed("checkpoint", f"{method}-{precision}", bytes([kind + 4 * (precision == "single")]) + file.read())


def problems():
    """Bytes that tests/fuzz/problem.c and the like make small problems of: any will do."""
    draw = np.random.default_rng(1)
    for target in ("fit", "sync", "average", "denoise", "report"):
        for i in range(12):
            seed(target, f"{i:02}", draw.integers(0, 256, 40 + 20 * i, np.uint8).tobytes())


def commands():
    seed("config", "lines", "# c\nmethod = \"dm\"\nknn=20 # c\n[average]\nclasses = 3\n[embed]\nquiet = true\ndesign = 'a.npy'\n")
    seed("config", "wrong", "metod = dm\n[what]\nknn = \"3\\\"\n= 3\nknn =\nquiet = 3\n")
    seed("config", "like", '{"options": {"method": "dm", "knn": "12", "threads": "2", "design": "given"}, "given": ["knn"]}')
    seed("options", "numbers", "epsilon=0.25\nalpha=auto\nknn=1e2\nmax_memory=4G\nseed=7\ntime=1e-3\n")
    seed("options", "choices", "method=vdm\ndesign=farthest\nkernel=ball\nedges=knn\nhood=radius\nprecision=single\n"
         "stream=no\nbundle=tangent\n")
    seed("options", "wrong", "epsilon=-1\nknn=1.5\nnothing=1\nmethod\nmax_memory=3KiB\nlandmarks=1e400\n=\n")
    for i, words in enumerate(("klein -n 100 --seed=3 -o x.npy", "x.npy -o y.h5 --method vdm --knn=12 -q",
                               "x.npy --design farthest --design=z.csv --max-memory 2G --epsilom 3", "x.h5 --json",
                               "x.h5 -o y.png", "--help", "--markdown", "-- -x --y", "-1 -5e3 -qo=y.npz")):
        seed("arguments", f"{i:02}", bytes([i % 7]) + words.replace(" ", "\n").encode())
    for i, line in enumerate(("sample klein -n 20 --seed 3 -o y.npy", "sample --list", "embed x.npy --dim 2 --landmarks 6 -o y.h5 --json",
                              "embed x.csv --method vdm --knn 5 -o y.npz -q", "embed x.npz:points --method dm -o y.csv",
                              "embed x.mat --plan --json", "embed x.npy --graph e.csv -o y.mat", "orient x.npy --json",
                              "sync e.csv -o y.csv --json", "sync e.g2o -o y.g2o", "average s.mrc -o y.mrc --json",
                              "denoise i.png --sigma 20 -o y.png --json", "denoise i.tif --method rid -o y.tif",
                              "extend m.h5 x.npy -o y.h5", "extend c.h5 x.npz -o y.npy", "distance m.h5 0 1 --json",
                              "distance m.h5 --nearest 3", "info m.h5 --json", "info x.h5", "info x.npz --json", "plot m.h5 -o y.png",
                              "help embed", "options --markdown", "embed x.npy --checkpoint y.ck -o y.h5", "--version")):
        seed("command", f"{i:02}", line.replace(" ", "\n"))
    points, table = npy(ARRAYS["doubles"]), b"0\n2\n"
    landmarks = b"0 0 0\n1 2 3\n"
    edges = b"0 1 1 -1\n1 2 1 1\n2 3 2 1\n"
    for flags, name, first, second in (
            (0x30, "points", b"", points),
            (0x38, "stream", b"", npy(ARRAYS["floats"])),
            (0x31, "indices", table, points),
            (0x21, "landmarks", landmarks, points),
            (0x12, "edges", edges, points),
            (0x36, "other", b"0,1\n1,0\n", b"1,2\n3,4\n"),
            (0x04, "table", b"", b"1 2\n3 4\n5 6\n"),
            (0x30, "empty", b"", npy(ARRAYS["empty"]))):
        seed("input", name, bytes([flags, len(first)]) + first + second)


def png(width, height, depth, colour, rows, interlaced=0, **chunks):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + b"".join(chunk(name.encode(), data) for name, data in chunks.items())
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def tiff(order, pages):
    """Pages are dictionaries of tags, LONG or SHORT by their size, and "data": strips or tiles."""
    out, link = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 0), 4
    for tags in pages:
        tags = dict(tags)
        data = tags.pop("data")
        where = [len(out) + sum(map(len, data[:i])) for i in range(len(data))]
        out += b"".join(data)
        out += b"\0" * (len(out) % 2)
        tiles = 322 in tags
        tags[324 if tiles else 273], tags[325 if tiles else 279] = where, [len(strip) for strip in data]
        entries = b""
        for tag in sorted(tags):
            values = tags[tag] if isinstance(tags[tag], list) else [tags[tag]]
            kind = 4 if tag in (254, 256, 257, 273, 278, 279, 322, 323, 324, 325) else 3
            raw = struct.pack(f"{order}{len(values)}{'I' if kind == 4 else 'H'}", *values)
            if len(raw) > 4:
                entries += struct.pack(order + "HHII", tag, kind, len(values), len(out))
                out += raw
            else:
                entries += struct.pack(order + "HHI", tag, kind, len(values)) + raw.ljust(4, b"\0")
        out = out[:link] + struct.pack(order + "I", len(out)) + out[link + 4:]
        out += struct.pack(order + "H", len(tags)) + entries
        link = len(out)
        out += b"\0" * 4
    return out


def mrc(order, mode, values, extended=b""):
    sections, rows, columns = values.shape
    head = bytearray(1024)
    struct.pack_into(order + "4i", head, 0, columns, rows, sections, mode)
    struct.pack_into(order + "i", head, 92, len(extended))
    head[208:214] = b"MAP " + (b"DD" if order == "<" else b"\x11\x11")
    return bytes(head) + extended + values.tobytes()


def pictures():
    for name, data in (("grey", b"P5\n3 2\n255\nabcdef"), ("colour", b"P6 1 2 255\nabcdef"),
                       ("deep", b"P5\n#c\n2 1 65535\n\x12\x34\xff\xff"), ("numbers", b"P2\n3 2\n9\n0 1 2\n3 4 9\n"),
                       ("colours", b"P3 1 1 1023\n0 1023 512 # end"), ("bitmap", b"P4 8 1 x")):
        seed("pnm", name, data)
    seed("png", "grey", png(3, 2, 8, 0, b"\0abc\2def"))
    seed("png", "deep", png(2, 1, 16, 2, b"\0abcdefghijkl", gAMA=b"\0\0\xb1\x8f"))
    seed("png", "palette", png(5, 1, 2, 3, b"\0\x1b\x80", PLTE=bytes(range(9)), tRNS=b"\0\x80"))
    seed("png", "bits", png(9, 1, 1, 0, b"\0\xa5\x80", tRNS=b"\0\1"))
    seed("png", "alpha", png(1, 2, 8, 6, b"\0abcd\1efgh"))
    seed("png", "veil", png(1, 1, 16, 4, b"\0abcd"))
    seed("png", "interlaced", png(3, 3, 8, 0, b"\0a\0b\0cd\0e\0f\0ghi", interlaced=1))
    plain = {256: 3, 257: 2, 258: 8, 259: 1, 262: 1, 277: 1, 278: 1, "data": [b"abc", b"def"]}
    deflated = {**plain, 258: 16, 259: 8, 262: 2, 277: 3, 278: 2, "data": [zlib.compress(b"0123456789ab" * 3)]}
    deflated[258], deflated[339] = [16] * 3, [1] * 3
    planes = {**deflated, 258: [32] * 3, 259: 1, 284: 2, 339: [3] * 3, 278: 2}
    planes["data"] = [np.arange(6, dtype="f4").tobytes()] * 3
    tiles = {**plain, 322: 16, 323: 16, "data": [bytes(256)]}
    del tiles[278]
    seed("tiff", "plain", tiff("<", [plain]))
    seed("tiff", "white", tiff(">", [{**plain, 262: 0}]))
    seed("tiff", "deflated", tiff("<", [deflated]))
    seed("tiff", "planes", tiff("<", [planes]))
    seed("tiff", "tiles", tiff(">", [tiles]))
    seed("tiff", "pages", tiff("<", [plain, {**plain, 254: 1, 256: 1, "data": [b"x", b"y"]}, plain]))
    seed("tiff", "packbits", tiff("<", [{**plain, 259: 32773, 278: 2, "data": [b"\2abc\xfed"]}]))
    codes = "".join(f"{code:09b}" for code in (256, *b"abcdef", 257))  # clear, the bytes, end
    seed("tiff", "lzw", tiff("<", [{**plain, 259: 5, 278: 2, "data": [int(codes, 2).to_bytes(9, "big")]}]))
    values = np.arange(12).reshape(2, 2, 3)
    for order in "<>":
        for mode, kind in ((0, "i1"), (1, "i2"), (2, "f4"), (6, "u2"), (12, "f2")):
            name = kind + ("le" if order == "<" else "be")
            seed("mrc", name, mrc(order, mode, values.astype(order + kind), b"x" * mode))


containers()
pictures()
tables()
meshes()
clouds()
records()
stores()
models()
checkpoints()
problems()
commands()
