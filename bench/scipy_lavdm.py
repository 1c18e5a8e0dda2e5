#!/usr/bin/env python3
"""LA-VDM with NumPy and SciPy, as one would write it well: cKDTree on all cores,
batched decompositions, a block-sparse A, and either svds or Gram + eigh.

usage: scipy_lavdm.py POINTS.npy LANDMARKS.npy EPSILON CUTOFF DIM KNN BETA ALPHA R ROUTE
ROUTE is gram or svds. Prints one JSON object: seconds per stage and sigma^2.
The definitions are those of the library: local PCA centred at the point with
weights 1 - r^2/(r_k^2 (1+1/k)), alignment by the orthogonal polar factor.
"""
import json
import sys
import time

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from scipy.spatial import cKDTree


def frames(tree, x, places, k, d, chunk=100_000):
    out = np.empty((len(places), x.shape[1], d))
    for a in range(0, len(places), chunk):
        here = places[a:a + chunk]
        dist, index = tree.query(here, k=k + 1, workers=-1)
        diff = x[index] - here[:, None, :]
        r2 = dist**2
        weight = 1 - r2 / (r2[:, -1:] * (1 + 1 / (k + 1)))
        cov = np.einsum('nk,nki,nkj->nij', weight, diff, diff, optimize=True)
        _, vectors = np.linalg.eigh(cov)
        out[a:a + chunk] = vectors[:, :, ::-1][:, :, :d]
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


def main():
    points, marks, eps, cutoff, d, k, beta, alpha, r, route = sys.argv[1:11]
    x, z = np.load(points), np.load(marks)
    eps, cutoff, beta, alpha = float(eps), float(cutoff), float(beta), float(alpha)
    d, k, r = int(d), int(k), int(r)
    n, m = len(x), len(z)
    seconds, began = {}, time.perf_counter()

    def lap(name):
        nonlocal began
        now = time.perf_counter()
        seconds[name] = now - began
        began = now

    tree = cKDTree(x)
    bx = frames(tree, x, x, k, d)
    bz = frames(tree, x, z, k, d)
    lap('frames')

    near = cKDTree(z).sparse_distance_matrix(tree, cutoff * np.sqrt(eps), output_type='coo_matrix').tocoo()
    i, j, dist = near.col, near.row, near.data
    order = np.lexsort((j, i))
    i, j, dist = i[order], j[order], dist[order]
    w = np.exp(-dist**2 / eps)
    elements = np.empty((len(w), d, d))
    align = polar_two if d == 2 else polar
    for a in range(0, len(w), 1_000_000):
        s = slice(a, a + 1_000_000)
        elements[s] = align(np.einsum('eki,ekj->eij', bx[i[s]], bz[j[s]]))
    lap('graph')

    W = sp.csr_matrix((w, (i, j)), shape=(n, m))
    dz = W.T @ (W @ np.ones(m))
    zb = dz**-beta
    dx = W @ (zb * (W.T @ np.ones(n)))
    da = dx**-alpha * (W @ (zb * (W.T @ dx**-alpha)))
    row = dx**-alpha / np.sqrt(da)
    elements *= (w * row[i] * np.sqrt(zb)[j])[:, None, None]
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(i, minlength=n), out=indptr[1:])
    A = sp.bsr_matrix((elements, j, indptr), shape=(n * d, m * d))
    lap('operator')

    if route == 'gram':
        csr = A.tocsr()
        G = (csr.T @ csr).toarray()
        values, V = scipy.linalg.eigh(G, subset_by_index=[m * d - r, m * d - 1])
        values, V = values[::-1], V[:, ::-1]
        lap('spectrum')
        U = csr @ (V / np.sqrt(values))
    else:
        U, sigma, _ = sla.svds(A.tocsr(), k=r)
        values, U = sigma[::-1]**2, U[:, ::-1]
        lap('spectrum')
    U = U.reshape(n, d, r) / np.sqrt(da)[:, None, None]
    lap('eigenvectors')
    print(json.dumps({'peer': 'scipy-' + route, 'n': n, 'm': m, 'seconds': dict(seconds, total=sum(seconds.values())),
                      'eigenvalues': values.tolist()}))


if __name__ == '__main__':
    main()
