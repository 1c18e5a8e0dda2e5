"""Shapes, and how many coordinates each needs: those the threshold was chosen on, and others."""
import numpy as np


def roll(random, n, height=21, noise=0):
    turn = 1.5 * np.pi * (1 + 2 * random.uniform(size=n))
    points = np.c_[turn * np.cos(turn), height * random.uniform(size=n), turn * np.sin(turn)]
    return points + noise * random.normal(size=points.shape)


def strip(random, n, length):
    return np.c_[length * random.uniform(size=n), random.uniform(size=n)]


def s_curve(random, n):
    turn = 3 * np.pi * (random.uniform(size=n) - .5)
    return np.c_[np.sin(turn), 2 * random.uniform(size=n), np.sign(turn) * (np.cos(turn) - 1)]


def sphere(random, n, dim=2):
    points = random.normal(size=(n, dim + 1))
    return points / np.linalg.norm(points, axis=1)[:, None]


def flat_torus(random, n, other=1.):
    u, v = 2 * np.pi * random.uniform(size=(2, n))
    return np.c_[np.cos(u), np.sin(u), other * np.cos(v), other * np.sin(v)]


def ring(random, n, tube=1.):
    """A torus of revolution, uniform by area."""
    v = 2 * np.pi * random.uniform(size=4 * n)
    v = v[random.uniform(size=4 * n) < (2 + tube * np.cos(v)) / (2 + tube)][:n]
    u = 2 * np.pi * random.uniform(size=n)
    far = 2 + tube * np.cos(v)
    return np.c_[far * np.cos(u), far * np.sin(u), tube * np.sin(v)]


def circle(random, n):
    turn = 2 * np.pi * random.uniform(size=n)
    return np.c_[np.cos(turn), np.sin(turn)]


def helix(random, n):
    turn = 4 * np.pi * random.uniform(size=n)
    return np.c_[np.cos(turn), np.sin(turn), .5 * turn]


def box(random, n, *sides):
    return random.uniform(size=(n, len(sides))) * np.array(sides)


def disk(random, n):
    turn, far = 2 * np.pi * random.uniform(size=n), np.sqrt(random.uniform(size=n))
    return np.c_[far * np.cos(turn), far * np.sin(turn)]


def cylinder(random, n, height):
    turn = 2 * np.pi * random.uniform(size=n)
    return np.c_[np.cos(turn), np.sin(turn), height * random.uniform(size=n)]


def mobius(random, n):
    turn, v = 2 * np.pi * random.uniform(size=n), random.uniform(-.5, .5, size=n)
    far = 1 + v * np.cos(turn / 2)
    return np.c_[far * np.cos(turn), far * np.sin(turn), v * np.sin(turn / 2)]


def klein(random, n):
    u, v = 2 * np.pi * random.uniform(size=(2, n))
    far = 2 + np.cos(v)
    return np.c_[far * np.cos(u), far * np.sin(u), np.sin(v) * np.cos(u / 2), np.sin(v) * np.sin(u / 2)]


def ellipsoid(random, n):
    return sphere(random, n) * np.array([1, .8, .6])


# name: (function of random and n, points, coordinates that it needs)
TUNE = {
    "roll, 21 high": (roll, 2000, 2),
    "roll, 10 high": (lambda r, n: roll(r, n, 10), 2000, 2),
    "roll, 30 high": (lambda r, n: roll(r, n, 30), 1000, 2),
    "roll, 40 high": (lambda r, n: roll(r, n, 40), 2000, 2),
    "strip 1 x 1": (lambda r, n: strip(r, n, 1), 1500, 2),
    "strip 2 x 1": (lambda r, n: strip(r, n, 2), 1500, 2),
    "strip 3.3 x 1": (lambda r, n: strip(r, n, 3.3), 1500, 2),
    "strip 5 x 1": (lambda r, n: strip(r, n, 5), 2000, 2),
    "S": (s_curve, 1500, 2),
    "sphere": (sphere, 1500, 3),
    "ring torus": (ring, 2000, 3),
    "flat torus": (flat_torus, 2000, 4),
    "flat torus, 1 and .5": (lambda r, n: flat_torus(r, n, .5), 2000, 4),
    "circle": (circle, 1000, 2),
    "helix": (helix, 1000, 1),
    "box 1 x .8 x .6": (lambda r, n: box(r, n, 1, .8, .6), 2000, 3),
    "disk": (disk, 1500, 2),
    "3-sphere": (lambda r, n: sphere(r, n, 3), 2000, 4),
}

HELD_OUT = {
    "roll, 15 high": (lambda r, n: roll(r, n, 15), 3000, 2),
    "roll, 25 high, 700 points": (lambda r, n: roll(r, n, 25), 700, 2),
    "roll, noise .3": (lambda r, n: roll(r, n, 21, .3), 2000, 2),
    "roll, noise .5": (lambda r, n: roll(r, n, 25, .5), 2500, 2),
    "strip 1.5 x 1": (lambda r, n: strip(r, n, 1.5), 1000, 2),
    "strip 4 x 1": (lambda r, n: strip(r, n, 4), 3000, 2),
    "strip 7 x 1": (lambda r, n: strip(r, n, 7), 3000, 2),
    "cylinder, 1 high": (lambda r, n: cylinder(r, n, 1), 2000, 3),
    "cylinder, 3 high": (lambda r, n: cylinder(r, n, 3), 2000, 3),
    "cylinder, 8 high": (lambda r, n: cylinder(r, n, 8), 2000, 3),
    "Moebius strip": (mobius, 2000, 3),
    "Klein bottle": (klein, 3000, 4),
    "ellipsoid": (ellipsoid, 2000, 3),
    "ring torus, tube .6": (lambda r, n: ring(r, n, .6), 2500, 3),
    "flat torus, 1 and .7": (lambda r, n: flat_torus(r, n, .7), 2500, 4),
    "box 1 x .9": (lambda r, n: box(r, n, 1, .9), 800, 2),
    "box 2 x 1 x .7": (lambda r, n: box(r, n, 2, 1, .7), 3000, 3),
    "segment": (lambda r, n: box(r, n, 1), 500, 1),
}
