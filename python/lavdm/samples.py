"""Data to try things on: points of known manifolds, projections of a volume."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._data import index, seed_of


def shapes() -> dict[str, str]:
    """The manifolds that `sample` draws, and what each is.

    >>> import lavdm
    >>> "klein" in lavdm.shapes()
    True
    """
    return {name: help for name, _, help in _core.shapes()}


def sample(shape: str, n: int, *, dim: int = 0, density: str = "uniform", noise: float = 0, seed: int = 1,
           frames: bool = False, parameters: bool = False) -> Any:
    """n points of a manifold, (n, p), the same that `lavdm sample` draws.

    With `frames` also exact orthonormal tangent frames (n, p, d), with `parameters` the parameters on the
    manifold (n, d): a tuple of what was asked for. `dim` is used by the sphere alone (0: 2); `noise` is
    Gaussian, of that standard deviation in each coordinate.

    >>> import lavdm
    >>> points, tangent = lavdm.sample("sphere", 100, frames=True)
    >>> points.shape, tangent.shape
    ((100, 3), (100, 3, 2))
    """
    n, dim, seed = index(n, "n"), index(dim, "dim", 0), seed_of(seed)
    p, d = _core.shape_size(shape, dim)
    points = np.empty((n, p))
    tangent = np.empty((n, p, d)) if frames else None
    where = np.empty((n, d)) if parameters else None
    _core.sample(shape, n, dim, density, float(noise), seed, points, tangent, where)
    result = tuple(array for array in (points, tangent, where) if array is not None)
    return result if len(result) > 1 else points


def projections(n: int, size: int = 64, *, snr: float | None = None, blobs: int = 15, seed: int = 1) -> Any:
    """Images (n, size, size) of a random volume from random directions, and the rotations (n, 3, 3).

    The volume is a sum of `blobs` Gaussians. With a signal-to-noise ratio `snr` white noise is added.

    >>> import lavdm
    >>> images, rotations = lavdm.projections(20, 16)
    >>> images.shape, rotations.shape
    ((20, 16, 16), (20, 3, 3))
    """
    n, size, blobs, seed = index(n, "n"), index(size, "size"), index(blobs, "blobs"), seed_of(seed)
    if snr is not None and not snr > 0:
        raise ValueError(f"snr is {snr}: it must be more than 0; None for no noise")
    images, rotations = np.empty((n, size, size)), np.empty((n, 3, 3))
    _core.projections(n, size, blobs, seed, float(snr or 0), images, rotations)
    return images, rotations
