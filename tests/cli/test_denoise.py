"""lavdm denoise: every format, what --compare prints, and what is refused."""
import json
import unittest

import numpy as np
from support import Case, main


def quality(a, b, peak):
    """PSNR and mean SSIM over all windows of 7 x 7, slowly."""
    a, b = (np.asarray(v, float).reshape(v.shape[0], v.shape[1], -1) for v in (a, b))
    psnr = 10 * np.log10(peak ** 2 / np.mean((a - b) ** 2))
    found, c1, c2 = [], (.01 * peak) ** 2, (.03 * peak) ** 2
    for c in range(a.shape[2]):
        for y in range(a.shape[0] - 6):
            for x in range(a.shape[1] - 6):
                u, v = a[y:y + 7, x:x + 7, c].ravel(), b[y:y + 7, x:x + 7, c].ravel()
                (aa, ab), (_, bb) = np.cov(u, v)
                found.append((2 * u.mean() * v.mean() + c1) * (2 * ab + c2) /
                             ((u.mean() ** 2 + v.mean() ** 2 + c1) * (aa + bb + c2)))
    return psnr, np.mean(found)


def shapes(n=48):
    """Rings, values 40 to 200."""
    y, x = np.mgrid[:n, :n]
    return 120 + 80 * np.sign(np.sin(np.hypot(y - n / 2, x - n / 3) / 3))


class Denoise(Case):
    def noisy(self, channels=1, top=255, sigma=20, seed=0):
        clean = np.repeat(shapes()[..., None], channels, axis=2) * top / 255
        noise = np.random.default_rng(seed).standard_normal(clean.shape) * sigma * top / 255
        clean, noisy = np.squeeze(clean), np.squeeze(clean + noise)
        kind = {255: np.uint8, 65535: np.uint16, 1: float}[top]
        if kind is not float:
            clean, noisy = (np.clip(np.rint(v), 0, top).astype(kind) for v in (clean, noisy))
        return self.save("clean.npy", clean), self.save("noisy.npy", noisy), clean, noisy

    def test_compare_prints_what_numpy_computes(self):
        for channels, top in ((1, 255), (3, 255), (1, 65535), (1, 1)):
            clean, noisy, a, b = self.noisy(channels, top)
            for method in ("nlm", "nlem"):
                said = self.json("denoise", noisy, "-o", "out.npy", "--compare", clean, "--method", method)
                out = np.load(self.path("out.npy"))
                self.assertEqual((out.shape, out.dtype), (b.shape, b.dtype))
                peak = top if top > 1 else a.max() - a.min()
                for z, before in ((out, ""), (b, "_before")):
                    psnr, ssim = quality(z, a, peak)
                    if not before or top > 1:
                        self.assertAlmostEqual(said["psnr" + before], psnr, places=3)
                        self.assertAlmostEqual(said["ssim" + before], ssim, places=4)
                self.assertGreater(said["psnr"], said["psnr_before"] + 2)
                self.assertAlmostEqual(said["sigma"] / (20 * top / 255), 1, delta=.25)

    def test_each_method(self):
        clean, noisy, a, b = self.noisy()
        for method in ("lavdm", "rid", "nlm", "nlem"):
            text = self.done("denoise", noisy, "-o", "out.npy", "--sigma", 20, "--method", method, "--compare", clean).stdout
            self.assertIn("PSNR", text)
            self.assertIn(f"method       {method}", text)
        one = self.json("denoise", noisy, "--sigma", 20, "--compare", clean, "--average", "median", "--passes", 1)
        self.assertIsNone(one["output"])
        self.assertGreater(one["psnr"], one["psnr_before"] + 2)

    def test_formats(self):
        self.done("denoise", "--example", "-o", "grey.png", "--sigma", 20)
        for name in ("grey.pgm", "grey.tif", "grey.npy"):
            self.done("denoise", "--example", "-o", name, "--sigma", 20)
            self.done("denoise", name, "-o", "out.png", "--method", "nlm", "-q")
            first = self.data_of("out.png")
            self.done("denoise", "grey.png", "-o", "out.png", "--method", "nlm", "-q")
            self.assertEqual(first, self.data_of("out.png"), name)
        _, noisy, _, _ = self.noisy(3)
        for name in ("colour.png", "colour.ppm", "colour.tiff"):
            self.done("denoise", noisy, "-o", name, "--method", "nlm")
            self.done("denoise", name, "-o", "again.npy", "--sigma", 0)
            self.done("denoise", noisy, "-o", "direct.npy", "--method", "nlm")
            np.testing.assert_array_equal(np.load(self.path("again.npy")), np.load(self.path("direct.npy")))

    def data_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_alpha_and_sigma_zero(self):
        values = np.random.default_rng(1).integers(0, 256, (20, 30, 4)).astype(np.uint8)
        self.save("rgba.npy", values)
        self.done("denoise", "rgba.npy", "-o", "out.npy", "--sigma", 30)
        np.testing.assert_array_equal(np.load(self.path("out.npy"))[..., 3], values[..., 3])
        self.done("denoise", "rgba.npy", "-o", "out.npy", "--sigma", 0)
        np.testing.assert_array_equal(np.load(self.path("out.npy")), values)

    def test_tiny(self):
        for shape in ((1, 1), (1, 9), (3, 200), (2, 2, 3)):
            self.save("x.npy", np.random.default_rng(2).integers(0, 256, shape).astype(np.uint8))
            for method in ("lavdm", "nlm", "nlem"):
                self.done("denoise", "x.npy", "-o", "out.npy", "--method", method, "--sigma", 10)
                self.done("denoise", "x.npy", "-o", "out.npy", "--method", method)
                self.assertEqual(np.load(self.path("out.npy")).shape, shape)

    def test_refused(self):
        clean, noisy, _, _ = self.noisy()
        self.refused(1, "denoise", says="INPUT is missing")
        self.refused(1, "denoise", noisy, says="-o FILE")
        self.refused(1, "denoise", noisy, "-o", noisy, says="is the input")
        self.refused(1, "denoise", noisy, "-o", "x.jpg", says="x.jpg")
        self.refused(1, "denoise", "none.png", "-o", "x.png", says="none.png")
        self.refused(1, "denoise", noisy, "-o", "x.png", "--method", "nln", says="did you mean 'nlm'?")
        self.refused(1, "denoise", noisy, "-o", "x.png", "--average", "best", says="--average is 'best'")
        self.refused(1, "denoise", noisy, "-o", "x.png", "--sigma", "-3", says="--sigma is '-3'")
        self.refused(1, "denoise", noisy, "-o", "x.png", "--patch", 4, says="patch is 4")
        self.refused(1, "denoise", noisy, "-o", "x.png", "--passes", 9, says="passes is 9")
        self.refused(1, "denoise", noisy, "--example", "-o", "x.png", says="--example")
        self.save("small.npy", np.zeros((5, 5), np.uint8))
        self.refused(1, "denoise", noisy, "-o", "x.png", "--compare", "small.npy", says="cannot be compared")
        self.save("nan.npy", np.array([[1., 2.], [np.nan, 4.]]))
        self.refused(1, "denoise", "nan.npy", "-o", "x.npy", says=["nan.npy", "row 2, column 1"])

    def test_quiet_and_json(self):
        _, noisy, _, _ = self.noisy()
        self.assertEqual(self.done("denoise", noisy, "-o", "x.png", "-q", "--method", "nlm").stdout, "")
        run = self.done("denoise", noisy, "-o", "x.png", "--json", "--method", "nlm")
        self.assertTrue(json.loads(run.stdout)["sigma_estimated"])


if __name__ == "__main__":
    main()
