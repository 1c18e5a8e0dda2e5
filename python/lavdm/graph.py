"""Work on connection graphs: edges, the Laplacian, orientation, distances, alignment."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from . import _core, _options
from ._data import call, data, index, plain, reals, rows, warn, whole
from ._progress import Progress
from .model import Model


LEAST_WEIGHT = 1e-100
"""Smaller weights, such as the tails of a Gaussian, join nothing."""


class Edges:
    """A connection graph as a list of edges.

    Edge e joins row[e] and col[e] with weight[e] (1 if None); a vector v at col is O v at row, O being
    element e. What `element` holds is told by its shape and type, or by `kind`:

    none        None: q = 1, every O is 1
    sign        (edges,) whole numbers +1 and -1: q = 1
    angle       (edges,) real numbers: q = 2, O turns by that many radians
    matrix      (edges, q, q) orthogonal matrices
    quaternion  (edges, 4) unit quaternions w, x, y, z: q = 3

    `ends` says what `col` names: 'nodes', the same as `row`; 'landmarks', with numbers of their own, for
    roseland and lavdm; 'auto': landmarks for these two, unless landmarks are asked for, then nodes.
    `n`: how many nodes there are, 0 to n-1; None: those that occur.

    >>> import lavdm
    >>> lavdm.Edges([0, 1], [1, 2], [0.5, 0.25])
    Edges(2 edges, angle)
    """

    KINDS = ("none", "sign", "angle", "matrix", "quaternion")

    ENDS = ("auto", "nodes", "landmarks")

    def __init__(self, row: Any, col: Any, element: Any = None, weight: Any = None,
                 kind: str | None = None, ends: str = "auto", n: int | None = None) -> None:
        if ends not in self.ENDS:
            raise ValueError(f"ends is {ends!r}: it must be {', '.join(self.ENDS)}")
        self.ends, self.n = ends, None if n is None else index(n, "n")
        self._columns: int | None = None
        self.row, self.col = whole(row, "row").ravel(), whole(col, "col").ravel()
        count = len(self.row)
        if len(self.col) != count:
            raise ValueError(f"edges: there are {count} rows and {len(self.col)} cols; one of each is needed")
        given = None if element is None else plain(element, "element")
        self.kind = self._kind(given) if kind is None else kind
        if self.kind not in self.KINDS:
            raise ValueError(f"kind is {kind!r}: it must be {', '.join(self.KINDS)}")
        self.q = {"none": 1, "sign": 1, "angle": 2, "quaternion": 3}.get(self.kind, 0)
        shape: tuple = (count,)
        if self.kind == "quaternion":
            shape = (count, 4)
        if self.kind == "matrix":
            self.q = 0 if given is None or given.ndim != 3 else given.shape[-1]
            shape = (count, self.q, self.q)
        self.element = None if self.kind == "none" else reals(given, "element", shape)
        self.weight = None if weight is None else reals(weight, "weight", (count,))

    @staticmethod
    def _kind(element: np.ndarray | None) -> str:
        if element is None:
            return "none"
        if element.ndim == 3:
            return "matrix"
        if element.ndim == 2 and element.shape[1] == 4:
            return "quaternion"
        if element.ndim != 1:
            raise ValueError(f"element: the shape {element.shape} is none that stands for signs, angles, matrices "
                             "or quaternions")
        return "sign" if element.dtype.kind in "iub" else "angle"

    @classmethod
    def of(cls, edges: Any) -> "Edges":
        """Edges; a tuple (row, col, element, weight), the last two optional; or a matrix of weights.

        A matrix, sparse or, if it is square, of NumPy, has a row for each node, and an edge where it is not
        zero. If it is square its columns are the nodes, else they are landmarks.

        >>> import lavdm, numpy
        >>> lavdm.Edges.of(numpy.array([[0, 2], [2, 0]]))
        Edges(2 edges, none)
        """
        if isinstance(edges, Edges):
            return edges
        if scipy.sparse.issparse(edges):
            return cls._of_matrix(edges.tocoo())
        if isinstance(edges, np.ndarray) and edges.ndim == 2 and edges.shape[0] == edges.shape[1]:
            return cls._of_matrix(scipy.sparse.coo_matrix(plain(edges, "graph")))
        if isinstance(edges, (tuple, list)) and 2 <= len(edges) <= 4:
            return cls(*edges)
        raise TypeError("edges: lavdm.Edges, a tuple (row, col, element, weight) or a matrix of weights is needed, "
                        f"and this is {type(edges).__name__}")

    @classmethod
    def _of_matrix(cls, coo: Any) -> "Edges":
        if coo.dtype.kind == "c":
            raise ValueError("graph: complex weights are not supported")
        rows, columns = coo.shape
        row, col, weight = coo.row, coo.col, coo.data
        faint = (weight >= 0) & (weight < LEAST_WEIGHT)  # the library takes none of these
        if faint.any():
            row, col, tails, weight = row[~faint], col[~faint], weight[faint] > 0, weight[~faint]
            if tails.any():
                warn([f"{int(tails.sum())} weights below {LEAST_WEIGHT:g} were taken for no edge"])
        made = cls(row, col, weight=weight, ends="nodes" if rows == columns else "landmarks", n=rows)
        made._columns = columns
        return made

    def _dict(self) -> dict[str, Any]:
        result = {"row": self.row, "col": self.col, "weight": self.weight, "element": self.element,
                  "kind": self.kind, "q": self.q, "ends": self.ends}
        return result if self.n is None else {**result, "n": self.n}

    @classmethod
    def _from_new(cls, edges: Any, model: Any) -> "Edges":
        """Edges to a model that is extended: a matrix has its nodes, or its landmarks, for columns."""
        if isinstance(edges, np.ndarray) and edges.ndim == 2:
            edges = scipy.sparse.coo_matrix(plain(edges, "graph"))
        return cls.of(edges)._towards(model)

    def _towards(self, model: Any) -> "Edges":
        columns = self._columns
        lists = [model[name] for name in ("nodes", "landmark_nodes") if name in model]
        if "landmark_nodes" in model and "landmark_index" not in model:
            lists = lists[-1:]  # landmarks with numbers of their own
        if columns is None or not lists:
            return self
        for numbers in lists:
            if len(numbers) == columns:
                return Edges(self.row, numbers[self.col], self.element, self.weight, self.kind, n=self.n)
        raise ValueError(f"graph: the matrix has {columns} columns, and the model {model.n} nodes"
                         + (f" and {model.m} landmarks" if "landmark_nodes" in model else ""))

    def __len__(self) -> int:
        return len(self.row)

    def __repr__(self) -> str:
        return f"Edges({len(self)} edges, {self.kind})"


# ---------------------------------------------------------------- Laplacian


def connection_laplacian(points: Any = None, *, graph: Any = None, normalization: str = "symmetric",
                         details: bool = False, progress: Progress = None, **options: Any) -> Any:
    """The graph connection Laplacian, (n q, n q), as a sparse matrix.

    normalization : 'symmetric'    I - D^-1/2 S D^-1/2, whose top eigenvectors the library finds
                    'random_walk'  I - D^-1 S
                    'none'         D - S
        S has the blocks w_ij O_ij, after the normalisation by alpha, and D its degrees.
    **options : those of the table. method is 'vdm' if it is not given; with 'lavdm' and 'roseland' the
        diffusion is A A', which is not sparse, and a LinearOperator comes back.
    details : also a dict with degrees, options and, where there are any, frames, landmarks, and nodes
        (the numbers of those of a graph alone, row by row).

    >>> import lavdm, scipy.sparse.linalg
    >>> L = lavdm.connection_laplacian(lavdm.sample("sphere", 500))
    >>> L.shape
    (1000, 1000)
    >>> model = lavdm.fit(lavdm.sample("sphere", 500), method="vdm", components=1)
    >>> least = scipy.sparse.linalg.eigsh(L, k=1, sigma=-1e-3)[0][0]
    >>> bool(abs(1 - least - model.eigenvalues[0]) < 1e-9)
    True
    """
    if normalization not in ("symmetric", "random_walk", "none"):
        raise ValueError(f"normalization is {normalization!r}: it must be symmetric, random_walk or none")
    options.setdefault("method", "vdm")
    images = str(options.get("bundle")) == "rotation"
    with call(options, progress) as how:
        found = _core.operator(data(points, graph=graph, images=images,
                                    precomputed=str(options.get("metric")) == "precomputed"), how)
    warn(found["warnings"])
    n, m, q = found["n"], found["m"], found["q"]
    blocks = scipy.sparse.bsr_matrix((np.asarray(found["block"]), np.asarray(found["col"]),
                                      np.asarray(found["start"])), shape=(n * q, m * q))
    degree = np.asarray(found["degrees"])
    laplacian = _laplacian(blocks, np.repeat(degree, q), normalization,
                           options["method"] not in ("dm", "vdm"))
    if not details:
        return laplacian
    more: dict[str, Any] = {name: np.asarray(found[name]) for name in ("degrees", "frames", "landmarks", "nodes")
                            if found[name] is not None}
    more["options"] = _options.values(found["chosen"])
    return laplacian, more


def _laplacian(blocks: Any, degree: np.ndarray, normalization: str, factor: bool) -> Any:
    root = np.sqrt(degree)
    inverse = np.divide(1, root, out=np.zeros_like(root), where=root > 0)
    left, right = {"symmetric": (None, None), "random_walk": (inverse, root), "none": (root, root)}[normalization]
    diagonal = degree if normalization == "none" else np.ones(len(degree))
    if not factor:
        diffusion = blocks if left is None else (scipy.sparse.diags(left) @ blocks @ scipy.sparse.diags(right))
        return (scipy.sparse.diags(diagonal) - diffusion).tocsr()

    def product(left: Any, right: Any) -> Any:
        def apply(x: np.ndarray) -> np.ndarray:
            columns = x.reshape(len(degree), -1)
            y = columns if right is None else right[:, None] * columns
            y = blocks @ (blocks.T @ y)
            y = y if left is None else left[:, None] * y
            return (diagonal[:, None] * columns - y).reshape(x.shape)
        return apply

    forward, backward = product(left, right), product(right, left)
    return scipy.sparse.linalg.LinearOperator((len(degree),) * 2, matvec=forward, matmat=forward,
                                              rmatvec=backward, rmatmat=backward, dtype=np.float64)


# ---------------------------------------------------- distances, alignment


def _model_of(fitted: Any) -> Model:
    model = getattr(fitted, "model_", fitted)
    if not isinstance(model, Model):
        raise TypeError(f"a fitted estimator or a lavdm.Model is needed, and this is {type(fitted).__name__}"
                        + (": call its fit first" if hasattr(fitted, "fit") else ""))
    return model


def vector_diffusion_distance(fitted: Any, i: Any, j: Any, *, time: float | None = None,
                              rank: int | None = None) -> Any:
    """Vector diffusion distance between points i and j of a fitted estimator or model.

    i and j are row numbers, or arrays of them that NumPy can broadcast against each other.

    >>> import lavdm, numpy
    >>> vdm = lavdm.VectorDiffusionMap(components=6).fit(lavdm.sample("sphere", 500))
    >>> d = lavdm.vector_diffusion_distance(vdm, 0, [0, 1, 2])
    >>> numpy.allclose(d, numpy.linalg.norm(vdm.embedding_[0] - vdm.embedding_[:3], axis=1), atol=1e-7)
    True
    """
    return _model_of(fitted).distances(i, j, time, rank)


def align(fitted: Any, i: Any, j: Any, *, time: float | None = None, rank: int | None = None) -> np.ndarray:
    """The orthogonal matrices (..., q, q) that take a vector at j to one at i, by diffusion.

    They are in the frames of the points: of a tangent bundle, frames_[i] @ align(f, i, j) @ frames_[j].T
    acts on vectors in space. Of a `Stack` of images or signals: the turn that brings j closest to i.

    >>> import lavdm, numpy
    >>> vdm = lavdm.VectorDiffusionMap(components=6).fit(lavdm.sample("sphere", 500))
    >>> O = lavdm.align(vdm, 3, [4, 5])
    >>> O.shape, numpy.allclose(O[0] @ O[0].T, numpy.eye(2))
    ((2, 2, 2), True)
    """
    from .images import Stack

    if isinstance(fitted, Stack):
        return fitted.align(i, j)
    return _model_of(fitted).distances(i, j, time, rank, alignments=True)[1]


# -------------------------------------------------------------- orientation


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class Orientability:
    """Whether a manifold is orientable, and how sure that is."""

    orientable: bool
    """A guess, if the verdict is -1."""
    verdict: int
    """1: orientable, 0: not, -1: cannot tell."""
    confidence: float
    """0.5 (a guess) to 1: the share of verdicts like this one that are right."""
    signs: np.ndarray = field(repr=False)
    """(n): +1 or -1, whether the frame of a point is to be reflected; 0 where it was not judged."""
    eigenvalue: float
    trivial_eigenvalue: float
    ratio: float
    mean_magnitude: float
    graph_components: int
    doubt: float
    odd: float
    """How strong cycles are around which signs disagree: 0 if orientable, 1 if not."""
    spread: float
    """By how much five looks at that differ: at three scales, and in each half of the points."""
    frustrated: float
    """Share of triangles of neighbours whose signs disagree."""
    turn: float
    """Mean of 1 - |det| of neighbouring planes."""
    gap: float
    """Mean of log(l_d / l_(d+1)) of the planes."""
    margin: float
    """By how much that is more than for one dimension less or more."""
    frame_knn: int
    growth: float
    """The dimension by which numbers of neighbours grow with the radius."""
    model: Model = field(repr=False)
    """Of the orientation bundle."""


def orientability(points: Any, *, progress: Progress = None, **options: Any) -> Orientability:
    """Is the manifold that the points lie on orientable? What `lavdm orient` tells.

    >>> import lavdm
    >>> lavdm.orientability(lavdm.sample("klein", 3000)).orientable
    False
    >>> lavdm.orientability(lavdm.sample("torus", 3000)).orientable
    True
    """
    table = rows(points)
    signs = np.empty(len(table))
    with call(options, progress) as how:
        verdict, core = _core.orient(data(table), how, signs)
    model = Model(core)
    warn(model._info["warnings"])
    return Orientability(signs=signs, model=model, **verdict)
