"""The vector fields of the sphere.

usage: sphere_fields.py [picture.png] [--quick]

A vector diffusion map finds the smoothest vector fields of a surface from points alone. On the sphere
they are known: the connection Laplacian has the eigenvalue 1 six times, and then 5 ten times. The six
are the gradients of the coordinates x, y, z and the rotations about the three axes.
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
parser.add_argument("picture", nargs="?", default=ROOT / "docs" / "gallery" / "sphere_fields.png")
parser.add_argument("--quick", action="store_true", help="fewer points")
given = parser.parse_args()

points = lavdm.sample("sphere", 1500 if given.quick else 8000)
vdm = lavdm.VectorDiffusionMap(components=18).fit(points)

decay = 1 - vdm.eigenvalues_
level = lavdm.plot.levels(vdm.eigenvalues_)
print(f"{len(points)} points")
print("multiplicities:", ", ".join(str(after - first) for first, after in level))
print("1 - eigenvalue, over that of the first level:",
      ", ".join(f"{decay[first:after].mean() / decay[:6].mean():.2f}" for first, after in level))

# Within a level eigenvectors come as some basis, which no computation can prefer. So that one sees what the
# six span, each known field is replaced by its least-squares fit from the six found.
axes = np.eye(3)
known = [a - points * (points @ a)[:, None] for a in axes] + [np.cross(a, points) for a in axes]
found = vdm.model_.ambient()[:, :, :6].reshape(-1, 6)
fitted = [found @ np.linalg.lstsq(found, field.ravel(), rcond=None)[0] for field in known]
error = [np.linalg.norm(fit - field.ravel()) / np.linalg.norm(field) for fit, field in zip(fitted, known)]
print(f"the six known fields in the span of the six found: relative error at most {max(error):.4f}")

# Pale spheres, the lamp above on the left, and on them the arrows that face us.
u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 121), np.linspace(0, np.pi, 61))
ball = np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)])
light = np.clip(0.5 + 0.5 * np.einsum("k,kij->ij", np.array([0.74, -0.18, 0.65]), ball), 0, 1)[..., None]
shade = light * np.array([0.975, 0.98, 0.99]) + (1 - light) * np.array([0.72, 0.76, 0.82])
figure = plt.figure(figsize=(12.4, 6.6))
for k, fit in enumerate(fitted):
    ax = figure.add_axes([0.235 * (k % 3) - 0.005, 0.5 - 0.445 * (k // 3), 0.25, 0.47], projection="3d")
    ax.view_init(28, 35)
    ax.plot_surface(*(0.985 * ball), facecolors=shade, rstride=1, cstride=1, linewidth=0, antialiased=False,
                    shade=False, zorder=0)
    lavdm.plot.field(vdm, points=points, vectors=fit.reshape(-1, 3), ax=ax, arrows=330, hidden="drop", length=1.25,
                     background=False, linewidths=1.9)
    ax.set_title(("gradient of " if k < 3 else "rotation about ") + "xyz"[k % 3], fontsize=12.5, y=0.97)
    ax.set_box_aspect((1, 1, 1), zoom=1.47)
    ax.set_axis_off()
bar = figure.colorbar(ax.collections[-1], cax=figure.add_axes([0.255, 0.05, 0.2, 0.018]), orientation="horizontal")
bar.set_ticks(bar.mappable.get_clim(), labels=["0", "longest"])
bar.outline.set_visible(False)
bar.ax.tick_params(length=0)
bar.ax.set_title("length of the vector", fontsize=10.5, pad=4)

ax = figure.add_axes([0.795, 0.12, 0.165, 0.74])
lavdm.plot.spectrum(vdm, ax, laplacian=True)
for value in (1, 5, 11):
    ax.axhline(value * decay[:6].mean(), color="#999999", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    ax.annotate(f"{value}", (1, value * decay[:6].mean()), (5, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", va="center", color="#666666", annotation_clip=False)
ax.set_title("spectrum; dashed: 1, 5, 11\ntimes the first level", fontsize=11.5)
ax.set_ylim(top=12 * decay[:6].mean())
figure.savefig(given.picture, dpi=110)
