"""How well eigenvectors of points on the torus of revolution match what they stand for:
the eigenfunctions of its Laplacian.

With the radii 2 and 1 and w(v) = 2 + cos v, a function f(v) cos(ku) or f(v) sin(ku) is one
where -(w f')' + k^2 f / w = lambda w f: one dimension, solved to rounding by a Fourier
series. The bandwidth matters here, as it does not on a sphere, where every kernel of the
distance has the same eigenvectors.
"""
import numpy as np
import scipy.linalg

MODES = 16  # without the constant; a gap follows: 2.51, then 3.15
NODES = 96


def modes():
    """[(lambda, k, f)] in ascending order, f by its complex Fourier coefficients."""
    frequency = np.arange(NODES) - NODES // 2 + 1
    v = 2 * np.pi * np.arange(NODES) / NODES
    series = np.exp(1j * np.outer(v, frequency)) / NODES**0.5
    w = 2 + np.cos(v)
    slope = 1j * frequency[None, :] * series
    found = []
    for k in range(8):
        stiff = slope.conj().T @ (w[:, None] * slope) + series.conj().T @ ((k * k / w)[:, None] * series)
        mass = series.conj().T @ (w[:, None] * series)
        values, vectors = scipy.linalg.eigh(stiff, mass)
        found += [(values[a], k, vectors[:, a]) for a in range(12)]
    return sorted(found, key=lambda mode: mode[0])


def real_function(coefficients, v):
    frequency = np.arange(NODES) - NODES // 2 + 1
    kept = np.abs(coefficients) > 1e-13
    f = np.exp(1j * np.outer(v, frequency[kept])) @ coefficients[kept]
    largest = f[np.argmax(np.abs(f))]
    return (f * np.conj(largest) / abs(largest)).real


def truth(points):
    """An orthonormal basis of the constant and the first MODES eigenfunctions at the points."""
    u = np.arctan2(points[:, 1], points[:, 0])
    v = np.arctan2(points[:, 2], np.hypot(points[:, 0], points[:, 1]) - 2)
    columns = []
    for _, k, coefficients in modes():
        f = real_function(coefficients, v)
        columns += [f * np.cos(k * u), f * np.sin(k * u)] if k else [f]
        if len(columns) > MODES:
            break
    return np.linalg.qr(np.column_stack(columns))[0]


def error(basis, u):
    """Root mean square sine of the angles between the true space and that of the constant and u."""
    space, _ = np.linalg.qr(np.column_stack([np.ones(len(u)), u[:, :basis.shape[1] - 1]]))
    return max(0.0, 1 - np.sum((basis.T @ space)**2) / basis.shape[1])**0.5
