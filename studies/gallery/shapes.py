"""Two surfaces in space, and lines that follow a field on them.

A surface is a map of (x, y), period 2 pi in both. The bottle is a circle that moves along a curve of the plane y = 0 and
comes back turned over, so that (x + pi, y) and (x, -y) are one point of it, as on the flat Klein bottle.
"""
import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import map_coordinates
from scipy.spatial import cKDTree

# The circle's centre (to the right, upwards), its radius, and where its axis points, in degrees: from the foot up through
# the wall, over the top, and down as neck and body.
CIRCLES = np.array([
    (0.00, 0.00, 0.660, 90), (0.00, 0.22, 0.400, 90), (0.00, 0.62, 0.300, 88), (0.22, 1.12, 0.270, 62),
    (0.68, 1.55, 0.260, 45), (1.17, 2.05, 0.260, 60), (1.36, 2.65, 0.260, 92), (1.15, 3.24, 0.265, 140),
    (0.66, 3.50, 0.280, 180), (0.20, 3.20, 0.300, 232), (0.02, 2.70, 0.330, 262), (0.00, 2.20, 0.440, 269),
    (0.00, 1.72, 0.660, 270), (0.00, 1.20, 0.920, 270), (0.00, 0.66, 1.060, 270), (0.00, 0.24, 1.020, 270),
    (0.00, 0.03, 0.860, 270), (0.00, 0.00, 0.660, 270)])


def bottle():
    way = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(CIRCLES[:, :3], axis=0), axis=1))])
    x = way * np.pi / way[-1]
    table = CIRCLES.copy()
    table[:, 3] = np.radians(table[:, 3]) - x  # what is left is periodic
    table[-1] = table[0]
    spline = CubicSpline(x, table, bc_type="periodic")

    def surface(x, y):
        turns = np.floor(x / np.pi)
        x, v = x - turns * np.pi, np.where(turns % 2 == 1, -y, y) + np.pi / 2
        right, up, radius, axis = np.moveaxis(spline(x), -1, 0)
        axis = axis + x
        return np.stack([right - radius * np.cos(v) * np.sin(axis), radius * np.sin(v),
                         up + radius * np.cos(v) * np.cos(axis)], -1)

    return surface


def torus(large=1.3, small=0.6):
    def surface(x, y):
        return np.stack([(large + small * np.cos(y)) * np.cos(x), (large + small * np.cos(y)) * np.sin(x),
                         small * np.sin(y)], -1)

    return surface


def tangents(surface, x, y, step=1e-4):
    """The derivatives along x and y."""
    return ((surface(x + step, y) - surface(x - step, y)) / (2 * step),
            (surface(x, y + step) - surface(x, y - step)) / (2 * step))


def grid(surface, along, around, least=0.0, most=np.pi):
    """Vertices, unit normals, and x and y, of a mesh of along by around."""
    x, y = np.meshgrid(np.linspace(least, most, along), np.linspace(0, 2 * np.pi, around), indexing="ij")
    normal = np.cross(*tangents(surface, x, y))
    return surface(x, y), normal / np.linalg.norm(normal, axis=-1, keepdims=True), np.stack([x, y], -1)


def interpolated(place, vectors, size=256):
    """A field given at points (x, y) of the torus: as a function of any (x, y). The mean of the eight nearest points on a
    grid, then bilinear."""
    tree = cKDTree(place % (2 * np.pi), boxsize=2 * np.pi)
    at = np.arange(size) * 2 * np.pi / size
    table = vectors[tree.query(np.stack(np.meshgrid(at, at, indexing="ij"), -1), 8)[1]].mean(2)

    def field(x, y):
        index = np.stack([x, y]) * size / (2 * np.pi)
        return np.stack([map_coordinates(table[..., k], index, order=1, mode="grid-wrap") for k in (0, 1)])

    return field


def flow(surface, field, seeds, step, steps):
    """Lines through the seeds (2, k), both ways by `steps` steps of length `step` in space: (2 steps + 1, 2, k)."""

    def velocity(at):
        ahead = field(*at)
        along, around = tangents(surface, *at)
        speed = np.linalg.norm(along * ahead[0][:, None] + around * ahead[1][:, None], axis=1)
        return ahead / np.maximum(speed, 1e-9)

    halves = []
    for sign in (-step, step):
        line = [np.asarray(seeds, float)]
        for _ in range(steps):
            middle = line[-1] + 0.5 * sign * velocity(line[-1])
            line.append(line[-1] + sign * velocity(middle))
        halves.append(line)
    return np.array(halves[0][:0:-1] + halves[1])


def spaced(surface, lines, apart, least):
    """Of lines (steps, 2, k), first come first kept: the part around the middle of each that keeps its distance from those
    kept before, if it has `least` steps or more, as arrays (steps of it, 2)."""
    x, y = lines[:, 0].T, lines[:, 1].T
    # Sheets that cross in space are apart on the surface: functions on the flat bottle tell them from each other.
    own = np.stack([np.cos(2 * x), np.sin(2 * x), np.cos(y), np.cos(x) * np.sin(y), np.sin(x) * np.sin(y)], -1)
    features = np.concatenate([surface(x, y), own / 4], -1)
    cells = np.floor(features[..., :3] / apart).astype(int)
    around = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), -1).reshape(-1, 3)
    kept, taken, middle, steps = [], {}, x.shape[1] // 2, x.shape[1]
    for line, cell, pair in zip(features, cells, lines.transpose(2, 0, 1)):
        def free(s):
            near = taken.get(tuple(cell[s]))
            return near is None or np.abs(np.array(near) - line[s]).max(1).min() > apart

        if not free(middle):
            continue
        first, after = middle, middle + 1
        while first > 0 and free(first - 1):
            first -= 1
        while after < steps and free(after):
            after += 1
        if after - first < least:
            continue
        kept.append(pair[first:after])
        for s in range(first, after, 2):
            for near in cell[s] + around:
                taken.setdefault(tuple(near), []).append(line[s])
    return kept
