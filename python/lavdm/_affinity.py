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
    """A square matrix of affinities: symmetric, never negative, not all of it zero."""
    matrix = scipy.sparse.csr_matrix(values, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not matrix.nnz:
        raise ValueError("affinity is 'precomputed', and every affinity is 0")
    if matrix.data.min() < 0:
        raise ValueError(f"affinity is 'precomputed', and one is negative, {matrix.data.min():g}: affinities are 0 or more; "
                         "of distances d, exp(-gamma d**2) makes affinities")
    if not symmetric(matrix, 1e-10):
        raise ValueError("affinity is 'precomputed', and the matrix W is not symmetric: (W + W.T) / 2 is")
    return matrix
