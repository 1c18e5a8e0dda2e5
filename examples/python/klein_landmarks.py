"""A hundred thousand points of a Klein bottle, through a few hundred landmarks.

usage: klein_landmarks.py [picture.png] [--quick]

The flat Klein bottle is a rectangle whose opposite sides are glued, one pair of them with a flip of y.
A parallel field along y would come back reversed, one along x comes back as it was. So the connection
Laplacian has the eigenvalue 0 once, where a torus has it twice, and then 1, 2 and 4, four times each.
"""
import argparse
import pathlib
import time

import matplotlib
import numpy as np
from scipy.spatial import cKDTree

import lavdm

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import ListedColormap  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("picture", nargs="?", default=ROOT / "docs" / "gallery" / "klein_landmarks.png")
parser.add_argument("--quick", action="store_true", help="fewer points")
given = parser.parse_args()
n, some, m = (10000, 1500, 250) if given.quick else (100000, 4000, 400)

points, frames, place = lavdm.sample("flat-klein", n, frames=True, parameters=True)
landmark = lavdm.LandmarkVectorDiffusionMap(landmarks=m, components=14, dim=2)
direct = lavdm.VectorDiffusionMap(components=14, dim=2)
names = {landmark: f"LA-VDM, {n:,} points, {m} landmarks", direct: f"VDM, {some:,} of the points"}
decay = {}
for method, data in ((landmark, points), (direct, points[:some])):
    begin = time.perf_counter()
    method.fit(data)
    print(f"{names[method]}: {time.perf_counter() - begin:.1f} s")
    decay[method] = -np.log(method.eigenvalues_) / -np.log(method.eigenvalues_[1:5]).mean()
    for value, first, after in ((0, 0, 1), (1, 1, 5), (2, 5, 9), (4, 9, 13)):
        found = decay[method][first:after]
        print(f"  eigenvalue {value}: {', '.join(f'{v:.2f}' for v in found)}")
ambient = landmark.model_.ambient()
along_x, along_y = np.einsum("npd,npr->dnr", frames, ambient)
share = (along_x[:, 0]**2).sum() / (along_x[:, 0]**2 + along_y[:, 0]**2).sum()
print(f"of the first field {100 * share:.2f} % is along x, and its length varies by "
      f"{100 * np.std(along_x[:, 0]) / abs(np.mean(along_x[:, 0])):.2f} %")

figure = plt.figure(figsize=(13, 5.2))
lengths = ListedColormap(matplotlib.colormaps["viridis_r"](np.linspace(0.3, 1, 256)))  # all of it is seen on white
# Arrows at the points nearest to a grid of the rectangle, y to the right and x upwards.
grid = np.stack(np.meshgrid((np.arange(11) + 0.5) * np.pi / 11, (np.arange(22) + 0.5) * np.pi / 11), -1).reshape(-1, 2)
chosen = cKDTree(place).query(grid)[1]
for row, (k, title) in enumerate(((0, "the one parallel field"), (1, "a field of the next level"))):
    ax = figure.add_axes([0.03, 0.565 - 0.505 * row, 0.36, 0.34])
    vectors = along_y[chosen, k], along_x[chosen, k]
    size = np.hypot(*vectors)
    ax.quiver(*place[chosen, ::-1].T, *vectors, size, cmap=lengths, angles="xy", scale_units="xy",
              scale=size.max() / 0.27, pivot="mid", width=0.0075, headwidth=3.6, headlength=4, headaxislength=3.7,
              clim=(0, size.max()))
    # Which sides are glued, and how: left to right as they are, bottom to top reversed.
    for side, mark, colour in (((0, np.pi / 2), "^", "#0072b2"), ((2 * np.pi, np.pi / 2), "^", "#0072b2"),
                               ((np.pi, 0), ">", "#d55e00"), ((np.pi, np.pi), "<", "#d55e00")):
        ax.plot(*side, mark, color=colour, markersize=10, clip_on=False, zorder=5)
    ax.set(xlim=(0, 2 * np.pi), ylim=(0, np.pi), xticks=[], yticks=[], aspect="equal")
    ax.set_title(title, pad=11)
    ax.set_xlabel("y", labelpad=5), ax.set_ylabel("x", labelpad=8)

ax = figure.add_axes([0.325, -0.12, 0.43, 1.16], projection="3d")
ax.patch.set_visible(False)  # it covers a part of the others
ax.view_init(24, -50)
lavdm.plot.embedding(landmark, 3, colour=np.cos(place[:, 1]), ax=ax, most=10000, size=3, cmap="viridis")
ax.set_axis_off()
ax.set_title("embedding, three principal axes\n(colour: cos y)", y=0.86)

ax = figure.add_axes([0.745, 0.13, 0.24, 0.76])
for value in (0, 1, 2, 4, 5):
    ax.axhline(value, color="#999999", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
for method, mark, colour in ((direct, "s", "#d55e00"), (landmark, "o", "#0072b2")):
    ax.plot(np.arange(1, 15), decay[method], mark, markersize=7 if mark == "s" else 4.5, color=colour,
            markerfacecolor="none" if mark == "s" else colour, label=names[method])
ax.set(xlabel="component", ylabel="−log eigenvalue, level 1 as unit", title="spectrum; dashed: exact",
       xticks=[1, 5, 9, 13], ylim=(-0.2, 5.9))
ax.legend(frameon=False, fontsize=8.5, loc="upper left", handletextpad=0.2, borderaxespad=0)
for side in ("top", "right"):
    ax.spines[side].set_visible(False)
figure.savefig(given.picture, dpi=110)
