#!/usr/bin/python3
"""LA-VDM with NumPy and SciPy, as one would write it well: cKDTree on all cores,
batched decompositions, a block-sparse A, and either svds or Gram + eigh.

usage: scipy_lavdm.py POINTS.npy LANDMARKS.npy EPSILON CUTOFF DIM KNN BETA ALPHA R ROUTE
ROUTE is gram or svds, with frames and alignments by batched singular value
decompositions, or gram-tuned or svds-tuned, with frames by eigh of small covariances
and alignments of 2 x 2 matrices in closed form. Prints one JSON object: seconds per stage and sigma^2.
The definitions are those of the library: local PCA centred at the point with
weights 1 - r^2/(r_k^2 (1+1/k)), alignment by the orthogonal polar factor.
"""
import sys

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from scipy.spatial import cKDTree

from common import fastest, report


def leading(weight, diff, d, tuned):
    """The d leading directions of weighted differences (n x k x p)."""
    if not tuned:
        _, _, vt = np.linalg.svd(np.sqrt(weight)[:, :, None] * diff, full_matrices=False)
        return np.swapaxes(vt[:, :d], 1, 2)
    cov = np.einsum('nk,nki,nkj->nij', weight, diff, diff, optimize=True)
    _, vectors = np.linalg.eigh(cov)
    return vectors[:, :, ::-1][:, :, :d]


def frames(tree, x, places, k, d, tuned, chunk=100_000):
    out = np.empty((len(places), x.shape[1], d))
    for a in range(0, len(places), chunk):
        here = places[a:a + chunk]
        dist, index = tree.query(here, k=k + 1, workers=-1)
        diff = x[index] - here[:, None, :]
        r2 = dist**2
        weight = 1 - r2 / (r2[:, -1:] * (1 + 1 / (k + 1)))
        out[a:a + chunk] = leading(weight, diff, d, tuned)
    return out


def polar(m):
    if m.shape[-1] == 1:
        return np.where(m < 0, -1.0, 1.0)
    u, _, vt = np.linalg.svd(m)
    return u @ vt


def polar_two(m):
    """Closed form for 2 x 2, vectorised."""
    a, b, c, d = m[:, 0, 0], m[:, 0, 1], m[:, 1, 0], m[:, 1, 1]
    s = np.where(a * d - b * c < 0, -1.0, 1.0)
    x, y = a + s * d, c - s * b
    norm = np.hypot(x, y)
    x, y = x / norm, y / norm
    return np.stack([np.stack([x, -s * y], 1), np.stack([y, s * x], 1)], 1)


def graph(x, z, tree, bx, bz, reach, eps, tuned):
    """The edges (i, j), sorted by i, with their weights and elements."""
    near = cKDTree(z).sparse_distance_matrix(tree, reach, output_type='coo_matrix').tocoo()
    i, j, dist = near.col, near.row, near.data
    order = np.lexsort((j, i))
    i, j, dist = i[order], j[order], dist[order]
    w = np.exp(-dist**2 / eps)
    d = bx.shape[2]
    elements = np.empty((len(w), d, d))
    align = polar_two if d == 2 and tuned else polar
    for a in range(0, len(w), 1_000_000):
        s = slice(a, a + 1_000_000)
        elements[s] = align(np.einsum('eki,ekj->eij', bx[i[s]], bz[j[s]]))
    return i, j, w, elements


def operator(i, j, w, elements, n, m, beta, alpha):
    """A as a block-sparse matrix, and the degrees of its rows."""
    W = sp.csr_matrix((w, (i, j)), shape=(n, m))
    dz = W.T @ (W @ np.ones(m))
    zb = dz**-beta
    dx = W @ (zb * (W.T @ np.ones(n)))
    da = dx**-alpha * (W @ (zb * (W.T @ dx**-alpha)))
    row = dx**-alpha / np.sqrt(da)
    elements *= (w * row[i] * np.sqrt(zb)[j])[:, None, None]
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(i, minlength=n), out=indptr[1:])
    d = elements.shape[1]
    return sp.bsr_matrix((elements, j, indptr), shape=(n * d, m * d)), da


def lavdm(x, z, eps, cutoff, d, k, beta, alpha, r, route, clock):
    n, m, tuned = len(x), len(z), route.endswith('-tuned')
    tree = cKDTree(x)
    bx = frames(tree, x, x, k, d, tuned)
    bz = frames(tree, x, z, k, d, tuned)
    clock.lap('frames')
    edges = graph(x, z, tree, bx, bz, cutoff * np.sqrt(eps), eps, tuned)
    clock.lap('graph')
    A, degrees = operator(*edges, n, m, beta, alpha)
    csr = A.tocsr()
    clock.lap('operator')
    if route.startswith('gram'):
        G = (csr.T @ csr).toarray()
        values, V = scipy.linalg.eigh(G, subset_by_index=[m * d - r, m * d - 1])
        values, V = values[::-1], V[:, ::-1]
        clock.lap('spectrum')
        U = csr @ (V / np.sqrt(values))
    else:
        U, sigma, _ = sla.svds(csr, k=r)
        values, U = sigma[::-1]**2, U[:, ::-1]
        clock.lap('spectrum')
    U = U.reshape(n, d, r) / np.sqrt(degrees)[:, None, None]
    clock.lap('eigenvectors')
    return values


def main():
    points, marks, eps, cutoff, d, k, beta, alpha, r, route = sys.argv[1:11]
    x, z = np.load(points), np.load(marks)
    *measured, values = fastest(lambda clock: lavdm(x, z, float(eps), float(cutoff), int(d), int(k), float(beta),
                                                    float(alpha), int(r), route, clock))
    report('scipy-' + route, *measured, n=len(x), m=len(z), eigenvalues=values.tolist())


if __name__ == '__main__':
    main()
