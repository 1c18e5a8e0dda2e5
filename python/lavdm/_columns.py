"""The columns of an embedding: which of the coordinates that a model has, and how they are turned."""
from __future__ import annotations

import numpy as np

from .model import Model

ONE = 1 - 1e-6  # eigenvalues above are 1: one for each piece of the graph


class Columns:
    """What `fit_transform` returns of a model, and `transform` of an extension of it.

    Scalars: diffusion coordinates lambda^t u, but for the constant one: the leading `number`; or if `chosen` those that
    the fit chose (coordinate_index), where it chose any; or all. In a graph of c pieces the c eigenvectors of eigenvalue 1
    are constant on pieces: the first is constant, and the others come first, but for those that tell small pieces apart
    (not in coordinate_index), which come last. Models of earlier versions have any basis of them, which is turned.
    Vectors: the products (lambda_l lambda_s)^t <u_l, u_s>, none of which is constant, or with a number of columns the
    principal axes of these about their mean.
    """

    def __init__(self, model: Model, number: int | None = None, time: float | None = None, rank: int | None = None,
                 chosen: bool = False) -> None:
        self.time = time
        self.rank = model.rank(time) if rank is None else rank
        self.turn = self.mean = self.axes = None
        self.wanted = 0
        self.index = np.arange(0)
        if not model.scalar:
            self.count = self.rank * (self.rank + 1) // 2
            _enough(number, min(self.count, model.n - 1))
            if number is not None:
                self.mean, self.axes = principal(model.embedding(time, self.rank), number)
                self.count = number
            return
        ones = min(self.rank, _ones(model))
        ours = _is_turned(model, ones)
        if not ours:
            self.turn = _turn(model.coordinates(time, ones))
        every = np.arange(0 if self.turn is None and not ours else 1, self.rank)
        found = model["coordinate_index"] if "coordinate_index" in model else every[:0]
        small = (every < ones) & ~np.isin(every, found) if ours else np.zeros(len(every), bool)
        every, small = np.concatenate([every[~small], every[small]]), every[small]
        self.index = every
        if chosen and len(found):
            found = found[found < self.rank]
            if not ours:
                found = np.concatenate([every[every < ones], found[found >= ones]])
            self.index = found if number is None or number <= len(found) else every
        _enough(number, len(self.index))
        self.index = self.index[:number]
        self.count = len(self.index)
        pieces = model.info["graph_components"]
        # with this many eigenpairs so many columns say more than which small piece a point is of
        self.wanted = self.count + pieces if np.isin(self.index, small).any() or pieces > self.rank else 0

    def of(self, model: Model) -> np.ndarray:
        """(n, count)."""
        if not model.scalar:
            table = model.embedding(self.time, self.rank)
            return table if self.axes is None else (table - self.mean) @ self.axes
        table = model.coordinates(self.time, self.rank)
        if self.turn is not None:
            c = len(self.turn)
            table[:, 1:c] = table[:, :c] @ self.turn
        first = self.index[0] if self.count else 0
        together = np.array_equal(self.index, np.arange(first, first + self.count))
        return table[:, first:first + self.count] if together else table[:, self.index]


def _enough(number: int | None, most: int) -> None:
    if number is not None and number > most:
        raise ValueError(f"n_components is {number}, but only {most} columns exist")


def _ones(model: Model) -> int:
    return max(1, int((model.eigenvalues > ONE).sum()))


def _is_turned(model: Model, ones: int) -> bool:
    """Whether the first of the eigenvectors of several pieces is the constant one."""
    if ones < 2 or model.info["graph_components"] != ones or "eigenvectors" not in model:
        return False
    first = model["eigenvectors"][:, 0, 0]
    first = first[np.isfinite(first) & (first != 0)]
    return len(first) > 0 and np.ptp(first) < 1e-5 * abs(first[0])


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
