"""lavdm plot: what is in its pictures, that no text meets another at any size, and what is refused."""
import base64
import io
import os
import re
import struct
import unittest
import xml.dom.minidom

import numpy as np
from PIL import Image

from support import Case, circle, sphere

FEW = ["--trust", "no", "--seed", 1]
SIZES = [(2, 2), (2, 6), (3, 2), (3.5, 2.8), (7, 2.6), (12, 4)]


def blobs(*counts, apart=30.0):
    random = np.random.default_rng(4)
    return np.concatenate([random.standard_normal((n, 2)) + [apart * k, 0] for k, n in enumerate(counts)])


class Text:
    """A text of an SVG picture and the box around it, with widths that common fonts do not go below."""

    def __init__(self, x, y, turned, size, anchor, text):
        wide = size * sum(0.25 if c in "ijl.,:;'|! " else 0.38 if c in "ftr-()[]/" else 0.55 for c in text)
        start = {"start": 0, "middle": -wide / 2, "end": -wide}[anchor]
        along, across = (start, start + wide), (-0.72 * size, 0.05 * size)
        self.text = text
        if turned:  # it reads upwards
            self.x, self.y = (x + across[0], x + across[1]), (y - along[1], y - along[0])
        else:
            self.x, self.y = (x + along[0], x + along[1]), (y + across[0], y + across[1])

    def meets(self, other):
        return (self.x[0] < other.x[1] and other.x[0] < self.x[1]
                and self.y[0] < other.y[1] and other.y[0] < self.y[1])

    def covers(self, x, y):
        return self.x[0] < x < self.x[1] and self.y[0] < y < self.y[1]


class Svg:
    NUMBER = r"(-?[0-9.]+)"

    def __init__(self, path):
        with open(path) as file:
            self.source = file.read()
        width, height = re.search(rf'<svg\s+width="{self.NUMBER}" height="{self.NUMBER}"', self.source).groups()
        self.size = float(width), float(height)
        self.texts = []
        for x, y, turn, size, anchor, text in re.findall(
                rf'<g transform="translate\({self.NUMBER},{self.NUMBER}\)( rotate\(-?[0-9.]+\))?"[^>]*?'
                rf'font-size="{self.NUMBER}"\s+text-anchor="(\w+)">\s*<text>(.*?)</text>', self.source, re.S):
            text = re.sub(r"<[^>]*>", "", text)
            if text.strip():
                self.texts.append(Text(float(x), float(y), bool(turn), float(size), anchor, text.strip()))
        self.dots = [(float(x), float(y)) for x, y in re.findall(
            rf"<use xlink:href='#gpPt\d+' transform='translate\({self.NUMBER},{self.NUMBER}\)", self.source)]

    def words(self):
        return [text.text for text in self.texts]


class Plot(Case):
    def drawn(self, *words):
        self.done("plot", *words, "-qo", "p.svg")
        return Svg(self.path("p.svg"))

    def check(self, picture, what):
        """No text meets another, a dot or an edge of the picture."""
        self.assertTrue(picture.texts, what)
        for k, one in enumerate(picture.texts):
            for other in picture.texts[k + 1:]:
                self.assertFalse(one.meets(other), f"{what}: '{one.text}' meets '{other.text}'")
            self.assertTrue(one.x[0] > -1 and one.x[1] < picture.size[0] + 1 and one.y[0] > -1
                            and one.y[1] < picture.size[1] + 1, f"{what}: '{one.text}' leaves the picture")
            for dot in picture.dots:
                self.assertFalse(one.covers(*dot), f"{what}: '{one.text}' covers a dot")

    def table(self, name, points, kinds):
        rows = ["a,b,kind"] + [f"{x},{y},{kind}" for (x, y), kind in zip(points, kinds)]
        return self.text(name, "\n".join(rows) + "\n")

    def embed(self, name, output, *words):
        self.done("embed", name, "-qo", output, *FEW, *words)
        return output


class Sizes(Plot):
    def test_no_text_meets_another(self):
        kinds = [f"a group of a long name: number {i % 14}" if i % 14 else "short" for i in range(300)]
        self.table("x.csv", blobs(180, 120, apart=3), kinds)
        one = self.embed("x.csv", "x.npz", "--method", "dm", "--columns", "a,b")
        pieces = self.embed(self.save("two.npy", blobs(180, 120)), "two.npz", "--method", "dm")
        fields = self.embed(self.save("s.npy", sphere(500)), "s.npz", "--method", "vdm", "--components", 6)
        self.done("sample", "graph", "--group", "se2", "--layout", "grid", "-n", 64, "--outliers", 0.05, "-qo", "g.g2o")
        self.done("sync", "g.g2o", "--robust", "-qo", "g.npz")
        for width, height in SIZES:
            for words in ((one,), (one, "--colour", "degrees"), (one, "--3d"), (pieces,), (fields, "--title", "A title " * 9),
                          (fields, "--fields", 1), (fields, "--spectrum", "only"), ("g.npz",), (one, "--font", "Helvetica,12")):
                with self.subTest(words=words, size=(width, height)):
                    picture = self.drawn(*words, "--size", f"{width}x{height}")
                    self.assertEqual(picture.size, (round(96 * width), round(96 * height)))
                    self.check(picture, f"{words} at {width} x {height}")

    def test_equal_residuals(self):
        """That differ by rounding alone."""
        self.text("ring.csv", "".join(f"{i} {(i + 1) % 8} 1 0.1\n" for i in range(8)))
        self.done("sync", "ring.csv", "-qo", "ring.npz")
        self.drawn("ring.npz")

    def test_views(self):
        """From every side the names of three axes keep apart."""
        name = self.embed(self.save("s.npy", sphere(300)), "s.npz", "--method", "dm", "--components", 6)
        for azimuth in (-180, -60, 0, 45):
            for elevation in (-90, -30, 0, 25):
                view = f"{azimuth},{elevation}"
                self.check(self.drawn(name, "--3d", f"--view={view}", "--spectrum", "no"), view)


class Kinds(Plot):
    def test_files(self):
        name = self.embed(self.save("x.npy", circle(80)), "x.npz", "--method", "dm", "--components", 5)
        self.done("plot", name, "-qo", "p.pdf", "--size", "8x5cm")
        with open(self.path("p.pdf"), "rb") as file:
            page = file.read()
        self.assertTrue(page.startswith(b"%PDF") and page.endswith(b"%%EOF\n"))
        box = [float(x) for x in re.search(rb"/MediaBox \[ ?([0-9. ]+)\]", page).group(1).split()]
        np.testing.assert_allclose(box[2:], [8 / 2.54 * 72, 5 / 2.54 * 72], atol=1)
        self.done("plot", name, "-qo", "p.png", "--size", "640x480px")
        with open(self.path("p.png"), "rb") as file:
            self.assertEqual(struct.unpack(">2i", file.read(24)[16:24]), (640, 480))
        self.done("plot", name, "-qo", "q.png", "--size", "3.2x2.4in")
        with open(self.path("p.png"), "rb") as file, open(self.path("q.png"), "rb") as other:
            self.assertEqual(file.read(), other.read())

    def test_pdf_cut_short(self):
        name = self.embed(self.save("x.npy", circle(60)), "x.npz", "--method", "dm", "--components", 3)
        self.done("plot", name, "-qo", "whole.pdf")
        os.makedirs(self.path("bin"))
        self.text("bin/gnuplot", "#!/bin/sh\n[ \"$1\" != --version ] || exit 0\nhead -c 3000 whole.pdf\n")
        os.chmod(self.path("bin/gnuplot"), 0o755)
        self.refused(2, "plot", name, "-o", "out.pdf", says=["out.pdf", "gnuplot"],
                     env={**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]})

    def test_axes(self):
        name = self.embed(self.save("x.npy", circle(80)), "x.npz", "--method", "dm", "--components", 6)
        words = self.drawn(name, "--axes", "3,4").words()
        self.assertIn("eigenvector 3 (from 0)", words)
        self.assertIn("eigenvector 4 (from 0)", words)
        words = " ".join(self.drawn(name, "--3d", "--axes", "1,2,5", "--size", "9x4").words())
        for l in (1, 2, 5):
            self.assertIn(f"eigenvector {l}", words)
        self.assertNotIn("eigenvalue", self.drawn(name, "--spectrum", "no").words())
        self.assertNotIn("eigenvector 1 (from 0)", self.drawn(name, "--spectrum", "only").words())
        words = self.drawn(name, "--title", "none").words()
        self.assertNotIn("Spectrum", " ".join(words))
        self.assertIn("Circles", self.drawn(name, "--title", "Circles").words())

    def test_pieces(self):
        """A graph in pieces has a panel for each, of the coordinates of its own."""
        name = self.embed(self.save("x.npy", blobs(180, 120, 3)), "x.npz", "--method", "dm")
        words = self.drawn(name).words()
        self.assertIn("Piece 1 of 180 points", words)
        self.assertIn("Piece 2 of 120 points", words)
        self.assertNotIn("Piece 3 of 3 points", words)
        file = np.load(self.path(name))
        u, label = file["eigenvectors"][:, 0, :], file["graph_component"]
        axes = [int(word.split()[1]) for word in words if word.startswith("eigenvector ")]
        for piece in range(2):
            for l in axes[2 * piece:2 * piece + 2]:
                self.assertGreater((u[label == piece, l] ** 2).sum(), 0.9 * (u[:, l] ** 2).sum())
        self.assertIn("eigenvector 1 (from 0)", self.drawn(name, "--axes", "1,3").words())

    def test_field(self):
        """Arrows lie along the vectors that the result has."""
        points = np.c_[np.random.default_rng(0).random((400, 2)) * [2, 1]]
        name = self.embed(self.save("x.npy", points), "x.npz", "--method", "vdm", "--dim", 2, "--components", 4, "--ambient")
        picture = self.drawn(name, "--fields", 0, "--spectrum", "no", "--size", "6x4")
        self.assertIn("Field of eigenvector 0", picture.words())
        arrows = re.findall(rf"d='M{Svg.NUMBER},{Svg.NUMBER} L{Svg.NUMBER},{Svg.NUMBER}\s+'", picture.source)
        arrows = np.array([[float(x) for x in row] for row in arrows])
        self.assertGreater(len(arrows), 30)
        file = np.load(self.path(name))
        where, field = file["points"], file["ambient"][:, :, 0]
        dots = np.array(picture.dots)
        low, high = where.min(0), where.max(0)
        scale = (high - low) / np.ptp(dots, axis=0)
        np.testing.assert_allclose(scale[0], scale[1], rtol=0.02)  # one unit is as long along both
        place = lambda xy: low + (xy - dots.min(0)) * scale * [1, -1] + [0, (high - low)[1]]
        agree = []
        for arrow in arrows:
            tail, head = place(arrow[:2]), place(arrow[2:])
            nearest = field[((where - (tail + head) / 2) ** 2).sum(1).argmin()]
            along = head - tail
            if np.linalg.norm(along) > 0.004:
                agree.append(along @ nearest / np.linalg.norm(along) / np.linalg.norm(nearest))
        self.assertGreater(np.median(agree), 0.99)
        self.save("y.npy", points[::-1].copy())
        self.done("embed", "x.npy", "-qo", "m.h5", *FEW, "--method", "vdm", "--dim", 2, "--components", 4)
        self.done("extend", "m.h5", "y.npy", "-qo", "e.npz")
        self.refused(1, "plot", "e.npz", "--fields", 0, "-o", "p.png", says=["has no points", "--data FILE"])
        self.assertIn("Field of eigenvector 0", self.drawn("e.npz", "--fields", 0, "--data", "y.npy").words())
        self.assertIn("Field of eigenvector 3", self.drawn("m.h5", "--fields", 3).words())

    def test_sync(self):
        self.done("sample", "graph", "--group", "so3", "-n", 60, "--outliers", 0.2, "-qo", "g.csv")
        self.done("sync", "g.csv", "--robust", "-qo", "g.npz")
        words = self.drawn("g.npz").words()
        trust = np.load(self.path("g.npz"))["trust"]
        self.assertIn(f"turned down: {(trust < 0.5).sum()}", words)
        self.assertIn("residual, radians", words)
        self.done("sample", "graph", "--group", "se3", "--layout", "ring", "-n", 50, "-qo", "g.g2o")
        self.done("sync", "g.g2o", "-qo", "p.npz")
        words = self.drawn("p.npz").words()
        self.assertTrue({"Positions", "x", "y", "z"} <= set(words))
        self.assertNotIn("node", words)  # nothing is turned down: no legend
        self.refused(1, "plot", "p.npz", "--axes", "1,2", "-o", "p.png", says="--axes is not for results of lavdm sync")

    def test_orient(self):
        self.done("sample", "mobius", "-n", 400, "-qo", "m.npy")
        self.done("orient", "m.npy", "--dim", 2, "--cover", "-qo", "m.npz")
        self.done("orient", "m.npy", "--dim", 2, "-qo", "m.h5")
        verdict = str(np.load(self.path("m.npz"))["verdict"])
        for size in SIZES[:3]:
            picture = self.drawn("m.npz", "--size", f"{size[0]}x{size[1]}")
            self.check(picture, size)
        words = " ".join(self.drawn("m.npz").words())
        self.assertIn(f"{verdict} (confidence", words)
        self.assertIn("Orientable double cover", words)
        self.assertIn("|v|, 0 where it changes its sign", self.drawn("m.h5").words())
        self.assertIn("eigenvalue", self.drawn("m.npz", "--spectrum", "only").words())

    def test_average(self):
        """The average that is drawn is the one that was computed."""
        self.done("sample", "projections", "-n", 80, "--size", 24, "--snr", 1, "-qo", "s.npy")
        self.done("average", "s.npy", "-o", "a.npy", "--table", "a.npz", "-q")
        picture = self.drawn("a.npz", "--data", "s.npy")
        self.assertIn("average", picture.words())
        data = re.search(r"data:image/png;base64,([^']*)", picture.source).group(1)
        drawn = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("L")).astype(float)
        averages = np.load(self.path("a.npy"))
        tile = drawn[:24, :24]
        y, x = np.mgrid[:24, :24] - 11.5
        inside = x**2 + y**2 < 10**2  # corners are turned out of sight
        self.assertGreater(np.corrcoef(tile[inside], averages[0][inside])[0, 1], 0.97)
        words = self.drawn("a.npz").words()
        self.assertIn("angle, radians", words)
        self.save("few.npy", np.load(self.path("s.npy"))[:3])
        self.refused(1, "plot", "a.npz", "--data", "few.npy", "-o", "p.png", says=["few.npy", "3 images"])
        self.save("flat.npy", circle(80))
        self.refused(1, "plot", "a.npz", "--data", "flat.npy", "-o", "p.png", says="not a stack of images")

    def test_legend(self):
        """More names than there is room for: the largest, and how many are left out."""
        kinds = [f"k{i % 10}" for i in range(100)]
        self.table("x.csv", circle(100), kinds)
        name = self.embed("x.csv", "x.npz", "--method", "dm", "--columns", "a,b", "--components", 4)
        words = self.drawn(name).words()
        self.assertTrue({f"k{k}" for k in range(10)} <= set(words) and "kind" in words)
        words = self.drawn(name, "--size", "2x2").words()
        self.assertTrue(any(re.fullmatch(r"\d+ more", word) for word in words), words)

    def test_columns(self):
        """A name may be that of a column of the table that was embedded."""
        self.table("x.csv", circle(100), ["k"] * 50 + ["l"] * 50)
        name = self.embed("x.csv", "x.npz", "--method", "dm", "--columns", "a,b", "--components", 4)
        self.assertIn("b", self.drawn(name, "--colour", "b").words())
        self.refused(1, "plot", name, "--colour", "c", "-o", "p.png", says=["no array of that name", "no column"])


class Refused(Plot):
    def test_refused(self):
        name = self.embed(self.save("x.npy", circle(80)), "x.npz", "--method", "dm", "--components", 5)
        for words, says in ((("--size", "7"), "WIDTHxHEIGHT"), (("--size", "1400x600"), "1400x600px"), (("--size", "0.2x3"), "from 1 to 40"),
                            (("--size", "7x3ft"), "--size is"), (("--size", "nanx3"), "--size is"), (("--font", "a'b"), "--font is"),
                            (("--font", "Arial,900"), "4 to 40"), (("--axes", "1"), "two numbers"), (("--axes", "1,2,3"), "three with --3d"),
                            (("--axes", "1,2", "--3d"), "three numbers"), (("--axes", "1,5"), "has 5, from 0"),
                            (("--axes", "1,x"), "--axes is"), (("--view", "10"), "AZIMUTH,ELEVATION"), (("--view", "10,100"), "up to 360"),
                            (("--spectrum", "maybe"), "only or no"), (("--spectrum", "only", "--3d"), "no use"),
                            (("--fields", "0"), "no fields"), (("--fields", "-1"), "--fields is"), (("--fields", "0", "--axes", "1,2"), "one of them"),
                            (("--fields", "0", "--3d"), "leave --3d out"), (("--view", "10,10"), "--view is for"),
                            (("--data", "x.npy"), "--data is for")):
            with self.subTest(words=words):
                self.refused(1, "plot", name, *words, "-o", "p.svg", says=says)
        self.refused(1, "plot", name, "-o", "p.jpg", says=".pdf, .svg or .png")
        self.save("array.npy", np.arange(5.0))
        self.refused(1, "plot", "array.npy", "-o", "p.svg", says="not a result of lavdm embed")
        fields = self.embed(self.save("s.npy", sphere(300)), "s.npz", "--method", "vdm", "--components", 4)
        self.refused(1, "plot", fields, "--fields", 4, "-o", "p.svg", says="has 4 eigenvectors, from 0")
        self.refused(1, "plot", fields, "--axes", "0,1", "-o", "p.svg", says="from 1")

    def test_nothing_to_draw(self):
        """Eigenvectors that are not numbers, and numbers of any size, make a picture or a sentence, and no hang."""
        name = self.embed(self.save("x.npy", circle(80)), "x.npz", "--method", "dm", "--components", 5)
        arrays = dict(np.load(self.path(name)))
        for value in (np.nan, np.inf, 0.0, 1e300, -1e-320):
            np.savez(self.path("y.npz"), **{**arrays, "eigenvectors": np.full((80, 1, 5), value)})
            self.drawn("y.npz"), self.drawn("y.npz", "--3d")
        np.savez(self.path("y.npz"), **{**arrays, "eigenvalues": np.full(5, np.nan), "coordinate_index": np.array([4, 99, -1])})
        self.drawn("y.npz")
        np.savez(self.path("y.npz"), **{**arrays, "eigenvectors": 1e6 + 1e-3 * arrays["eigenvectors"]})
        numbers = [word for word in self.drawn("y.npz", "--spectrum", "no", "--size", "9x5").words() if word[:2] in ("10", "99")]
        self.assertGreater(len(set(numbers)), 1)
        self.assertLessEqual(max(numbers.count(word) for word in numbers), 3)  # once on each axis and on the ramp

    def test_hostile_names(self):
        """Names from files stay text: gnuplot runs none of them."""
        bad = ["`touch a`", "'; system 'touch b'; '", '"; !touch c; "', "@x {/=90 big}", "$(touch d)", "x_{a}^2", "\\", "<b>&]]>"]
        self.table("x.csv", circle(80), [f'"{bad[i % 8]}"'.replace('"; !', '""; !').replace('c; "', 'c; ""') for i in range(80)])
        name = self.embed("x.csv", "x.npz", "--method", "dm", "--columns", "a,b", "--components", 4)
        for output in ("p.svg", "p.png", "p.pdf"):
            self.done("plot", name, "-qo", output, "--title", bad[0] + bad[1] + bad[7])
        xml.dom.minidom.parse(self.path("p.svg"))  # it is well-formed
        self.assertEqual(self.files(), ["p.pdf", "p.png", "p.svg", "x.csv", "x.npz"])


if __name__ == "__main__":
    unittest.main()
