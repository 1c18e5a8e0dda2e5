"""lavdm sync finds optima: beside brute force, a semidefinite solver, finite differences and a slow reference."""
import itertools
import os
import sys
import unittest

import cvxopt
import numpy as np
import scipy.optimize

from support import ROOT, Case

sys.path.insert(0, os.path.join(ROOT, "studies", "certify"))
import kinds  # noqa: E402
import poses  # noqa: E402


def angles_cost(edges, angle):
    """Edges are rows i k weight angle; |O - R|_F^2 of two turns of the plane is 4 (1 - cos)."""
    i, k = edges[:, :2].astype(int).T
    return 4 * (edges[:, 2] * (1 - np.cos(edges[:, 3] - angle[..., i] + angle[..., k]))).sum(-1)


def best_angles(edges, n, steps):
    """The least cost: the best places of a grid, followed to the bottom."""
    grid = np.array(list(itertools.product(np.arange(steps) * 2 * np.pi / steps, repeat=n - 1)))
    grid = np.c_[np.zeros(len(grid)), grid]
    first = np.argsort(angles_cost(edges, grid))[:20]
    found = [scipy.optimize.minimize(lambda x: angles_cost(edges, x), grid[k], tol=1e-12).fun for k in first]
    return min(found)


def eliminated(graph):
    """The cost as a dense matrix over rotations alone, their places being the best ones."""
    n, d = len(graph.turns), graph.d
    f = poses.quadratic(graph).toarray()
    a, b, c = f[:d * n, :d * n], f[:d * n, d * n + 1:], f[d * n + 1:, d * n + 1:]
    return a - b @ np.linalg.solve(c, b.T)


def relaxed(q, n, d):
    """max tr(L) over symmetric blocks L with Q - L semidefinite: by duality the least of tr(Q Z) over semidefinite Z
    whose diagonal blocks are the identity."""
    size = n * d
    scale = np.einsum("iaia->i", q.reshape(n, d, n, d)) / d  # nodes of very uneven weight are brought to one
    root = np.repeat(np.sqrt(scale), d)
    columns, gains = [], []
    for i in range(n):
        for a in range(d):
            for b in range(a, d):
                one = np.zeros((size, size))
                one[i * d + a, i * d + b] = one[i * d + b, i * d + a] = 1
                columns.append(one.ravel())
                gains.append(-scale[i] / scale.max() if a == b else 0.0)
    columns, q = cvxopt.matrix(np.array(columns).T), cvxopt.matrix(q / np.outer(root, root))
    for tolerance in (1e-10, 1e-9, 1e-8):  # near the end its steps break down by rounding, on some processors sooner
        cvxopt.solvers.options.update(show_progress=False, abstol=tolerance, reltol=tolerance, feastol=tolerance)
        try:
            return -cvxopt.solvers.sdp(cvxopt.matrix(gains), Gs=[columns], hs=[q])["primal objective"] * scale.max()
        except ArithmeticError:
            pass
    raise RuntimeError("the semidefinite solver has no answer")


class Optimum(Case):
    def table(self, edges, *words):
        self.save("edges.npy", edges)
        return self.json("sync", "edges.npy", "--certify", *words)

    def poses(self, graph, *words):
        """What is said, and the cost of the poses that were written."""
        poses.write(self.path("graph.g2o"), graph)
        said = self.json("sync", "graph.g2o", "-o", "out.g2o", *words)
        out = poses.read(self.path("out.g2o"))
        return said, out, poses.cost(graph, out.turns, out.places)

    def agrees(self, said, best):
        """What is called certified is the optimum, and the bound is below it in any case."""
        self.assertGreaterEqual(said["cost"], best * (1 - 1e-9))
        if said["bound"] is not None:
            self.assertLessEqual(said["bound"], best * (1 + 1e-7) + 1e-9)
        if said["certified"]:
            self.assertLessEqual(said["cost"], best * (1 + 1e-3) + 1e-9)
        else:
            self.assertIn("not certified", said["verdict"])


class BruteForce(Optimum):
    def test_angles(self):
        certified = 0
        for seed in range(12):
            rng = np.random.default_rng(seed)
            n = 3 + seed % 3
            pairs = np.array(list(itertools.combinations(range(n), 2)))
            truth, noise = rng.uniform(0, 2 * np.pi, n), (0.2, 0.6, 1.2)[seed // 4]
            said = truth[pairs[:, 0]] - truth[pairs[:, 1]] + rng.normal(0, noise, len(pairs))
            edges = np.c_[pairs, rng.uniform(0.5, 2, len(pairs)), said]
            found = self.table(edges, "--group", "so2")
            best = best_angles(edges, n, {3: 60, 4: 40, 5: 18}[n])
            self.agrees(found, best)
            self.assertLess(found["cost"], best * (1 + 1e-6) + 1e-9, seed)
            certified += found["certified"]
        self.assertGreaterEqual(certified, 8)

    def test_signs(self):
        for seed in range(8):
            rng = np.random.default_rng(seed)
            n = 10
            signs = np.array(list(itertools.product([1, -1], repeat=n - 1)))
            signs = np.c_[np.ones(len(signs), int), signs]
            pairs = np.array(list(itertools.combinations(range(n), 2)))
            pairs = pairs[rng.random(len(pairs)) < 0.6]
            truth = rng.choice([1, -1], n)
            wrong = rng.random(len(pairs)) < (0.1, 0.3)[seed % 2]
            edges = np.c_[pairs, rng.uniform(0.5, 2, len(pairs)), np.where(wrong, -1, 1) * truth[pairs].prod(1)]
            off = edges[:, 3] != signs[:, pairs[:, 0]] * signs[:, pairs[:, 1]]
            best = 4 * (off * edges[:, 2]).sum(1).min()
            self.agrees(self.table(edges, "--group", "z2"), best)

    def test_contradictory_edges(self):
        """Two edges that say opposite things, and three around a cycle that closes half a turn wrong: any choice, and
        either way of sharing it, costs the same."""
        both = self.table(np.array([[0, 1, 1, 0.3], [0, 1, 1, 0.3 + np.pi]]), "--group", "so2")
        self.assertAlmostEqual(both["cost"], 8, delta=1e-9)
        self.agrees(both, 8)
        cycle = self.table(np.array([[0, 1, 1, 0], [1, 2, 1, 0], [2, 0, 1, np.pi]]), "--group", "so2")
        self.assertAlmostEqual(cycle["cost"], 6, delta=1e-6)
        self.agrees(cycle, 6)


class Semidefinite(Optimum):
    def compare(self, name, n, seed, excess=1.0, peer=1e-6):
        """peer: what the semidefinite solver's own answer is good for."""
        graph, _ = kinds.make(name, seed, n)
        if excess > 1:
            graph.turn = graph.turn @ poses.exponential(
                np.random.default_rng(seed).normal(0, excess, (len(graph.turn), 1 if graph.d == 2 else 3)))
        said, _, written = self.poses(graph, "--certify")
        bound = relaxed(eliminated(graph), len(graph.turns), graph.d)
        self.assertAlmostEqual(said["cost"], written, delta=1e-6 * written)
        self.assertGreaterEqual(written, bound * (1 - peer))
        self.assertLessEqual(said["bound"], written * (1 + 1e-9))
        self.assertLessEqual(said["bound"], bound * (1 + 10 * peer), "no bound can be above the semidefinite one")
        if said["certified"]:
            self.assertLessEqual(written, bound * 1.0011)
        else:
            self.assertIn("not certified", said["verdict"])
        return said["certified"], written / bound

    def test_plane(self):
        cases = (("manhattan", 50, 21, 1e-6), ("seven decades", 30, 22, 2e-4), ("anisotropic 2-D", 40, 23, 1e-6))
        for name, n, seed, peer in cases:
            certified, ratio = self.compare(name, n, seed, peer=peer)
            self.assertTrue(certified, name)
            self.assertLess(ratio, 1 + 1e-5, name)

    def test_space(self):
        for name, n, seed in (("sphere", 25, 21), ("cubicle", 30, 22), ("lattice 3-D", 27, 23)):
            certified, ratio = self.compare(name, n, seed)
            self.assertTrue(certified, name)
            self.assertLess(ratio, 1 + 1e-5, name)

    def test_hopeless_noise_is_no_false_proof(self):
        for seed in (31, 32):
            self.compare("manhattan", 20, seed, excess=1.5)
            self.compare("sphere", 16, seed, excess=1.0)


class Kinds(Optimum):
    def test_written_poses_are_optimal(self):
        """Every kind in small: 1.001 times the optimum at most, and certified or it says that it is not."""
        for name in kinds.KINDS:
            graph, truth = kinds.make(name, 41, 100)
            said, out, written = self.poses(graph)
            best = min(poses.optimum(graph, *start)[2] for start in (truth, (out.turns, out.places)))
            self.assertLessEqual(written, 1.001 * best, name)
            self.assertAlmostEqual(said["cost"], written, delta=1e-6 * written, msg=name)
            self.assertTrue(said["converged"] or said["warnings"], name)
            self.agrees(said, best)

    def test_slope_is_zero(self):
        """By differences along directions of chance: what a step along each could still gain is next to nothing."""
        for name in ("manhattan", "decades, misfit", "sphere", "cubicle"):
            graph, _ = kinds.make(name, 42, 100)
            _, out, written = self.poses(graph)
            rng = np.random.default_rng(1)
            n, d = out.places.shape
            for _ in range(20):
                w, v = rng.standard_normal((n, 1 if d == 2 else 3)), rng.standard_normal((n, d))
                h = 1e-4
                up, down = (poses.cost(graph, out.turns @ poses.exponential(s * h * w), out.places + s * h * v)
                            for s in (1, -1))
                slope, bend = (up - down) / (2 * h), (up + down - 2 * written) / h ** 2
                self.assertGreater(bend, 0, name)
                self.assertLess(slope ** 2 / (2 * bend), 1e-7 * written, name)

    def test_without_noise(self):
        """Poses to 1e-12 of the size of the map."""
        for name in ("loops 2-D", "manhattan", "seven decades", "loops 3-D", "sphere", "garage", "rim"):
            graph, (turns, places) = kinds.make(name, 43, 100)
            i, j = graph.pairs.T
            graph.turn = turns[i].transpose(0, 2, 1) @ turns[j]
            graph.shift = np.einsum("eba,eb->ea", turns[i], places[j] - places[i])
            said, out, _ = self.poses(graph)
            first = turns[0].T
            places = (places - places[0]) @ first.T
            size = np.abs(places).max()
            np.testing.assert_allclose(out.turns, first @ turns, atol=1e-12, err_msg=name)
            np.testing.assert_allclose(out.places, places, atol=1e-12 * size, err_msg=name)
            self.assertTrue(said["converged"], name)


if __name__ == "__main__":
    unittest.main()
