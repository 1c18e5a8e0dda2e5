"""Pictures as users have them: a folder, a list, one alone; made by Pillow."""
import os
import unittest

import numpy as np
from PIL import Image

from support import Case


def drawings(n=30, size=15):
    """A bar and a bump at random angles, of 8 bits."""
    angle = 2 * np.pi * np.random.default_rng(1).random(n)[:, None, None]
    y, x = np.mgrid[:size, :size] - (size - 1) / 2
    u, v = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    grey = 200 * np.exp(-u**2 / 20 - v**2 / 3) + 50 * np.exp(-((u - 3) ** 2 + (v - 2) ** 2) / 3)
    return np.clip(grey, 0, 255).astype("u1")


class Pictures(Case):
    def folder_of(self, stack, name="imgs", end=".png"):
        os.makedirs(self.path(name), exist_ok=True)
        names = [f"img{i}{end}" for i in range(1, len(stack) + 1)]
        for file, picture in zip(names, stack):
            Image.fromarray(picture).save(self.path(os.path.join(name, file)))
        return names

    def ids(self, name):
        with np.load(self.path(name)) as file:
            return str(file["ids"]).split("\n")

    def test_folder_and_list(self):
        """A folder, a list in any order and an array are one stack; ids are names, img2 before img10."""
        stack = drawings()
        names = self.folder_of(stack)
        self.save("stack.npy", stack.astype("f4"))
        self.text("imgs/README.txt", "not a picture")
        options = ["--bundle", "rotation", "--components", 4, "--seed", 3]
        want = self.json("embed", "stack.npy", *options)["eigenvalues"]
        for words in (["imgs"], ["imgs/"], [f"imgs/{name}" for name in sorted(names)]):
            out = self.json("embed", *words, *options)
            self.assertEqual(out["eigenvalues"], want)
            self.assertTrue(any("30 pictures of 15 x 15 pixels" in note for note in out["notes"]), out["notes"])
        run = self.done("embed", "imgs", *options, "-o", "a.npz")
        self.assertIn("1 other file of the folder is passed over", run.stderr)
        self.assertEqual(self.ids("a.npz"), names)
        run = self.done("embed", *[f"imgs/{name}" for name in names[:20]], *options, "-o", "a.npz")
        self.assertEqual(self.ids("a.npz"), names[:20])
        self.assertIn("imgs/img1.png and 19 more", run.stdout)
        self.done("embed", "imgs", *options, "-o", "m.h5", "-q")
        self.done("extend", "m.h5", "imgs", "-o", "e.npz", "-q")
        self.assertEqual(self.ids("e.npz"), names)

    def test_kinds(self):
        """Other formats, colours and opacity."""
        stack = drawings(20)
        options = ["--bundle", "rotation", "--components", 3]
        self.save("stack.npy", stack.astype("f4"))
        want = self.json("embed", "stack.npy", *options)["eigenvalues"]
        for end in (".tif", ".pgm"):
            self.folder_of(stack, "in" + end, end)
            self.assertEqual(self.json("embed", "in" + end, *options)["eigenvalues"], want)
        self.folder_of(np.stack([stack] * 3 + [stack], -1), "colours")
        out = self.json("embed", "colours", *options)
        np.testing.assert_allclose(out["eigenvalues"], want, atol=1e-5)
        self.assertIn("colours: the colours of 20 pictures became grey", out["notes"])
        self.assertIn("colours: the alpha channel of 20 pictures is left out", out["notes"])

    def test_average(self):
        stack = drawings(40)
        names = self.folder_of(stack)
        self.done("average", "imgs", "-o", "a.npy", "--table", "a.npz", "-q")
        self.assertEqual(self.ids("a.npz"), names)
        self.save("stack.npy", stack.astype("f4"))
        self.done("average", "stack.npy", "-o", "b.npy", "-q")
        np.testing.assert_array_equal(np.load(self.path("a.npy")), np.load(self.path("b.npy")))
        self.done("average", *[f"imgs/{name}" for name in names], "-o", "c.npy", "-q")
        np.testing.assert_array_equal(np.load(self.path("c.npy")), np.load(self.path("b.npy")))
        self.refused(1, "average", "imgs/img1.png", "-o", "x.npy", says=["is one picture", "average FOLDER"])

    def test_refused(self):
        stack = drawings(12)
        names = self.folder_of(stack)
        paths = [f"imgs/{name}" for name in names]
        self.refused(1, "embed", "imgs", "--json", says=["12 images of 15 x 15", "lavdm embed imgs --bundle rotation"])
        os.makedirs(self.path("none"))
        self.text("none/a.txt", "1 2")
        self.refused(1, "embed", "none", "--json", says=["none: is a folder without pictures", ".png"])
        self.refused(1, "embed", paths[0], "stack.npy", "--json", says=["stack.npy", "list of pictures"])
        self.refused(1, "embed", paths[0], "none", "--json", says=["none", "is a folder"])
        self.refused(1, "embed", *paths, "-o", paths[3] + ".npz", "--graph", "g.csv", says="one word too many")
        self.refused(1, "embed", "imgs/img1.png", "imgs/img99.png", "--json", says="img99.png: no such file")
        Image.fromarray(stack[0][:10]).save(self.path("imgs/img7.png"))
        self.refused(1, "embed", "imgs", "--bundle", "rotation", "--json",
                     says=["imgs/img7.png: has 10 x 15 pixels", "img1.png has 15 x 15"])
        Image.fromarray(stack[0].astype("u2")).save(self.path("imgs/img7.png"))
        self.refused(1, "embed", "imgs", "--bundle", "rotation", "--json", says=["img7.png: has 16 bits", "img1.png has 8"])
        pages = [Image.fromarray(picture) for picture in stack[:2]]
        os.remove(self.path("imgs/img7.png"))
        pages[0].save(self.path("imgs/img7.tif"), save_all=True, append_images=pages[1:])
        self.refused(1, "embed", "imgs", "--bundle", "rotation", "--json", says=["img7.tif: has 2 pages"])
        os.remove(self.path("imgs/img7.tif"))
        Image.fromarray(stack[0]).save(self.path("imgs/img7.jpg"))
        self.refused(1, "embed", "imgs", "--bundle", "rotation", "--json",
                     says=["img7.jpg cannot be read", "mogrify -format png imgs/*.jpg"])

    def test_one_picture(self):
        """Its rows are points only if that was said."""
        stack = drawings(1, 40)
        self.folder_of(stack)
        self.folder_of(np.stack([stack] * 3, -1), "colours")
        for folder in ("imgs", "colours"):
            name = f"{folder}/img1.png"
            for words in ([], ["--bundle", "rotation"], ["--method", "dm"]):
                self.refused(1, "embed", name, *words, "--json",
                             says=["is one picture", f"lavdm denoise {name}", "lavdm embed FOLDER --bundle rotation",
                                   "--method dm --bundle trivial"])
            out = self.json("embed", name, "--method", "dm", "--bundle", "trivial", "--pca", 0)
            self.assertEqual((out["n"], out["p"]), (40, 40 if folder == "imgs" else 120))
        self.refused(1, "orient", "imgs/img1.png", says="is one picture")


if __name__ == "__main__":
    unittest.main()
