#!/usr/bin/python3
"""Diffusion maps with scikit-learn: SpectralEmbedding on the k-NN graph, and the
Nystroem features of a Gaussian kernel, normalised by degrees and decomposed.

usage: sklearn_dm.py ROUTE POINTS.npy OUTPUT.npy R SIZE [EPSILON] [once]

ROUTE is spectral (SIZE neighbours) or nystroem (SIZE landmarks, bandwidth EPSILON).
Writes the eigenvectors 2 to R, the first being constant; prints one JSON object.
The fastest of three runs counts, unless one takes long (common.py) or `once` is said.
"""
import sys

import numpy as np
import scipy.linalg
from sklearn.kernel_approximation import Nystroem
from sklearn.manifold import SpectralEmbedding

from common import fastest, report


def spectral(x, r, knn, _, clock):
    model = SpectralEmbedding(n_components=r - 1, affinity='nearest_neighbors', n_neighbors=knn, random_state=1,
                              n_jobs=-1)
    u = model.fit_transform(x)
    clock.lap('all')
    return u


def nystroem(x, r, m, epsilon, clock):
    """K is F F' with F the features; eigenvectors of D^-1 K, D the row sums of F F'."""
    f = Nystroem(kernel='rbf', gamma=1 / epsilon, n_components=m, random_state=1).fit_transform(x)
    clock.lap('graph')
    degree = f @ f.sum(axis=0)
    root = np.sqrt(np.maximum(degree, 1e-12 * degree.max()))[:, None].astype(f.dtype)
    f /= root
    clock.lap('degrees')
    values, v = scipy.linalg.eigh(f.T @ f, subset_by_index=[f.shape[1] - r, f.shape[1] - 1])
    clock.lap('spectrum')
    u = f @ (v[:, ::-1] / np.sqrt(values[::-1]))
    u /= root
    clock.lap('eigenvectors')
    return u[:, 1:]


def main():
    words = [word for word in sys.argv[1:] if word != 'once']
    route, points, output, r, size = words[:5]
    epsilon = float(words[5]) if len(words) > 5 else None
    x = np.load(points)
    solve = {'spectral': spectral, 'nystroem': nystroem}[route]
    *measured, u = fastest(lambda clock: solve(x, int(r), int(size), epsilon, clock),
                           most=1 if 'once' in sys.argv else 3)
    np.save(output, u)
    report('sklearn-' + route, *measured, size=int(size))


if __name__ == '__main__':
    main()
