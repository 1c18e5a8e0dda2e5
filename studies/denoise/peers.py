"""Other programs, each at the settings that are best for the picture at hand (it is told the truth)."""
import subprocess

import cv2
import numpy as np
from skimage.restoration import denoise_nl_means


def psnr(a, b):
    return 10 * np.log10(255 ** 2 / np.mean((a - b) ** 2))


def best(clean, tries):
    """The best of (settings, picture)."""
    return max(((psnr(clean, z), settings, z) for settings, z in tries), key=lambda t: t[0])


def scikit(clean, noisy, sigma):
    """denoise_nl_means: patches of 5 and 7, h in steps of 0.1 sigma, the fast mode and, around its best, the other."""
    def run(patch, h, fast):
        return (f"patch {patch}, h {h:.1f} sigma, {'fast' if fast else 'slow'}",
                denoise_nl_means(noisy, patch_size=patch, patch_distance=10, h=h * sigma, sigma=sigma, fast_mode=fast))
    fast = [(p, h, run(p, h, True)) for p in (5, 7) for h in (.2, .3, .4, .5, .6, .7, .8, .9, 1., 1.1)]
    top = max(fast, key=lambda t: psnr(clean, t[2][1]))
    slow = [run(p, top[1] + d, False) for p in (5, 7) for d in (0, .1, .2, .3)]
    return best(clean, [t[2] for t in fast] + slow)


def opencv(clean, noisy, sigma):
    """fastNlMeansDenoising on 8 bits, patches of 5 and 7, h in steps of 0.1 sigma."""
    eight = np.clip(np.rint(noisy), 0, 255).astype(np.uint8)
    return best(clean, [(f"patch {p}, h {f:.1f} sigma", cv2.fastNlMeansDenoising(eight, None, float(f * sigma), p, 21)
                         .astype(float)) for p in (5, 7) for f in (.5, .6, .7, .8, .9, 1., 1.1, 1.2)])


STRENGTHS = [(4, 1.5), (4, 2), (4, 3), (5, 2)]  # sigma of the two steps over that of the noise: where its best lies


def bm3d(clean, noisy, sigma):
    """ffmpeg's bm3d, basic and then final estimate. Its second step wants 8 bits: they span the noisy values. Larger
    groups than 1 gave less at every strength."""
    h, w = noisy.shape
    low, unit = noisy.min(), 255 / (noisy.max() - noisy.min())
    data = np.rint((noisy - low) * unit).astype(np.uint8).tobytes()

    def run(basic, final):
        steps = "block=4:bstep=2:group=1:planes=1"
        graph = (f"split[a][b];[a]bm3d=sigma={basic * sigma * unit}:{steps}:estim=basic[p];"
                 f"[b][p]bm3d=sigma={final * sigma * unit}:{steps}:estim=final:ref=1")
        made = subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{w}x{h}", "-i", "-",
                               "-filter_complex", graph, "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                              input=data, stdout=subprocess.PIPE, check=True).stdout
        return f"sigma {basic:g} and {final:g} times", np.frombuffer(made, np.uint8, h * w).reshape(h, w) / unit + low
    return best(clean, [run(*s) for s in STRENGTHS])
