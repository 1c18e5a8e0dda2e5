"""From an embedding back to points: local linear regression of the points that were fitted on their embedding.

For y: min over a, B of sum_i w_i |x_i - a - B'(y_i - y)|^2 + r |B|^2 over the nearest y_i, w_i = exp(-|y_i - y|^2 / h^2),
h the distance to the last of them; x = a. The ridge r decides where the y_i lie in fewer dimensions than they have.
"""
from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ._data import warn

RIDGE = 1e-6  # by the mean variance of a column
ROWS = 4096  # at a time


class Inverse:
    def __init__(self, embedding: np.ndarray, points: np.ndarray) -> None:
        keep = np.isfinite(embedding).all(1) & (embedding != 0).any(1)
        self.embedding, self.points = embedding[keep], np.asarray(points)[keep]
        if not len(self.embedding):
            raise ValueError("no point has an embedding: there is nothing to go back from")
        self.tree = cKDTree(self.embedding)
        self.k = min(len(self.embedding), 2 * (embedding.shape[1] + 1) + 8)
        # as far as the loneliest of the fitted points is from its neighbours
        self.reach = float(self.tree.query(self.embedding, self.k)[0].reshape(len(self.embedding), -1)[:, -1].max())

    def __call__(self, embedding: np.ndarray) -> np.ndarray:
        """(n, p); NaN where an embedding is NaN or far from those of all fitted points."""
        out = np.full((len(embedding), self.points.shape[1]), np.nan)
        usable = np.flatnonzero(np.isfinite(embedding).all(1))
        for first in range(0, len(usable), ROWS):
            rows = usable[first:first + ROWS]
            distance, near = self.tree.query(embedding[rows], self.k)
            distance, near = distance.reshape(len(rows), -1), near.reshape(len(rows), -1)
            close = distance[:, 0] <= self.reach
            out[rows[close]] = self._regress(embedding[rows[close]], distance[close], near[close])
        lost = int(np.isnan(out).any(1).sum())
        if lost:
            warn([f"{lost} of {len(out)} rows are far from the embedding of every fitted point, or NaN: they are not "
                  "guessed, and are NaN"])
        return out

    def _regress(self, y: np.ndarray, distance: np.ndarray, near: np.ndarray) -> np.ndarray:
        width = np.maximum(distance[:, -1:], np.finfo(float).tiny)
        weight = np.exp(-(distance / width) ** 2)
        weight /= weight.sum(1, keepdims=True)
        ys, xs = self.embedding[near], self.points[near]
        mean_y, mean_x = (np.einsum("nk,nkc->nc", weight, some) for some in (ys, xs))
        dy, dx = ys - mean_y[:, None], xs - mean_x[:, None]
        gram = np.einsum("nk,nkc,nke->nce", weight, dy, dy)
        size = np.trace(gram, axis1=1, axis2=2) / gram.shape[1]
        gram += (RIDGE * size + np.finfo(float).tiny)[:, None, None] * np.eye(gram.shape[1])
        slope = np.linalg.solve(gram, np.einsum("nk,nkc,nkp->ncp", weight, dy, dx))
        return mean_x + np.einsum("nc,ncp->np", y - mean_y, slope)
