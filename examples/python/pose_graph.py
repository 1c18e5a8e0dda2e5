"""A pose graph end to end: a file .g2o, the command `lavdm sync`, its proof, covariances and page.

usage: pose_graph.py [picture.png] [--quick]

A robot drives through the streets of a city, counts its wheels' turns, and sometimes knows a place again. The
command finds the poses of greatest likelihood, proves that no others fit better, and says how sure each is. The
page to look at them with is written beside the picture.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Ellipse  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("picture", nargs="?", type=pathlib.Path, default=ROOT / "docs" / "gallery" / "pose_graph.png")
parser.add_argument("--quick", action="store_true", help="a shorter way")
given = parser.parse_args()
command = os.environ.get("LAVDM", ROOT / "build" / "lavdm")
n, sigma, sigma_turn = 400 if given.quick else 1200, 0.05, 0.01


def streets(rng):
    """Poses x, y, theta of a way along streets that are five steps apart."""
    pose = np.zeros((n, 3))
    for i in range(1, n):
        x, y, theta = pose[i - 1]
        pose[i] = x + np.cos(theta), y + np.sin(theta), theta
        if i % 5 == 0:
            turns = [t for t in (-np.pi / 2, 0, np.pi / 2)
                     if np.abs(pose[i, :2] + 5 * np.array([np.cos(theta + t), np.sin(theta + t)])).max() < 21]
            pose[i, 2] = theta + rng.choice(turns or [np.pi])
    return pose


def seen(a, b, rng=None):
    """Pose b in the coordinates of pose a, with noise."""
    c, s = np.cos(a[2]), np.sin(a[2])
    d = b[:2] - a[:2]
    exact = np.array([c * d[0] + s * d[1], c * d[1] - s * d[0], b[2] - a[2]])
    return exact + (rng.normal(0, [sigma, sigma, sigma_turn]) if rng else 0)


rng = np.random.default_rng(8)
truth = streets(rng)
pairs = [(i, i + 1) for i in range(n - 1)]
for i in range(0, n, 3):  # a place that was seen long before
    near = np.flatnonzero(np.hypot(*(truth[:max(0, i - 30), :2] - truth[i, :2]).T) < 1.5)
    pairs += [(int(rng.choice(near)), i)] if len(near) and rng.random() < 0.4 else []
measured = np.array([seen(truth[i], truth[k], rng) for i, k in pairs])
wheels = np.zeros((n, 3))
for i in range(n - 1):
    c, s = np.cos(wheels[i, 2]), np.sin(wheels[i, 2])
    dx, dy, turn = measured[i]
    wheels[i + 1] = wheels[i] + [c * dx - s * dy, s * dx + c * dy, turn]

with tempfile.TemporaryDirectory() as folder:
    file, result = f"{folder}/city.g2o", f"{folder}/city.npz"
    with open(file, "w") as out:
        for (i, k), m in zip(pairs, measured):
            out.write(f"EDGE_SE2 {i} {k} {m[0]:.9g} {m[1]:.9g} {m[2]:.9g} "
                      f"{sigma**-2:.9g} 0 0 {sigma**-2:.9g} 0 {sigma_turn**-2:.9g}\n")
    page = given.picture.with_suffix(".html")
    words = ["sync", file, "--certify", "--covariance", "-o", result, "--report", page, "--json"]
    told = json.loads(subprocess.run([command, *words], check=True, text=True, stdout=subprocess.PIPE).stdout)
    with np.load(result) as arrays:
        position, covariance = arrays["positions"], arrays["covariances"][:, :2, :2]

left = position - truth[:, :2]
inside = [e @ np.linalg.solve(c, e) < 5.991 for e, c in zip(left[1:], covariance[1:])]
print(f"{n} poses, {len(pairs)} edges, {len(pairs) - n + 1} places known again")
print(f"{told['verdict']}; {told['iterations']} iterations, rank {told['rank']}")
for name, error in (("wheels alone", wheels[:, :2] - truth[:, :2]), ("synchronised", left)):
    print(f"{name}: error of positions {np.sqrt((error**2).sum(1).mean()):.3f} (rms)")
print(f"expected by the covariances: {np.sqrt(np.trace(covariance, axis1=1, axis2=2).mean()):.3f} (rms)")
print(f"{100 * np.mean(inside):.0f} % of the true positions are in the ellipses that should hold 95 %")

figure, axes = plt.subplots(1, 2, figsize=(11, 5.6), sharex=True, sharey=True)
figure.subplots_adjust(left=0.05, right=0.98, bottom=0.06, top=0.93, wspace=0.08)
for ax, (name, way) in zip(axes, (("wheels alone", wheels), ("lavdm sync, certified, with its ellipses", position))):
    ax.plot(*truth[:, :2].T, color="#bbbbbb", linewidth=3, label="truth")
    ax.plot(*way[:, :2].T, color="#0072b2", linewidth=1, label=name)
    ax.set_title(name, fontsize=12)
    ax.set_aspect("equal")
for place, c in zip(position[1::10], covariance[1::10]):
    values, axis = np.linalg.eigh(c)
    angle = np.degrees(np.arctan2(axis[1, 0], axis[0, 0]))
    axes[1].add_patch(Ellipse(place, *(2 * np.sqrt(5.991 * values)), angle=angle, fill=False, color="#d55e00"))
figure.savefig(given.picture, dpi=80)
