"""lavdm orient: verdicts, numbers, signs and pictures."""
import os
import struct
import unittest

import numpy as np

from support import Case

KEYS = """verdict orientable confidence eigenvalue trivial_eigenvalue ratio mean_magnitude doubt odd spread frustrated turn gap margin growth components_of_graph n p dim
epsilon warnings seconds version""".split()


class Orient(Case):
    def sample(self, shape, n=1500):
        self.done("sample", shape, "-n", n, "-o", f"{shape}.npy", "--seed", "4")
        return f"{shape}.npy"

    def test_torus_is_orientable(self):
        found = self.json("orient", self.sample("torus"), "--dim", "2", "-o", "out.npz")
        self.assertEqual(sorted(set(KEYS) - set(found)), [])
        self.assertIs(found["orientable"], True)
        self.assertEqual(found["verdict"], "orientable")
        self.assertGreater(found["confidence"], 0.95)
        self.assertEqual((found["n"], found["p"], found["dim"], found["q"]), (1500, 3, 2, 1))
        with np.load(self.path("out.npz")) as file:
            self.assertEqual(file["signs"].shape, (1500,))
            self.assertLessEqual(set(np.unique(file["signs"])), {-1.0, 1.0})
            self.assertIn("eigenvalues", file.files)
            self.assertEqual(int(file["orientable"]), 1)

    def test_klein_bottle_is_not(self):
        found = self.json("orient", self.sample("klein"), "--dim", "2")
        self.assertIs(found["orientable"], False)
        self.assertEqual(found["verdict"], "not orientable")
        self.assertGreater(found["confidence"], 0.9)
        self.assertEqual(self.files(), ["klein.npy"])

    def test_in_words(self):
        run = self.done("orient", self.sample("mobius", 1000), "--dim", "2")
        self.assertRegex(run.stdout, r"^(probably )?not orientable \(confidence")
        self.assertIn("magnitude", run.stdout)
        run = self.done("orient", self.sample("sphere", 800), "--dim", "2")
        self.assertRegex(run.stdout, r"^(probably )?orientable \(confidence")

    def check_cover(self, name, n, r, found):
        with np.load(self.path(name)) as file:
            cover, values, parity = file["cover"], file["cover_eigenvalues"], file["cover_parity"]
            odd = file["eigenvalues"]
            degrees = np.tile(file["degrees"], 2)
        self.assertEqual((cover.shape, values.shape, parity.shape), ((2 * n, r), (r,), (r,)))
        self.assertEqual(parity.dtype.kind, "i")
        self.assertEqual((found["cover_eigenvalues"], found["cover_parity"]), (list(values), list(parity)))
        self.assertTrue((np.diff(values) <= 0).all())
        np.testing.assert_array_equal(values[parity < 0], odd[:(parity < 0).sum()])
        np.testing.assert_array_equal(cover[n:], cover[:n] * parity)
        # lambda^t u, with u of length 1 in the degrees
        u = cover / values ** found["time"]
        np.testing.assert_allclose(u.T @ (degrees[:, None] * u), np.eye(r), atol=1e-8)
        return values, parity

    def test_cover_of_the_projective_plane(self):
        found = self.json("orient", self.sample("rp2"), "--dim", "2", "--cover", "--components", "8", "--time", "3",
                          "-o", "out.npz")
        self.assertEqual(found["time"], 3)
        _, parity = self.check_cover("out.npz", 1500, 8, found)
        self.assertEqual(list(parity), 3 * [-1] + 5 * [1])
        run = self.done("orient", "rp2.npy", "--dim", "2", "--cover", "--components", "8")
        self.assertIn("3000 points of the double cover, 8 coordinates (5 even, 3 odd)", run.stdout)

    def test_cover_of_the_torus_is_two(self):
        found = self.json("orient", self.sample("torus"), "--dim", "2", "--cover", "-o", "out.npz", "--components", "7")
        values, parity = self.check_cover("out.npz", 1500, 7, found)
        self.assertEqual(parity[0], -1)
        self.assertAlmostEqual(values[0], 1, 9)
        np.testing.assert_allclose(values[1::2], values[2::2], atol=1e-9)

    def test_cover_by_embed(self):
        words = ["embed", self.sample("mobius"), "--dim", "2", "--bundle", "orientation", "--cover", "--components", "6"]
        whole = self.json(*words, "-o", "out.npz")
        self.check_cover("out.npz", 1500, 6, whole)
        self.done(*words, "-o", "out.h5")
        self.done(*words, "-o", "out.mat")
        streamed = self.json(*words, "--stream", "yes", "-o", "streamed.npz")
        self.assertIs(streamed["streamed"], True)
        with np.load(self.path("out.npz")) as a, np.load(self.path("streamed.npz")) as b:
            np.testing.assert_array_equal(a["cover"], b["cover"])
        vdm = self.json(*words, "--method", "vdm", "--precision", "single")
        self.assertEqual(len(vdm["cover_eigenvalues"]), 6)
        self.assertNotIn("cover_parity", self.json(*[word for word in words if word != "--cover"]))

    def test_cover_refused(self):
        x = self.sample("mobius", 200)
        self.refused(1, "embed", x, "--cover", "-o", "out.npz", says="--cover needs --bundle orientation")
        self.refused(1, "embed", x, "--cover", "--bundle", "tangent", "--json", says="--cover needs --bundle orientation")
        self.refused(1, "embed", x, "--cover", "--bundle", "orientation", "-o", "out.npy", says=["out.npy", "--cover"])
        self.text("edges.txt", "0 1\n1 2\n2 0\n")
        self.refused(1, "embed", "--graph", "edges.txt", "--cover", "--json", says="--cover needs --bundle orientation")
        self.refused(1, "orient", x, "--cover", "--stream", "yes", says="points in memory")
        self.refused(2, "orient", x, "--cover", "--max-memory", "1K", says="do without --cover")

    def pieces(self):
        """A sphere, a Moebius band, a handful of points and one alone."""
        self.sample("sphere", 700), self.sample("mobius", 900)
        sphere, band = np.load(self.path("sphere.npy")), np.load(self.path("mobius.npy"))
        few = np.random.default_rng(0).random((12, 3)) / 10
        return self.save("pieces.npy", np.r_[sphere, band + [10, 0, 0], few + [0, 20, 0], [[50, 50, 50]]])

    def test_pieces(self):
        x = self.pieces()
        found = self.json("orient", x, "--dim", "2", "-o", "out.npz")
        self.assertIs(found["orientable"], False)
        self.assertEqual(found["component_orientable"], [False, True, None])  # the largest first
        self.assertGreater(min(found["component_confidence"][:2]), 0.9)
        with np.load(self.path("out.npz")) as file:
            signs, frames, leading = file["signs"], file["frames"], file["leading"]
            self.assertEqual(list(file["component_orientable"]), [0, 1, -1])
        np.testing.assert_array_equal(np.sign(leading), signs)
        self.assertTrue((signs[:1600] != 0).all() and (signs[1600:] == 0).all())
        np.testing.assert_allclose([np.mean(leading[:700] ** 2), np.mean(leading[700:1600] ** 2)], 1, atol=1e-9)
        normals = np.cross(frames[:700, :, 0], frames[:700, :, 1]) * signs[:700, None]
        outward = (normals * np.load(self.path("sphere.npy"))).sum(1) > 0
        self.assertIn(outward.sum(), (0, 700))
        self.done("orient", x, "--dim", "2", "-o", "out.h5")
        self.assertIn("component_orientable", self.done("info", "out.h5").stdout)
        run = self.done("orient", x, "--dim", "2", "--plot", "out.png")
        for words in ("700 points: orientable", "900 points: not orientable", "12 points: too few to be judged"):
            self.assertIn(words, run.stdout)

    def test_few_points(self):
        self.refused(1, "orient", self.save("none.npy", np.zeros((0, 3))), says="no points")
        self.refused(1, "orient", self.save("one.npy", np.zeros((1, 3))), says="at least two")
        self.refused(1, "orient", self.save("same.npy", np.ones((50, 3))), says="are equal")
        points = np.random.default_rng(0).standard_normal((30, 3))
        for n in (2, 3, 10):
            found = self.json("orient", self.save("few.npy", points[:n]), "--plot", "few.png")
            self.assertLess(found["confidence"], 0.7)
            self.assertEqual(found["verdict"], "cannot tell")
            self.assertEqual(found["component_orientable"], [None])
        self.assertRegex(self.done("orient", "few.npy").stdout, r"^cannot tell \(confidence 0.50\)\n  guess ")

    def test_noise_is_told(self):
        self.done("sample", "sphere", "-n", "1500", "--noise", "0.15", "-o", "x.npy")
        run = self.done("orient", "x.npy", "--dim", "2", "--frame-knn", "15", "--frames", "local")
        self.assertRegex(run.stdout, r"^cannot tell [^\n]*\n(.*\n)*  doubt        [01]\.[0-9]")

    def test_planes_that_fill_the_space_tell_nothing(self):
        x = self.sample("klein")  # in four dimensions
        found = self.json("orient", x, "--dim", "4")
        self.assertEqual((found["verdict"], found["confidence"]), ("cannot tell", 0.5))
        self.assertIn("is it a set of --dim 3?", self.done("orient", x, "--dim", "4").stdout)
        flat = self.save("flat.npy", np.random.default_rng(0).random((300, 2)))
        self.assertEqual(self.json("orient", flat, "--dim", "2")["verdict"], "orientable")

    def test_curves_and_flat_pieces(self):
        angle = np.linspace(0, 6, 300)
        flat = np.c_[np.random.default_rng(0).random((500, 2)), np.zeros(500)]
        for name, x in (("line", np.c_[angle, 0 * angle]), ("circle", np.c_[np.cos(angle), np.sin(angle)]),
                        ("numbers", angle[:, None]), ("flat", flat)):
            found = self.json("orient", self.save(f"{name}.npy", x), "--plot", f"{name}.svg")
            self.assertIs(found["orientable"], True, name)
            self.assertGreater(found["confidence"], 0.95, name)
            self.assertEqual(found["dim"], 2 if name == "flat" else 1, name)

    def test_meshes(self):
        """The vertices of .ply and .obj are the points of the .npy file."""
        x = np.load(self.path(self.sample("mobius", 600)))
        header = "ply\nformat {} 1.0\nelement vertex 600\nproperty double x\nproperty double y\nproperty double z\n" \
                 "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        self.data("bytes.ply", header.format("binary_big_endian").encode() + x.astype(">f8").tobytes()
                  + struct.pack(">B3i", 3, 0, 1, 2))
        rows = [" ".join(map(repr, map(float, row))) for row in x]
        self.text("text.ply", header.format("ascii") + "\n".join(rows) + "\n3 0 1 2\n")
        self.text("mesh.obj", "# a mesh\n" + "".join(f"v {row}\n" for row in rows) + "f 1 2 3\n")
        self.done("orient", "mobius.npy", "-o", "a.npz")
        with np.load(self.path("a.npz")) as a:
            for name in ("bytes.ply", "text.ply", "mesh.obj"):
                self.done("orient", name, "-o", "b.npz")
                with np.load(self.path("b.npz")) as b:
                    np.testing.assert_array_equal(a["leading"], b["leading"])
        self.done("embed", "mesh.obj", "-o", "c.h5")
        self.done("extend", "c.h5", "text.ply", "-o", "d.npz")
        self.assertIn("600 x 3", self.done("info", "bytes.ply").stdout)
        self.text("cut.ply", header.format("ascii") + "\n".join(rows[:99]))
        self.refused(1, "orient", "cut.ply", says=["cut.ply", "600 rows of 'vertex', and 99 are whole"])
        self.text("bad.obj", "v 1 2 3\nv 1 2\n")
        self.refused(1, "embed", "bad.obj", "-o", "e.npz", says=["bad.obj", "line 2: vertex 2 has 2 numbers"])

    def picture(self, name):
        """Width and height of a .png file."""
        with open(self.path(name), "rb") as file:
            data = file.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">2i", data[16:24])

    def test_pictures(self):
        self.sample("mobius", 400), self.sample("sphere", 400), self.sample("klein", 800)
        run = self.done("orient", "mobius.npy", "--plot", "mobius.png", "--dim", "2")
        self.assertRegex(run.stdout, r"\n  picture      mobius.png\n\Z")
        three = self.picture("mobius.png")
        self.assertEqual(self.done("orient", "sphere.npy", "--plot", "sphere.png", "--dim", "2", "-q").stdout, "")
        two = self.picture("sphere.png")
        self.assertEqual((two[0] * 3, two[1]), (three[0] * 2, three[1]))
        self.json("orient", "klein.npy", "--plot", "klein.svg", "--pca", "3", "--components", "2", "--dim", "2",
                  "--precision", "single", "-o", "klein.npz")
        with open(self.path("klein.svg")) as file:
            text = file.read()
        for words in ("klein.npy: ", "cannot tell (confidence", "Leading eigenvector", "three principal axes"):
            self.assertIn(words, text)
        with np.load(self.path("klein.npz")) as file:
            self.assertNotIn("cover", file.files)
        self.assertEqual(self.files(), sorted(["mobius.npy", "sphere.npy", "klein.npy", "mobius.png", "sphere.png",
                                               "klein.svg", "klein.npz"]))

    def test_pictures_refused(self):
        x = self.sample("mobius", 100)
        self.refused(1, "orient", x, "--plot", "out.jpg", says="--plot must name the picture")
        self.refused(2, "orient", x, "--plot", "nowhere/out.png", says=["nowhere/out.png", "No such file"])
        os.mkdir(self.path("folder.png"))
        self.refused(2, "orient", x, "--plot", "folder.png", says="it is a folder")
        self.refused(2, "orient", x, "--plot", "out.png", says="gnuplot, which is not installed",
                     env={**os.environ, "PATH": self.folder})

    def test_bad_input(self):
        self.refused(1, "orient", "nowhere.npy", says=["nowhere.npy", "no such file"])
        x = np.random.default_rng(0).standard_normal((50, 3))
        x[7, 2] = np.inf
        self.save("x.npy", x)
        self.refused(1, "orient", "x.npy", "-o", "out.npz", says=["x.npy", "row 8, column 3"])
        self.refused(1, "orient", "x.npy", "-o", "out.txt", says="out.txt")


if __name__ == "__main__":
    unittest.main()
