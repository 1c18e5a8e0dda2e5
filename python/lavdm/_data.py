"""Arrays as the library reads them, without a copy wherever their layout allows."""
from __future__ import annotations

import operator
import os
import sys
import warnings
from typing import Any, Mapping

import numpy as np

from . import _core, _frames, _options
from ._affinity import affinities
from ._progress import Progress, reporter


class LavdmWarning(UserWarning):
    """A result that comes with a caveat."""


def warn(sentences: list[str]) -> None:
    """Warns at the line that called the package, however deep this is in it or in scikit-learn."""
    if not sentences:
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("lavdm", "sklearn"):
        frame, level = frame.f_back, level + 1
    for sentence in sentences:
        warnings.warn(sentence, LavdmWarning, stacklevel=level)


# The threads that OpenMP and BLAS keep do not survive a fork: a child process works with one.
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True
    _core.one_thread()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


ANY = 2**63 - 1


def index(value: Any, name: str, least: int = 1, most: int = ANY) -> int:
    """One whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        number = int(value) if isinstance(value, float) and value.is_integer() else None  # type: ignore[assignment]
    if number is None or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}: it must be a whole number")
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}: it must be "
                         + (f"{least} or more" if most == ANY and number < least else f"from {least} to {most}"))
    return number


def seed_of(seed: Any) -> int:
    return index(seed, "seed", 0, 2**64 - 1)


def usable(values: Any, name: str) -> None:
    """Refuses what NumPy would make something else of."""
    if type(values).__name__ == "AnnData":
        raise TypeError(f"{name}: this is an AnnData; call lavdm.tl.diffmap(adata), or give adata.obsm['X_pca'] or adata.X")
    if np.ma.is_masked(values):
        raise ValueError(f"{name}: some entries are masked; fill them, or leave their rows out")


def is_sparse(values: Any) -> bool:
    """A matrix of scipy.sparse, of whatever format."""
    return hasattr(values, "toarray") and hasattr(values, "nnz")


def plain(values: Any, name: str) -> np.ndarray:
    """Real numbers of any type, as an array of NumPy's; what would be lost or guessed is refused."""
    if is_sparse(values):
        raise TypeError(f"{name}: sparse matrices are not supported; give {name}.toarray()")
    usable(values, name)
    if _frames.is_frame(values):
        values = _frames.read(values, name=name).array
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: complex numbers are not supported; give real and imaginary parts as columns")
    if array.dtype.kind not in "fiubO":
        raise ValueError(f"{name}: numbers are needed, and these are {array.dtype}")
    if array.dtype.kind == "O":
        texts = next((value for value in array.flat if isinstance(value, (str, bytes))), None)
        if texts is not None:
            raise ValueError(f"{name}: numbers are needed, and there is {texts!r}")
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as problem:
            raise ValueError(f"{name}: numbers are needed ({problem})") from None
    return array


def _shaped(array: np.ndarray, name: str, kind: type, shape: tuple[int, ...] | None) -> np.ndarray:
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name}: the shape is {array.shape}, and {shape} is needed")
    return np.require(array, kind, ["C", "A"])


def whole(values: Any, name: str, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """Whole numbers as a contiguous array of int64."""
    array = plain(values, name)
    if array.dtype.kind == "b" and array.size:
        raise ValueError(f"{name}: whole numbers are needed, not booleans; numpy.flatnonzero makes them of a mask")
    if array.size and array.dtype.kind in "fu":
        if array.dtype.kind == "f" and not np.all(array == np.trunc(array)):
            raise ValueError(f"{name}: whole numbers are needed")
        if not np.all(np.abs(array) < 2.0**63):
            raise ValueError(f"{name}: a number is too large")
    return _shaped(array, name, np.int64, shape)


def reals(values: Any, name: str, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """Real numbers as a contiguous array of doubles."""
    return _shaped(plain(values, name), name, np.float64, shape)


def readable(array: np.ndarray) -> np.ndarray:
    """The array itself if the library can read it where it lies, else a copy."""
    if array.dtype not in (np.dtype(np.float64), np.dtype(np.float32)):
        array = np.asarray(array, dtype=np.float64)
    whole_strides = all(s % array.itemsize == 0 and s != 0 for s in array.strides)
    if array.size == 0 or not array.flags.aligned or not whole_strides:
        array = np.array(array, order="C")
    return array


def rows(points: Any, name: str = "points") -> np.ndarray:
    """A table of numbers, two-dimensional, of floats or doubles."""
    array = plain(points, name)
    if array.ndim != 2:
        raise ValueError(f"{name}: a table of two axes is needed, points by coordinates, and this has "
                         f"{array.ndim}")
    return readable(array)


def distances(given: Any) -> dict[str, Any]:
    """Distances in place of points: a matrix, (indices, distances) of neighbours, or a sparse matrix."""
    if isinstance(given, (tuple, list)) and len(given) == 2 and np.ndim(given[0]) == 2:
        index, value = whole(given[0], "indices"), readable(plain(given[1], "distances"))
        if index.shape != value.shape:
            raise ValueError(f"points: the indices are {index.shape} and the distances {value.shape}: "
                             "they need the same shape, neighbours of each row")
        n, k = index.shape
        return {"value": np.require(value, None, ["C", "A"]).ravel(), "index": index.ravel(), "rows": n, "cols": n,
                "start": np.arange(n + 1, dtype=np.int64) * k}
    if hasattr(given, "tocsr"):
        rows_, cols = given.shape
        given = given.tocsr(copy=True)
        given.sum_duplicates()
        return {"value": np.require(readable(plain(given.data, "points")), None, ["C", "A"]),
                "index": whole(given.indices, "indices"), "start": whole(given.indptr, "indptr"),
                "rows": rows_, "cols": cols}
    return {"value": np.require(rows(given, "distances"), None, ["C", "A"])}


def data(points: Any = None, *, graph: Any = None, landmark_points: Any = None, landmark_index: Any = None,
         images: bool = False, precomputed: bool = False) -> dict[str, Any]:
    """The dict that the core wants. Images are (n, height, width); tables are square images."""
    result: dict[str, Any] = {}
    if points is not None:
        if precomputed:
            result["distances"] = distances(points)
        elif _is_lazy(points):
            result.update(_reader(points, images))
        elif is_sparse(points) and not images:
            result["sparse"] = _sparse(points)
        elif images and np.ndim(points) == 3:
            array = plain(points, "points")
            result["height"], result["width"] = array.shape[1:]
            result["points"] = rows(array.reshape(len(array), -1))
        else:
            result["points"] = rows(points)
    if landmark_points is not None:
        marks = plain(landmark_points, "landmark_points")
        if images and marks.ndim == 3:
            marks = marks.reshape(len(marks), -1)
        p = (result["p"] if "read" in result else result["sparse"]["cols"] if "sparse" in result
             else result["points"].shape[1] if "points" in result else None)
        if marks.ndim != 2 or (p is not None and marks.shape[1] != p):
            raise ValueError(f"landmark_points: the shape is {marks.shape}, and (m, {p}) is needed")
        result["landmark_points"] = reals(marks, "landmark_points")
    if landmark_index is not None:
        result["landmark_index"] = whole(landmark_index, "landmark_index").ravel()
    if graph is not None:
        from .graph import Edges

        result["edges"] = Edges.of(graph)._dict()
    return result


def _sparse(points: Any) -> dict[str, Any]:
    """Rows with ascending columns, each once: what the core wants of scipy.sparse."""
    if len(points.shape) != 2:
        raise ValueError(f"points: a table of two axes is needed, and this has {len(points.shape)}")
    matrix = points.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy() if matrix is points else matrix
        matrix.sum_duplicates()
    count = int(matrix.indptr[-1])
    return {"rows": int(matrix.shape[0]), "cols": int(matrix.shape[1]), "start": whole(matrix.indptr, "points"),
            "index": whole(matrix.indices[:count], "points"), "value": reals(matrix.data[:count], "points")}


def precomputed(points: Any, graph: Any, affinity: str) -> tuple[Any, Any]:
    """(points, graph) where the points are a square matrix of affinities."""
    if affinity != "precomputed":
        raise ValueError(f"affinity is {affinity!r}: it must be 'precomputed', or be left out")
    if graph is not None or points is None:
        raise ValueError("affinity='precomputed' says that the points are a matrix of affinities: give it alone, "
                         "without a graph")
    shape = np.shape(points)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"affinity='precomputed': a square matrix is needed, and the shape is {shape}")
    return None, affinities(points if is_sparse(points) else plain(points, "points"))


def _is_lazy(points: Any) -> bool:
    """Something that is read piece by piece: an array of h5py or zarr, which are no NumPy arrays."""
    return (not isinstance(points, np.ndarray) and type(points).__module__.split(".")[0] in ("h5py", "zarr")
            and hasattr(points, "shape"))


def _reader(source: Any, images: bool) -> dict[str, Any]:
    axes = (2, 3) if images else (2,)
    if len(source.shape) not in axes:
        raise ValueError(f"points: a table of two axes is needed, and this has {len(source.shape)}")
    if np.dtype(source.dtype).kind not in "fiub":
        raise ValueError(f"points: real numbers are needed, and these are {source.dtype}")
    single = np.dtype(source.dtype) == np.float32
    kind = np.float32 if single else np.float64
    size = {"height": int(source.shape[1]), "width": int(source.shape[2])} if len(source.shape) == 3 else {}

    def read(first: int, count: int) -> np.ndarray:
        return np.ascontiguousarray(source[first:first + count], dtype=kind).reshape(count, -1)

    return {"read": read, "n": int(source.shape[0]), "p": int(np.prod(source.shape[1:])),
            "single": int(single), **size}


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
