"""lavdm sync: every group from files of every kind, pose graphs, and mistakes named by line."""
import unittest

import numpy as np

from support import Case


def quaternion_matrix(x):
    w, x, y, z = np.moveaxis(np.asarray(x), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.moveaxis(np.array([[c, -s], [s, c]]), (0, 1), (-2, -1))


def misfit(found, truth):
    """Distance of found R_i' T_i from being the same for all i, 0 to 1."""
    mean = np.einsum("nki,nkj->ij", found, truth) / len(found)
    return np.sqrt(max(0, 1 - np.linalg.norm(mean) / np.sqrt(found.shape[1])))


class Sync(Case):
    """What both kinds of file share."""

    def sample(self, group, *words, n=200, name="edges.csv"):
        self.done("sample", "graph", "--group", group, "-n", n, "-o", name, "-q", *words)
        stem, end = name.rsplit(".", 1)
        return np.loadtxt(self.path(f"{stem}-truth.{'csv' if end == 'g2o' else end}"), delimiter=",")[:, 1:]

    def sync(self, *words):
        self.done("sync", *words, "-q", "-o", "out.npz")
        with np.load(self.path("out.npz")) as file:
            return dict(file)


class Groups(Sync):
    def test_signs(self):
        truth = self.sample("z2")[:, 0]
        found = self.sync("edges.csv")
        self.assertEqual(str(found["group"]), "Z2")
        np.testing.assert_array_equal(found["elements"], truth * truth[0])
        self.assertEqual(found["residuals"].max(), 0)

    def test_steps(self):
        for k in (2, 4, 9):
            truth = self.sample(f"c{k}")[:, 0]
            found = self.sync("edges.csv", "--group", f"c{k}")
            np.testing.assert_array_equal(found["elements"], (truth - truth[0]) % k)

    def test_steps_as_angles(self):
        truth = self.sample("c4")[:, 0]
        edges = np.loadtxt(self.path("edges.csv"), delimiter=",")
        edges[:, 3] *= np.pi / 2
        self.save("angles.npy", edges)
        found = self.sync("angles.npy", "--group", "c4", "--element", "angle")
        np.testing.assert_array_equal(found["elements"], (truth - truth[0]) % 4)

    def test_angles(self):
        for words in ([], ["--group", "u1"], ["--group", "so2"]):
            truth = self.sample("so2")[:, 0]
            found = self.sync("edges.csv", *words)
            self.assertEqual(str(found["group"]), "SO(2)")
            difference = np.remainder(found["elements"] - truth + truth[0] + np.pi, 2 * np.pi) - np.pi
            self.assertLess(np.abs(difference).max(), 1e-9)

    def test_quaternions(self):
        truth = quaternion_matrix(self.sample("so3"))
        found = self.sync("edges.csv")
        self.assertEqual(found["elements"].shape, (200, 4))
        np.testing.assert_allclose(quaternion_matrix(found["elements"]), truth @ truth[0].T, atol=1e-9)
        np.testing.assert_allclose(found["eigenvalues"][0, :3], 1, atol=1e-9)
        self.assertGreater(found["gaps"][0], 0.1)

    def test_matrices(self):
        rng = np.random.default_rng(3)
        for q, reflections in ((2, True), (3, False), (4, True)):
            truth = np.linalg.qr(rng.standard_normal((60, q, q)))[0]
            truth[np.linalg.det(truth) < 0, 0] *= -1
            if reflections:
                truth[::3, 0] *= -1
            pairs = np.r_[np.c_[np.arange(59), np.arange(1, 60)], rng.integers(0, 60, (200, 2))]
            pairs = pairs[pairs[:, 0] != pairs[:, 1]]
            edges = np.c_[pairs, np.ones(len(pairs)),
                          (truth[pairs[:, 0]] @ truth[pairs[:, 1]].transpose(0, 2, 1)).reshape(len(pairs), -1)]
            self.save("edges.npy", edges)
            found = self.sync("edges.npy", "--element", "matrix")
            self.assertEqual(str(found["group"]), f"{'O' if reflections else 'SO'}({q})")
            np.testing.assert_allclose(found["elements"], truth @ truth[0].T, atol=1e-9)
        self.refused(1, "sync", "edges.npy", "--group", "so4", says=["edges.npy", "reflection"])
        self.refused(1, "sync", "edges.npy", "--group", "so3", says=["size 4", "so3"])

    def test_robust_beats_plain(self):
        truth = quaternion_matrix(self.sample("so3", "--noise", "0.05", "--outliers", "0.3", "--degree", "16"))
        plain = misfit(quaternion_matrix(self.sync("edges.csv")["elements"]), truth)
        robust = self.sync("edges.csv", "--robust")
        self.assertLess(misfit(quaternion_matrix(robust["elements"]), truth), 0.6 * plain)
        self.assertGreater((robust["trust"] < 0.1).mean(), 0.15)

    def test_robust_takes_a_word_or_none(self):
        self.sample("so2", "--noise", "0.05", "--outliers", "0.1", n=60)
        for words in (["edges.csv", "--robust"], ["--robust", "edges.csv"], ["--robust=auto", "edges.csv"]):
            run = self.json("sync", *words)
            self.assertIn(run["robust"], ("no", "auto", "weights", "cycles", "gradual"))
            self.assertEqual(run["nodes"], 60)
        for word in ("weights", "cycles", "gradual", "no"):
            self.json("sync", "--robust", word, "edges.csv")
        self.refused(1, "sync", "edges.csv", "--robust=some", says=["--robust is 'some'", "gradual"])
        self.refused(1, "sync", "edges.csv", "--robust", "cycles", "--rounds", "3", says=["--rounds", "weights or auto"])
        self.text("robust.cfg", "robust = weights\n")
        self.done("sync", "edges.csv", "--config", "robust.cfg", "-q")
        self.text("robust.cfg", "robust = yes\n")
        self.done("sync", "edges.csv", "--config", "robust.cfg", "-q")
        self.text("robust.cfg", "robust = maybe\n")
        self.refused(1, "sync", "edges.csv", "--config", "robust.cfg", says=["true or false", "cycles"])

    def test_components(self):
        self.text("edges.csv", "# two pieces, one loop\n5 7 1 0.5\n7 100 1 0.25\n20 21 1 1\n20 20 1 0.1\n")
        found = self.json("sync", "edges.csv", "-o", "out.npz")
        self.assertEqual((found["nodes"], found["edges"], found["components"], found["loops"]), (5, 4, 2, 1))
        self.assertEqual([part["first"] for part in found["parts"]], [5, 20])
        self.assertEqual(len(found["warnings"]), 2)
        with np.load(self.path("out.npz")) as file:
            np.testing.assert_array_equal(file["nodes"], [5, 7, 20, 21, 100])
            np.testing.assert_array_equal(file["component"], [0, 0, 1, 1, 0])
            np.testing.assert_allclose(file["elements"], [0, -0.5, 0, -1, -0.75], atol=1e-12)
        self.assertIn("components", self.done("sync", "edges.csv").stdout)

    def test_outputs(self):
        self.sample("so2", n=30)
        for end in ("h5", "mat", "npz", "npy", "csv", "tsv", "g2o"):
            self.done("sync", "edges.csv", "-qo", f"out.{end}")
        table = np.loadtxt(self.path("out.csv"), delimiter=",")
        self.assertEqual(table.shape, (30, 3))
        np.testing.assert_array_equal(np.load(self.path("out.npy")), table)


class Poses(Sync):
    def poses(self, group, noise=0.0):
        d = int(group[-1])
        truth = self.sample(group, "--layout", "grid", "--noise", noise, n=225, name="poses.g2o")
        found = self.sync("poses.g2o")
        rotation = turn if d == 2 else quaternion_matrix
        mine, theirs = rotation(found["elements"]), rotation(truth[:, 0] if d == 2 else truth[:, :4])
        place = truth[:, -d:] - truth[0, -d:]
        # the world of the first pose
        return mine, theirs[0].T @ theirs, found["positions"], place @ theirs[0]

    def test_exact(self):
        for group in ("se2", "se3"):
            mine, theirs, position, place = self.poses(group)
            np.testing.assert_allclose(mine, theirs, atol=1e-9)
            np.testing.assert_allclose(position, place, atol=1e-6)

    def test_noise(self):
        for group in ("se2", "se3"):
            mine, theirs, position, place = self.poses(group, 0.01)
            self.assertLess(np.abs(mine - theirs).max(), 0.1)
            self.assertLess(np.abs(position - place).max(), 1.5)

    def test_solution_reads_back(self):
        for group in ("se2", "se3"):
            self.poses(group, 0.02)
            self.done("sync", "poses.g2o", "-qo", "solved.g2o")
            with open(self.path("solved.g2o")) as file, open(self.path("poses.g2o")) as given:
                lines, edges = file.read().splitlines(), given.read().splitlines()
            self.assertEqual(lines[225:], edges)
            self.assertTrue(all(line.startswith("VERTEX_SE") for line in lines[:225]))
            again = self.sync("solved.g2o")
            np.testing.assert_allclose(again["elements"], self.sync("poses.g2o")["elements"])

    EDGE = "EDGE_SE2 {} {} 1 0 {} 1 0 0 1 0 4\n"

    def test_other_lines_and_gaps(self):
        self.text("poses.g2o", "# a comment\nVERTEX_SE2 3 0 0 0\nFIX 3\n" + self.EDGE.format(3, 8, 0.5) +
                  "\nVERTEX_SE2 50 1 1 1\r\n" + self.EDGE.format(8, 9, -0.25) + "EDGE_POINTS 1 2 3\n")
        run = self.json("sync", "poses.g2o", "-o", "out.npz")
        self.assertEqual((run["nodes"], run["isolated"], run["components"]), (4, 1, 1))
        self.assertIn("1 line of other kinds left out, such as EDGE_POINTS", run["warnings"])
        with np.load(self.path("out.npz")) as file:
            np.testing.assert_allclose(file["elements"], [0, 0.5, 0.25, 0], atol=1e-12)
            np.testing.assert_allclose(file["positions"][:3], [[0, 0], [1, 0], [1 + np.cos(0.5), np.sin(0.5)]], atol=1e-9)

    def test_groups_without_positions(self):
        self.text("poses.g2o", self.EDGE.format(0, 1, 0.5) + self.EDGE.format(1, 2, 1.5))
        for name in ("out.g2o", "out.graph", "out.txt"):
            said = self.done("sync", "poses.g2o", "--group", "c4", "-o", name).stderr
            self.assertIn(f"{name}: all its positions are 0: with the group C4 rotations alone are found", said)
        for words in (["--group", "c4", "-o", "out.npz"], ["--group", "so2", "-o", "out.g2o"],
                      ["--group", "c4", "-o", "out.txt", "--pose-format", "colmap"]):
            self.assertNotIn("positions are 0", self.done("sync", "poses.g2o", *words).stderr)
        self.refused(1, "sync", "poses.g2o", "--group", "z2", says=["poses.g2o", "angle", "sign", "--group"])

    def test_numbers_of_two_things(self):
        fixed = "FIX 0\n" + self.EDGE.format(0, 1, 0.5) + "VERTEX_SE2 0 1 2 0\n"
        self.text("poses.g2o", fixed + "VERTEX_SE2 0 5 6 0\n")
        run = self.json("sync", "poses.g2o", "-o", "out.npz")
        self.assertIn("the VERTEX lines of pose 0 differ (lines 3 and 4): the first counts", run["warnings"])
        with np.load(self.path("out.npz")) as file:
            np.testing.assert_allclose(file["positions"][0], [1, 2])
        self.text("poses.g2o", fixed + "VERTEX_SE2 0 1 2 0\n")
        self.assertEqual(self.json("sync", "poses.g2o")["warnings"], [])
        self.bad(fixed + "VERTEX_XY 1 0 0\n", "line 4: VERTEX_XY has the point 1", "line 2, EDGE_SE2, that is a pose")

    def test_weights_are_information(self):
        edge = "EDGE_SE2 0 1 1 0 {} 1 0 0 1 0 {}\n"
        self.text("poses.g2o", edge.format(0.1, 3) + edge.format(0.2, 1))
        self.assertAlmostEqual(self.sync("poses.g2o")["elements"][1], 0.125, places=4)

    def test_embed_reads_it(self):
        self.sample("se3", "--layout", "grid", n=49, name="poses.g2o")
        found = self.json("embed", "--graph", "poses.g2o", "--method", "vdm", "--alpha", "0", "--components", "3")
        np.testing.assert_allclose(found["eigenvalues"], 1, atol=1e-9)

    def bad(self, text, *says):
        self.text("poses.g2o", text)
        self.refused(1, "sync", "poses.g2o", says=["poses.g2o", *says])

    def test_mistakes(self):
        good = self.EDGE.format(0, 1, 0.5)
        self.bad("", "no lines EDGE_SE2")
        self.bad("VERTEX_SE2 0 0 0 0\n", "no lines EDGE_SE2")
        self.bad("EDGE_XY 0 1\n", "EDGE_XY")
        self.bad(good + "EDGE_SE2 0 1 1 0\n", "line 2", "takes 11 numbers", "are 4")
        self.bad(good + good[:-1] + " 7\n", "line 2", "are 12")
        self.bad(good + self.EDGE.format(0, 1, "north"), "line 2", "'north' is not a finite number")
        self.bad(good + self.EDGE.format(0, 1, "nan"), "line 2", "not a finite number")
        self.bad(good + self.EDGE.format(0.5, 1, 0), "line 2", "whole number", "0.5")
        self.bad(good + self.EDGE.format(2 ** 53 + 1, 2 ** 53, 0), "line 2", "to 9007199254740991")  # one double
        self.bad(good + self.EDGE.format(-1, 1, 0), "line 2", "whole number", "-1")
        self.bad(good + "EDGE_SE2 1 2 1 0 0 1 0 0 1 0 0\n", "line 2", "information about the rotation is not positive")
        self.bad(good + "EDGE_SE2 1 2 1 0 0 -1 0 0 0 0 1\n", "line 2", "information about the translation is not positive")
        self.bad(good + "EDGE_SE2 1 2 1 0 0 1 0 0 1 0 1e308\n", "line 2", "rotation must be above 0 and at most 1e100")
        self.bad(good + "EDGE_SE2 1 2 1 0 0 1e101 0 0 1 0 1\n", "line 2", "translation must be above 0 and at most 1e100")
        three = "EDGE_SE3:QUAT 0 1 0 0 0 {} " + " ".join(["1"] + ["0"] * 5 + ["1"] + ["0"] * 4 + ["1"] + ["0"] * 3 +
                                                          ["1", "0", "0", "1", "0", "1"]) + "\n"
        self.bad(good + three.format("0 0 0 1"), "line 2", "3 dimensions")
        self.bad(three.format("0 0 0 0"), "line 1", "quaternion must have length 1")


class Verdicts(Sync):
    """What is proved, and what is said of graphs that are hardly any."""

    KEYS = ("cost", "bound", "gap", "relative_gap", "rank", "iterations", "converged", "certified", "verdict", "robust",
            "robust_reason", "chi2")

    def test_json_and_result_agree(self):
        self.sample("se2", "--layout", "grid", "--noise", "0.02", n=64, name="poses.g2o")
        run = self.json("sync", "poses.g2o", "--certify", "-o", "out.npz")
        for key in self.KEYS:
            self.assertIn(key, run)
        self.assertTrue(run["certified"] and run["converged"])
        self.assertLess(run["bound"], run["cost"] + 1e-9)
        self.assertAlmostEqual(run["gap"], run["cost"] - run["bound"], delta=1e-9)
        self.assertLess(run["relative_gap"], 1e-3)
        self.assertEqual(run["parts"][0]["verdict"], run["verdict"])
        with np.load(self.path("out.npz")) as file:
            self.assertEqual(float(file["cost"]), run["cost"])
            self.assertEqual(str(file["verdict"]), run["verdict"])
            self.assertEqual(int(file["certified"]), 1)
            self.assertEqual(file["component_cost"].tolist(), [run["cost"]])
        self.assertIn("globally optimal", self.done("sync", "poses.g2o", "--certify").stdout)
        quiet = self.json("sync", "poses.g2o", "--certify", "no")
        self.assertFalse(quiet["certified"])
        self.assertTrue(quiet["verdict"].startswith("not certified"))
        self.assertIsNone(quiet["bound"])

    def test_without_noise_and_with_trust(self):
        self.sample("se2", "--layout", "grid", "--noise", "0", n=64, name="poses.g2o")
        run = self.json("sync", "poses.g2o", "--certify")
        self.assertTrue(run["certified"])
        self.assertEqual((run["bound"], run["relative_gap"]), (0, None))
        self.assertIn("0 to rounding, and none is below 0", run["verdict"])
        self.sample("se2", "--layout", "grid", "--noise", "0.02", "--outliers", "0.1", n=64, name="poses.g2o")
        run = self.json("sync", "poses.g2o", "--certify", "--robust", "gradual")
        self.assertTrue(run["certified"])
        self.assertTrue(run["verdict"].endswith("for the edges as they are trusted"), run["verdict"])
        run = self.json("sync", "poses.g2o", "--certify")
        self.assertNotIn("trusted", run["verdict"])
        self.assertGreaterEqual(run["bound"], 0)

    def test_order_of_lines(self):
        """Elements, and the way that --robust picks, are the same to the bit however lines are sorted."""
        for group in ("so2", "se3"):
            name = "poses.g2o" if group == "se3" else "edges.csv"
            self.sample(group, "--layout", "grid", "--noise", "0.05", "--outliers", "0.15", n=36, name=name)
            words = [name, "--robust"] + ([] if group == "se3" else ["--group", group])
            first = self.sync(*words)
            with open(self.path(name), encoding="utf-8") as file:
                lines = file.read().splitlines()
            order = np.random.default_rng(1).permutation(len(lines))
            self.text(name, "\n".join(lines[k] for k in order) + "\n")
            second = self.sync(*words)
            self.assertEqual(str(first["robust"]), str(second["robust"]))
            np.testing.assert_array_equal(first["elements"], second["elements"])

    def test_what_rounding_may_hide(self):
        """A long edge does not make misfits of others small, nor a heavy one its own; what fits is certified."""
        loop = "".join(f"EDGE_SE2 {i} {k} 1 0 0 1 0 0 1 0 1e-6\n" for i, k in ((0, 1), (1, 2), (2, 0)))
        for far in ("", "1e9", "1e11", "5e6"):
            self.text("poses.g2o", loop + (f"EDGE_SE2 2 3 {far} 0 0 1 0 0 1 0 1\n" if far else ""))
            run = self.json("sync", "poses.g2o", "--certify")
            self.assertFalse(run["certified"], far)
        edge = "EDGE_SE2 {} {} {} 0 {} 1 0 0 1 0 1e16\n"
        self.text("poses.g2o", edge.format(0, 1, 1, 0) + edge.format(1, 2, 1, 0) + edge.format(0, 2, 2, 1e-6))
        run = self.json("sync", "poses.g2o", "--certify")
        self.assertFalse(run["certified"])
        for angle in (0, 0.5):
            c, s = np.cos(angle), np.sin(angle)
            self.text("poses.g2o", edge.format(0, 1, 1e6, angle) + edge.format(1, 2, 1, 0) +
                      f"EDGE_SE2 0 2 {1e6 + c!r} {s!r} {angle} 1 0 0 1 0 1\n")
            run = self.json("sync", "poses.g2o", "--certify")
            self.assertTrue(run["certified"], run["verdict"])
            self.assertIn("0 to rounding", run["verdict"])

    def test_covariances_and_full_information(self):
        for group, d in (("se2", 3), ("se3", 6)):
            self.sample(group, "--layout", "grid", "--noise", "0.02", n=36, name="poses.g2o")
            found = self.sync("poses.g2o", "--covariance", "--weights", "full")
            spread = found["covariances"]
            self.assertEqual(spread.shape, (36, d, d))
            np.testing.assert_allclose(spread, np.swapaxes(spread, 1, 2), rtol=1e-9, atol=1e-15)
            self.assertEqual(np.abs(spread[0]).max(), 0)
            self.assertGreater(np.linalg.eigvalsh(spread[1:]).min(), 0)
            self.assertGreater(float(found["chi2"]), 0)

    def test_full_information_over_seven_decades(self):
        """What heavy edges hold together bends: least squares must follow it to the end."""
        for group in ("se2", "se3"):
            self.sample(group, "--layout", "city", "--spread", "7", "--skew", "--noise", "0.05", n=200, name="poses.g2o")
            run = self.json("sync", "poses.g2o", "--weights", "full", "--certify", "no")
            self.assertTrue(run["converged"])
            self.assertEqual(run["warnings"], [])

    def test_weak_priors_are_no_open_directions(self):
        """Covariances against a dense inverse by hand where priors are weak in some directions; what is open is told."""
        edge = "EDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\n"
        for strong in (1e6, 1e11, 1e13):
            self.text("poses.g2o", edge + f"EDGE_PRIOR_SE2 0 0 0 0 {strong} 0 0 1 0 1\n")
            found = self.sync("poses.g2o", "--weights", "full", "--covariance")
            np.testing.assert_allclose(np.diag(found["covariances"][0]), [1 / strong, 1, 1], rtol=1e-6)
        upper = lambda *diagonal: " ".join(str(diagonal[i] if i == k else 0) for i in range(6) for k in range(i, 6))
        pose = "EDGE_SE3_PRIOR {} 0 {} 0 0 0 0 0 1 " + upper(1e4, 1e4, 1e4, 1e-6, 1e-6, 1e-6) + "\n"
        self.text("poses.g2o", "EDGE_SE3:QUAT 0 1 1000 0 0 0 0 0 1 " + upper(100, 100, 100, 1000, 1000, 1000) + "\n" +
                  pose.format(0, 0) + pose.format(1, 1000))
        found = self.sync("poses.g2o", "--weights", "full", "--covariance")
        self.assertGreater(found["covariances"][0][3, 3], 1e5)  # about its own axis two priors of 1e-6 hold it alone
        self.text("poses.g2o", edge + "EDGE_PRIOR_SE2_XY 0 0 0 1 0 1\n")
        run = self.json("sync", "poses.g2o", "--weights", "full", "--covariance", "-o", "out.npz")
        self.assertTrue(any("priors leave 1 direction of node 0 open" in text for text in run["warnings"]), run["warnings"])

    def test_disconnected(self):
        self.text("edges.csv", "0 1 1 0.5\n2 3 1 0.25\n3 4 1 0.5\n4 2 1 -0.7\n")
        run = self.json("sync", "edges.csv", "--certify")
        self.assertEqual(run["components"], 2)
        self.assertTrue(run["certified"])
        self.assertIn("all 2 components", run["verdict"])
        self.assertAlmostEqual(run["cost"], sum(part["cost"] for part in run["parts"]), places=12)
        self.assertTrue(any("2 components" in text for text in run["warnings"]))

    def test_one_node(self):
        self.text("edges.csv", "7 7 1 0.5\n")
        run = self.json("sync", "edges.csv")
        self.assertEqual((run["nodes"], run["components"], run["loops"]), (1, 0, 1))
        self.assertTrue(any("from a node to itself" in text for text in run["warnings"]))
        self.assertTrue(any("joined to no other" in text for text in run["warnings"]))

    def test_loops_alone_have_no_residuals(self):
        self.text("poses.g2o", "EDGE_SE2 0 0 1 0 0 1 0 0 1 0 1\n")
        self.text("signs.csv", "0 0 1 1\n")
        for name in ("poses.g2o", "signs.csv"):
            said = self.done("sync", name).stdout
            self.assertIn("none: every edge is from a node to itself", said)
            self.assertNotIn("nan", said)
        self.assertIsNone(self.json("sync", "poses.g2o")["median_residual"])

    def test_most_information(self):
        for most in ("1e100", "9.999999999999999e99"):
            self.text("poses.g2o", f"EDGE_SE2 0 1 1 0 0.5 {most} 0 0 {most} 0 {most}\n")
            self.assertAlmostEqual(self.sync("poses.g2o")["elements"][1], 0.5)
        self.text("poses.g2o", "EDGE_SE2 0 1 1 0 0.5 1e100 0 0 1.0000001e100 0 1\n")
        self.refused(1, "sync", "poses.g2o", says=["translation must be above 0 and at most 1e100, and is 1.0000001e+100"])

    def test_repeated_edges_count_twice(self):
        self.text("edges.csv", "0 1 1 0.1\n0 1 1 0.1\n1 0 1 -0.4\n")
        self.assertAlmostEqual(-self.sync("edges.csv")["elements"][1], 0.2, places=3)

    def test_contradictory_edges(self):
        self.text("edges.csv", "0 1 1 0\n0 1 1 3.141592653589793\n")
        run = self.json("sync", "edges.csv", "--certify")
        # every turn costs the same: 4 (1 - cos x) + 4 (1 + cos x) = 8
        self.assertAlmostEqual(run["cost"], 8, places=6)
        self.assertLessEqual(run["bound"] or -np.inf, 8 + 1e-6)

    def test_cyclic_has_no_proof(self):
        self.sample("c4", n=30)
        run = self.json("sync", "edges.csv", "--group", "c4")
        self.assertFalse(run["certified"])
        self.assertIsNone(run["bound"])
        self.assertIn("not certified", run["verdict"])

    def test_indefinite_information(self):
        good = "EDGE_SE2 0 1 1 0 0.5 1 0 0 1 0 4\n"
        self.text("poses.g2o", good + "EDGE_SE2 1 2 1 0 0 1 2 0 1 0 1\n")
        self.refused(1, "sync", "poses.g2o", says=["poses.g2o", "line 2", "positive definite"])


class Mistakes(Case):
    def test_use(self):
        self.text("edges.csv", "0 1 1 0.5\n1 2 1 0.5\n")
        self.refused(1, "sync", says="GRAPH")
        self.refused(1, "sync", "nowhere.csv", says="no such file")
        self.refused(1, "sync", "nowhere.g2o", says="no such file")
        self.refused(1, "sync", "edges.csv", "--group", "su2", says="--group is 'su2'")
        self.refused(1, "sync", "edges.csv", "--group", "se4", says="--group is 'se4'")
        self.refused(1, "sync", "edges.csv", "--group", "z2", says=["row 1", "sign"])
        self.refused(1, "sync", "edges.csv", "--group", "so3", says="size 2")
        self.refused(1, "sync", "edges.csv", "--rounds", "none", says="--rounds")
        self.refused(1, "sync", "edges.csv", "--weights", "heavy", says="isotropic or full")
        self.refused(1, "sync", "edges.csv", "--weights", "full", says=["edges.csv", "no information matrices"])
        self.refused(1, "sync", "edges.csv", "--covariance", "-o", "out.npz", says=["edges.csv", "no pose graph"])
        for words in ([], ["-o", "out.csv"], ["-o", "out.g2o"]):
            self.refused(1, "sync", "poses.g2o", "--covariance", *words, says=["--covariance has nowhere to go", ".npz"])
        self.refused(1, "sync", "edges.csv", "--pose-format", "tum", says=["--pose-format", "-o"])
        self.refused(1, "sync", "edges.csv", "--group", "se2", says=["edges.csv", "no shifts", "so2"])
        self.refused(1, "sync", "edges.csv", "--certify", "--spectral", says=["no optimum"])
        self.refused(1, "sync", "edges.csv", "--certify=maybe", says="--certify is 'maybe'")
        self.refused(1, "sync", "edges.csv", "-o", "out.doc", says="out.doc")
        self.refused(1, "sync", "edges.csv", "-o", "edges.csv", says="overwrite")
        self.refused(2, "sync", "edges.csv", "-o", "no/folder.g2o", says="folder.g2o")

    def test_tables(self):
        self.text("edges.csv", "0 1 1\n1 2 1\n")
        self.refused(1, "sync", "edges.csv", says="no elements")
        self.text("edges.csv", "0 1 1 0.5\n1 2 0 0.5\n")
        self.refused(1, "sync", "edges.csv", says=["row 2", "weight"])
        self.text("edges.csv", "0 1 1 0.5\n1 2 -3 0.5\n")
        self.refused(1, "sync", "edges.csv", says=["row 2", "weight"])
        self.text("edges.csv", "0 1 1 0.5\n1 2 nan 0.5\n")
        self.refused(1, "sync", "edges.csv", says=["row 2", "weight"])
        self.text("edges.csv", "0 1 1 0.5\n1.5 2 1 0.5\n")
        self.refused(1, "sync", "edges.csv", says=["row 2", "node"])
        self.text("signs.csv", "0 1 1 1\n1 2 1 -1\n")
        self.refused(1, "sync", "signs.csv", "-o", "out.g2o", says="rotations in 2 or 3 dimensions")

    def test_sample(self):
        self.refused(1, "sample", "graph", "-o", "x.csv", says="how many nodes")
        self.refused(1, "sample", "graph", "-n", "10", says="where to")
        self.refused(1, "sample", "graph", "-n", "10", "-o", "x.csv", "--group", "q8", says="--group is 'q8'")
        self.refused(1, "sample", "graph", "-n", "10", "-o", "x.csv", "--layout", "star", says="--layout is 'star'")
        self.refused(1, "sample", "graph", "-n", "10", "-o", "x.csv", "--outliers", "2", says="--outliers is '2'")
        self.refused(1, "sample", "graph", "-n", "10", "-o", "x.csv", "--group", "se2", says=".g2o")
        self.refused(1, "sample", "graph", "-n", "10", "-o", "x.g2o", says="se2 or se3")


if __name__ == "__main__":
    unittest.main()
