"""Surfaces and spaces with one side or two: some to choose constants on, others to judge these.

Each is (half, orientable, d, radius, points). "tune" chose the constants of the confidence; reports on "seen" were the
reason to compare the automatic dimension with the growth of numbers of neighbours; "held" came after that, and chose
nothing. points(n, random) are even by volume, or nearly; radius is the unit of noise, the smallest radius of curvature or
half the distance to another sheet.
"""
import numpy as np

TURN = 2 * np.pi


def sphere(d):
    def points(n, random):
        x = random.standard_normal((n, d + 1))
        return x / np.linalg.norm(x, axis=1, keepdims=True)
    return points


def circle(n, random, radius=1.0):
    t = TURN * random.random(n)
    return radius * np.column_stack([np.cos(t), np.sin(t)])


def thinned(points, weight, top):
    """Of what `points` (m, random) -> (x, parameters) gives, a share weight/top is kept."""
    def kept(n, random):
        out, have = [], 0
        while have < n:
            x, at = points(2 * n, random)
            x = x[random.random(len(x)) * top < weight(at)]
            out.append(x)
            have += len(x)
        return np.concatenate(out)[:n]
    return kept


def twisted(half_twists, width):
    """A band around the unit circle that turns half_twists times by pi."""
    def points(n, random):
        u, t = TURN * random.random(n), width * (random.random(n) - .5)
        a = half_twists * u / 2
        r = 1 + t * np.cos(a)
        return np.column_stack([r * np.cos(u), r * np.sin(u), t * np.sin(a)]), (u, t)

    def area(at):
        u, t = at
        return np.hypot(1 + t * np.cos(half_twists * u / 2), half_twists * t / 2)
    return thinned(points, area, np.hypot(1 + width / 2, half_twists * width / 4))


def ring(r):
    def points(n, random):
        u, v = TURN * random.random((2, n))
        f = 1 + r * np.cos(v)
        return np.column_stack([f * np.cos(u), f * np.sin(u), r * np.sin(v)]), v
    return thinned(points, lambda v: 1 + r * np.cos(v), 1 + r)


def klein4(r):
    """A torus in R^4 whose tube comes back as its mirror image."""
    def points(n, random):
        u, v = TURN * random.random((2, n))
        f = 1 + r * np.cos(v)
        x = [f * np.cos(u), f * np.sin(u), r * np.sin(v) * np.cos(u / 2), r * np.sin(v) * np.sin(u / 2)]
        return np.column_stack(x), v
    return thinned(points, lambda v: np.hypot(1 + r * np.cos(v), r * np.sin(v) / 2), 1 + r)


def klein_flat(y2):
    """Flat: dx^2 + y2 dt^2 with (x, t) ~ (x + pi, -t)."""
    b3, even = np.sqrt((1 - y2) / 8), np.sqrt(y2 - .25)
    b1 = np.sqrt(1 - 9 * b3 * b3)

    def points(n, random):
        x, t = np.pi * random.random(n), TURN * random.random(n)
        c, s = np.cos(t), np.sin(t)
        out = [c * np.cos(2 * x) / 2, c * np.sin(2 * x) / 2, b1 * s * np.cos(x), b1 * s * np.sin(x), even * c,
               b3 * s * np.cos(3 * x), b3 * s * np.sin(3 * x)]
        return np.column_stack(out)
    return points


def veronese(n, random):
    v = sphere(2)(n, random)
    return (v[:, :, None] * v[:, None, :]).reshape(n, 9) / np.sqrt(2)


def rp2_four(n, random):
    x, y, z = sphere(2)(n, random).T
    return np.column_stack([x * y, x * z, y * y - z * z, 2 * y * z])


def rp3(n, random):
    w, x, y, z = sphere(3)(n, random).T
    r = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
         2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.column_stack(r) / np.sqrt(8)


def times(*parts):
    return lambda n, random: np.hstack([part(n, random) for part in parts])


def interval(length):
    return lambda n, random: length * random.random((n, 1))


def tube(curve, r):
    """The tube of radius r around a closed curve x(t), t from 0 to 2 pi."""
    t = np.linspace(0, TURN, 4001)
    x = curve(t)
    tangent = np.gradient(x, axis=0)
    speed = np.linalg.norm(tangent, axis=1)
    tangent /= speed[:, None]
    normal = np.cross(tangent, [.3, .5, .81])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    other = np.cross(tangent, normal)
    s = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(x, axis=0), axis=1))])

    def points(n, random):
        at = np.interp(random.random(n) * s[-1], s, np.arange(len(t))).astype(int)
        v = TURN * random.random(n)
        return x[at] + r * (np.cos(v)[:, None] * normal[at] + np.sin(v)[:, None] * other[at])
    return points


def knot(a, b):
    return lambda t: np.column_stack([(2 + np.cos(b * t)) * np.cos(a * t), (2 + np.cos(b * t)) * np.sin(a * t),
                                      np.sin(b * t)])


def implicit(f, box, shell):
    """f = 0: what falls within `shell` of it, moved there along the gradient."""
    box = np.array(box, float)

    def slope(x):
        g = np.empty_like(x)
        for k in range(3):
            e = 1e-5 * (np.arange(3) == k)
            g[:, k] = (f(x + e) - f(x - e)) / 2e-5
        return g

    def points(n, random):
        out, have = [], 0
        while have < n:
            x = box * (2 * random.random((40000, 3)) - 1)
            g = slope(x)
            x = x[np.abs(f(x)) < shell * np.linalg.norm(g, axis=1)]
            for _ in range(6):
                g = slope(x)
                x = x - (f(x) / np.maximum((g * g).sum(1), 1e-12))[:, None] * g
            out.append(x)
            have += len(x)
        return np.concatenate(out)[:n]
    return points


def eight(c):
    return lambda x: (x[:, 0] ** 2 * (1 - x[:, 0] ** 2) - x[:, 1] ** 2) ** 2 + x[:, 2] ** 2 - c * c


def merged(a, b, width):
    """The union of two bodies, rounded where they meet."""
    def f(x):
        p, q = a(x), b(x)
        h = np.clip(.5 + (q - p) / (2 * width), 0, 1)
        return q + (p - q) * h - width * h * (1 - h)
    return f


def ball(x):
    return np.linalg.norm(x, axis=1) - 1


def hoop(at, big, small):
    def f(x):
        y = x - [at, 0, 0]
        return np.hypot(np.hypot(y[:, 0], y[:, 2]) - big, y[:, 1]) - small
    return f


def roll(n, random):
    t = np.linspace(1.5 * np.pi, 4.5 * np.pi, 2001)
    s = (t * np.sqrt(1 + t * t) + np.arcsinh(t)) / 2
    t = np.interp(s[0] + random.random(n) * (s[-1] - s[0]), s, t)
    return np.column_stack([t * np.cos(t), 21 * random.random(n), t * np.sin(t)]) / np.pi


def s_curve(n, random):
    t = 3 * np.pi * (random.random(n) - .5)
    return np.column_stack([np.sin(t), 2 * random.random(n), np.sign(t) * (np.cos(t) - 1)])


def ellipsoid(a, b, c):
    size = np.array([a, b, c])

    def points(n, random):
        x = sphere(2)(n, random)
        return x * size, x
    return thinned(points, lambda x: np.linalg.norm(x / size, axis=1), 1 / min(a, b, c))


def band(curve, half_twists, width):
    """A band of that width along a closed curve, turning half_twists times by pi against a fixed frame."""
    t = np.linspace(0, TURN, 4001)
    x = curve(t)
    tangent = np.gradient(x, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    normal = np.cross(tangent, [0, 0, 1])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    other = np.cross(tangent, normal)
    a = half_twists * t / 2
    across = np.cos(a)[:, None] * normal + np.sin(a)[:, None] * other
    s = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(x, axis=0), axis=1))])

    def points(n, random):
        at = np.interp(random.random(n) * s[-1], s, np.arange(len(t))).astype(int)
        return x[at] + width * (random.random(n) - .5)[:, None] * across[at]
    return points


def uneven(points, push):
    """The density is e^{push x}, x the first coordinate by its deviation."""
    def chosen(n, random):
        x = points(12 * n, random)
        weight = np.exp(push * x[:, 0] / x[:, 0].std())
        return x[random.choice(len(x), n, False, weight / weight.sum())]
    return chosen


def stretched(points, *by):
    return lambda n, random: points(n, random) * np.array(by)


def cap(n, random):
    z, t = 1 - 1.3 * random.random(n), TURN * random.random(n)
    r = np.sqrt(1 - z * z)
    return np.column_stack([r * np.cos(t), r * np.sin(t), z])


def helicoid(n, random):
    def points(m, random):
        r, t = 2 * random.random(m) - 1, 2 * TURN * random.random(m)
        return np.column_stack([r * np.cos(t), r * np.sin(t), .5 * t]), r
    return thinned(points, lambda r: np.hypot(r, .5), 1.2)(n, random)


def bowl(n, random):
    def points(m, random):
        r, t = np.sqrt(random.random(m)), TURN * random.random(m)
        return np.column_stack([r * np.cos(t), r * np.sin(t), r * r]), r
    return thinned(points, lambda r: np.hypot(1, 2 * r), 2.3)(n, random)


def oval(t):
    return np.column_stack([1.6 * np.cos(t), np.sin(t), .3 * np.sin(2 * t)])


SHAPES = {
    "sphere": ("tune", True, 2, 1, sphere(2)),
    "ring-half": ("tune", True, 2, .5, ring(.5)),
    "ring-quarter": ("tune", True, 2, .25, ring(.25)),
    "torus": ("tune", True, 2, 1, times(circle, circle)),
    "cylinder": ("tune", True, 2, 1, times(circle, interval(2))),
    "roll": ("tune", True, 2, 1, roll),
    "band-2": ("tune", True, 2, .5, twisted(2, .7)),
    "eight": ("tune", True, 2, .1, implicit(eight(.1), (1.1, .7, .15), .01)),
    "handle": ("tune", True, 2, .25, implicit(merged(ball, hoop(1, .6, .25), .1), (2, 1.1, 1.1), .02)),
    "sphere3": ("tune", True, 3, 1, sphere(3)),
    "torus3": ("tune", True, 3, 1, times(circle, circle, circle)),
    "mobius": ("tune", False, 2, .5, twisted(1, .8)),
    "mobius-thin": ("tune", False, 2, .5, twisted(1, .3)),
    "klein4-half": ("tune", False, 2, .5, klein4(.5)),
    "klein-flat": ("tune", False, 2, .5, klein_flat(1)),
    "rp2": ("tune", False, 2, .5, veronese),
    "klein-circle": ("tune", False, 3, .5, times(klein4(.6), circle)),
    "mobius-square": ("tune", False, 3, .5, times(twisted(1, .8), interval(1))),

    "ellipsoid": ("seen", True, 2, .36, ellipsoid(1, .8, .6)),
    "ring-third": ("seen", True, 2, .35, ring(.35)),
    "torus-narrow": ("seen", True, 2, .3, times(circle, lambda n, random: circle(n, random, .3))),
    "s-curve": ("seen", True, 2, 1, s_curve),
    "band-4": ("seen", True, 2, .25, twisted(4, .4)),
    "tube-trefoil": ("seen", True, 2, .35, tube(knot(2, 3), .35)),
    "tube-knot": ("seen", True, 2, .3, tube(knot(2, 5), .3)),
    "eight-thick": ("seen", True, 2, .2, implicit(eight(.2), (1.2, .8, .25), .01)),
    "handles": ("seen", True, 2, .18, implicit(merged(merged(ball, hoop(1, .5, .18), .1), hoop(-1, .5, .18), .1),
                                               (1.8, 1.1, 1.1), .02)),
    "rp3": ("seen", True, 3, .5, rp3),
    "sphere-circle": ("seen", True, 3, 1, times(sphere(2), circle)),
    "mobius-3": ("seen", False, 2, .3, twisted(3, .5)),
    "mobius-wide": ("seen", False, 2, .5, twisted(1, 1.2)),
    "mobius-narrow": ("seen", False, 2, .5, twisted(1, .4)),
    "klein4-third": ("seen", False, 2, .33, klein4(.33)),
    "klein-small": ("seen", False, 2, .5, klein_flat(.4)),
    "rp2-four": ("seen", False, 2, .3, rp2_four),
    "rp2-circle": ("seen", False, 3, .5, times(veronese, circle)),
    "klein-circle-flat": ("seen", False, 3, .5, times(klein_flat(1), circle)),

    "cap": ("seen", True, 2, 1, cap),
    "helicoid": ("seen", True, 2, .5, helicoid),
    "tube-oval": ("seen", True, 2, .25, tube(oval, .25)),
    "tube-wound": ("seen", True, 2, .3, tube(knot(3, 4), .3)),
    "sphere-uneven": ("seen", True, 2, 1, uneven(sphere(2), 1)),
    "ellipsoid-long": ("seen", True, 2, .33, ellipsoid(1.5, .7, .7)),
    "ears": ("seen", True, 2, .22, implicit(merged(merged(ball, hoop(1, .55, .22), .1), hoop(-1, .55, .22), .1),
                                            (1.9, 1.1, 1.1), .02)),
    "band-6": ("seen", True, 2, .2, twisted(6, .3)),
    "sphere-interval": ("seen", True, 3, 1, times(sphere(2), interval(1))),
    "torus-interval": ("seen", True, 3, 1, times(circle, circle, interval(1))),
    "mobius-5": ("seen", False, 2, .2, twisted(5, .35)),
    "mobius-trefoil": ("seen", False, 2, .5, band(knot(2, 3), 1, .6)),
    "mobius-oval": ("seen", False, 2, .4, band(oval, 3, .5)),
    "klein4-quarter": ("seen", False, 2, .25, klein4(.25)),
    "klein-uneven": ("seen", False, 2, .5, uneven(klein_flat(.7), .7)),
    "rp2-stretched": ("seen", False, 2, .3, stretched(rp2_four, 1.4, 1, .8, 1)),
    "mobius-circle": ("seen", False, 3, .5, times(twisted(1, .8), circle)),
    "klein-interval": ("seen", False, 3, .4, times(klein4(.4), interval(1))),

    "ring-fat": ("held", True, 2, .3, ring(.7)),
    "bowl": ("held", True, 2, .5, bowl),
    "band-trefoil": ("held", True, 2, .5, band(knot(2, 3), 2, .9)),
    "band-oval": ("held", True, 2, .4, band(oval, 2, .6)),
    "tube-fat": ("held", True, 2, .4, tube(oval, .4)),
    "torus-half-interval": ("held", True, 3, .5, times(circle, lambda n, random: circle(n, random, .5), interval(1))),
    "ellipsoid-flat": ("held", True, 2, .25, ellipsoid(1, 1, .5)),
    "ear": ("held", True, 2, .3, implicit(merged(ball, hoop(1.1, .7, .3), .15), (2.2, 1.2, 1.2), .02)),
    "mobius-7": ("held", False, 2, .15, twisted(7, .25)),
    "mobius-knot": ("held", False, 2, .5, band(knot(2, 3), 3, 1)),
    "mobius-wide-oval": ("held", False, 2, .4, band(oval, 1, .8)),
    "klein4-fat": ("held", False, 2, .3, klein4(.7)),
    "klein-flat-other": ("held", False, 2, .5, klein_flat(.55)),
    "rp2-uneven": ("held", False, 2, .5, uneven(veronese, .7)),
    "rp2-interval": ("held", False, 3, .5, times(veronese, interval(1))),
}


def cloud(name, n, noise, ambient, seed):
    """n points in `ambient` dimensions (0: as few as there are), turned at random, with noise in every coordinate."""
    half, orientable, d, radius, points = SHAPES[name]
    random = np.random.default_rng([seed, n, sum(map(ord, name))])
    x = points(n, random)
    if ambient > x.shape[1]:
        turn = np.linalg.qr(random.standard_normal((ambient, x.shape[1])))[0]
        x = x @ turn.T
    return x + noise * radius * random.standard_normal(x.shape)
