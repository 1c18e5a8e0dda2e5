"""lavdm sync: what is told of a result that may be taken for something else, and what is refused instead."""
import unittest

import numpy as np

from support import Case

EDGE = "EDGE_SE2 {} {} 1 0 {} 1 0 0 1 0 4\n"


class Choices(Case):
    def drawn(self, seed, *words, n=30, scale=1):
        """Rotations with six edges at a node, their weights all `scale`."""
        self.done("sample", "graph", "--group", "so3", "-n", n, "--degree", 6, "--seed", seed, "-q", "-o", "edges.csv", *words)
        table = np.loadtxt(self.path("edges.csv"), delimiter=",")
        table[:, 2] *= scale
        np.savetxt(self.path("edges.csv"), table, delimiter=",", fmt="%.17g")

    def test_ways_that_were_not_tried(self):
        """About half of the edges are in triangles: the cycles are possible without some edges, and not without others."""
        for seed in range(1, 17):
            self.drawn(seed, "--noise", 0.05, "--outliers", 0.2)
            reason = self.json("sync", "edges.csv", "--robust")["robust_reason"]
            self.assertNotRegex(reason, r"to [0-9.]*e-|to 0 |to 0$")

    def test_common_factor(self):
        for way in ("gradual", "cycles", "weights", "auto"):
            trust = []
            for scale in (1, 1e-10, 1e-60, 1e12):
                self.drawn(3, "--noise", 0.05, "--outliers", 0.1, scale=scale)
                self.done("sync", "edges.csv", f"--robust={way}", "-q", "-o", "out.npz")
                trust.append(np.load(self.path("out.npz"))["trust"])
            for other in trust[1:]:
                np.testing.assert_allclose(other, trust[0], atol=1e-4)

    def test_weights_beyond_all_bounds(self):
        self.drawn(3, "--noise", 0.05)
        table = np.loadtxt(self.path("edges.csv"), delimiter=",")
        table[::2, 2] = 1e-100
        table[1::4, 2] = 1e99
        np.savetxt(self.path("edges.csv"), table, delimiter=",", fmt="%.17g")
        for way in ("gradual", "cycles", "weights", "auto"):
            self.done("sync", "edges.csv", f"--robust={way}", "-q", "-o", "out.npz")
            file = np.load(self.path("out.npz"))
            self.assertTrue(np.all(np.isfinite(file["trust"])) and np.all(np.isfinite(file["elements"])))

    def test_each_component_for_itself(self):
        """Ten nodes are too few to hold edges back: they are re-weighted, whatever the others are."""
        self.done("sample", "graph", "--group", "so3", "-n", 300, "--degree", 20, "--noise", 0.2, "-q", "-o", "edges.csv")
        table = np.loadtxt(self.path("edges.csv"), delimiter=",")
        few = table[:3].copy()
        few[:, :2] = [[500, 501], [501, 502], [500, 502]]
        np.savetxt(self.path("edges.csv"), np.vstack([table, few]), delimiter=",", fmt="%.17g")
        run = self.json("sync", "edges.csv", "--robust", "--certify", "-o", "out.npz")
        told = self.done("sync", "edges.csv", "--robust", "--certify").stdout
        self.assertEqual([part["robust"] for part in run["parts"]], ["no", "weights"])
        self.assertIn("trusted", run["verdict"])
        self.assertIn("in the largest component: none", told)

    def test_nothing_to_prove(self):
        self.text("edges.csv", "0 0 1 0.5\n")
        run = self.json("sync", "edges.csv")
        self.assertFalse(run["certified"])
        self.assertIn("nothing to prove", run["verdict"])

    def test_equal_eigenvalues(self):
        """Half a turn and none: every angle between the two nodes costs the same."""
        self.text("edges.csv", "0 1 1 0.5\n0 1 1 3.64159265358979312\n")
        self.assertIn("other choices may fit", " ".join(self.json("sync", "edges.csv", "--group", "so2")["warnings"]))
        self.text("edges.csv", "0 1 1 0.5\n0 1 1 0.6\n")
        self.assertEqual(self.json("sync", "edges.csv", "--group", "so2")["warnings"], [])


class Poses(Case):
    def test_groups_without_poses(self):
        for line in ("FIX 0\nVERTEX_SE2 0 1 2 0\n", "EDGE_PRIOR_SE2 0 0 0 0 1 0 0 1 0 1\n", "EDGE_SE2_XY 0 7 1 0 1 0 1\n"):
            self.text("poses.g2o", line + EDGE.format(0, 1, 0.5) + EDGE.format(1, 2, 0.25))
            self.refused(1, "sync", "poses.g2o", "--group", "c4", says=["--group c4", "rotations alone", "poses.g2o"])
        self.text("poses.g2o", EDGE.format(0, 1, 0.5))
        for words in (["--weights", "full"], ["--covariance", "-o", "out.npz"]):
            self.refused(1, "sync", "poses.g2o", "--group", "c4", *words, says=["--group c4 finds rotations alone"])

    def test_rotations_alone(self):
        """Files of COLMAP have no scale of shifts."""
        self.text("pairs.txt", "".join(f"{a} {b} 1 0 0 0 0 0 1\n" for a, b in ("ab", "bc", "ac", "cd", "bd")))
        self.refused(1, "sync", "pairs.txt", "--covariance", "-o", "out.npz", says=["pairs.txt", "no pose graph"])
        self.refused(1, "sync", "pairs.txt", "--group", "se3", says=["pairs.txt has no shifts", "so3"])
        self.assertIn("SO(3)", self.done("sync", "pairs.txt", "--group", "so3").stdout)

    def test_what_files_have_no_room_for(self):
        self.text("poses.g2o", "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 2 1.5 1 1\nFIX 0\nFIX 2\nEDGE_SE2_XY 0 7 1 0 1 0 1\n" +
                  EDGE.format(0, 1, 0.5) + EDGE.format(1, 2, 0.25))
        said = self.done("sync", "poses.g2o", "-o", "out.graph").stderr
        self.assertIn("out.graph: has no room for the 1 point", said)
        self.assertIn("out.graph: has no room for the fixed nodes and priors of poses.g2o", said)
        self.assertIn("out.csv: has no room for the 1 point", self.done("sync", "poses.g2o", "-o", "out.csv").stderr)
        for name in ("out.g2o", "out.npz"):
            self.assertNotIn("no room", self.done("sync", "poses.g2o", "-o", name).stderr)

    def test_trajectories(self):
        self.text("poses.g2o", EDGE.format(5, 6, 0.5) + EDGE.format(6, 7, 0.25))
        self.assertIn("out.txt: has no room for the numbers of nodes", self.done("sync", "poses.g2o", "-o", "out.txt").stderr)
        self.text("poses.g2o", EDGE.format(0, 1, 0.5) + EDGE.format(1, 2, 0.25))
        self.assertEqual(self.done("sync", "poses.g2o", "-o", "out.txt").stderr, "")
        self.text("poses.g2o", EDGE.format(0, 1, 0.5) + EDGE.format(2, 3, 0.25))
        for format in ("kitti", "tum"):
            said = self.done("sync", "poses.g2o", "-o", "out.txt", "--pose-format", format).stderr
            self.assertIn("out.txt: is one trajectory, and the poses of 2 pieces of poses.g2o", said)

    def test_far_from_the_origin(self):
        for far, told in ((1e17, True), (1e12, True), (1e3, False)):
            self.text("poses.g2o", f"VERTEX_SE2 0 {far!r} 0 0\nFIX 0\n" + EDGE.format(0, 1, 0.5) + EDGE.format(1, 2, 0.25))
            run = self.json("sync", "poses.g2o")
            self.assertEqual("leave fewer than six digits" in " ".join(run["warnings"]), told)

    def test_information_beyond_doubles(self):
        self.text("poses.g2o", EDGE.format(0, 1, 0.5) + EDGE.format(1, 2, 0.5) + "EDGE_SE2 0 2 1 1 0.9 1e30 0 0 1e30 0 1e30\n")
        run = self.json("sync", "poses.g2o", "--weights", "full")
        self.assertFalse(run["converged"])
        self.assertIn("rounding hides", " ".join(run["warnings"]))

    def test_singular_information(self):
        """x and angle are one number: there is no covariance, whatever rounding makes of it."""
        for angle in np.linspace(0.1, 3, 12):
            self.text("poses.g2o", f"EDGE_SE2 0 1 1 0 {angle} 1 0 {1 - 1e-15!r} 1 0 1\n")
            run = self.json("sync", "poses.g2o", "--weights", "full", "--covariance", "-o", "out.npz")
            self.assertIn("undetermined", " ".join(run["warnings"]))

    def test_trusted_chi2(self):
        self.text("poses.g2o", "".join(EDGE.format(i, k, 0.1 * (k - i)) for i in range(6) for k in range(i + 1, 6)) +
                  EDGE.format(0, 5, 3))
        self.assertIn("chi2", self.done("sync", "poses.g2o", "--weights", "full").stdout)
        said = self.done("sync", "poses.g2o", "--weights", "full", "--robust", "weights").stdout
        self.assertRegex(said, "chi2 .*as these are trusted")

    def test_least_squares_are_not_certified(self):
        self.text("poses.g2o", EDGE.format(0, 1, 0.5) + EDGE.format(1, 2, 0.5) + EDGE.format(0, 2, 0.9))
        run = self.json("sync", "poses.g2o", "--weights", "full")
        self.assertFalse(run["certified"])
        self.assertTrue(run["verdict"].startswith("not certified: least squares"))


class Mistakes(Case):
    def test_steps_and_radians(self):
        self.text("edges.csv", "0 1 1 1\n1 2 1 2\n0 2 1 3.5\n")
        self.refused(1, "sync", "edges.csv", "--group", "c4", says=["edges.csv: row 3", "3.5", "--element angle"])
        self.text("edges.csv", "0 1 1 0\n1 2 1 1.5707963267948966\n0 2 1 1.5707963267948966\n")
        self.assertLess(self.json("sync", "edges.csv", "--group", "c4")["residual_95"], 1e-9)

    def test_numbers_beyond_doubles(self):
        np.savez(self.path("edges.npz"), row=np.array([0, 1]), col=np.array([1, 2**53]), element=np.array([0.5, 0.5]))
        self.refused(1, "sync", "edges.npz", says=["edges.npz", "entry 2 of 'col'", "9007199254740991"])


if __name__ == "__main__":
    unittest.main()
