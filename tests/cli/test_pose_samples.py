"""Pose graphs that `sample graph` draws: edges against the truth, noise against the information."""
import unittest

import numpy as np

from poses import Poses, euler, matrix


class Samples(Poses):
    """sample graph: what edges say against the truth, with errors as g2o defines them."""

    def errors(self, group, *words, n=300):
        """e of every edge and its information."""
        self.done("sample", "graph", "--group", group, "-n", n, "-qo", "s.g2o", *words)
        truth, d = np.loadtxt(self.path("s-truth.csv"), delimiter=",")[:, 1:], int(group[-1])
        size, half = (3, 6) if d == 2 else (6, 21)
        rotation = [euler(0, 0, x[0])[:2, :2] for x in truth] if d == 2 else [matrix(x[:4]) for x in truth]
        errors, informations = [], []
        for row in self.lines("s.g2o"):
            i, k, x = int(row[1]), int(row[2]), np.array(row[3:], float)
            z = euler(0, 0, x[2])[:2, :2] if d == 2 else matrix(np.array([x[6], *x[3:6]]))
            turn = z.T @ rotation[i].T @ rotation[k]
            shift = z.T @ (rotation[i].T @ (truth[k, -d:] - truth[i, -d:]) - x[:d])
            if d == 2:
                angle = [np.arctan2(turn[1, 0], turn[0, 0])]
            else:  # the vector part of the quaternion
                w = np.sqrt(max(0, 1 + np.trace(turn))) / 2
                angle = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (4 * w)
            a = np.zeros((size, size))
            a[np.triu_indices(size)] = x[-half:]
            informations.append(a + np.triu(a, 1).T)
            errors.append([*shift, *angle])
        return np.array(errors), np.array(informations)

    LAYOUTS = ("random", "grid", "ring", "tree", "trajectory", "city", "garage", "sphere", "torus")

    def test_exact(self):
        for layout in self.LAYOUTS:
            for group in ("se2", "se3"):
                if group == "se2" and layout in ("sphere", "torus"):
                    self.refused(1, "sample", "graph", "--group", group, "-n", 9, "--layout", layout, "-o", "x.g2o",
                                 says="one of space")
                    continue
                for words in ([], ["--skew", "--spread", 7]):
                    self.assertLess(np.abs(self.errors(group, "--layout", layout, *words)[0]).max(), 1e-9)

    def test_ways_are_ways(self):
        """Of the layouts that are walked, steps are about 1 long and lead ahead."""
        for layout in self.LAYOUTS[4:]:
            self.done("sample", "graph", "--group", "se3", "-n", 500, "--layout", layout, "-qo", "s.g2o")
            truth = np.loadtxt(self.path("s-truth.csv"), delimiter=",")[:, 1:]
            steps = np.diff(truth[:, 4:], axis=0)
            length = np.linalg.norm(steps, axis=1)
            ahead = np.array([matrix(x[:4])[:, 0] for x in truth[:-1]])
            self.assertLess(length.max(), 2)
            self.assertGreater(np.median(length), 0.5)
            self.assertGreater(np.median((steps * ahead).sum(1) / length), 0.95, layout)

    def test_few_loops(self):
        self.done("sample", "graph", "--group", "se2", "-n", 1000, "--layout", "trajectory", "-qo", "s.g2o")
        self.assertLess(len(self.lines("s.g2o")), 1020)

    def test_noise_follows_information(self):
        for group, size in (("se2", 3), ("se3", 6)):
            e, a = self.errors(group, "--layout", "city", "--noise", 0.01, "--skew", "--spread", 2, n=600)
            chi2 = np.einsum("ei,eij,ej->e", e, a, e)
            self.assertLess(abs(chi2.mean() / size - 1), 0.1)
            eigenvalues = np.linalg.eigvalsh(a)
            self.assertGreater(eigenvalues.min(), 0)
            self.assertGreater(np.median(eigenvalues[:, -1] / eigenvalues[:, 0]), 3)
            e, a = self.errors(group, "--layout", "garage", "--noise", 1e-4, "--spread", 7)
            tau = a[:, 0, 0]
            self.assertGreater(np.log10(tau.max() / tau.min()), 6)
            d = 2 if group == "se2" else 3
            for few in (tau < np.median(tau), tau >= np.median(tau)):
                self.assertLess(abs((tau[few, None] * e[few, :d] ** 2).mean() - 1), 0.15)

    def test_use(self):
        self.refused(1, "sample", "graph", "-n", 9, "-o", "x.csv", "--skew", says="se2 or se3")
        self.refused(1, "sample", "graph", "-n", 9, "-o", "x.g2o", "--group", "se2", "--spread", "x", says="--spread is 'x'")


if __name__ == "__main__":
    unittest.main()
