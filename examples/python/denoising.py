"""A picture without its noise: patches that are alike, however they are turned.

usage: denoising.py [picture.png] [--quick]

Non-local means replaces a patch by the mean of those around that look like it. lavdm.denoise also finds those
that look like it after a turn, anywhere in the picture, and shrinks the group to what stands out of the noise.
"""
import argparse
import pathlib
import time

import matplotlib
import numpy as np

import lavdm

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("picture", nargs="?", default=ROOT / "docs" / "gallery" / "denoising.png")
parser.add_argument("--quick", action="store_true", help="a smaller picture")
given = parser.parse_args()
size, sigma = 96 if given.quick else 240, 40


def psnr(image):
    """Peak signal-to-noise ratio in dB; the peak is 255."""
    return 10 * np.log10(255**2 / np.mean((image - clean)**2))


clean = lavdm.example_picture(size)
noisy = lavdm.example_picture(size, sigma=sigma)
print(f"{size} x {size} pixels, noise of standard deviation {sigma}; estimated: {lavdm.estimate_noise(noisy):.1f}")
images = {"clean": clean, "noisy": noisy}
for name, method in (("non-local means", "nlm"), ("lavdm.denoise", "rid")):
    begin = time.perf_counter()
    images[name] = lavdm.denoise(noisy, sigma, method=method)
    print(f"{name}: {time.perf_counter() - begin:.1f} s, PSNR {psnr(images[name]):.2f} dB, "
          f"{psnr(images[name]) - psnr(noisy):+.2f} dB")

# The whole picture, and two squares of it, a quarter as wide.
side = size // 4
crops = ((0.56, 0.405, "#d55e00"), (0.2, 0.07, "#0072b2"))
figure, axes = plt.subplots(3, 4, figsize=(11, 8.6))
figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.96, wspace=0.03, hspace=0.04)
for column, (name, image) in zip(axes.T, images.items()):
    column[0].imshow(image, cmap="gray", vmin=0, vmax=255)
    column[0].set_title(name if name == "clean" else f"{name}, {psnr(image):.1f} dB", fontsize=12)
    for ax, (down, right, colour) in zip(column[1:], crops):
        top, left = int(down * size), int(right * size)
        ax.imshow(image[top:top + side, left:left + side], cmap="gray", vmin=0, vmax=255, interpolation="nearest")
        plt.setp(ax.spines.values(), color=colour, linewidth=2)
        column[0].add_patch(plt.Rectangle((left - 0.5, top - 0.5), side, side, fill=False, color=colour, linewidth=1.5))
for ax in axes.flat:
    ax.set(xticks=[], yticks=[])
figure.savefig(given.picture, dpi=80)
