"""lavdm report, and --report: a page for every kind of result, whatever is in it, or a refusal."""
import json
import os
import unittest

import h5py
import numpy as np
import scipy.io

from page import Page
from support import Case

HOSTILE = ["</script><script>alert(1)</script>", "<!--", "<!--<script>", "]]>", "-->", "\u2028\u2029", "'\"`\\",
           "a\tb\x01\x7f\x9b", "\U0001f40d", "&lt;b&gt;", "__proto__", "x" * 100000]


class Report(Case):
    def page(self, name="page.html"):
        page = Page(self.path(name)).check()
        self.assertEqual(page.scripts, len(page.blocks) + self.own_scripts())
        return page

    def own_scripts(self):
        """Elements <script> of the template itself."""
        if not hasattr(Report, "_own"):
            self.points("own.npy", 60)
            self.done("embed", "own.npy", "--method", "dm", "--report", "own.html", "-q")
            page = Page(self.path("own.html"))
            Report._own = page.scripts - len(page.blocks)
            os.remove(self.path("own.npy")), os.remove(self.path("own.html"))
        return Report._own

    def points(self, name, n=300, p=3, seed=0):
        x = np.random.default_rng(seed).normal(size=(n, p))
        x[:, :3] /= np.linalg.norm(x[:, :3], axis=1, keepdims=True)
        x[:, 3:] *= 0.01
        return self.save(name, x), x

    def refused(self, *words, why, files=None):
        before = self.files() if files is None else files
        run = self.run_lavdm(*words)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stderr, why)
        self.assertEqual(self.files(), before)


class Kinds(Report):
    def test_embed(self):
        name, x = self.points("x.npy", p=5)
        for end in ("npz", "h5", "mat"):
            self.done("embed", name, "-o", f"r.{end}", "--dim", 2, "--pca", 0, "--report", "now.html", "-q")
            self.done("report", f"r.{end}", "-o", "page.html", "-q")
            if end == "npz":
                found = np.load(self.path("r.npz"))
            for page in (self.page(), self.page("now.html")):
                self.assertEqual((page.kind, page.rows, page.of), ("embed", 300, 300))
                np.testing.assert_array_equal(page["eigenvectors"], found["eigenvectors"].astype("f4"))
                np.testing.assert_array_equal(page["data"], x.astype("f4"))
                np.testing.assert_array_equal(page["frames"], found["frames"].astype("f4"))
                np.testing.assert_array_equal(page["eigenvalues"], found["eigenvalues"])
                self.assertTrue(page.facts["command"].startswith("lavdm embed x.npy -o r."))
                self.assertGreater(page.facts["timings"]["frames"], 0)
                self.assertEqual(page.facts["options"]["dim"], "2")
                self.assertIsInstance(page.facts["reasons"], list)
                frames = page["principal_frames"]
                axes = np.linalg.lstsq(x - x.mean(0), page["principal"] - page["principal"].mean(0), rcond=None)[0]
                np.testing.assert_allclose(frames, np.einsum("pa,npd->nad", axes, found["frames"]), atol=1e-4)

    def test_principal_coordinates(self):
        """With --pca, landmarks and frames are seen along the axes of the data as it was."""
        rng = np.random.default_rng(1)
        sphere = rng.normal(size=(400, 3))
        sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
        x = sphere @ np.linalg.qr(rng.normal(size=(40, 3)))[0].T + 7
        self.save("x.npy", x)
        self.done("embed", "x.npy", "--pca", 3, "--dim", 2, "--design", "random", "-o", "r.npz", "--report", "page.html",
                  "-q")
        page, found = self.page(), np.load(self.path("r.npz"))
        self.assertEqual(page.arrays["data"]["shape"], [400, 32])
        self.assertIn("the first 32 of 40 columns", page.notes[0])
        where = page["principal"][found["landmark_index"]]
        np.testing.assert_allclose(page["landmarks_principal"], where, atol=1e-5)
        np.testing.assert_allclose(np.linalg.norm(page["principal_frames"], axis=1), 1, atol=1e-4)

    def test_orient(self):
        self.done("sample", "mobius", "-n", 600, "-o", "x.npy")
        self.done("orient", "x.npy", "--cover", "-o", "r.npz", "--report", "now.html", "-q")
        self.done("report", "r.npz", "-o", "page.html", "-q")
        found = np.load(self.path("r.npz"))
        for page in (self.page(), self.page("now.html")):
            self.assertEqual((page.kind, page.facts["verdict"]), ("orient", "not orientable"))
            np.testing.assert_array_equal(page["signs"], found["signs"])
            which = [int(name.split()[1]) for name in page.arrays["cover"]["names"]]
            np.testing.assert_array_equal(page["cover"], found["cover"][:, which].astype("f4"))

    def test_cover_of_pieces(self):
        """Coordinates that tell pieces apart (eigenvalue 1) are left out, and an odd one is among those shown."""
        self.done("sample", "mobius", "-n", 600, "-o", "x.npy")
        self.done("orient", "x.npy", "--cover", "-o", "r.npz", "-q")
        found = dict(np.load(self.path("r.npz")))
        found["cover_eigenvalues"][:2] = 1
        found["cover_parity"][:] = [-1, 1] + [1] * 4 + [-1] * (len(found["cover_parity"]) - 6)
        np.savez(self.path("pieces.npz"), **found)
        self.done("report", "pieces.npz", "-o", "page.html", "-q")
        which = [int(name.split()[1]) for name in self.page().arrays["cover"]["names"]]
        self.assertGreaterEqual(len(which), 3)
        self.assertGreaterEqual(min(which), 2)
        self.assertIn(-1, found["cover_parity"][which])

    def test_extend(self):
        self.points("x.npy")
        self.points("new.npy", n=50, seed=1)
        self.done("embed", "x.npy", "--dim", 2, "-o", "model.h5", "-q")
        self.done("extend", "model.h5", "new.npy", "-o", "new.npz", "--report", "now.html", "-q")
        told = self.done("report", "new.npz", "-o", "page.html")
        self.assertIn("new.npy", told.stdout)
        for page in (self.page(), self.page("now.html")):
            self.assertEqual((page.kind, page.rows), ("extend", 50))
            np.testing.assert_array_equal(page["data"], np.load(self.path("new.npy")).astype("f4"))

    def test_sync(self):
        self.done("sample", "graph", "--group", "so3", "-n", 60, "--degree", 6, "--noise", 0.1, "-o", "edges.csv")
        self.done("sync", "edges.csv", "--robust", "-o", "r.npz", "--report", "now.html", "-q")
        for end in ("h5", "mat"):
            self.done("sync", "edges.csv", "--robust", "-o", f"r.{end}", "-q")
        found = np.load(self.path("r.npz"))
        for source in ("r.npz", "r.h5", "r.mat", None):
            if source:
                self.done("report", source, "-o", "page.html", "-q")
            page = self.page("page.html" if source else "now.html")
            self.assertEqual((page.kind, page.rows, page.facts["group"]), ("sync", 60, "SO(3)"))
            row = {node: i for i, node in enumerate(found["nodes"])}
            np.testing.assert_array_equal(page["edges"], [[row[a], row[b]] for a, b in found["edges"]])
            np.testing.assert_array_equal(page["trust"], found["trust"].astype("f4"))
            self.assertTrue(np.isfinite(page["layout"]).all())
            self.assertIn("lavdm sync edges.csv", page.facts["command"])
            self.assertIn("eigenvectors", page.facts["timings"])

    def test_poses(self):
        self.done("sample", "graph", "--group", "se2", "--layout", "grid", "-n", 25, "--noise", 0.02, "-o", "poses.g2o")
        self.done("sync", "poses.g2o", "-o", "solved.g2o", "--report", "page.html", "-q")
        page = self.page()
        self.assertEqual(page.arrays["positions"]["shape"], [25, 2])
        self.assertNotIn("layout", page)
        self.refused("report", "solved.g2o", "-o", "other.html", why="solved.g2o")

    def test_pieces(self):
        """Components are drawn beside each other."""
        rows = [f"{k * 10 + i} {k * 10 + (i + 1) % 8} 1 1" for k in range(3) for i in range(8)]
        self.text("edges.txt", "\n".join(rows) + "\n")
        self.done("sync", "edges.txt", "--group", "z2", "--report", "page.html", "-q")
        page = self.page()
        x = page["layout"][:, 0]
        ends = sorted((x[page["component"] == c].min(), x[page["component"] == c].max()) for c in range(3))
        self.assertTrue(ends[0][1] < ends[1][0] and ends[1][1] < ends[2][0], ends)

    def test_average(self):
        self.done("sample", "projections", "-n", 60, "--size", 40, "-o", "stack.mrcs")
        self.done("average", "stack.mrcs", "--method", "rid", "-o", "averages.npy", "--table", "t.npz", "--report",
                  "now.html", "-q")
        self.done("report", "t.npz", "--averages", "averages.npy", "-o", "page.html", "-q")
        found = np.load(self.path("t.npz"))
        for page in (self.page(), self.page("now.html")):
            self.assertEqual((page.kind, page.rows), ("average", 60))
            np.testing.assert_array_equal(page["neighbours"], found["neighbours"])
            np.testing.assert_array_equal(page["angles"], found["angles"].astype("f4"))
            small = np.load(self.path("averages.npy")).reshape(60, 20, 2, 20, 2).mean((2, 4))
            a = page.arrays["averages"]
            grey = np.clip((small - a["low"]) / (a["high"] - a["low"]), 0, 1) * 255
            self.assertLessEqual(np.abs(page["averages"] - grey).max(), 0.51)
            self.assertEqual(page.arrays["thumbs"]["shape"], [60, 20, 20])
        np.testing.assert_array_equal(page["thumbs"], self.page()["thumbs"])

    def test_images_and_signals(self):
        self.done("sample", "projections", "-n", 80, "--size", 16, "-o", "stack.mrcs")
        self.done("embed", "stack.mrcs", "--bundle", "rotation", "-o", "r.npz", "--report", "now.html", "-q")
        self.done("report", "r.npz", "-o", "page.html", "-q")
        self.assertEqual(self.page().arrays["thumbs"], self.page("now.html").arrays["thumbs"])
        self.assertNotIn("data", self.page())
        signals = np.sin(np.arange(20) / 20 * 2 * np.pi + np.random.default_rng(0).uniform(0, 7, (90, 1)))
        self.save("s.npy", signals)
        self.done("embed", "s.npy", "--bundle", "shift", "--report", "page.html", "-q")
        page = self.page()
        a = page.arrays["thumbs"]
        self.assertEqual(a["shape"], [90, 1, 20])
        back = a["low"] + (a["high"] - a["low"]) * page["thumbs"][:, 0] / 255
        np.testing.assert_allclose(back, signals, atol=(a["high"] - a["low"]) / 255 * 0.51)
        # an image is no signal, however low it is
        for height in (2, 3, 5):
            self.save("low.npy", np.random.default_rng(1).normal(size=(80, height, 300)))
            self.done("report", "r.npz", "--images", "low.npy", "-o", "page.html", "-q")
            self.assertGreater(self.page().arrays["thumbs"]["shape"][1], 1)
        # pictures beside points of another kind
        self.save("pictures.npy", np.arange(300 * 6.0).reshape(300, 2, 3))
        self.points("x.npy")
        self.done("embed", "x.npy", "--method", "dm", "-o", "d.npz", "-q")
        self.done("report", "d.npz", "--images", "pictures.npy", "-o", "page.html", "-q")
        self.assertEqual(self.page().arrays["thumbs"]["shape"], [300, 2, 3])

    def test_table(self):
        rng = np.random.default_rng(2)
        x = rng.normal(size=(90, 3))
        rows = [",".join([f"id{i}", *map(repr, map(float, x[i])), "abc"[i % 3]]) for i in range(90)]
        self.text("t.csv", "name,a,b,c,kind\n" + "\n".join(rows) + "\n")
        self.done("embed", "t.csv", "--method", "roseland", "--standardise", "-o", "r.h5", "-q")
        self.done("report", "r.h5", "-o", "page.html", "-q")
        page = self.page()
        np.testing.assert_allclose(page["data"], (x - x.mean(0)) / x.std(0), atol=1e-5)
        self.assertEqual(page.arrays["data"]["names"], ["a", "b", "c"])
        self.assertEqual(page["ids"], [f"id{i}" for i in range(90)])
        self.assertEqual(page.labels(), ["abc"[i % 3] for i in range(90)])
        self.assertEqual(page.facts["label_name"], "kind")
        self.done("report", "r.h5", "--colour", "t.csv:b", "-o", "page.html", "-q")
        np.testing.assert_allclose(self.page()["colour"], x[:, 1], rtol=1e-6)
        self.assertEqual(self.page().facts["colour_name"], "b")
        self.text("other.csv", "team\n" + "\n".join("uv"[i % 2] for i in range(90)) + "\n")
        self.done("report", "r.h5", "--colour", "other.csv", "-o", "page.html", "-q")
        self.assertEqual(self.page().labels(), ["uv"[i % 2] for i in range(90)])
        self.assertEqual(self.page().facts["label_name"], "team")

    def test_graph(self):
        edges = [f"{i} {(i + 1) % 50} 1" for i in range(50)]
        self.text("g.txt", "\n".join(edges) + "\n")
        self.done("embed", "--graph", "g.txt", "--method", "dm", "-o", "r.npz", "--report", "now.html", "-q")
        told = self.done("report", "r.npz", "-o", "page.html")
        self.assertIn("no points", told.stdout)
        for page in (self.page(), self.page("now.html")):
            self.assertNotIn("data", page)
            np.testing.assert_array_equal(page["nodes"], range(50))


class Where(Report):
    """Where the points come from."""

    def result(self):
        name, x = self.points("x.npy")
        self.done("embed", name, "--method", "roseland", "-o", "r.npz", "-q")
        return x

    def test_input(self):
        x = self.result()
        told = self.done("report", "r.npz", "-o", "page.html")
        self.assertIn("x.npy, which the result names as its input", told.stdout)
        page = self.page()
        self.assertIn("x.npy", page.notes[0])
        np.testing.assert_array_equal(page["data"], x.astype("f4"))
        os.rename(self.path("x.npy"), self.path("y.npy"))
        told = self.done("report", "r.npz", "-o", "page.html")
        self.assertIn("--data FILE brings them", told.stdout)
        self.assertNotIn("data", self.page())
        self.done("report", "r.npz", "--data", "y.npy", "-o", "page.html", "-q")
        self.assertIn("data", self.page())
        self.save("x.npy", x[:-1])
        told = self.done("report", "r.npz", "-o", "page.html")
        self.assertIn("has 299 rows", told.stdout)
        self.assertNotIn("data", self.page())

    def test_colour_of_any_file(self):
        """The same files as for `plot`: texts or numbers, of a file with one array or by its name."""
        self.result()
        n = len(np.load(self.path("x.npy")))
        words, numbers = np.array(["ab"[i % 2] for i in range(n)]), np.arange(n, dtype=np.float32)
        self.save("words.npy", words)
        np.savez(self.path("both.npz"), numbers=numbers, words=words)
        for given in ("words.npy", "both.npz:words"):
            self.done("report", "r.npz", "--colour", given, "-o", "page.html", "-q")
            self.assertEqual(self.page().labels(), list(words))
            self.done("plot", "r.npz", "--colour", given, "-o", "p.svg", "-q")
        self.done("report", "r.npz", "--colour", "both.npz:numbers", "-o", "page.html", "-q")
        np.testing.assert_array_equal(self.page()["colour"], numbers)
        for how in (("report", "-o", "page.html"), ("plot", "-o", "p.svg")):
            self.refused(how[0], "r.npz", "--colour", "both.npz", *how[1:], why="by which of its 2 arrays")

    def test_bad_use(self):
        self.result()
        self.save("short.npy", np.zeros((9, 3)))
        self.refused("report", "r.npz", why="-o FILE.html")
        self.refused("report", "r.npz", "-o", "page.txt", why="ends in .html")
        self.refused("report", "r.npz", "-o", "r.npz", why="ends in .html")
        self.refused("report", "r.npz", "-o", "page.html", "--data", "short.npy", why="9 rows")
        self.refused("report", "r.npz", "-o", "page.html", "--images", "short.npy", why="9 rows")
        self.refused("report", "r.npz", "-o", "page.html", "--images", "x.npy", why="no stack of images")
        self.refused("report", "r.npz", "-o", "page.html", "--averages", "x.npy", why="lavdm average")
        self.refused("report", "r.npz", "-o", "page.html", "--colour", "short.npy", why="27 rows")
        self.refused("report", "x.npy", "-o", "page.html", why="no result of lavdm")
        self.refused("report", "none.npz", "-o", "page.html", why="none.npz")
        self.refused("embed", "x.npy", "--report", "page.png", why="ends in .html")
        os.rename(self.path("x.npy"), self.path("x.html"))
        self.refused("embed", "x.html", "--report", "x.html", why="overwrite|x.html")
        run = self.run_lavdm("report", "r.npz", "-o", "nowhere/page.html")
        self.assertEqual(run.returncode, 2, run.stderr)

    def test_compact(self):
        self.points("x.npy")
        self.done("embed", "x.npy", "--dim", 2, "--compact", "-o", "r.h5", "-q")
        self.refused("report", "r.h5", "-o", "page.html", why="--compact")

    def test_command_and_info(self):
        """The command line is kept so that a shell takes it for the same words."""
        import shlex

        self.points("it's here.npy")
        words = ["embed", "it's here.npy", "--method", "dm", "-o", "r $x.npz", "--quiet", "--knn=9"]
        self.done(*words)
        info = json.loads(self.done("info", "r $x.npz", "--json").stdout)["values"]
        self.assertEqual(shlex.split(info["command"]), ["lavdm", *words])
        stages = dict(line.rsplit(" ", 1) for line in info["timings"].split("\n"))
        self.assertLessEqual(sum(map(float, stages.values())), info["seconds"] * 1.01 + 1e-3)
        self.assertIn("spectrum", stages)
        self.assertRegex(self.done("info", "r $x.npz").stdout, r"\n  timings +read ")


class Hostile(Report):
    def arrays(self, n=12, r=2):
        rng = np.random.default_rng(0)
        return {"eigenvalues": np.linspace(1, 0.5, r), "eigenvectors": rng.normal(size=(n, 1, r)),
                "points": rng.normal(size=(n, 3)), "degrees": rng.normal(size=n)}

    def report(self, name="r.npz", **arrays):
        np.savez(self.path(name), **arrays)
        return self.run_lavdm("report", name, "-o", "page.html", "-q")

    def test_texts(self):
        labels = np.array(HOSTILE)
        named = {f"own {text[:20]}".replace("/", "") for text in HOSTILE if text.isprintable()}
        a = self.arrays(len(HOSTILE))
        for name in ("method", "input", "warnings", "command", "version", "title", "kind"):
            for text in HOSTILE:
                a[name] = np.array(text)
                run = self.report(**a, labels=labels, ids=labels, **{own: a["degrees"] for own in named})
                self.assertEqual(run.returncode, 0, run.stderr)
                page = self.page()
                got = page.facts[name]
                got = "\n".join(got) if isinstance(got, list) else got
                self.assertEqual(got, text.rstrip("\0"))
                self.assertEqual(page.labels(), HOSTILE)
                self.assertLessEqual(named, set(page.arrays))
                self.assertEqual(page["ids"], HOSTILE)
                self.assertNotIn("<script>alert", page.text)
                a.pop(name)
                if name != "method":
                    break

    def test_names_of_files(self):
        name = "<img src=x onerror=alert(1)>'\".npz"
        self.assertEqual(self.report(name, **self.arrays()).returncode, 0)
        page = self.page()
        self.assertEqual(page.json["title"], name)
        self.assertNotIn("<img src=x", page.text)

    def test_not_utf8(self):
        with h5py.File(self.path("r.h5"), "w") as file:
            for name, array in self.arrays().items():
                file[name] = array
            file.attrs["method"] = np.bytes_(b"\xff\xfe</script>\xc3")
        run = self.run_lavdm("report", "r.h5", "-o", "page.html", "-q")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("</script>", self.page().facts["method"].replace("</script>", "", 1))

    def test_no_numbers(self):
        for value in (np.nan, np.inf, -np.inf, 1e308, 5e-324):
            a = {k: np.full_like(v, value) for k, v in self.arrays().items()}
            run = self.report(**a, epsilon=np.array(value))
            self.assertEqual(run.returncode, 0, run.stderr)
            page = self.page()
            if not np.isfinite(value):
                self.assertIsNone(page.facts["epsilon"])
                self.assertTrue(np.isnan(page["data"]).all() and np.isnan(page["eigenvalues"]).all())

    def test_shapes(self):
        good = self.arrays()
        n = 12
        lies = [{"eigenvalues": np.zeros(0)}, {"eigenvalues": np.zeros(5)}, {"eigenvalues": np.zeros((2, 2))},
                {"eigenvectors": np.zeros((0, 1, 2))}, {"eigenvectors": np.zeros((n, 0, 2))},
                {"eigenvectors": np.zeros((n, 2))}, {"eigenvectors": np.array("text")}, {"points": np.zeros((n + 1, 3))},
                {"points": np.zeros((n, 0))}, {"frames": np.zeros((n, 3))[:5]}, {"frames": np.zeros((n, 2, 1, 2))},
                {"landmarks": np.zeros((4, 2)), "frames": np.zeros((n, 3, 1))}, {"labels": np.array(["a"] * 5)},
                {"cover": np.zeros((n, 3))}, {"landmarks": np.array("text")}]
        for lie in lies:
            run = self.report(**{**good, **lie})
            self.assertEqual(run.returncode, 1, (lie, run.stderr))
            self.assertRegex(run.stderr, "^lavdm: error: r.npz: .")
            self.assertEqual(self.files(), ["r.npz"])

    def test_shapes_of_others(self):
        graph = {"nodes": np.arange(4), "elements": np.ones(4), "edges": np.array([[0, 1], [1, 2]]),
                 "residuals": np.zeros(2), "trust": np.ones(2)}
        table = {"images": np.arange(3), "neighbours": np.zeros((3, 2), int), "angles": np.zeros((3, 2))}
        self.assertEqual(self.report(**graph).returncode, 0)
        self.assertEqual(self.page().kind, "sync")
        self.assertEqual(self.report(**table).returncode, 0)
        self.assertEqual(self.page().kind, "average")
        os.remove(self.path("page.html"))
        for base, lie in ((graph, {"edges": np.array([[0, 9]])}), (graph, {"edges": np.zeros((2, 3))}),
                          (graph, {"residuals": np.zeros(5)}), (graph, {"elements": np.zeros(0)}),
                          (graph, {"positions": np.zeros((4, 1))}), (graph, {"positions": np.zeros((4, 4))}),
                          (graph, {"edges": np.array([[0, np.nan], [1, 2]])}), (graph, {"nodes": np.arange(5)}), (graph, {"nodes": np.array([0, 1, 1, 2])}),
                          (table, {"angles": np.zeros((2, 2))}), (table, {"images": np.arange(7)})):
            run = self.report(**{**base, **lie})
            self.assertEqual(run.returncode, 1, (lie, run.stderr))
            self.assertEqual(self.files(), ["r.npz"])

    def test_names_of_the_page(self):
        """Arrays and columns that are called as the page calls its own stay what they are, and replace none."""
        own = ("row", "ids", "labels", "label_levels", "data", "principal", "alignment", "thumbs", "layout", "page")
        good = {**self.arrays(), "points": np.random.default_rng(1).normal(size=(12, 5))}
        for name in own:
            values = np.arange(12.0) * 0.5
            run = self.report(**good, **{name: values})
            self.assertEqual(run.returncode, 0, run.stderr)
            page = self.page()
            np.testing.assert_array_equal(page["data"], good["points"].astype("f4"))
            self.assertNotIn("row", page)
            np.testing.assert_array_equal(page[name if name == "page" else f"{name} of the result"], values)
        self.assertEqual(self.report(**good).returncode, 0)
        for name in (*own, "points", "eigenvectors", "eigenvalues", "frames", "landmarks", "cover", "signs", "model", "seed"):
            self.text("c.csv", f"{name}\n" + "\n".join(str(i + 0.5) for i in range(12)) + "\n")
            self.done("report", "r.npz", "--colour", "c.csv", "-o", "page.html", "-q")
            page = self.page()
            self.assertEqual((page.kind, page.facts["colour_name"]), ("embed", name))
            np.testing.assert_array_equal(page["colour"], np.arange(12) + 0.5)
            np.testing.assert_array_equal(page["data"], good["points"].astype("f4"))
            np.testing.assert_array_equal(page["eigenvectors"], good["eigenvectors"].astype("f4"))

    def test_large_whole_numbers(self):
        nodes = 10**10 + np.arange(9)
        self.text("g.txt", "".join(f"{nodes[i]} {nodes[(i + 1) % 9]} 1 1\n" for i in range(9)))
        self.done("sync", "g.txt", "--group", "z2", "-o", "g.npz", "-q")
        self.done("report", "g.npz", "-o", "page.html", "-q")
        np.testing.assert_array_equal(self.page()["nodes"], nodes)
        self.report(**self.arrays(), own=2**31 + np.arange(12))
        np.testing.assert_array_equal(self.page()["own"], 2**31 + np.arange(12))

    def test_one_point(self):
        run = self.report(**self.arrays(1, 1))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.page().rows, 1)

    def test_many_labels(self):
        labels = np.array([f"label {i % 5000}" for i in range(6000)] )
        labels[7] = ""
        run = self.report(**self.arrays(6000), labels=labels)
        self.assertEqual(run.returncode, 0, run.stderr)
        page = self.page()
        self.assertEqual([x or "" for x in page.labels()], list(labels))
        self.assertNotIn("levels", page.arrays["labels"])


if __name__ == "__main__":
    unittest.main()
