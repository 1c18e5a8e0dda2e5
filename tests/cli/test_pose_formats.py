"""Files of poses and rotations of other programs: each against a reader or writer in long hand, the way round, and
hostile ones, which get a sentence with the line."""
import csv
import unittest

import numpy as np

from poses import Poses, back, euler, line, matrix, quaternions, rodrigues, spd, times, upper


class Weights(Poses):
    def test_rule(self):
        """Two edges between two poses: means weighted by d over the trace of the inverse of the block."""
        rng = np.random.default_rng(0)
        for d, tag in ((2, "EDGE_SE2"), (3, "EDGE_SE3:QUAT")):
            size = 3 if d == 2 else 6
            info = [spd(rng, size), spd(rng, size)]
            shift, angle = rng.standard_normal((2, d)), np.array([0.01, -0.02])
            text = ""
            for k in range(2):
                turn = [angle[k]] if d == 2 else [0.0, 0.0, np.sin(angle[k] / 2), np.cos(angle[k] / 2)]
                text += line(tag, 0, 1, *map(float, shift[k]), *map(float, turn), *map(float, upper(info[k])))
            self.text("two.g2o", text)
            _, found = self.solved("two.g2o")
            tau = [d / np.trace(np.linalg.inv(a[:d, :d])) for a in info]
            kappa = [1 / np.trace(np.linalg.inv(a[d:, d:])) for a in info]
            np.testing.assert_allclose(found["positions"][1], np.average(shift, axis=0, weights=tau), rtol=1e-6)
            turned = found["elements"][1] if d == 2 else 2 * found["elements"][1][3]
            self.assertAlmostEqual(turned, np.average(angle, weights=kappa), places=5)


class Toro(Poses):
    def test_plane(self):
        self.text("a.graph", "VERTEX2 0 0 0 0\nVERTEX2 1 1 0 0.5\nEDGE2 0 1 1 2 0.5 4 1 3 2 0.5 0.25\n"
                  "EDGE2 1 2 1 0 0.25 1 0 1 1 0 0\n")
        run, found = self.solved("a.graph")
        self.assertEqual(run["format"], "TORO")
        np.testing.assert_allclose(found["elements"], [0, 0.5, 0.75], atol=1e-9)
        np.testing.assert_allclose(found["positions"], [[0, 0], [1, 2], [1 + np.cos(0.5), 2 + np.sin(0.5)]], atol=1e-9)
        self.done("sync", "a.graph", "-qo", "out.graph")
        rows = self.lines("out.graph")
        self.assertEqual([row[0] for row in rows], ["VERTEX2"] * 3 + ["EDGE2"] * 2)
        self.assertEqual(rows[3], "EDGE2 0 1 1 2 0.5 4 1 3 2 0.5 0.25".split())
        self.done("sync", "a.graph", "-qo", "out.g2o")
        self.assertEqual(self.lines("out.g2o")[3], "EDGE_SE2 0 1 1 2 0.5 4 1 0.5 3 0.25 2".split())
        self.done("sync", "out.g2o", "-qo", "again.graph")
        self.assertEqual(self.lines("again.graph")[3:], rows[3:])

    def test_space(self):
        angles = [[0.1, 0.2, 0.3], [-2, 1, 3], [0.5, -1.2, -0.7]]
        info = spd(np.random.default_rng(1), 6, 0.5)
        text = "".join(line("EDGE3", k, k + 1, 1.0, 2.0, 3.0, *map(float, a), *map(float, upper(info)))
                       for k, a in enumerate(angles))
        self.text("a.graph", text)
        _, found = self.solved("a.graph")
        pose, place = np.eye(3), np.zeros(3)
        for k, a in enumerate(angles):
            place = place + pose @ [1, 2, 3]
            pose = pose @ euler(*a)
            np.testing.assert_allclose(matrix(found["elements"][k + 1]), pose, atol=1e-9)
            np.testing.assert_allclose(found["positions"][k + 1], place, atol=1e-8)
        self.done("sync", "a.graph", "-qo", "out.graph")
        for k, row in enumerate(self.lines("out.graph")[:4]):
            self.assertEqual(row[0], "VERTEX3")
            np.testing.assert_allclose(euler(*map(float, row[5:])), matrix(found["elements"][k]), atol=1e-9)
        self.done("sync", "a.graph", "-qo", "out.g2o")  # angles are twice the vector part of a quaternion
        scale = np.diag([1, 1, 1, 2, 2, 2])
        np.testing.assert_allclose(np.array(self.lines("out.g2o")[4][10:], float), upper(scale @ info @ scale), rtol=1e-12)
        self.done("sync", "out.g2o", "-qo", "again.graph")
        edge = np.array(self.lines("again.graph")[4][3:], float)
        np.testing.assert_allclose(edge, [1, 2, 3, *angles[0], *upper(info)], rtol=1e-9)

    def test_same_graph_same_optimum(self):
        """Three edges round a loop that does not close: the cost is that of the same graph in the other format."""
        info = upper(spd(np.random.default_rng(3), 6, 1))
        self.text("a.graph", "".join(line("EDGE3", i, k, 1.0, 0.0, 0.5, 0.1, 0.2, 0.9, *map(float, info))
                                     for i, k in ((0, 1), (1, 2), (2, 0))))
        cost = self.json("sync", "a.graph", "-o", "out.g2o")["cost"]
        self.assertGreater(cost, 0.1)
        for name, again in (("out.g2o", "again.graph"), ("again.graph", "last.g2o")):
            self.assertAlmostEqual(self.json("sync", name, "-o", again)["cost"] / cost, 1, places=9)

    def test_isotropic_weights_are_written(self):
        x, p = self.chain(3)
        self.text("poses.txt", "".join(line(*map(float, np.c_[matrix(a), b].ravel())) for a, b in zip(x, p)))
        for name in ("out.graph", "out.g2o"):
            self.done("sync", "poses.txt", "-qo", name)
        diagonal = upper(np.diag([1, 1, 1, 2, 2, 2]))  # 1.5 over the trace of the inverse of 2 I is 1
        np.testing.assert_allclose(np.array(self.lines("out.g2o")[3][10:], float), diagonal)
        scale = np.diag([1, 1, 1, 0.5, 0.5, 0.5])
        np.testing.assert_allclose(np.array(self.lines("out.graph")[3][9:], float),
                                   upper(scale @ np.diag([1, 1, 1, 2, 2, 2]) @ scale))


class Trajectories(Poses):
    def kitti(self, x, p):
        return "".join(line(*map(float, np.c_[matrix(a), b].ravel())) for a, b in zip(x, p))

    def test_kitti(self):
        x, p = self.chain(30)
        self.text("poses.txt", self.kitti(x, p))
        run, found = self.solved("poses.txt")
        self.assertEqual((run["format"], run["nodes"], run["edges"]), ("KITTI", 30, 29))
        for k in range(30):
            np.testing.assert_allclose(matrix(found["elements"][k]), matrix(x[k]), atol=1e-9)
        np.testing.assert_allclose(found["positions"], p, atol=1e-8)
        self.done("sync", "poses.txt", "-qo", "out.txt")
        np.testing.assert_allclose(np.loadtxt(self.path("out.txt")), np.loadtxt(self.path("poses.txt")), atol=1e-8)
        self.assertIn("read as KITTI", self.done("sync", "poses.txt").stdout)

    def test_twelve_poses_are_no_matrix(self):
        x, p = self.chain(12)
        self.text("poses.txt", self.kitti(x, p))
        self.assertEqual(self.json("sync", "poses.txt")["format"], "KITTI")

    def test_square_without_negatives(self):
        """As many lines as columns, no number below 0: only what is symmetric is a matrix of weights."""
        for name, text in (("KITTI", "".join(f"1 0 0 {k} 0 1 0 0 0 0 1 0\n" for k in range(12))),
                           ("TUM", "".join(f"{k} {k} 0 0 0 0 0 1\n" for k in range(8))),
                           ("COLMAP", "".join(f"{k} {k + 1} 1 0 0 0 1 0 0\n" for k in range(9)))):
            self.text("poses.txt", text)
            run = self.json("sync", "poses.txt")
            self.assertEqual((run["format"], run["edges"]), (name, 9 if name == "COLMAP" else len(text.split("\n")) - 2))

    def test_matrices_of_weights_and_edges_stay_tables(self):
        for n in (8, 9, 12, 14):
            ring = np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0)
            np.savetxt(self.path("ring.txt"), ring, fmt="%g")
            found = self.json("embed", "--graph", "ring.txt", "--method", "dm", "--components", "2")
            self.assertEqual(found["n"], n)
        even = np.full((8, 8), 0.5) * (1 + 1e-12 * np.triu(np.ones((8, 8))))  # each line could be a pose of TUM
        np.savetxt(self.path("even.txt"), even, fmt="%.17g")
        self.assertEqual(self.json("embed", "--graph", "even.txt", "--method", "dm", "--components", "2")["n"], 8)
        rng = np.random.default_rng(2)
        edges = [[i, i + 1, 1.0, *matrix(x).ravel()] for i, x in enumerate(quaternions(rng, 5))]
        np.savetxt(self.path("edges.txt"), edges)
        run = self.json("sync", "edges.txt")
        self.assertEqual((run["format"], run["nodes"]), (None, 6))

    def test_tum(self):
        x, p = self.chain()
        stamps = [f"1305031{k:03d}.{k:06d}" for k in range(12)]
        self.text("poses.txt", "# time tx ty tz qx qy qz qw\n" +
                  "".join(line(t, *map(float, b), *map(float, a[1:]), float(a[0])) for t, a, b in zip(stamps, x, p)))
        run, found = self.solved("poses.txt")
        self.assertEqual(run["format"], "TUM")
        np.testing.assert_allclose(found["positions"], p, atol=1e-8)
        self.assertEqual(str(found["names"]).split("\n"), stamps)
        self.done("sync", "poses.txt", "-qo", "out.txt")
        rows = self.lines("out.txt")
        self.assertEqual([row[0] for row in rows], stamps)
        for row, a, b in zip(rows, x, p):
            np.testing.assert_allclose(np.array(row[1:4], float), b, atol=1e-8)
            w = np.array([row[7], *row[4:7]], float)
            np.testing.assert_allclose(matrix(w), matrix(a), atol=1e-9)
        self.done("sync", "poses.txt", "-qo", "out.csv")
        with open(self.path("out.csv")) as file:
            self.assertEqual(file.readline(), "id,node,component,qw,qx,qy,qz,x,y,z\n")
            self.assertEqual([row.split(",")[0] for row in file], stamps)

    def test_as_other_formats(self):
        x, p = self.chain()
        self.text("poses.txt", self.kitti(x, p))
        for name in ("kitti", "tum", "colmap", "1dsfm"):
            self.done("sync", "poses.txt", "-q", "-o", f"{name}.txt", "--pose-format", name)
        self.assertEqual([len(self.lines(f"{n}.txt")[3]) for n in ("kitti", "tum", "colmap", "1dsfm")], [12, 8, 5, 10])
        row = np.array(self.lines("1dsfm.txt")[3], float)
        np.testing.assert_allclose(row[1:].reshape(3, 3), matrix(x[3]).T, atol=1e-9)
        self.done("sync", "poses.txt", "-qo", "out.g2o")
        again, found = self.solved("out.g2o")
        self.assertEqual(again["edges"], 11)
        np.testing.assert_allclose(found["positions"], p, atol=1e-8)
        self.refused(1, "sync", "poses.txt", "-o", "x.txt", "--pose-format", "bal", says="--pose-format is 'bal'")
        self.refused(1, "sync", "poses.txt", "-o", "x.npz", "--pose-format", "tum", says="x.npz is none")

    def test_plane_in_space(self):
        self.text("a.g2o", "EDGE_SE2 0 1 1 2 0.5 1 0 0 1 0 1\n")
        self.done("sync", "a.g2o", "-qo", "out.txt")
        last = np.loadtxt(self.path("out.txt"))[1].reshape(3, 4)
        np.testing.assert_allclose(last, np.c_[euler(0, 0, 0.5), [1, 2, 0]], atol=1e-9)


class Images(Poses):
    def graph(self, n=8, seed=9):
        rng = np.random.default_rng(seed)
        pairs = [(i, k) for i in range(n) for k in range(i + 1, n) if k == i + 1 or rng.random() < 0.4]
        return rng, quaternions(rng, n), pairs

    def test_colmap(self):
        rng, x, pairs = self.graph()
        names = [f"dir/IMG_{k * 37 % 8}.jpg" for k in range(8)]
        # x: camera from world; the pair has x2 x1^-1
        self.text("pairs.txt", "".join(line(names[i], names[k], *map(float, times(x[k], back(x[i]))),
                                            *map(float, rng.standard_normal(3))) for i, k in pairs))
        run, solution = self.solved("pairs.txt")
        self.assertEqual((run["format"], run["nodes"], run["edges"]), ("COLMAP", 8, len(pairs)))
        self.assertEqual(sorted(str(solution["names"]).split("\n")), sorted(names))
        self.assertIn("translations left out: their scale is not known", run["warnings"])
        self.done("sync", "pairs.txt", "-qo", "out.txt")
        rows = self.lines("out.txt")
        self.assertEqual(sorted(row[0] for row in rows), sorted(names))
        found = {row[0]: matrix(np.array(row[1:], float)) for row in rows}
        gauge = found[names[0]].T @ matrix(x[0])
        for k in range(8):
            np.testing.assert_allclose(found[names[k]] @ gauge, matrix(x[k]), atol=1e-9)

    def test_ids_are_numbers(self):
        rng, x, pairs = self.graph(4)
        ids = (7, 3, 12, 9007199254740992)
        pair = lambda names: "".join(line(str(names[i]), str(names[k]), *map(float, times(x[k], back(x[i]))), 1, 0, 0) for i, k in pairs)
        self.text("pairs.txt", pair(ids))
        said = self.done("sync", "pairs.txt", "-o", "out.csv").stderr
        self.assertNotIn("names", said)
        self.assertEqual(np.loadtxt(self.path("out.csv"), delimiter=",")[:, 0].tolist(), sorted(ids))
        self.done("sync", "pairs.txt", "-qo", "out.g2o")
        self.assertEqual([int(row[1]) for row in self.lines("out.g2o")], sorted(ids))
        _, found = self.solved("pairs.txt")
        self.assertEqual(found["nodes"].tolist(), sorted(ids))
        self.done("sync", "pairs.txt", "-qo", "out.txt")
        rows = {int(row[0]): matrix(np.array(row[1:], float)) for row in self.lines("out.txt")}
        self.assertEqual(sorted(rows), sorted(ids))
        for k, name in enumerate(ids):
            np.testing.assert_allclose(rows[name] @ rows[3].T, matrix(x[k]) @ matrix(x[1]).T, atol=1e-9)
        for odd in ("03", "9007199254740993", "1e3", "-3", "a"):  # all names are texts then
            self.text("pairs.txt", pair((7, odd, 12, 5)))
            _, found = self.solved("pairs.txt")
            self.assertEqual(sorted(str(found["names"]).split("\n")), sorted(["7", odd, "12", "5"]))
            self.assertEqual(found["nodes"].tolist(), [0, 1, 2, 3])

    def test_names_in_results(self):
        rng, x, pairs = self.graph(4)
        names = ["b.jpg", "a,1.jpg", "c.jpg", "0"]
        self.text("pairs.txt", "".join(line(names[i], names[k], *map(float, times(x[k], back(x[i]))), 1, 0, 0) for i, k in pairs))
        for name, separator in (("out.csv", ","), ("out.tsv", "\t")):
            run = self.json("sync", "pairs.txt", "-o", name)
            self.assertEqual(len(run["warnings"]), 1)
            with open(self.path(name), newline="") as file:
                rows = list(csv.reader(file, delimiter=separator))
            self.assertEqual(rows[0], ["id", "node", "component", "qw", "qx", "qy", "qz"])
            self.assertEqual(sorted(row[0] for row in rows[1:]), sorted(names))
            self.assertEqual([row[1:3] for row in rows[1:]], [[str(k), "0"] for k in range(4)])
            for row in rows[1:]:  # world from camera
                here = matrix(x[names.index(row[0])])
                np.testing.assert_allclose(matrix(np.array(row[3:], float)), matrix(x[0]) @ here.T, atol=1e-9)
        for name in ("out.g2o", "out.graph", "out.npy"):
            self.assertIn(f"{name}: has no room for names: nodes are numbered from 0, as they first come in pairs.txt, so that 0 is 'b.jpg'",
                          self.done("sync", "pairs.txt", "-o", name).stderr)
            self.assertTrue(any("no room for names" in text for text in self.json("sync", "pairs.txt", "-o", name)["warnings"]))
        self.assertNotIn("no room", self.done("sync", "pairs.txt", "-o", "out.npz").stderr)

    def test_1dsfm(self):
        rng, x, pairs = self.graph()
        text = "".join(line(i + 10, k + 10, *map(float, (matrix(x[i]) @ matrix(x[k]).T).ravel()),
                            *map(float, rng.standard_normal(3))) for i, k in pairs)
        self.text("EGs.txt", text)
        run, _ = self.solved("EGs.txt")
        self.assertEqual(run["format"], "1DSfM")
        self.done("sync", "EGs.txt", "-qo", "out.txt")
        table = np.loadtxt(self.path("out.txt"))
        np.testing.assert_array_equal(table[:, 0], np.arange(10, 18))
        found = table[:, 1:].reshape(-1, 3, 3)
        for k in range(8):
            np.testing.assert_allclose(found[k] @ found[0].T, matrix(x[k]) @ matrix(x[0]).T, atol=1e-9)

    def test_bal(self):
        rng = np.random.default_rng(4)
        cameras, points = rng.standard_normal((6, 9)), rng.standard_normal((60, 3))
        seen = [(c, p) for p in range(60) for c in range(6) if rng.random() < 0.6]
        seen += [seen[k] for k in rng.integers(0, len(seen), 40)]  # once more, which does not count
        text = line(6, 60, len(seen)) + "".join(line(c, p, 0.5, -0.5) for c, p in seen)
        text += "".join(line(float(a)) for a in cameras.ravel()) + "".join(line(float(a)) for a in points.ravel())
        self.text("problem.txt", text)
        run, found = self.solved("problem.txt")
        shared = [[len({p for c, p in seen if c == a} & {p for c, p in seen if c == b}) for b in range(6)] for a in range(6)]
        pairs = [(a, b) for a in range(6) for b in range(a + 1, 6) if shared[a][b] >= 10]
        self.assertEqual((run["format"], run["nodes"]), ("BAL", 6))
        self.assertEqual([tuple(e) for e in found["edges"]], pairs)
        self.assertLess(found["residuals"].max(), 1e-7)
        first = rodrigues(cameras[0, :3])
        for k in range(6):  # elements are world from camera
            np.testing.assert_allclose(matrix(found["elements"][k]).T, rodrigues(cameras[k, :3]) @ first.T, atol=1e-9)
        self.done("sync", "problem.txt", "-qo", "out.txt")
        self.assertEqual(len(self.lines("out.txt")[0]), 5)


class Surveys(Poses):
    """Lines about single poses and points, from the file to the solution: the sum of e' I e is as low as that which
    scipy finds with the errors as g2o defines them."""

    def pose(self, x):
        t = np.eye(4)
        t[:3, :3], t[:3, 3] = rodrigues(x[3:]), x[:3]
        return t

    def written(self, tag, ids, t, info):
        """A pose as x y z qx qy qz qw."""
        w = np.sqrt(1 + np.trace(t[:3, :3])) / 2
        v = [(t[2, 1] - t[1, 2]) / (4 * w), (t[0, 2] - t[2, 0]) / (4 * w), (t[1, 0] - t[0, 1]) / (4 * w)]
        return line(tag, *ids, *map(float, t[:3, 3]), *map(float, v), float(w), *(map(float, upper(info)) if info is not None else ()))

    def error(self, t):
        """Translation and vector part of the quaternion."""
        w = np.sqrt(1 + np.trace(t[:3, :3])) / 2
        r = t[:3, :3]
        return np.r_[t[:3, 3], np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / (4 * w)]

    def test_space(self):
        import scipy.optimize

        rng = np.random.default_rng(12)
        truth = np.c_[3 * rng.standard_normal((5, 3)), 0.6 * rng.standard_normal((5, 3))]
        point, offset = 4 * rng.standard_normal((2, 3)), self.pose(0.5 * rng.standard_normal(6))
        poses = [self.pose(x) for x in truth]
        noise = lambda: self.pose(0.01 * rng.standard_normal(6))
        edges = [(i, k, np.linalg.inv(poses[i]) @ poses[k] @ noise(), spd(rng, 6, 0.5)) for i, k in
                 ((0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 3))]
        prior = (3, poses[3] @ offset @ noise(), spd(rng, 6, 0.5))
        seen = [(i, l, (np.linalg.inv(poses[i] @ offset) @ np.r_[point[l], 1])[:3] + 0.01 * rng.standard_normal(3), spd(rng, 3, 0.5))
                for i in range(5) for l in range(2)]
        text = self.written("PARAMS_SE3OFFSET", [7], offset, None) + self.written("VERTEX_SE3:QUAT", [0], poses[0], None) + "FIX 0\n"
        for i, k, z, info in edges:
            text += self.written("EDGE_SE3:QUAT", [i, k], z, info)
        text += self.written("EDGE_SE3_PRIOR", [prior[0], 7], prior[1], prior[2])
        for i, l, z, info in seen:
            text += line("EDGE_SE3_TRACKXYZ", i, 100 + l, 7, *map(float, z), *map(float, upper(info)))
        self.text("survey.g2o", text)

        def whitened(x):
            t = [poses[0]] + [self.pose(y) for y in x[:24].reshape(4, 6)]
            p, out = x[24:].reshape(2, 3), []
            for i, k, z, info in edges:
                out.append(np.linalg.cholesky(info).T @ self.error(np.linalg.inv(z) @ np.linalg.inv(t[i]) @ t[k]))
            out.append(np.linalg.cholesky(prior[2]).T @ self.error(np.linalg.inv(prior[1]) @ t[prior[0]] @ offset))
            for i, l, z, info in seen:
                out.append(np.linalg.cholesky(info).T @ ((np.linalg.inv(t[i] @ offset) @ np.r_[p[l], 1])[:3] - z))
            return np.concatenate(out)

        best = scipy.optimize.least_squares(whitened, np.r_[truth[1:].ravel(), point.ravel()], xtol=1e-10, ftol=1e-10, gtol=1e-10)
        run, found = self.solved("survey.g2o", "--weights", "full")
        # the information of a prior goes through the offset to first order
        self.assertLess(abs(run["chi2"] / (2 * best.cost) - 1), 1e-2)
        np.testing.assert_allclose(found["positions"][0], truth[0, :3], atol=1e-9)
        np.testing.assert_allclose(found["positions"][1:], best.x[:24].reshape(4, 6)[:, :3], atol=1e-3)
        for x, y in zip(found["elements"][1:], best.x[:24].reshape(4, 6)):
            np.testing.assert_allclose(matrix(x), rodrigues(y[3:]), atol=1e-3)
        np.testing.assert_allclose(found["point_positions"], best.x[24:].reshape(2, 3), atol=1e-3)

    def test_plane(self):
        self.text("a.g2o", "VERTEX_SE2 0 5 6 0.5\nFIX 0\nEDGE_SE2 0 1 1 2 0.25 1 0 0 1 0 1\nEDGE_SE2_XY 0 9 1 1 1 0 1\n"
                  "EDGE_SE2_XY 1 9 {} {} 1 0 1\n".format(*(euler(0, 0, -0.25)[:2, :2] @ [0, -1])))
        self.done("sync", "a.g2o", "-qo", "out.g2o")
        rows = {tuple(row[:2]): np.array(row[2:], float) for row in self.lines("out.g2o")[:3]}
        turn = euler(0, 0, 0.5)[:2, :2]
        np.testing.assert_allclose(rows["VERTEX_SE2", "0"], [5, 6, 0.5], atol=1e-9)
        np.testing.assert_allclose(rows["VERTEX_SE2", "1"], [*([5, 6] + turn @ [1, 2]), 0.75], atol=1e-6)
        np.testing.assert_allclose(rows["VERTEX_XY", "9"], [5, 6] + turn @ [1, 1], atol=1e-6)


class Hostile(Poses):
    def bad(self, name, text, *says):
        self.text(name, text)
        self.refused(1, "sync", name, says=[name, *says])

    def test_trajectories(self):
        good = "1 0 0 0 0 1 0 0 0 0 1 0\n"
        self.bad("x.txt", good, "two poses or more")
        for row, why in (("1 0 0 0 0 1 0 0 0 0 1\n", "takes 12 numbers, and there are 11"),
                         ("1 0 0 nan 0 1 0 0 0 0 1 0\n", "'nan' is not a finite number"),
                         ("1 0 0 1e999 0 1 0 0 0 0 1 0\n", "not a finite number"),
                         ("1 0 0 0 0 1 0 0 0 0 -1 0\n", "is a reflection"),
                         ("2 0 0 0 0 1 0 0 0 0 1 0\n", "not orthogonal"),
                         ("1 0 0 0 0 1 0 0 0 0 up 0\n", "'up'")):
            self.bad("x.txt", 4 * good + row, "line 5", why)
        for k in range(3):
            rows = [good] * 5
            rows[k] = "1 0 0 0 0 1 0 0 0 0 1\n"
            self.bad("x.txt", "".join(rows), f"line {k + 1}", "KITTI", "takes 12 numbers, and there are 11")
            rows[k] = "1 0 0 0 0 1 0 0 0 0 -1 0\n"
            self.bad("x.txt", "".join(rows[:3]), f"line {k + 1}", "is a reflection")
        tum = "1.5 0 0 0 0 0 0 1\n"
        self.bad("x.txt", "time tx ty tz qx qy qz qw\n" + 4 * tum, "line 1", "'time' is not a finite number")
        self.bad("x.txt", "# TUM\n" + 4 * tum + "1.5 0 0 0 0 0 0 2\n", "line 6", "length 1")

    def test_images(self):
        good = "a b 1 0 0 0 0 0 1\n"
        self.bad("x.txt", 4 * good + "a\n", "line 5", "one name")
        self.bad("x.txt", 4 * good + "a b 1 0 0 0\n", "line 5", "takes 7 numbers")
        self.bad("x.txt", 4 * good + "a b 0 0 0 0 0 0 1\n", "line 5", "length 1")
        self.bad("x.txt", "a b 0 0 0 0 0 0 1\n" + 2 * good, "line 1", "length 1")
        self.bad("x.txt", good + "a b 1 0 0 north 0 0 1\n" + good, "line 2", "'north' is not a finite number")
        self.bad("x.txt", 2 * good + "a b 1 0 0 0\n", "line 3", "takes 7 numbers, and there are 4")
        self.bad("x.txt", 4 * good + "a b inf 0 0 0 0 0 1\n", "line 5", "'inf'")
        self.bad("x.txt", 4 * good + "a\0b c 1 0 0 0 0 0 1\n", "line 5", "byte 0")
        sfm = "0 1 1 0 0 0 1 0 0 0 1 0 0 1\n"
        self.bad("x.txt", 4 * sfm + "0 -1 1 0 0 0 1 0 0 0 1 0 0 1\n", "line 5", "whole number")
        self.bad("x.txt", 4 * sfm + "0 2 1 0 0 0 1 0 0 0 0 0 0 1\n", "line 5", "not orthogonal")

    def test_bal(self):
        row = "0 0 1 1\n"
        self.bad("x.txt", "2 3 2\n" + row, "take 38 numbers, more than the file has room for")
        self.bad("x.txt", "2 3 2\n" + 2 * row + 27 * "1\n", "no two cameras share 10 points")
        self.bad("x.txt", "2 3 2\n" + 2 * row + 28 * "1\n", "line 31", "its first line is wrong")
        self.bad("x.txt", "2 3 2\n" + row + "2 0 1 1\n" + 60 * "1\n", "line 3", "a camera must be from 0 to 1")
        self.bad("x.txt", "2 3 2\n" + row + "0 3 1 1\n" + 60 * "1\n", "line 3", "a point must be from 0 to 2")
        self.bad("x.txt", "2 3 2\n" + row + "0 2 x 1\n" + 60 * "1\n", "line 3", "'x' is not a finite number")
        self.bad("x.txt", "2 3 2\n" + 2 * row + 10 * "111111\n", "ends too early", "take 38 numbers, and there are 21")
        points = 18 * "0\n" + 30 * "1.5\n"
        seen = "".join(f"{c} {p} 1 1\n" for c in range(2) for p in range(10))
        self.text("x.txt", "2 10 20\n" + seen + points)
        self.assertEqual(self.json("sync", "x.txt")["edges"], 1)
        self.bad("x.txt", "2 10 20\n" + seen + points[:-4], "after line 68", "take 131 numbers, and there are 130")
        self.bad("x.txt", "2 10 20\n" + seen + points[:-4] + "north\n", "line 69", "'north' is not a finite number")
        self.bad("x.txt", "2 1 20\n" + 10 * "0 0 1 1\n1 0 1 1\n" + 18 * "0\n" + 3 * "1.5\n", "no two cameras share 10 points")
        self.bad("x.txt", "900000000 900000000 1\n" + row, "more than the file has room for")

    def test_graphs(self):
        self.bad("x.graph", "EDGE2 0 1 1 2 0.5 1 0 1 1 0\n", "line 1", "EDGE2 takes 11 numbers")
        self.bad("x.graph", "EDGE3 0 1 1 2 3 0 0 0 1\n", "line 1", "EDGE3 takes 29 numbers")
        self.bad("x.graph", "VERTEX2 0 0 0 0\n", "no lines EDGE2 or EDGE3")
        self.bad("x.graph", "EDGE2 0 1 1 2 0.5 1 2 1 1 0 0\n", "line 1", "translation is not positive definite")
        self.bad("x.g2o", "EDGE_SE2 0 1 1 0 0 1 0 0.9 1 0.9 1\n", "line 1", "indefinite")
        self.bad("x.g2o", "\0\xff\n" * 50, "no lines EDGE_SE2")

    def test_bytes(self):
        """Any bytes get an answer."""
        rng = np.random.default_rng(8)
        seeds = [b"1 0 0 0 0 1 0 0 0 0 1 0\n" * 4, b"a b 1 0 0 0 0 0 1\n" * 4, b"2 3 2\n0 0 1 1\n1 1 1 1\n" + b"1\n" * 27,
                 b"0 1 1 0 0 0 1 0 0 0 1 0 0 1\n" * 4, b"VERTEX2 0 0 0 0\nEDGE2 0 1 1 2 0.5 4 1 3 2 0.5 0.25\n" * 3]
        for k in range(60):
            data = bytearray(seeds[k % len(seeds)])
            for at in rng.integers(0, len(data), rng.integers(1, 6)):
                data[at] = rng.choice([rng.integers(0, 256), 48, 32, 10, 45, 101])
            name = self.data("x.graph" if k % 5 == 4 else "x.txt", bytes(data))
            run = self.run_lavdm("sync", name)
            self.assertIn(run.returncode, (0, 1), run.stderr)
            self.assertTrue(run.returncode == 0 or "x." in run.stderr, run.stderr)


if __name__ == "__main__":
    unittest.main()
