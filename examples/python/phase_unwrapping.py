"""A phase from its wrapped differences: synchronisation over U(1), then whole turns by least squares.

usage: phase_unwrapping.py [picture.png] [--quick] [--noise RADIANS] [--dead SHARE]

A shearing interferometer sees how the phase differs between neighbouring pixels, up to whole turns, with noise;
some pixels are dead, and all differences there are wrong. lavdm.synchronize finds the phase of every pixel up to
whole turns. What is left is one whole number for each pixel: the differences of the phases that were found, each
less than half a turn, are shifts of a pose graph without rotations, whose positions are the unwrapped phase.
"""
import argparse
import pathlib

import matplotlib
import numpy as np

import lavdm

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("picture", nargs="?", default=ROOT / "docs" / "gallery" / "phase_unwrapping.png")
parser.add_argument("--quick", action="store_true", help="fewer pixels")
parser.add_argument("--noise", type=float, default=0.3, help="of a difference, radians [0.3]")
parser.add_argument("--dead", type=float, default=0.01, help="share of pixels that are dead [0.01]")
given = parser.parse_args()
size, noise = 40 if given.quick else 64, given.noise


def wrap(x):
    return np.remainder(x + np.pi, 2 * np.pi) - np.pi


# The truth: two hills and a slope, several turns high, nowhere steeper than a turn in five pixels.
rng = np.random.default_rng(4)
y, x = np.mgrid[0:size, 0:size] / size
height = 2.2 * np.exp(-((x - 0.35)**2 + (y - 0.4)**2) / 0.03) - 1.4 * np.exp(-((x - 0.7)**2 + (y - 0.7)**2) / 0.02)
truth = (2 * np.pi * size / 60 * (height + 0.8 * x)).ravel()
number = np.arange(size * size).reshape(size, size)
row = np.r_[number[:, :-1].ravel(), number[:-1].ravel()]
col = np.r_[number[:, 1:].ravel(), number[1:].ravel()]
seen = wrap(truth[row] - truth[col] + rng.normal(0, noise, len(row)))
dead = rng.random(size * size) < given.dead
wrong = dead[row] | dead[col]
seen[wrong] = rng.uniform(-np.pi, np.pi, wrong.sum())


def unwrapped(phase):
    """Whole turns added: those nearest to the least squares solution of all wrapped differences."""
    step = wrap(phase[col] - phase[row])
    flat = lavdm.Edges(row, col, np.zeros(len(row)), np.full(len(row), 1e6))
    place = lavdm.synchronize(flat, shift=np.c_[step, 0 * step], certify=False).position[:, 0]
    offset = np.angle(np.mean(np.exp(1j * (phase - place))))
    return phase + 2 * np.pi * np.rint((place + offset - phase) / (2 * np.pi))


def added_up():
    """The first row from left to right, then every column from top to bottom."""
    half, right, down = size * (size - 1), np.zeros((size, size)), np.zeros((size, size))
    right[:, 1:], down[1:] = -seen[:half].reshape(size, size - 1), -seen[half:].reshape(size - 1, size)
    return (np.cumsum(right[0])[None] + np.cumsum(down, axis=0)).ravel()


def error(phase):
    """Its difference from the truth, but for a constant."""
    difference = phase - truth
    return (difference - np.median(difference[~dead])).reshape(size, size)


def told(name, phase):
    left = error(phase).ravel()[~dead]
    print(f"{name}: error {np.sqrt(np.mean(left**2)):.2f} radians (rms), median {np.median(np.abs(left)):.2f}, "
          f"{100 * np.mean(np.abs(left) > np.pi):.1f} % of the pixels off by half a turn or more")


found = lavdm.synchronize((row, col, seen), robust="weights")
print(f"{size} x {size} pixels, {len(row)} differences with noise {noise} radians, {int(wrong.sum())} of dead pixels")
print(f"U(1): {found.verdict}")
phase = unwrapped(found.angle)
told("added up", added_up())
told("synchronised", phase)

figure, axes = plt.subplots(2, 3, figsize=(11, 7.4))
figure.subplots_adjust(left=0.02, right=0.97, bottom=0.03, top=0.94, wspace=0.12, hspace=0.14)
level = dict(cmap="viridis", vmin=truth.min(), vmax=truth.max())
differences = np.full((size, size), np.nan)
differences[:, :-1] = seen[:size * (size - 1)].reshape(size, size - 1)
shown = [("true phase", truth.reshape(size, size), level),
         ("differences, wrapped and noisy", differences, dict(cmap="twilight")),
         ("synchronised: up to whole turns", wrap(found.angle).reshape(size, size), dict(cmap="twilight")),
         ("unwrapped", (phase - np.median((phase - truth)[~dead])).reshape(size, size), level),
         ("error of it, radians", error(phase), dict(cmap="RdBu", vmin=-3, vmax=3)),
         ("error of differences added up", error(added_up()), dict(cmap="RdBu", vmin=-3, vmax=3))]
for ax, (name, image, how) in zip(axes.flat, shown):
    drawn = ax.imshow(image, interpolation="nearest", **how)
    figure.colorbar(drawn, ax=ax, shrink=0.85)
    ax.set(xticks=[], yticks=[])
    ax.set_title(name, fontsize=11)
figure.savefig(given.picture, dpi=80)
