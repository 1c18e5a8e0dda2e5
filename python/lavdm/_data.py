"""Arrays as the library reads them, without a copy wherever their layout allows."""
from __future__ import annotations

import os
import warnings
from typing import Any, Mapping

import numpy as np

from . import _options
from ._progress import Progress, reporter


class LavdmWarning(UserWarning):
    """A result that comes with a caveat."""


def warn(sentences: list[str], level: int = 4) -> None:
    for sentence in sentences:
        warnings.warn(sentence, LavdmWarning, stacklevel=level)


# OpenMP's threads do not survive a fork: a child process works with one.
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def whole(values: Any, name: str, shape: tuple | None = None) -> np.ndarray:
    """Whole numbers as a contiguous array of int64."""
    array = np.asarray(values)
    if array.dtype.kind not in "iub" and array.size:
        if array.dtype.kind != "f" or not np.array_equal(array, np.trunc(array)):
            raise ValueError(f"{name}: whole numbers are needed")
    array = np.ascontiguousarray(array, dtype=np.int64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name}: the shape is {array.shape}, and {shape} is needed")
    return array


def reals(values: Any, name: str, shape: tuple | None = None) -> np.ndarray:
    """Real numbers as a contiguous array of doubles."""
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: complex numbers are not supported")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name}: the shape is {array.shape}, and {shape} is needed")
    return array


def readable(array: np.ndarray) -> np.ndarray:
    """The array itself if the library can read it where it lies, else a copy."""
    if array.dtype not in (np.dtype(np.float64), np.dtype(np.float32)):
        array = np.asarray(array, dtype=np.float64)
    whole_strides = all(s % array.itemsize == 0 and s != 0 for s in array.strides)
    if array.size == 0 or not array.flags.aligned or not whole_strides or not array.dtype.isnative:
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return array


def rows(points: Any, name: str = "points") -> np.ndarray:
    """A table of numbers, two-dimensional, of floats or doubles."""
    if hasattr(points, "toarray") and hasattr(points, "nnz"):
        raise TypeError(f"{name}: sparse matrices are not supported; give {name}.toarray()")
    array = np.asarray(points)
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: complex data are not supported; give real and imaginary parts as columns")
    if array.dtype.kind not in "fiub":
        array = array.astype(np.float64)  # objects that are numbers; a ValueError says what is not
    if array.ndim != 2:
        raise ValueError(f"{name}: a table of two axes is needed, points by coordinates, and this has "
                         f"{array.ndim}")
    return readable(array)


def data(points: Any = None, *, graph: Any = None, landmark_points: Any = None, landmark_index: Any = None,
         images: bool = False) -> dict[str, Any]:
    """The dict that the core wants. Images are (n, height, width); tables are square images."""
    result: dict[str, Any] = {}
    if points is not None:
        if _is_lazy(points):
            result.update(_reader(points))
        elif images and np.ndim(points) == 3:
            array = np.asarray(points)
            result["height"], result["width"] = array.shape[1:]
            result["points"] = rows(array.reshape(len(array), -1))
        else:
            result["points"] = rows(points)
    if landmark_points is not None:
        marks = np.asarray(landmark_points)
        if images and marks.ndim == 3:
            marks = marks.reshape(len(marks), -1)
        p = result["p"] if "read" in result else result["points"].shape[1] if "points" in result else None
        if marks.ndim != 2 or (p is not None and marks.shape[1] != p):
            raise ValueError(f"landmark_points: the shape is {marks.shape}, and (m, {p}) is needed")
        result["landmark_points"] = reals(marks, "landmark_points")
    if landmark_index is not None:
        result["landmark_index"] = whole(landmark_index, "landmark_index").ravel()
    if graph is not None:
        from .graph import Edges

        result["edges"] = Edges.of(graph)._dict()
    return result


def _is_lazy(points: Any) -> bool:
    """Something that is read piece by piece: an array of h5py or zarr, which are no NumPy arrays."""
    return (not isinstance(points, np.ndarray) and type(points).__module__.split(".")[0] in ("h5py", "zarr")
            and hasattr(points, "shape"))


def _reader(source: Any) -> dict[str, Any]:
    if len(source.shape) != 2:
        raise ValueError(f"points: a table of two axes is needed, and this has {len(source.shape)}")
    single = np.dtype(source.dtype) == np.float32
    kind = np.float32 if single else np.float64

    def read(first: int, count: int) -> np.ndarray:
        return np.ascontiguousarray(source[first:first + count], dtype=kind)

    return {"read": read, "n": int(source.shape[0]), "p": int(source.shape[1]), "single": int(single)}


class call:
    """The dict of options for one call of the core, while its progress is shown.

    with call(options, progress, checkpoint) as how: _core.fit(data, how)
    """

    def __init__(self, options: Mapping[str, Any], progress: Progress = None,
                 checkpoint: str | os.PathLike | None = None) -> None:
        options = dict(options)
        kernel = options.get("kernel")
        function = options.pop("kernel") if callable(kernel) else None
        self.how: dict[str, Any] = dict(_options.texts(options))
        if function is not None:
            self.how["kernel_function"] = function
        if checkpoint is not None:
            self.how["checkpoint"] = os.fsencode(checkpoint)
        if _forked:
            self.how["threads"] = "1"
        self.reporter = reporter(progress)

    def __enter__(self) -> dict[str, Any]:
        self.how["progress"] = self.reporter.__enter__()
        return self.how

    def __exit__(self, *problem: Any) -> None:
        self.reporter.__exit__(*problem)
