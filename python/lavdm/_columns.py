"""The columns of an embedding: which of the coordinates that a model has, and how they are turned."""
from __future__ import annotations

import numpy as np

from .model import Model

ONE = 1 - 1e-6  # eigenvalues above are 1: one for each piece of the graph


class Columns:
    """What `fit_transform` returns of a model, and `transform` of an extension of it.

    Scalars: the diffusion coordinates lambda^t u without the constant one. In a graph of c pieces the c
    eigenvectors of eigenvalue 1 are constant on pieces; they are turned, so that one is constant, and that is left out.
    Vectors: the products (lambda_l lambda_s)^t <u_l, u_s>, none of which is constant, or with a number of columns the
    principal axes of these about their mean.
    """

    def __init__(self, model: Model, number: int | None = None, time: float | None = None,
                 rank: int | None = None) -> None:
        self.time = time
        self.rank = model.rank(time) if rank is None else rank
        self.turn = self.mean = self.axes = None
        if model.scalar:
            self.turn = _turn(model.coordinates(time, min(self.rank, _ones(model))))
            self.count = self.rank if self.turn is None else self.rank - 1
        else:
            self.count = self.rank * (self.rank + 1) // 2
        most = self.count if model.scalar else min(self.count, model.n - 1)
        if number is not None and number > most:
            raise ValueError(f"n_components is {number}, but only {most} columns exist")
        if number is not None and not model.scalar:
            self.mean, self.axes = principal(model.embedding(self.time, self.rank), number)
        self.count = self.count if number is None else number

    def of(self, model: Model) -> np.ndarray:
        """(n, count)."""
        if not model.scalar:
            table = model.embedding(self.time, self.rank)
            return table if self.axes is None else (table - self.mean) @ self.axes
        table = model.coordinates(self.time, self.rank)
        if self.turn is not None:
            c = len(self.turn)
            table[:, 1:c] = table[:, :c] @ self.turn
            table = table[:, 1:]
        return table[:, :self.count]


def _ones(model: Model) -> int:
    return max(1, int((model.eigenvalues > ONE).sum()))


def _turn(table: np.ndarray) -> np.ndarray | None:
    """(c, c-1): turns c coordinates to those orthogonal to the constant that they span; None if they span none."""
    some = table[np.isfinite(table).all(1) & (table != 0).any(1)]
    if not len(some):
        return None
    towards, *_ = np.linalg.lstsq(some, np.ones(len(some)), rcond=None)
    if np.abs(some @ towards - 1).max() > 1e-4:
        return None
    # the reflection I - 2 v v' / v'v takes e_0 to `towards`, and the others to what is orthogonal to it
    v = towards / np.linalg.norm(towards)
    v = v * (1.0 if v[0] < 0 else -1.0)
    v[0] -= 1  # no cancellation: v[0] is -1 or less
    return (np.eye(len(v)) - 2 * np.outer(v, v) / (v @ v))[:, 1:]


def principal(table: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean of the rows and their `count` principal axes, each with its largest entry positive."""
    keep = np.isfinite(table).all(1)
    if not keep.any():
        raise ValueError("no point has an embedding: the model reaches none of them")
    mean = table[keep].mean(0)
    centred = table[keep] - mean
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :count]
    return mean, axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(axes.shape[1])])
