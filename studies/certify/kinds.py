"""Pose graphs of the kinds that people publish, drawn from seeds, with the truth.

kinds.py NAME SEED FILE.g2o [SIZE] writes one; without arguments it lists the names. Vertices of the file are what the
odometry says, as in public files, or nonsense in the kind `bad start`.
"""
import sys

import numpy as np
from scipy.spatial import cKDTree

import poses


# ------------------------------------------------------------------ trajectories

def facing(path):
    """Rotations whose first axis looks along a path (n,3), level otherwise."""
    ahead = np.gradient(path, axis=0)
    x = ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
    y = np.cross([0, 0, 1.0], x)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([x, y, np.cross(x, y)], -1)


def wander(rng, n, d):
    """A path that turns smoothly: long legs, few crossings."""
    heading = np.cumsum(np.convolve(rng.normal(0, 0.06, n + 60), np.ones(60) / 60, "valid")[:n]) + np.cumsum(
        rng.normal(0, 0.02, n))
    path = np.cumsum(np.c_[np.cos(heading), np.sin(heading)], axis=0)
    if d == 2:
        return poses.rotation(heading), path
    path = np.c_[path, 4 * np.sin(np.arange(n) / 80)]
    return facing(path), path


def blocks(rng, n, step, size):
    """A walk on the streets of a town `size` wide, in which corners are `step` poses apart."""
    place, heading, out = np.array([0, 0]), 0, []
    compass = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
    while len(out) < n:
        for turn in rng.permutation([0, 0, 1, -1]):
            ahead = place + step * compass[(heading + turn) % 4]
            if np.abs(ahead).max() <= size:
                break
        else:
            turn = 2
        heading = (heading + turn) % 4
        for _ in range(step):
            out.append((*place, heading * np.pi / 2))
            place = place + compass[heading]
            if np.abs(place).max() > size:
                place = np.clip(place, -size, size)
    out = np.array(out[:n], float)
    return poses.rotation(out[:, 2]), out[:, :2]


def sphere(n):
    rings = int(round(np.sqrt(n)))
    k = np.arange(rings * rings)
    high, around = -0.96 + 1.92 * k / (rings * rings - 1), 2 * np.pi * k / rings
    flat = np.sqrt(1 - high ** 2)
    path = 10 * np.c_[flat * np.cos(around), flat * np.sin(around), high]
    return facing(path), path, rings


def torus(n):
    ring = int(round(np.sqrt(n / 2)))
    k = np.arange(ring * (n // ring))
    small, large = 2 * np.pi * k / ring, 2 * np.pi * k / len(k)
    out = 20 + 6 * np.cos(small)
    path = np.c_[out * np.cos(large), out * np.sin(large), 6 * np.sin(small)]
    return facing(path), path, ring


def helix(n):
    ring = n // 6
    k = np.arange(n)
    around = 2 * np.pi * k / ring
    path = np.c_[30 * np.cos(around), 15 * np.sin(around), 3.0 * k / ring]
    return facing(path), path


def rooms(rng, n):
    """A hand-held camera in a building: places come back, looks go everywhere."""
    _, flat = blocks(rng, n, 4, int(np.sqrt(n) / 3))
    path = np.c_[flat, np.zeros(n)] + rng.normal(0, 0.15, (n, 3))
    return poses.exponential(np.cumsum(rng.normal(0, 0.08, (n, 3)), axis=0)), path


def lattice(n):
    side = int(round(n ** (1 / 3)))
    path = np.array([[x if y % 2 == 0 else side - 1 - x, y if z % 2 == 0 else side - 1 - y, z]
                     for z in range(side) for y in range(side) for x in range(side)], float)
    turns = np.broadcast_to(np.eye(3), (len(path), 3, 3)).copy()
    return turns, path


# ------------------------------------------------------------------------- edges

def near(rng, places, radius, apart, count):
    """`count` pairs of places within the radius, `apart` in time at least."""
    found = cKDTree(places).query_pairs(radius, output_type="ndarray")
    found = np.sort(found, axis=1)
    found = found[found[:, 1] - found[:, 0] >= apart]
    return found[rng.permutation(len(found))[:count]]


def spread(rng, m, low, high):
    return np.exp(rng.uniform(np.log(low), np.log(high), m))


def diagonal(m, d, shift, turn):
    out = np.zeros((m, 3 if d == 2 else 6, 3 if d == 2 else 6))
    for a in range(out.shape[1]):
        out[:, a, a] = shift if a < d else turn
    return out


def tilted(rng, info, ratio):
    """The same with axes of uneven length in directions of chance: covariances of scan matching look so."""
    m, size = info.shape[:2]
    axes = np.linalg.qr(rng.standard_normal((m, size, size)))[0]
    scale = np.exp(rng.uniform(-0.5 * np.log(ratio), 0.5 * np.log(ratio), (m, size)))
    middle = axes @ (scale[:, :, None] * axes.transpose(0, 2, 1))
    root = np.sqrt(np.einsum("eaa->ea", info))
    out = root[:, :, None] * middle * root[:, None, :]
    return 0.5 * (out + out.transpose(0, 2, 1))


def measure(rng, turns, places, pairs, info, excess=1.0):
    """What edges say: noise of the covariance that is the inverse of the information, times `excess`."""
    d = turns.shape[1]
    i, j = pairs.T
    noise = excess * np.einsum("eba,eb->ea", np.linalg.inv(np.linalg.cholesky(info)), rng.standard_normal(info.shape[:2]))
    turn = turns[i].transpose(0, 2, 1) @ turns[j] @ poses.exponential(noise[:, d:] * (1 if d == 2 else 2))
    shift = np.einsum("eba,eb->ea", turns[i], places[j] - places[i]) + noise[:, :d]
    return turn, shift


def odometry(turns, places, turn, shift):
    """Poses from the first n - 1 edges, which are those from each to the next."""
    q, t = turns.copy(), places.copy()
    for k in range(1, len(q)):
        q[k] = q[k - 1] @ turn[k - 1]
        t[k] = t[k - 1] + q[k - 1] @ shift[k - 1]
    return q, t


def build(rng, turns, places, closures, shift, turn, tilt=1.0, excess=1.0):
    """A graph and its truth: the path, edge by edge, and the closures; informations are one or one for each edge."""
    n, d = places.shape
    pairs = np.r_[np.c_[np.arange(n - 1), np.arange(1, n)], closures]
    several = [x(len(pairs)) if callable(x) else x for x in (shift, turn)]
    info = diagonal(len(pairs), d, *several)
    if tilt > 1:
        info = tilted(rng, info, tilt)
    measured = measure(rng, turns, places, pairs, info, excess)
    start = odometry(turns, places, measured[0][:n - 1], measured[1][:n - 1])
    return poses.Graph(d, pairs, *measured, info, *start), (turns, places)


def layers(n, period):
    """From each pose to those one period later, and its neighbour there."""
    k = np.arange(n - period)
    return np.c_[k, k + period]


# ------------------------------------------------------------------------- kinds
# Names, and the number of poses of the public graphs that they are like.

def make_loops(rng, n, d, **more):
    turns, places = wander(rng, n, d)
    some = near(rng, places, 4, n // 8, 6)
    if len(some) < 3:  # it never came back: it is called back
        ends = rng.integers(0, n // 4, 4), rng.integers(3 * n // 4, n, 4)
        some = np.r_[some, np.stack(ends, 1)]
    return build(rng, turns, places, some, **more)


def make_town(rng, n, step, share, **more):
    turns, places = blocks(rng, n, step, int(np.sqrt(n) / 3 * step ** 0.5))
    return build(rng, turns, places, near(rng, places, 1.5, 5, int(share * n)), **more)


def make_layers(rng, shape, **more):
    turns, places, period = shape
    return build(rng, turns, places, layers(len(places), period), **more)


def make_garage(rng, n, **more):
    turns, places = helix(n)
    return build(rng, turns, places, near(rng, places, 3.2, n // 12, 3 * n), **more)


def make_rooms(rng, n, **more):
    turns, places = rooms(rng, n)
    return build(rng, turns, places, near(rng, places, 1.4, 8, 2 * n), **more)


def make_lattice(rng, n, **more):
    turns, places = lattice(n)
    return build(rng, turns, places, near(rng, places, 1.01, 2, 3 * n), **more)


KINDS = {
    "loops 2-D": (1500, lambda r, n: make_loops(r, n, 2, shift=1e4, turn=4e5)),
    "manhattan": (3500, lambda r, n: make_town(r, n, 2, 0.6, shift=44.7, turn=1500)),
    "city": (10000, lambda r, n: make_town(r, n, 6, 1.07, shift=100, turn=1e4)),
    "seven decades": (1200, lambda r, n: make_town(
        r, n, 3, 1.2, shift=lambda m: spread(r, m, 32, 1.9e6), turn=lambda m: spread(r, m, 1e3, 1.9e8))),
    "decades, misfit": (1200, lambda r, n: make_town(
        r, n, 3, 1.2, shift=lambda m: spread(r, m, 32, 1.9e6), turn=lambda m: spread(r, m, 1e3, 1.9e8), excess=8, tilt=30)),
    "anisotropic 2-D": (1500, lambda r, n: make_town(r, n, 3, 1, shift=400, turn=4000, tilt=100)),
    "loops 3-D": (1500, lambda r, n: make_loops(r, n, 3, shift=1e4, turn=4e5)),
    "sphere": (2500, lambda r, n: make_layers(r, sphere(n), shift=500, turn=2000)),
    "sphere, noisy": (2500, lambda r, n: make_layers(r, sphere(n), shift=25, turn=100)),
    "torus": (5000, lambda r, n: make_layers(r, torus(n), shift=400, turn=1600)),
    "garage": (1661, lambda r, n: make_garage(r, n, shift=1, turn=4e3, excess=0.2)),
    "cubicle": (5750, lambda r, n: make_rooms(r, n, shift=lambda m: spread(r, m, 1e2, 1e6),
                                              turn=lambda m: spread(r, m, 1e2, 1e5), tilt=30)),
    "rim": (10195, lambda r, n: make_rooms(r, n, shift=lambda m: spread(r, m, 1e1, 1e5),
                                           turn=lambda m: spread(r, m, 5e1, 5e4), tilt=100)),
    "lattice 3-D": (3375, lambda r, n: make_lattice(r, n, shift=100, turn=100)),
    "lattice, large": (8000, lambda r, n: make_lattice(r, n, shift=100, turn=100)),
    "bad start": (2500, lambda r, n: make_layers(r, sphere(n), shift=500, turn=2000)),
}


def make(name, seed, size=None):
    """A graph of the kind, and its truth."""
    rng = np.random.default_rng([seed, sum(name.encode())])
    graph, truth = KINDS[name][1](rng, size or KINDS[name][0])
    if name == "bad start":
        graph.turns = poses.exponential(rng.normal(0, 2, (len(graph.turns), 3)))
        graph.places = rng.normal(0, 100, graph.places.shape)
    return graph, truth


if __name__ == "__main__":
    if len(sys.argv) < 4:
        print("\n".join(f"{name}: {n} poses" for name, (n, _) in KINDS.items()))
    else:
        poses.write(sys.argv[3], make(sys.argv[1], int(sys.argv[2]), int(sys.argv[4]) if len(sys.argv) > 4 else None)[0])
