"""Rotation averaging: cameras from pairs of which many are wrong, by four ways, and how far each pair is believed.

usage: rotation_averaging.py [picture.png] [--quick]

Structure from motion knows the rotation between two cameras where their pictures overlap, a few degrees off, and
sometimes wholly wrong: another house that looks the same. lavdm.synchronize finds the rotations of all cameras.
"""
import argparse
import pathlib

import matplotlib
import numpy as np
from scipy.spatial.transform import Rotation

import lavdm

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("picture", nargs="?", default=ROOT / "docs" / "gallery" / "rotation_averaging.png")
parser.add_argument("--quick", action="store_true", help="fewer cameras")
given = parser.parse_args()
cameras, near, noise = 80 if given.quick else 200, 12, np.radians(3)
shares = (0.0, 0.2, 0.4, 0.6)
ways = {"least squares": False, "re-weighted": "weights", "cycles first": "cycles", "auto": "auto"}


def graph(share, rng):
    """Cameras on a circle, each seeing its neighbours; a share of the pairs is wrong."""
    truth = Rotation.random(cameras, random_state=3).as_matrix()
    row, step = np.divmod(np.arange(cameras * near), near)
    col = (row + step + 1) % cameras
    pair = truth[row] @ np.swapaxes(truth[col], 1, 2)
    pair = Rotation.from_rotvec(rng.normal(0, noise / np.sqrt(3), (len(row), 3))).as_matrix() @ pair
    wrong = rng.random(len(row)) < share
    pair[wrong] = Rotation.random(int(wrong.sum()), random_state=5).as_matrix() if wrong.any() else pair[wrong]
    return truth, (row, col, pair), wrong


def errors(found, truth):
    """Degrees between the cameras found and the true ones, after the one rotation that all have in common."""
    u, _, v = np.linalg.svd(np.einsum("nki,nkj->ij", found, truth))
    common = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    return np.degrees(Rotation.from_matrix(found @ common @ np.swapaxes(truth, 1, 2)).magnitude())


median = {name: [] for name in ways}
for share in shares:
    truth, edges, wrong = graph(share, np.random.default_rng(7))
    for name, robust in ways.items():
        found = lavdm.synchronize(edges, robust=robust)
        median[name].append(float(np.median(errors(found.element, truth))))
        if name == "least squares":
            print(f"{100 * share:.0f} % wrong pairs; least squares: {found.verdict}")
        if name == "auto":
            print(f"    auto chose {found.robust}; {found.robust_reason}")
            if share == shares[2]:
                trust = found.trust
                doubted = wrong
    print("    median error in degrees: " + ", ".join(f"{name} {median[name][-1]:.2f}" for name in ways))

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
figure.subplots_adjust(left=0.07, right=0.98, bottom=0.12, top=0.92, wspace=0.18)
styles = (("#999999", 7, "o-"), ("#0072b2", 5, "s-"), ("#009e73", 3, "d-"), ("#d55e00", 1.5, "^--"))
for (name, values), (colour, width, style) in zip(median.items(), styles):  # lines may lie over each other
    left.plot(100 * np.array(shares), values, style, color=colour, linewidth=width, label=name)
left.set(yscale="log", xlabel="wrong pairs, %", title=f"median error of {cameras} cameras, degrees")
left.legend(frameon=False)
right.hist([trust[~doubted], trust[doubted]], bins=20, range=(0, 1), color=["#0072b2", "#d55e00"],
           label=["right pairs", "wrong pairs"])
right.set(xlabel="trust", title=f"how far pairs are believed, {100 * shares[2]:.0f} % of them wrong")
right.legend(frameon=False)
figure.savefig(given.picture, dpi=80)
