"""Matrices of affinities, dense or sparse, as graphs."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse


def symmetric(matrix: scipy.sparse.csr_matrix, tolerance: float) -> bool:
    """Whether a matrix in canonical form is symmetric but for `tolerance` of its largest entry."""
    other = matrix.T.tocsr()
    if np.array_equal(matrix.indptr, other.indptr) and np.array_equal(matrix.indices, other.indices):
        apart = np.abs(matrix.data - other.data).max(initial=0)
    else:
        apart = abs(matrix - other).max()
    return bool(apart <= tolerance * np.abs(matrix.data).max(initial=0))


def affinities(values: Any) -> scipy.sparse.csr_matrix:
    """A symmetric matrix of affinities, each of whose nodes has an edge: a loop where it has no other."""
    matrix = scipy.sparse.csr_matrix(values)
    n = matrix.shape[0]
    if matrix.shape[1] != n:
        raise ValueError(f"affinity is 'precomputed', and X has the shape {matrix.shape}: a square matrix is needed")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not matrix.nnz:
        raise ValueError("affinity is 'precomputed', and every entry of X is 0")
    if matrix.data.min() < 0:
        raise ValueError(f"affinity is 'precomputed', and X has a negative entry, {matrix.data.min():g}: affinities are 0 or "
                         "more; of distances d, exp(-gamma d**2) makes affinities")
    if not symmetric(matrix, 1e-10):
        raise ValueError("affinity is 'precomputed', and X is not symmetric: X + X.T is")
    lonely = np.flatnonzero(np.diff(matrix.indptr) == 0)
    if len(lonely):
        matrix = matrix + scipy.sparse.csr_matrix((np.ones(len(lonely)), (lonely, lonely)), shape=(n, n))
    return matrix
