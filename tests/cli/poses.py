"""Rotations in long hand, and what the tests of files of poses share."""
import numpy as np

from support import Case


def matrix(x):
    """The rotation of w x y z."""
    w, x, y, z = x
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def euler(roll, pitch, yaw):
    c, s = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    x = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    y = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    z = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    return z @ y @ x


def rodrigues(v):
    angle = np.linalg.norm(v)
    if angle == 0:
        return np.eye(3)
    x, y, z = v / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def quaternions(rng, n):
    x = rng.standard_normal((n, 4))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def times(a, b):
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def back(a):
    return a * [1, -1, -1, -1]


def line(*words):
    return " ".join(word if isinstance(word, str) else repr(float(word)) if isinstance(word, float) else str(word)
                    for word in words) + "\n"


def upper(a):
    return a[np.triu_indices(len(a))]


def spd(rng, d, spread=2):
    q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return q @ np.diag(10.0 ** rng.uniform(-spread, spread, d)) @ q.T


class Poses(Case):
    def lines(self, name):
        with open(self.path(name)) as file:
            return [row.split() for row in file]

    def solved(self, *words):
        run = self.json("sync", *words, "-o", "out.npz")
        with np.load(self.path("out.npz")) as file:
            return run, dict(file)

    def chain(self, n=12, seed=5):
        """Poses whose first is the identity at the origin."""
        rng = np.random.default_rng(seed)
        x, p = quaternions(rng, n), 5 * rng.standard_normal((n, 3))
        x[0], p[0] = [1, 0, 0, 0], 0
        return x, p
