"""Surfaces of revolution: points by area, and both Laplacians as Sturm-Liouville problems.

A profile (radius, height) over t is turned into functions of its arclength s on cells of equal length. A function
u(s) e^{ik phi} has -(f u')'/f + (k/f)^2 u; a tangent field in the frame of meridian and parallel, as a complex number
u(s) e^{ik phi}, has the potential ((k - f')/f)^2 instead, and counts twice in real multiplicity, for all whole k.
"""
import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.sparse import diags
from scipy.sparse.linalg import eigsh

CELLS = 1200
MODES = 12


class Surface:
    def __init__(self, profile, low, high, closed):
        """profile(t): radius and height; closed: the profile is a loop, and otherwise goes from pole to pole."""
        t = np.linspace(low, high, 40 * CELLS + 1)
        radius, height = profile(t)
        s = np.concatenate([[0], np.cumsum(np.hypot(np.diff(radius), np.diff(height)))])
        at = np.linspace(0, s[-1], 2 * CELLS + 1)
        self.closed, self.step = closed, s[-1] / CELLS
        self.s, self.radius, self.height = s, radius, height
        f = np.interp(at, s, radius)
        self.face, self.f = f[::2], f[1::2]
        self.slope = np.diff(self.face) / self.step
        if not closed:
            self.face[[0, -1]] = 0

    def points(self, n, random):
        area = np.concatenate([[0], np.cumsum((self.radius[1:] + self.radius[:-1]) * np.diff(self.s))])
        s = np.interp(random.random(n) * area[-1], area, self.s)
        f, z = np.interp(s, self.s, self.radius), np.interp(s, self.s, self.height)
        phi = 2 * np.pi * random.random(n)
        return np.column_stack([f * np.cos(phi), f * np.sin(phi), z])

    def modes(self, potential):
        """The least eigenvalues of -(f u')'/f + potential u, by finite volumes."""
        mass = self.f * self.step
        flow = self.face / self.step
        diagonal = (flow[:-1] + flow[1:]) / mass + potential
        beside = -flow[1:-1] / np.sqrt(mass[:-1] * mass[1:])
        if not self.closed:
            return eigh_tridiagonal(diagonal, beside, select="i", select_range=(0, MODES - 1))[0]
        corner = [-flow[0] / np.sqrt(mass[0] * mass[-1])]
        a = diags([diagonal, beside, beside, corner, corner], [0, 1, -1, CELLS - 1, 1 - CELLS], format="csc")
        return np.sort(eigsh(a, k=MODES, sigma=-0.1, return_eigenvectors=False, v0=np.ones(CELLS)))

    def scalar(self):
        return np.sort(np.concatenate([np.repeat(self.modes((k / self.f) ** 2), 2 if k else 1) for k in range(MODES)]))

    def fields(self):
        return np.sort(np.concatenate([np.repeat(self.modes(((k - self.slope) / self.f) ** 2), 2)
                                       for k in range(-MODES, MODES + 1)]))
