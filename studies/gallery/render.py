"""Surfaces and tubes as a picture: fragments with depth, blended in their right order.

A mesh is cut into triangles about as small as a pixel. Each pixel centre within a triangle gets a fragment: depth,
normal, and what the mesh carries at its vertices, interpolated. Fragments of a pixel are sorted by depth and blended from
the front, out = sum_k a_k c_k prod_(l < k) (1 - a_l), so that glass in glass is right whatever was drawn first. The result
is premultiplied RGBA, drawn larger by a factor and averaged.
"""
import numpy as np


class Camera:
    """A view from afar with a little perspective: right, up and towards the eye are the rows of `axes`."""

    def __init__(self, centre, azimuth, elevation, roll=0.0, distance=12.0):
        a, e, r = np.radians([azimuth, elevation, roll])
        eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0])
        up = np.cross(eye, right)
        self.axes = np.stack([np.cos(r) * right + np.sin(r) * up, np.cos(r) * up - np.sin(r) * right, eye])
        self.centre, self.distance = np.asarray(centre, float), distance

    def project(self, points):
        """(..., 3): to the right, upwards, depth (smaller is nearer)."""
        seen = (points - self.centre) @ self.axes.T
        near = self.distance / (self.distance - seen[..., 2:])
        return np.concatenate([seen[..., :2] * near, -seen[..., 2:]], -1)


class Canvas:
    """Width by height pixels, `scale` of them a unit of length, the camera's centre at `middle` (shares of the sheet)."""

    def __init__(self, width, height, scale, camera, middle=(0.5, 0.5), finer=2):
        self.width, self.height, self.finer = width * finer, height * finer, finer
        self.scale, self.camera = scale * finer, camera
        self.middle = np.array([middle[0] * self.width, middle[1] * self.height])
        self.fragments = []

    def mesh(self, points, normals, carried, shader):
        """A grid of vertices (a, b, 3). shader(normal towards the eye's axes, carried) gives colour (k, 3), alpha (k)."""
        seen = self.camera.project(points)
        seen[..., 0] = seen[..., 0] * self.scale + self.middle[0]
        seen[..., 1] = self.middle[1] - seen[..., 1] * self.scale
        table = np.concatenate([seen, normals @ self.camera.axes.T, carried], -1).astype(np.float32)
        a, b, c, d = table[:-1, :-1], table[:-1, 1:], table[1:, 1:], table[1:, :-1]
        for corners in ((a, b, c), (a, c, d)):
            flat = np.stack([corner.reshape(-1, table.shape[-1]) for corner in corners], 1)
            for first in range(0, len(flat), 400_000):
                self._triangles(flat[first:first + 400_000], shader)

    def _triangles(self, table, shader):
        x, y = table[:, :, 0], table[:, :, 1]
        # Triangles without a pixel centre between their sides are dropped at once.
        left, right = np.ceil(x.min(1) - 0.5).astype(int), np.floor(x.max(1) - 0.5).astype(int)
        top, bottom = np.ceil(y.min(1) - 0.5).astype(int), np.floor(y.max(1) - 0.5).astype(int)
        left, top = np.maximum(left, 0), np.maximum(top, 0)
        right, bottom = np.minimum(right, self.width - 1), np.minimum(bottom, self.height - 1)
        inside = np.flatnonzero((left <= right) & (top <= bottom))
        area = ((x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0]))
        inside = inside[area[inside] != 0]
        wide, high = (right - left)[inside], (bottom - top)[inside]
        for i in range(wide.max(initial=-1) + 1):
            for j in range(high.max(initial=-1) + 1):
                some = inside[(wide >= i) & (high >= j)]
                if some.size:
                    self._pixels(table[some], area[some], left[some] + i, top[some] + j, shader)

    def _pixels(self, table, area, column, row, shader):
        x, y, px, py = table[:, :, 0], table[:, :, 1], column + 0.5, row + 0.5
        w1 = ((px - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (py - y[:, 0])) / area
        w2 = ((x[:, 1] - x[:, 0]) * (py - y[:, 0]) - (px - x[:, 0]) * (y[:, 1] - y[:, 0])) / area
        hit = (w1 >= 0) & (w2 >= 0) & (w1 + w2 <= 1)
        if not hit.any():
            return
        w = np.stack([1 - w1 - w2, w1, w2], 1)[hit]
        at = np.einsum("kc,kcf->kf", w, table[hit][:, :, 2:])
        normal = at[:, 1:4] / np.maximum(np.linalg.norm(at[:, 1:4], axis=1, keepdims=True), 1e-12)
        colour, alpha = shader(normal, at[:, 4:])
        self.fragments.append((row[hit] * self.width + column[hit], at[:, 0], colour.astype(np.float32), alpha))

    def picture(self):
        """(height, width, 4), premultiplied, from 0 to 1."""
        pixel, depth, colour, alpha = (np.concatenate(some) for some in zip(*self.fragments))
        # One number sorts by pixel, then by depth.
        order = np.argsort(pixel * 2**20 + ((depth - depth.min()) / np.ptp(depth) * (2**20 - 1)).astype(np.int64))
        pixel, colour, alpha = pixel[order], colour[order], alpha[order].astype(np.float32)
        first = np.flatnonzero(np.r_[True, pixel[1:] != pixel[:-1]])
        count = np.diff(np.r_[first, len(pixel)])
        out = np.zeros((self.height * self.width, 4), np.float32)
        through = np.ones(len(first), np.float32)
        for k in range(count.max()):
            more = (count > k) & (through > 0.003)
            at = first[more] + k
            share = (through[more] * alpha[at])[:, None]
            out[pixel[first[more]]] += np.concatenate([share * colour[at], share], 1)
            through[more] *= 1 - alpha[at]
        f = self.finer
        return out.reshape(self.height // f, f, self.width // f, f, 4).mean((1, 3))


def tubes(line, radius, sides=8):
    """Vertices and normals of a tube about a polyline (k, 3) with radii (k)."""
    turn = np.linspace(0, 2 * np.pi, sides + 1)[:, None]
    along = np.gradient(line, axis=0)
    across = np.cross(along, [0.31, 0.87, 0.39])  # any direction that lines seldom have
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    other = np.cross(along, across)
    other /= np.maximum(np.linalg.norm(other, axis=1, keepdims=True), 1e-12)
    normal = across[:, None] * np.cos(turn) + other[:, None] * np.sin(turn)
    return line[:, None] + radius[:, None, None] * normal, normal
