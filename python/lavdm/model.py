"""Models: what a fit found, to look at, keep, and apply to new points."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Iterator

import numpy as np

from . import _core, _frames, _html, _options, _report
from ._data import call, data, index, precomputed, warn, whole
from ._options import only
from ._progress import Progress, reporter
from ._report import Report


class Model:
    """A fitted model.

    `fit` and `load` make them. Arrays are views of the library's own memory: nothing is copied, and
    they are read-only. Models can be pickled; one whose kernel is a function comes back without it, and
    cannot be extended then.

    >>> import lavdm
    >>> model = lavdm.fit(lavdm.sample("circle", 500), method="dm", components=3)
    >>> model.n, model.q, model["eigenvectors"].shape
    (500, 1, (500, 1, 3))
    >>> "degrees" in model, model["degrees"].shape
    (True, (500,))
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self._info = core.info()
        self.options: dict[str, Any] = _options.values(self._info["chosen"])
        """Every option, as the fit used it: 'auto' is left only where it had no use for one."""
        self.ids: np.ndarray | None = None
        """(n): the index of the frame that was fitted, if it was one with an index. Files of models hold none."""
        self.labels: np.ndarray | None = None
        """(n): texts of the column that `labels` named."""
        self._columns: list[Any] | None = None  # names of the coordinates, and of the column of labels
        self._label: Any = None

    def _name_rows(self, points: Any, label: Any = None) -> None:
        if isinstance(points, _frames.Frame):
            self.ids, self.labels = points.ids, points.labels
            self._columns, self._label = points.columns, label

    # ------------------------------------------------------------ what it is

    n = property(lambda self: self._info["n"], doc="Number of points.")
    p = property(lambda self: self._info["p"], doc="Coordinates of a point.")
    m = property(lambda self: self._info["m"], doc="Number of references: landmarks, or the points.")
    q = property(lambda self: self._info["q"], doc="Size of the orthogonal matrices: 1 for scalars.")

    @property
    def scalar(self) -> bool:
        """Whether numbers are diffused and not vectors: every connection is 1, and so `coordinates` compare."""
        return self.options["method"] in ("dm", "roseland") or self.options["bundle"] == "trivial"

    @property
    def info(self) -> dict[str, Any]:
        """What was found and measured: edges, components of the graph, isolated points, warnings,
        reasons of the automatic choices, times."""
        facts = {k: v for k, v in self._info.items() if k not in ("chosen", "trust")}
        facts["isolated"] = np.asarray(facts["isolated"])
        facts["timings"] = dict(facts["timings"])
        return facts

    @property
    def trust(self) -> dict[str, Any] | None:
        """How far the result can be believed, or None if that was not asked (trust='no') or cannot be told.

        Group g of eigenvalues is first[g] to first[g+1]-1; for each: rate (mean of -log eigenvalue), ratio (rate
        by that of the group `unit`), low and high (a 90 % interval of the ratio in the limit), spread, drift and
        bias (what it is made of, see the manual), angle (degrees) and agreement between the eigenspaces of two samples of the points, of
        `sample` points each. `reproduced` leading eigenvectors are the same in both. trustworthiness and
        continuity of the embedding are over the `neighbours` nearest among `rows` points; `shortcuts` is the
        share of near pairs that are far along the data, and `noise` that of a coordinate across the planes.

        >>> import lavdm
        >>> model = lavdm.fit(lavdm.sample("sphere", 2000), components=18)
        >>> model.trust["first"][:3], model.trust["trustworthiness"] > 0.95
        (array([ 0,  6, 16]), True)
        """
        found = self._info["trust"]
        return None if found is None else {k: v if isinstance(v, (int, float)) else np.asarray(v)
                                           for k, v in found.items()}

    @property
    def arrays(self) -> list[str]:
        """The names of the arrays of the model, for model[name]."""
        return self._core.names()

    def __contains__(self, name: object) -> bool:
        return name in self.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __getitem__(self, name: str) -> np.ndarray:
        array = self._core.array(name) if name in self else None
        if array is None:
            raise KeyError(f"this model has no array {name!r}; it has {', '.join(self.arrays)}")
        return np.asarray(array)

    eigenvalues = property(lambda self: self["eigenvalues"], doc="(r): from the largest down.")
    eigenvectors = property(lambda self: self["eigenvectors"], doc="(n, q, r).")

    def __repr__(self) -> str:
        o = self.options
        through = f" through {self.m} landmarks" if o["method"] not in ("dm", "vdm") else ""
        return f"<lavdm.Model: {o['method']} of {self.n} points{through}, {o['components']} components, q = {self.q}>"

    def _repr_html_(self) -> str:
        return _html.table(self)

    # -------------------------------------------------------------- embedding

    def rank(self, time: float | None = None, delta: float | None = None) -> int:
        """How many components the embedding at a time keeps (see the options time and delta)."""
        return self._core.rank(self._time(time), self.options["delta"] if delta is None else float(delta))

    def embedding(self, time: float | None = None, rank: int | None = None) -> np.ndarray:
        """(n, rank (rank+1) / 2): rows whose Euclidean distance is vector diffusion distance."""
        rank = self._rank(time, rank)
        out = np.empty((self.n, rank * (rank + 1) // 2))
        self._core.embedding(self._time(time), rank, out)
        return out

    def coordinates(self, time: float | None = None, rank: int | None = None) -> np.ndarray:
        """(n, rank): the diffusion coordinates lambda^t u, of a model with q = 1."""
        rank = self._rank(time, rank)
        out = np.empty((self.n, rank))
        self._core.coordinates(self._time(time), rank, out)
        return out

    def ambient(self) -> np.ndarray:
        """(n, p, r): eigenvectors as vectors in the space of the points; tangent bundle only."""
        out = np.empty((self.n, self.p, self.options["components"]))
        self._core.ambient(out)
        return out

    def plot(self, **how: Any) -> Any:
        """A figure of matplotlib, by the names of the options of `lavdm plot`: see `lavdm.plot.figure`."""
        from .plot import figure

        return figure(self, **how)

    # -------------------------------------------------------------- distances

    def distances(self, i: Any, j: Any, time: float | None = None, rank: int | None = None, *,
                  alignments: bool = False, diffusion: bool = False) -> Any:
        """Vector diffusion distances between points i and j (numbers, or arrays of one shape).

        With `alignments` also the orthogonal matrices (..., q, q) that take a vector at j to one at i.
        With `diffusion`, and q = 1, by distance between diffusion coordinates instead.
        """
        first, second = np.broadcast_arrays(whole(i, "i"), whole(j, "j"))
        shape = first.shape
        distance = np.empty(first.size)
        matrix = np.empty((first.size, self.q, self.q)) if alignments else None
        self._core.pairs(whole(first, "i").ravel(), whole(second, "j").ravel(), self._time(time),
                         self._rank(time, rank), diffusion, distance, matrix)
        distance = distance.reshape(shape)[()]
        return distance if matrix is None else (distance, matrix.reshape(*shape, self.q, self.q))

    def neighbours(self, k: int, points: Any = None, time: float | None = None, rank: int | None = None, *,
                   alignments: bool = False, diffusion: bool = False, progress: Progress = None) -> Any:
        """The k nearest by vector diffusion distance: (index, distance), each (points, k), ascending."""
        k = index(k, "k", 1, max(1, self.n - 1))
        chosen = None if points is None else whole(points, "points").ravel()
        count = self.n if chosen is None else len(chosen)
        number, distance = np.empty((count, k), np.int64), np.empty((count, k))
        matrix = np.empty((count, k, self.q, self.q)) if alignments else None
        with reporter(progress) as listener:
            self._core.neighbours(listener, chosen, k, self._time(time), self._rank(time, rank), diffusion, number,
                                  distance, matrix)
        return (number, distance, matrix) if alignments else (number, distance)

    def cover(self, points: Any, rank: int | None = None, time: float | None = None, *,
              progress: Progress = None, **options: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Diffusion coordinates of the orientable double cover, of a model with the orientation bundle.

        (coordinates (2n, rank), eigenvalues, parity): first the n points with the orientation of their own
        frames, then with the other; the parity is +1 if a coordinate is the same on both sheets, -1 if
        opposite. `points` are those of the fit. Options: threads, max_memory.

        >>> import lavdm
        >>> points = lavdm.sample("rp2", 1500)
        >>> model = lavdm.fit(points, bundle="orientation", components=6)
        >>> coordinates, eigenvalues, parity = model.cover(points, 3)
        >>> coordinates.shape, parity
        ((3000, 3), array([-1, -1, -1]))
        """
        only("cover", options, "threads", "max_memory")
        rank = index(self.options["components"] if rank is None else rank, "rank")
        coordinates, values = np.empty((2 * self.n, rank)), np.empty(rank)
        parity = np.empty(rank, np.int64)
        with call(options, progress) as how:
            caveat = self._core.cover(data(points), self._time(time), rank, how, coordinates, values, parity)
        warn([caveat] if caveat else [])
        return coordinates, values, parity

    # ------------------------------------------------------- keep, apply, copy

    def extend(self, points: Any = None, reference: Any = None, *, graph: Any = None, progress: Progress = None,
               **options: Any) -> "Model":
        """A model of new points, by the diffusion that this one found.

        New nodes of a model of edges are given by `graph`: edges from them to nodes of the model, as
        `Edges.of` takes them; a matrix has a row for each new node and a column for each node of the model, or
        for each of its landmarks.

        A point that no landmark reaches has NaN, and is in info['isolated']. `reference`: points that
        tangent frames of the new ones are estimated from, instead of those of the model.
        Columns of a frame are taken by the names that the fit had, in whatever order, if that was of a frame too.
        A model of metric='precomputed' takes the distances of new points to all of its own.
        Options: threads, max_memory, stream, engine, time, delta.
        """
        only("extend", options, "threads", "max_memory", "stream", "engine", "time", "delta")
        options = {**{k: self.options[k] for k in ("time", "delta")}, **options}
        images = self.options["bundle"] == "rotation"
        if _frames.is_frame(points):
            points = _frames.ordered(_frames.read(points, spare=self._label), self._columns)
        with call(options, progress) as how:
            core = self._core.extend(data(points, graph=self._new_edges(graph), images=images,
                                          precomputed=self.options["metric"] == "precomputed"),
                                     None if reference is None else data(reference, images=images), how)
        model = Model(core)
        model._name_rows(points, self._label)
        warn(model._info["warnings"])
        return model

    def _new_edges(self, graph: Any) -> Any:
        if graph is None:
            return None
        from .graph import Edges

        return Edges._from_new(graph, self)

    def save(self, path: str | os.PathLike, compact: bool = False) -> None:
        """Keeps the model in a file: HDF5, the same that `lavdm embed -o model.h5` writes.

        `compact` leaves out what the points themselves got: enough to extend it, and small.
        """
        self._core.save(path, compact)

    def report(self, path: str | os.PathLike | None = None, data: Any = None, labels: Any = None, images: Any = None,
               title: str | None = None, *, progress: Progress = None) -> Report:
        """A page to look at the model with: points and embedding side by side, spectrum, fields, what was run.

        In a notebook it is shown inline; `path` names a file to write it to as well, to be opened in a browser. The
        page asks no network for anything.

        data : the points that were fitted, where the model does not keep them (`"points" in model`).
        labels : one for each point: texts and whole numbers are groups, other numbers a ramp of colours.
        images : (n, height, width), or (n, samples) of signals: shown for the point that is pointed at.

        >>> import lavdm
        >>> points = lavdm.sample("klein", 500)
        >>> page = lavdm.fit(points, dim=2).report(labels=points[:, 0] > 0, title="Klein bottle")
        >>> page.html.startswith("<!") or page.html.startswith("<html")
        True
        """
        page = _report.report(self, data, labels, images, title, progress)
        if path is not None:
            page.save(path)
        return page

    def set_threads(self, threads: int | str) -> None:
        """How many threads later calls of this model use; 'auto': all that there are."""
        self._core.set_threads(-1 if threads == "auto" else index(threads, "threads"))

    def _time(self, time: float | None) -> float:
        return float(self.options["time"]) if time is None else float(time)

    def _rank(self, time: float | None, rank: int | None) -> int:
        return self.rank(time) if rank is None else index(rank, "rank", 1, self.options["components"])

    def __reduce__(self) -> tuple:
        with tempfile.TemporaryDirectory(prefix="lavdm-") as folder:
            path = os.path.join(folder, "model.h5")
            self.save(path)
            with open(path, "rb") as file:
                return _unpickle, (file.read(), self.ids, self.labels, self._columns, self._label)


def _unpickle(content: bytes, ids: Any = None, labels: Any = None, columns: Any = None, label: Any = None) -> Model:
    # The library maps the file, which may lose its name meanwhile.
    with tempfile.TemporaryDirectory(prefix="lavdm-") as folder:
        path = os.path.join(folder, "model.h5")
        with open(path, "wb") as file:
            file.write(content)
        model = load(path)
    model.ids, model.labels, model._columns, model._label = ids, labels, columns, label
    return model


def fit(points: Any = None, *, graph: Any = None, affinity: str | None = None, landmark_points: Any = None,
        landmark_index: Any = None, labels: Any = None, progress: Progress = None,
        checkpoint: str | os.PathLike | None = None, **options: Any) -> Model:
    """Fits a model: what `lavdm embed` does, with the same options and the same result to the bit.

    points : array (n, p), images (n, height, width) for bundle='rotation', or an h5py or zarr array,
        which is read piece by piece. Floats or doubles, in any layout, are read where they lie. A frame (pandas,
        or any with `__dataframe__`): its columns, all numeric; its index becomes `Model.ids`. A matrix of
        scipy.sparse becomes principal coordinates (pca) without being made dense.
        With metric='precomputed', distances: a matrix (n, n); or, for method='dm', those of each row to
        its neighbours, as (indices, distances), (n, k) both, or a sparse matrix of scipy.
    graph : Edges, or what `Edges.of` takes, a matrix of weights among it: a graph of your own.
    affinity : 'precomputed': `points` is that matrix of weights, as in scikit-learn.
    landmark_points, landmark_index : landmarks of your own, for design='given'; with a graph, numbers of nodes.
    labels : the name of a column of the frame that is no coordinate: it becomes `Model.labels`.
    progress : callable (stage, fraction); True for a bar. An exception in it, and Ctrl-C, end the fit.
    checkpoint : file where expensive stages are saved, from which an interrupted fit goes on.
    **options : those of the table, `lavdm.options()`; kernel may be a function of t.

    >>> import lavdm
    >>> model = lavdm.fit(lavdm.sample("sphere", 1000), method="vdm", components=6)
    >>> model.q, (model.eigenvalues > 0.8).all()
    (2, True)
    """
    if (landmark_points is not None or landmark_index is not None) and "design" not in options:
        options["design"] = "given"
    if affinity is not None:
        points, graph = precomputed(points, graph, affinity)
    images = str(options.get("bundle")) == "rotation"
    if _frames.is_frame(points):
        points = _frames.read(points, labels)
    elif labels is not None:
        raise TypeError("labels names a column of a frame, and points is none; labels of your own go to plot.embedding")
    with call(options, progress, checkpoint) as how:
        core = _core.fit(data(points, graph=graph, landmark_points=landmark_points,
                              landmark_index=landmark_index, images=images,
                              precomputed=str(options.get("metric")) == "precomputed"), how)
    model = Model(core)
    model._name_rows(points, labels)
    warn(model._info["warnings"])
    return model


def load(path: str | os.PathLike) -> Model:
    """Opens a model that `Model.save` or `lavdm embed -o model.h5` wrote."""
    return Model(_core.load(path))


def plan(points: Any = None, *, graph: Any = None, **options: Any) -> dict[str, Any]:
    """What a fit would take, before any work: bytes of memory and disk, and whether it would stream.

    >>> import lavdm, numpy
    >>> lavdm.plan(numpy.broadcast_to(numpy.float64(), (10, 3)).copy())["stream"]
    False
    """
    with call(options) as how:
        return _core.plan(data(points, graph=graph, images=str(options.get("bundle")) == "rotation",
                               precomputed=str(options.get("metric")) == "precomputed"), how)
