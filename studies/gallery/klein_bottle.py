#!/usr/bin/python3 -B
"""The first picture of the README: a vector field of the Klein bottle, found from points, and the double cover.

usage: PYTHONPATH=build/python klein_bottle.py [folder] [--quick]     writes klein-light.png and klein-dark.png

Points of the flat Klein bottle, in five dimensions. LA-VDM finds the smoothest vector fields at the points; the sum of the
four that belong to the second eigenvalue is carried, by the differential, to a bottle in space. `lavdm orient --cover`
finds coordinates of the double cover, each point with either orientation; the first four of them are a torus, which is
drawn as a ring with the same field on it, lifted.
"""
import argparse
import pathlib
import subprocess
import tempfile

import matplotlib
import numpy as np

import lavdm
from render import Camera, Canvas, tubes
from shapes import bottle, flow, grid, interpolated, spaced, tangents, torus

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import font_manager  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FULL = 2 * np.pi
LAMP = np.array([-0.4, 0.75, 0.55]) / np.linalg.norm([-0.4, 0.75, 0.55])
GLINT = (LAMP + [0, 0, 1]) / np.linalg.norm(LAMP + [0, 0, 1])
THEMES = {  # ground, text, faint text; glass seen straight on and at its edge; the two sheets; the colours of speed
    "light": dict(ground="#ffffff", text="#1f2328", faint="#6a737d", face=(0.90, 0.94, 1.00), edge=(0.36, 0.50, 0.78),
                  least=0.42, glint=0.8, sheets=("#005ec4", "#e27400"), colours=(0.0, 0.84)),
    "dark": dict(ground="#0d1117", text="#f0f3f6", faint="#9198a1", face=(0.07, 0.10, 0.20), edge=(0.36, 0.52, 0.95),
                 least=0.40, glint=0.5, sheets=("#4f9dff", "#ffb03b"), colours=(0.18, 0.84)),
}


def ring(cover, parity):
    """Two angles from the first four coordinates of the cover. One, e, is the same on both sheets, three, o, are not:
    cos y of the torus, and cos x, sin x, sin y in some basis. So e^2 + (w o)^2 is constant for one w, found by least
    squares."""
    first = cover[:, :4] / cover[:, :4].std(0)
    e, o = first[:, parity[:4] == 1][:, 0], first[:, parity[:4] == -1]
    i, j = np.triu_indices(3)
    found = np.linalg.lstsq(np.column_stack([o[:, i] * o[:, j], np.ones(len(o))]), -e**2, rcond=None)[0]
    form = np.zeros((3, 3))
    form[i, j] = found[:6] / 2
    basis = np.linalg.eigh(form + form.T)[1]
    return np.stack([np.arctan2(o @ basis[:, 1], o @ basis[:, 0]), np.arctan2(o @ basis[:, 2], e)], 1) % FULL


def lifted(place, vectors, angles):
    """The field at the points of the cover, along the angles found; and how far these are from the place of the points,
    up to what no method can know: reflections, and where x begins."""
    x, y = np.concatenate([place, place]).T
    mean = {sign: np.exp(2j * (angles[:, 0] - sign * x)).mean() for sign in (1, -1)}
    flip = max(mean, key=lambda sign: abs(mean[sign]))
    away = angles[:, 0] - flip * x - np.angle(mean[flip]) / 2
    other = np.cos(away) < 0  # the sheet on which (x, y) is (x + pi, -y)
    y = np.where(other, -y, y)
    turn = {sign: np.exp(1j * (angles[:, 1] - sign * y)).mean() for sign in (1, -1)}
    side = max(turn, key=lambda sign: abs(turn[sign]))
    error = np.abs(np.concatenate([np.sin(away), np.sin(angles[:, 1] - side * y - np.angle(turn[side]))]))
    both = np.concatenate([vectors, vectors])
    return both * np.stack([np.full(len(both), flip), side * np.where(other, -1, 1)], 1), error


def compute(n):
    """Eigenvalues, the field on the bottle, and on the torus."""
    points, frames, place = lavdm.sample("flat-klein", n, frames=True, parameters=True)
    fitted = lavdm.LandmarkVectorDiffusionMap(landmarks=400, components=13, dim=2).fit(points)
    rate = -np.log(fitted.eigenvalues_)
    print(f"{n} points, 400 landmarks; -log eigenvalue, the second level as unit:",
          " ".join(f"{value:.2f}" for value in rate / rate[1:5].mean()))
    vectors = np.einsum("npd,npr->nd", frames, fitted.model_.ambient()[:, :, 1:5])
    vectors /= np.sqrt((vectors**2).sum(1).mean())
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/points.npy", points)
        subprocess.run([ROOT / "build" / "lavdm", "orient", f"{folder}/points.npy", "--cover", "-q", "-o",
                        f"{folder}/cover.npz"], check=True)
        with np.load(f"{folder}/cover.npz") as found:
            angles, verdict = ring(found["cover"], found["cover_parity"]), str(found["verdict"])
    above, error = lifted(place, vectors, angles)
    print(f"{verdict}; the double cover is a torus: of its angles half are within {np.median(error):.3f} of the true ones, "
          f"99 % within {np.quantile(error, 0.99):.3f} radians")
    twice = np.concatenate([place, np.stack([place[:, 0] + np.pi, -place[:, 1]], 1)])
    return rate, interpolated(twice, np.concatenate([vectors, vectors * [1, -1]])), interpolated(angles, above)


def lines(surface, field, most, apart, length, seeds):
    """Evenly spaced lines of the field, from seeds that are spread by area; x below `most`."""
    generator = np.random.default_rng(3)
    x, y = generator.uniform(0, most, 8 * seeds), generator.uniform(0, FULL, 8 * seeds)
    area = np.linalg.norm(np.cross(*tangents(surface, x, y)), axis=1)
    some = generator.choice(len(x), seeds, replace=False, p=area / area.sum())
    step = apart / 4
    return spaced(surface, flow(surface, field, np.stack([x[some], y[some]]), step, int(length / step)), apart, 36)


def draw(size, scale, camera, surface, most, kept, colour, width, theme, finer):
    """Glass and lines, premultiplied RGBA; colour(x, y) of the lines."""
    face, edge = np.array(theme["face"]), np.array(theme["edge"])

    def glass(normal, _):
        normal = np.where(normal[:, 2:] < 0, -normal, normal)
        rim = (1 - normal[:, 2])**2.4
        glint = theme["glint"] * np.maximum(normal @ GLINT, 0)**110
        light = 0.7 + 0.3 * np.maximum(normal @ LAMP, 0)
        shade = (face + rim[:, None] * (edge - face)) * light[:, None] + glint[:, None]
        return np.clip(shade, 0, 1), np.clip(theme["least"] + 0.47 * rim + 0.8 * glint, 0, 1)

    def wire(normal, own):
        light = 0.75 + 0.25 * np.maximum(normal @ LAMP, 0)
        return np.clip(own * light[:, None] + 0.3 * np.maximum(normal @ GLINT, 0)[:, None]**30, 0, 1), np.ones(len(own))

    canvas = Canvas(*size, scale, camera, finer=finer)
    points, normals, _ = grid(surface, 340 * finer, 150 * finer, 0, most)
    canvas.mesh(points, normals, np.zeros((*points.shape[:2], 1)), glass)
    for line in kept:
        x, y = line.T
        way = np.linspace(0, 1, len(line))
        radius = width * np.minimum(1, (0.15 + 0.85 * way) * np.minimum(1, 18 * (1 - way) + 0.02))  # thick where it goes to
        points, normals = tubes(surface(x, y), radius)
        canvas.mesh(points, normals, np.repeat(colour(x, y)[:, None], points.shape[1], 1), wire)
    return canvas.picture()


def levels(figure, place, rate, theme):
    """The spectrum, small: rates in units of the second level."""
    ax = figure.add_axes(place, facecolor="none")
    rate = rate / rate[1:5].mean()
    for value, first, after in ((0, 1, 1), (1, 2, 5), (2, 6, 9), (4, 10, 13)):
        ax.plot([first - 0.35, after + 0.35], [value, value], color=theme["faint"], linewidth=7, alpha=0.28,
                solid_capstyle="round")
        ax.annotate(f"{value}" if first == after else f"{value}, {after - first + 1} times", ((first + after) / 2, value),
                    (0, 9), textcoords="offset points", ha="center", color=theme["faint"], fontsize=11)
    ax.plot(np.arange(1, 14), rate, "o", color=theme["text"], markersize=4.5)
    ax.set(xlim=(0, 14), ylim=(-0.8, 5.2))
    ax.set_axis_off()


def compose(path, theme, parts, rate, quick):
    finer, sheets = (1 if quick else 3), [np.array(matplotlib.colors.to_rgb(some)) for some in theme["sheets"]]
    (field, kept), (above, over) = parts
    low, high = theme["colours"]
    scale = matplotlib.colormaps["plasma"]

    def by_speed(x, y):
        return scale(low + high * np.clip(np.linalg.norm(field(x, y), axis=0) / 1.9, 0, 1)**0.8)[:, :3]

    def by_sheet(x, _):
        share = 1 / (1 + np.exp(-14 * np.sin(x)))[:, None]
        return share * sheets[0] + (1 - share) * sheets[1]

    left = draw((820, 960), 222, Camera((0.19, 0, 1.74), -62, 14), bottle(), np.pi, kept, by_speed, 0.0105, theme, finer)
    right = draw((1020, 740), 226, Camera((0, 0, -0.05), -100, 38), torus(), FULL, over, by_sheet, 0.011, theme, finer)
    figure = plt.figure(figsize=(18.8, 9.6), dpi=100, facecolor=theme["ground"])
    sheet = np.ones((960, 1880, 3)) * matplotlib.colors.to_rgb(theme["ground"])
    for picture, row, column in ((left, 0, 20), (right, 0, 850)):
        part = sheet[row:row + picture.shape[0], column:column + picture.shape[1]]
        part[:] = picture[..., :3] + (1 - picture[..., 3:]) * part
    figure.figimage(sheet, 0, 0, origin="upper", zorder=-1)
    for x, y, title, below in (
            (0.024, 0.93, "Klein bottle", "a vector field of the second\neigenvalue, found from points"),
            (0.485, 0.145, "Its double cover, a torus", "found from the same points; blue and amber:\neach point twice, "
             "once with either orientation")):
        figure.text(x, y, title, color=theme["text"], fontsize=25, va="bottom")
        figure.text(x, y - 0.012, below, color=theme["faint"], fontsize=14.5, va="top", linespacing=1.35)
    bar = figure.add_axes((0.053, 0.835, 0.06, 0.009))
    bar.imshow([np.linspace(0, 1, 256)], aspect="auto", cmap=matplotlib.colors.ListedColormap(
        scale(low + high * np.linspace(0, 1, 256)**0.8)))
    bar.set_axis_off()
    figure.text(0.024, 0.839, "short", color=theme["faint"], fontsize=12.5, va="center")
    figure.text(0.117, 0.839, "long", color=theme["faint"], fontsize=12.5, va="center")
    levels(figure, (0.78, 0.03, 0.2, 0.2), rate, theme)
    figure.text(0.789, 0.172, "Spectrum", color=theme["text"], fontsize=17, va="bottom")
    figure.savefig(path, facecolor=theme["ground"])
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("--quick", action="store_true", help="fewer points and pixels")
    given = parser.parse_args()
    for file in pathlib.Path("/usr/share/fonts/truetype/lato").glob("Lato-Regular.ttf"):
        font_manager.fontManager.addfont(file)
        plt.rcParams["font.family"] = ["Lato", "DejaVu Sans"]
    rate, field, above = compute(20000 if given.quick else 100000)
    seeds = 800 if given.quick else 4000
    parts = [(field, lines(bottle(), field, np.pi, 0.043, 0.88, seeds)),
             (above, lines(torus(), above, FULL, 0.05, 1.2, seeds))]
    for name, theme in THEMES.items():
        compose(given.folder / f"klein-{name}.png", theme, parts, rate, given.quick)


if __name__ == "__main__":
    main()
