"""Graphs of the user's own: elements of every kind, and mistakes in the file named by row."""
import unittest

import numpy as np

from support import Case, circle


def ring(n, element=lambda i: []):
    """The edges of a ring: i, i+1, weight 1, and an element."""
    return np.array([[i, (i + 1) % n, 1.0, *element(i)] for i in range(n)])


def rotation(angle):
    return [np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)]


class Elements(Case):
    def embed(self, edges, *words, **more):
        self.save("edges.npy", np.asarray(edges))
        return self.json("embed", "--graph", "edges.npy", "--method", "vdm", "--components", "3", "--alpha", "0", *words,
                         **more)

    def test_weights_alone(self):
        found = self.embed(ring(12))
        self.assertEqual((found["n"], found["q"], found["bundle"]), (12, 1, "given"))
        self.assertAlmostEqual(found["eigenvalues"][0], 1, places=9)
        self.assertAlmostEqual(found["eigenvalues"][1], np.cos(2 * np.pi / 12), places=9)
        self.assertEqual((found["epsilon"], found["dim"], found["kernel"]), (None, None, None))
        two = self.embed(ring(12)[:, :2])
        np.testing.assert_allclose(two["eigenvalues"], found["eigenvalues"], atol=1e-12)

    def test_integers(self):
        found = self.embed(ring(12).astype(np.int32))
        self.assertEqual(found["n"], 12)

    def test_signs(self):
        twist = ring(12, lambda i: [-1 if i == 0 else 1])
        found = self.embed(twist)
        self.assertEqual(found["q"], 1)
        self.assertAlmostEqual(found["eigenvalues"][0], np.cos(np.pi / 12), places=9)

    def test_angles(self):
        found = self.embed(ring(12, lambda i: [0.1]))
        self.assertEqual(found["q"], 2)
        self.assertAlmostEqual(found["eigenvalues"][0], np.cos(0.1), places=9)

    def test_matrices(self):
        angle = self.embed(ring(12, lambda i: [0.1]))
        matrix = self.embed(ring(12, lambda i: rotation(0.1)))
        self.assertEqual(matrix["q"], 2)
        np.testing.assert_allclose(matrix["eigenvalues"], angle["eigenvalues"], atol=1e-12)
        three = self.embed(ring(12, lambda i: list(np.eye(3).ravel())))
        self.assertEqual(three["q"], 3)
        np.testing.assert_allclose(three["eigenvalues"], [1, 1, 1], atol=1e-9)

    def test_quaternions(self):
        turn = [np.cos(0.05), 0, 0, np.sin(0.05)]
        found = self.embed(ring(12, lambda i: turn))
        self.assertEqual(found["q"], 3)
        np.testing.assert_allclose(found["eigenvalues"][:1], [1], atol=1e-9)

    def test_element_overrides(self):
        ones = ring(12, lambda i: [1])
        self.assertEqual(self.embed(ones)["q"], 1)
        self.assertEqual(self.embed(ones, "--element", "angle")["q"], 2)
        self.assertEqual(self.embed(ring(12, lambda i: rotation(0.1)), "--element", "none")["q"], 1)
        self.assertEqual(self.embed(ones, "--element", "matrix")["q"], 1)

    def test_text_with_comments_and_gaps(self):
        self.text("edges.csv", "# a triangle\n5 7 1.5\n7 100 2\n100 5 1\n")
        found = self.json("embed", "edges.csv", "--bundle", "given", "--method", "dm", "--components", "2")
        self.assertEqual((found["n"], found["m"]), (3, 3))
        self.done("embed", "--graph", "edges.csv", "--method", "dm", "--components", "2", "-qo", "out.npz")
        with np.load(self.path("out.npz")) as file:
            self.assertEqual(list(file["nodes"]), [5, 7, 100])

    def test_points_and_landmarks(self):
        rng = np.random.default_rng(1)
        edges = [[i, k, rng.uniform(0.5, 1), rng.uniform(-0.2, 0.2)] for i in range(40) for k in range(6)]
        self.save("edges.npy", np.array(edges))
        found = self.json("embed", "--graph", "edges.npy", "--components", "4")
        self.assertEqual((found["n"], found["m"], found["q"], found["method"]), (40, 6, 2, "lavdm"))

    def test_with_points(self):
        self.save("x.npy", circle(12))
        self.save("edges.npy", ring(12))
        found = self.json("embed", "x.npy", "--graph", "edges.npy", "--method", "dm", "--components", "3")
        self.assertEqual((found["n"], found["p"]), (12, 2))
        self.save("edges.npy", ring(13))
        self.refused(1, "embed", "x.npy", "--graph", "edges.npy", "--method", "dm", "--json",
                     says=["edges.npy", "row 12", "no point 12", "12 points"])

    def test_several_components(self):
        edges = np.vstack([ring(6), ring(5) + np.array([10, 10, 0])])
        found = self.embed(edges)
        self.assertEqual(found["components_of_graph"], 2)


class Mistakes(Case):
    def bad(self, edges, *says, words=()):
        self.save("edges.npy", np.asarray(edges, dtype=float))
        self.refused(1, "embed", "--graph", "edges.npy", "--method", "vdm", "--json", *words, says=["edges.npy", *says])

    def changed(self, row, column, value, element=lambda i: []):
        edges = ring(8, element)
        edges[row, column] = value
        return edges

    def test_nodes(self):
        self.bad(self.changed(2, 0, 1.5), "row 3", "node", "1.5")
        self.bad(self.changed(4, 1, -1), "row 5", "node", "-1")
        self.bad(self.changed(4, 1, np.nan), "row 5", "node", "nan")
        self.bad(self.changed(4, 1, 1e300), "row 5", "node")
        self.bad(self.changed(4, 1, 2.0 ** 53), "row 5", "to 9007199254740991")

    def test_weights(self):
        for value in (0, -2, np.inf, np.nan):
            self.bad(self.changed(6, 2, value), "row 7", "weight")

    def test_elements(self):
        self.bad(self.changed(1, 3, np.nan, lambda i: [0.3]), "row 2", "element")
        self.bad(self.changed(1, 3, 0.5, lambda i: [1]), "row 2", "sign", words=["--element", "sign"])
        self.bad(self.changed(5, 4, 0.7, lambda i: rotation(0.2)), "row 6", "element")
        self.bad(self.changed(5, 4, 0.7, lambda i: rotation(0.2)), "row 6", "orthogonal", words=["--element", "matrix"])
        self.bad(self.changed(5, 4, 0.7, lambda i: [1, 0, 0, 0]), "row 6", "length", words=["--element", "quaternion"])
        mixed = ring(8, lambda i: rotation(0.2) if i < 4 else [1, 0, 0, 0])
        self.bad(mixed, "row 5", "quaternion", "matrix")
        self.bad(self.changed(5, 4, 0.7, lambda i: list(np.eye(3).ravel())), "row 6", "orthogonal")

    def test_a_square_graph_without_a_method(self):
        self.save("edges.npy", ring(8))
        self.refused(1, "embed", "--graph", "edges.npy", "--json", says=["edges.npy", "needs --method vdm"])

    def test_columns(self):
        self.bad(ring(8)[:, :1], "1 column")
        self.bad(ring(8, lambda i: [0, 1]), "5 columns")
        self.bad(ring(8), "3 columns", words=["--element", "angle"])
        self.bad(np.zeros((0, 3)), "edges.npy")

    def test_use(self):
        self.save("edges.npy", ring(8))
        self.refused(1, "embed", "--graph", "edges.npy", "--bundle", "tangent", "--json", says="--bundle given")
        self.refused(1, "embed", "--graph", "edges.npy", "--element", "spinor", "--json", says="--element is 'spinor'")
        self.refused(1, "embed", "edges.npy", "--element", "sign", "--json", says="--element goes with --graph")
        self.refused(1, "embed", "edges.npy", "--ends", "nodes", "--json", says="--ends goes with --graph")
        self.refused(1, "embed", "edges.npy", "--form", "edges", "--json", says="--form goes with --graph")
        self.refused(1, "extend", "model.h5", "edges.npy", "--form", "edges", "--json", says="--form goes with --graph")
        self.refused(1, "embed", "--bundle", "given", "--json", says="INPUT is missing")
        self.refused(1, "embed", "--graph", "nowhere.csv", "--json", says=["nowhere.csv", "no such file"])


if __name__ == "__main__":
    unittest.main()
