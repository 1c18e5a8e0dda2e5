#!/usr/bin/python3 -B
"""Manifolds whose spectra are known: a table, half of it to choose constants on, half to judge them.

Spectra are lists (eigenvalue, multiplicity) from 0 up, of the Laplacian on functions and of the connection Laplacian
on tangent fields; at an edge both have Neumann conditions, fields in each component. Run as a program it prints the
table and checks the computed spectra against exact ones.
"""
from functools import lru_cache
from itertools import product

import numpy as np

from revolution import Surface

LEVELS = 60          # eigenvalues of a spectrum that are kept, at least


def group(values, apart=1e-2):
    """Sorted eigenvalues as [(mean, multiplicity)], those closer than a share `apart` being one."""
    groups = []
    for x in sorted(values):
        if groups and x - groups[-1][-1] <= apart * max(x, 1e-9) or (groups and x < 1e-6):
            groups[-1].append(x)
        else:
            groups.append([x])
    groups = [(0.0 if g[-1] < 1e-4 else float(np.mean(g)), len(g)) for g in groups]
    count, kept = 0, []
    for g in groups:
        kept.append(g)
        count += g[1]
        if count >= LEVELS and len(kept) >= 5:
            break
    return kept


def flat(pairs):
    return [x for x, count in pairs for _ in range(count)]


class Shape:
    """name, d, p (least ambient dimension), radius (the unit of noise), orientable, half ("tune" or "held")."""

    def __init__(self, name, half, d, p, radius, points, scalar, fields, orientable=True):
        self.name, self.half, self.d, self.p, self.radius = name, half, d, p, radius
        self.points, self._scalar, self._fields, self.orientable = points, scalar, fields, orientable

    def sample(self, n, seed=0, uneven=0.0):
        """n points, even by volume; with `uneven` u of density e^{u x}, x the standardised first coordinate."""
        random = np.random.default_rng([seed, sum(map(ord, self.name))])
        if not uneven:
            return self.points(n, random)
        pilot = self.points(4000, random)[:, 0]
        mean, deviation = pilot.mean(), pilot.std()
        top, kept, count = np.exp(uneven * (pilot.max() - mean) / deviation), [], 0
        while count < n:
            x = self.points(4 * n, random)
            x = x[random.random(len(x)) * top < np.exp(uneven * (x[:, 0] - mean) / deviation)]
            kept.append(x)
            count += len(x)
        return np.concatenate(kept)[:n]

    @lru_cache(maxsize=None)
    def scalar(self):
        return group(self._scalar())

    @lru_cache(maxsize=None)
    def fields(self):
        return group(self._fields())


# ------------------------------------------------------------------ parts of products

def sphere_points(d):
    def points(n, random):
        x = random.standard_normal((n, d + 1))
        return x / np.linalg.norm(x, axis=1, keepdims=True)
    return points


def choose(n, k):
    out = 1
    for i in range(k):
        out = out * (n - i) // (i + 1)
    return out


def sphere_scalar(d, top=7):
    """l (l + d - 1), of harmonic polynomials of degree l in d + 1 variables."""
    return [(l * (l + d - 1), choose(l + d, d) - (choose(l + d - 2, d) if l > 1 else 0)) for l in range(top)]


def sphere_fields(d, top=7):
    """Hodge on 1-forms less the Ricci curvature d - 1: gradients, and coclosed forms (l + 1)(l + d - 2) for d > 1."""
    if d == 1:
        return sphere_scalar(1, top)
    gradients = [(x - (d - 1), m) for x, m in sphere_scalar(d, top)[1:]]
    turning = []
    for l in range(1, top):
        rank = l * (l + d - 1) * (2 * l + d - 1)
        for i in range(l + 1, l + d - 2):
            rank *= i
        below = 1
        for i in range(1, d - 1):
            below *= i
        turning.append(((l + 1) * (l + d - 2) - (d - 1), rank // (below * (l + 1)) if d > 2 else 2 * l + 1))
    return gradients + turning


class Part:
    """What a product needs of a factor."""

    def __init__(self, d, points, scalar, fields):
        self.d, self.points, self.scalar, self.fields = d, points, scalar, fields


def sphere(d, radius=1.0):
    at = sphere_points(d)
    return Part(d, lambda n, random: radius * at(n, random), flat([(x / radius ** 2, m) for x, m in sphere_scalar(d)]),
                flat([(x / radius ** 2, m) for x, m in sphere_fields(d)]))


def interval(length):
    modes = [(np.pi * k / length) ** 2 for k in range(16)]
    return Part(1, lambda n, random: length * random.random((n, 1)), modes, modes)


def times(*parts):
    """Fields of a product: fields of one factor times functions of the others."""
    first = parts[0]
    for other in parts[1:]:
        a, b = first, other
        scalar = sorted(x + y for x, y in product(a.scalar, b.scalar))[:400]
        fields = sorted([x + y for x, y in product(a.fields, b.scalar)] + [x + y for x, y in product(a.scalar, b.fields)])
        first = Part(a.d + b.d, lambda n, random, a=a, b=b: np.hstack([a.points(n, random), b.points(n, random)]),
                     scalar, fields[:400])
    return first


def of_part(name, half, p, radius, part, bend=None):
    points = part.points if bend is None else lambda n, random: bend(part.points(n, random))
    return Shape(name, half, part.d, p, radius, points, lambda: part.scalar, lambda: part.fields)


# ------------------------------------------------------------------ shapes of their own

def rp2(n, random):
    v = sphere_points(2)(n, random)
    return (v[:, :, None] * v[:, None, :]).reshape(n, 9) / np.sqrt(2)


def rp3(n, random):
    w, x, y, z = sphere_points(3)(n, random).T
    r = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
         2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.column_stack(r) / np.sqrt(8)


def klein_points(y2, width=np.pi):
    """Flat: dx^2 + y2 dt^2 with (x, t) ~ (x + pi, -t), in R^7 (R^5 for y2 = 1); |t| <= width."""
    b3, even = np.sqrt((1 - y2) / 8), np.sqrt(y2 - 0.25)
    b1 = np.sqrt(1 - 9 * b3 * b3)

    def points(n, random):
        x, t = np.pi * random.random(n), width * (2 * random.random(n) - 1)
        c, s = np.cos(t), np.sin(t)
        out = [c * np.cos(2 * x) / 2, c * np.sin(2 * x) / 2, b1 * s * np.cos(x), b1 * s * np.sin(x), even * c]
        return np.column_stack(out + ([b3 * s * np.cos(3 * x), b3 * s * np.sin(3 * x)] if b3 else []))
    return points


def klein_scalar(y2):
    """k even with cos, k odd with sin."""
    return [k * k + j * j / y2 for k in range(-12, 13) for j in range(12) if k % 2 == 0 or j > 0]


def klein_fields(y2):
    return [k * k + j * j / y2 for k in range(-12, 13) for j in range(-12, 13)]


def mobius_modes(width, kind):
    """Length pi, edges at t = +-width/2; a component along the band is even under the turn, one across is odd."""
    wave = [(j, k) for j in range(12) for k in range(-12, 13) if (j + k) % 2 == kind]
    return [k * k + (np.pi * j / width) ** 2 for j, k in wave]


def roll_bend(s, low, high):
    t = np.linspace(low, high, 20001)
    length = (t * np.sqrt(1 + t * t) + np.arcsinh(t)) / 2
    t = np.interp(s, length - length[0], t)
    return t * np.cos(t), t * np.sin(t)


def roll_length(low, high):
    return np.diff([(t * np.sqrt(1 + t * t) + np.arcsinh(t)) / 2 for t in (low, high)])[0]


ROLL = (1.5 * np.pi, 4.5 * np.pi)


def bend_roll(x):
    a, b = roll_bend(x[:, 0], *ROLL)
    return np.column_stack([a, x[:, 1], b])


def bend_s(x):
    t = x[:, 0] - 1.5 * np.pi
    return np.column_stack([np.sin(t), x[:, 1], np.sign(t) * (np.cos(t) - 1)])


class Curve:
    """A closed curve x(t), t from 0 to 2 pi: points by arclength, its length and its reach."""

    def __init__(self, x):
        self.t = np.linspace(0, 2 * np.pi, 20001)
        self.x, y = x, x(self.t)
        self.s = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(y, axis=0), axis=1))])
        self.length = self.s[-1]

    def points(self, n, random):
        return self.x(np.interp(random.random(n) * self.length, self.s, self.t))

    def reach(self):
        """Least |y - x|^2 / (2 distance of y from the tangent at x) over pairs (Federer)."""
        y = self.x(np.interp(np.arange(1000) * self.length / 1000, self.s, self.t))
        tangent = np.roll(y, -1, 0) - np.roll(y, 1, 0)
        tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
        apart = y[None] - y[:, None]
        off = np.linalg.norm(apart - np.einsum("ijk,ik->ij", apart, tangent)[..., None] * tangent[:, None], axis=2)
        far = np.linalg.norm(apart, axis=2)
        use = off > 1e-6
        return float(np.min(far[use] ** 2 / (2 * off[use])))

    def modes(self):
        return flat([((2 * np.pi * k / self.length) ** 2, 2 if k else 1) for k in range(12)])


def curve(name, half, p, x):
    c = Curve(x)
    return Shape(name, half, 1, p, c.reach(), c.points, c.modes, c.modes)


def wiggly(t):
    c = np.random.RandomState(20).standard_normal((20, 8)) / np.arange(1, 5).repeat(2) ** 1.5
    return np.column_stack([f(k * t) for k in range(1, 5) for f in (np.cos, np.sin)]) @ c.T / np.sqrt(20)


def revolved(name, half, radius, profile, low, high, closed=False):
    made = lru_cache(maxsize=None)(lambda: Surface(profile, low, high, closed))
    return Shape(name, half, 2, 3, radius, lambda n, random: made().points(n, random), lambda: made().scalar(),
                 lambda: made().fields())


def ellipsoid(c):
    return lambda t: (np.sin(t), -c * np.cos(t))


def torus(r):
    return lambda t: (1 + r * np.cos(t), r * np.sin(t))


def dumbbell(a, c):
    return lambda t: (np.sin(t) * (1 - a * np.sin(t) ** 2), -c * np.cos(t))


def table():
    s1 = sphere(1)
    roll, strip = times(interval(roll_length(*ROLL)), interval(21)), times(interval(4), interval(1.5))
    even, odd = (lambda w: lambda: mobius_modes(w, 0)), (lambda w: lambda: mobius_modes(w, 0) + mobius_modes(w, 1))
    shapes = [
        of_part("circle", "tune", 2, 1, s1),
        of_part("sphere", "tune", 3, 1, sphere(2)),
        of_part("sphere4", "tune", 5, 1, sphere(4)),
        of_part("torus-half", "tune", 4, .5, times(s1, sphere(1, .5))),
        of_part("torus3", "tune", 6, 1, times(s1, s1, s1)),
        Shape("rp2", "tune", 2, 5, .5, rp2, lambda: flat([(x, m) for x, m in sphere_scalar(2)[::2]]),
              lambda: flat([(l * (l + 1) - 1, 2 * l + 1) for l in range(1, 7)]), False),
        Shape("klein", "tune", 2, 5, .5, klein_points(1), lambda: klein_scalar(1), lambda: klein_fields(1), False),
        Shape("klein-small", "tune", 2, 7, .5, klein_points(.3), lambda: klein_scalar(.3), lambda: klein_fields(.3), False),
        of_part("cylinder", "tune", 3, 1, times(s1, interval(2.5))),
        of_part("roll", "tune", 3, np.pi, roll, bend_roll),
        curve("wiggly", "tune", 8, wiggly),
        revolved("ring", "tune", .5, torus(.5), 0, 2 * np.pi, True),
        revolved("prolate", "tune", .625, ellipsoid(1.6), 0, np.pi),
        revolved("peanut", "tune", .5, dumbbell(.5, 1.2), 0, np.pi),
        curve("ellipse", "held", 2, lambda t: np.column_stack([np.cos(t), np.sin(t) / 2])),
        curve("trefoil", "held", 3, lambda t: np.column_stack([(2 + np.cos(3 * t)) * np.cos(2 * t),
                                                               (2 + np.cos(3 * t)) * np.sin(2 * t), np.sin(3 * t)])),
        of_part("sphere3", "held", 4, 1, sphere(3)),
        of_part("torus", "held", 4, 1, times(s1, s1)),
        of_part("torus-narrow", "held", 4, .3, times(s1, sphere(1, .3))),
        of_part("sphere-circle", "held", 5, 1, times(sphere(2), s1)),
        of_part("sphere3-circle", "held", 6, 1, times(sphere(3), s1)),
        Shape("rp3", "held", 3, 9, .5, rp3, lambda: flat(sphere_scalar(3)[::2]),
              lambda: flat([(2, 6), (6, 9), (14, 30), (22, 25), (34, 70)])),
        Shape("klein-half", "held", 2, 7, .5, klein_points(.5), lambda: klein_scalar(.5), lambda: klein_fields(.5), False),
        Shape("mobius", "held", 2, 5, .5, klein_points(1, .7), even(1.4), odd(1.4), False),
        of_part("strip", "held", 3, .75, strip, lambda x: np.column_stack([x, np.zeros(len(x))])),
        of_part("scurve", "held", 3, 1, times(interval(3 * np.pi), interval(2)), bend_s),
        revolved("ring-thin", "held", .35, torus(.35), 0, 2 * np.pi, True),
        revolved("oblate", "held", .36, ellipsoid(.6), 0, np.pi),
        revolved("dumbbell", "held", .3, dumbbell(.7, 1.2), 0, np.pi),
    ]
    return {s.name: s for s in shapes}


SHAPES = table()


def show(pairs):
    return " ".join(f"{x:.4g}({m})" for x, m in pairs[:5])


def check():
    """What is computed against what is exact: a round sphere as a surface of revolution."""
    ball = Surface(ellipsoid(1), 0, np.pi, False)
    for name, found, exact in (("functions", ball.scalar(), flat(sphere_scalar(2, 5))),
                               ("fields", ball.fields(), flat(sphere_fields(2, 5)))):
        found = found[:len(exact)]
        worst = np.max(np.abs(found - np.sort(exact)) / np.maximum(1, np.sort(exact)))
        print(f"sphere as a surface of revolution, {name}: within {worst:.1e}")
        assert worst < 1e-3


if __name__ == "__main__":
    check()
    for s in SHAPES.values():
        print(f"{s.name:15} {s.half} d={s.d} p={s.p} radius={s.radius:.3g} {'orientable' if s.orientable else 'one-sided'}")
        print(f"    functions {show(s.scalar())}\n    fields    {show(s.fields())}")
