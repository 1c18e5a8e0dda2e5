"""Which eigenvectors are coordinates: told, listed in files, carried over, drawn."""
import re
import unittest

import numpy as np

from support import Case


def roll(n, seed=5):
    """A rolled-up strip, three times as long as high: the second and third eigenvectors are functions of the first."""
    random = np.random.default_rng(seed)
    turn = 1.5 * np.pi * (1 + 2 * random.uniform(size=n))
    return np.c_[turn * np.cos(turn), 21 * random.uniform(size=n), turn * np.sin(turn)]


class Independent(Case):
    how = "--method", "dm", "--trust", "no"

    def test_roll(self):
        self.save("roll.npy", roll(1500))
        found = self.json("embed", "roll.npy", "-o", "roll.npz", "--json", *self.how)
        first, second = found["coordinate_index"]
        self.assertEqual(first, 1)
        self.assertGreater(second, 2)
        self.assertEqual(found["coordinate_lead"], 2)
        self.assertGreater(found["coordinate_residuals"][second], 0.35)
        self.assertLess(max(found["coordinate_residuals"][2:4]), 0.2)
        reasons = "\n".join(found["reasons"])
        self.assertRegex(reasons, rf"coordinates: eigenvectors 1 and {second} \(from 0\) of 20")
        self.assertRegex(reasons, "components: 20: no gap stands out, as .* grow [34][.]?[0-9]*-fold")
        arrays = np.load(self.path("roll.npz"))
        self.assertEqual(list(arrays["coordinate_index"]), [1, second])
        self.assertIn(f"\n                   1 {second}\n", self.done("info", "roll.npz").stdout)
        self.done("plot", "roll.npz", "-o", "roll.svg")
        with open(self.path("roll.svg")) as file:
            text = file.read()
        self.assertIn(f"eigenvector {second} (from 0)", text)
        self.assertIn("Independent coordinates", text)

    def test_extension_has_those_of_the_model(self):
        self.save("old.npy", roll(900))
        self.save("new.npy", roll(50, 6))
        found = self.json("embed", "old.npy", "-o", "m.h5", "--json", *self.how)
        out = self.json("extend", "m.h5", "new.npy", "-o", "new.npz", "--json")
        self.assertEqual(out["coordinate_index"], found["coordinate_index"])
        self.assertEqual(list(np.load(self.path("new.npz"))["coordinate_index"]), found["coordinate_index"])

    def test_clusters_lead(self):
        random = np.random.default_rng(2)
        centre = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]])
        points = centre[np.arange(900) % 3] + 0.7 * random.normal(size=(900, 3))
        found = self.json("embed", self.save("x.npy", points), "--json", "--epsilon", 1, *self.how)
        self.assertEqual(found["components_of_graph"], 1)
        self.assertEqual(found["coordinate_lead"], 2)
        self.assertEqual(found["coordinate_index"][:2], [1, 2])
        self.assertTrue(re.search(r"components: 20, of which 3 lead: .* grow [0-9.]+-fold", "\n".join(found["reasons"])))

    def test_fields_have_none_and_are_drawn_as_before(self):
        self.save("roll.npy", roll(600))
        found = self.json("embed", "roll.npy", "-o", "x.npz", "--json", "--method", "lavdm", "--dim", 2, "--trust", "no")
        self.assertNotIn("coordinate_index", found)
        self.done("plot", "x.npz", "-o", "x.svg")
        with open(self.path("x.svg")) as file:
            self.assertIn("1st principal axis", file.read())


if __name__ == "__main__":
    unittest.main()
