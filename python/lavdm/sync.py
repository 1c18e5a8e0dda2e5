"""Group synchronisation: elements, poses, what is proved of them, and how sure they are."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._data import call, index, plain, reals, seed_of, warn, whole
from ._progress import Progress
from .graph import Edges


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class Synchronization:
    """Elements of a group for the nodes of a graph."""

    group: str
    q: int
    node: np.ndarray = field(repr=False)
    """(n): numbers of the nodes, ascending."""
    element: np.ndarray = field(repr=False)
    """(n, q, q): R_i; the edge (i, k) says what R_i R_k' is."""
    component: np.ndarray = field(repr=False)
    """(n): from 0; -1 for a node that no edge joins to another."""
    position: np.ndarray | None = field(repr=False)
    """(n, q): of pose graphs."""
    residual: np.ndarray = field(repr=False)
    """(edges): how far an edge is from R_i R_k'."""
    trust: np.ndarray = field(repr=False)
    """(edges): 0 to 1, how far an edge is believed."""
    part: list[dict[str, Any]] = field(repr=False)
    """Of each component: nodes, edges, eigenvalues, gap (of these), residuals; cost, bound, rank, iterations,
    converged, certified, verdict, robust (as used)."""
    median: float
    most: float
    cost: float
    """The sum of weight |O - R_i R_k'|^2 + shift_weight |p_k - p_i - R_i' shift|^2; NaN for cyclic groups."""
    bound: float
    """No choice of elements and positions costs less; NaN if that is not known."""
    certified: bool
    """Whether cost and bound agree, in all components: it is proved that nothing fits better."""
    converged: bool
    verdict: str
    """What is proved of all components, or why it is not, in a sentence."""
    robust: str
    """What was done against wrong edges in the largest component: no, weights, cycles or gradual."""
    robust_reason: str | None
    """Why, where it was chosen."""
    chi2: float
    """With full information, priors or sightings: the sum of e' I e over all errors e; else NaN."""
    components: int
    isolated: int
    loops: int
    flips: int
    order: int
    seconds: float
    warnings: list[str]
    covariance: np.ndarray | None = field(repr=False)
    """(n, d, d): position, then rotation (radians), in the axes of the world; of pose graphs, if asked for."""
    point: np.ndarray | None = field(repr=False)
    """Numbers of the points that were sighted, ascending."""
    point_position: np.ndarray | None = field(repr=False)
    point_covariance: np.ndarray | None = field(repr=False)
    timings: dict[str, float] = field(repr=False)

    @property
    def angle(self) -> np.ndarray:
        """(n): the turns of the plane, in radians, for q = 2."""
        if self.q != 2:
            raise AttributeError(f"angles are of groups with q = 2, and here q is {self.q}")
        return np.arctan2(self.element[:, 1, 0], self.element[:, 0, 0])

    @property
    def sign(self) -> np.ndarray:
        """(n): +1 and -1, for q = 1."""
        if self.q != 1:
            raise AttributeError(f"signs are of groups with q = 1, and here q is {self.q}")
        return self.element[:, 0, 0]


# ------------------------------------------------------------ what is given


ROBUST_ROUNDS = 10
ROBUST = ("no", "auto", "weights", "cycles", "gradual")
CERTIFY = ("auto", "no", "yes")


def _word(value: Any, name: str, words: tuple[str, ...]) -> str:
    if value not in words:
        raise ValueError(f"{name} is {value!r}: it must be True, False, {', '.join(words)}")
    return str(value)


def _robust(robust: bool | int | str) -> dict[str, Any]:
    """True is 'auto'; a number, of rounds, 'weights'."""
    if isinstance(robust, (bool, np.bool_)):
        robust = "auto" if robust else "no"
    if not isinstance(robust, str):
        rounds = index(robust, "robust", 0)
        return {"robust": "weights" if rounds else "no", "rounds": rounds}
    word = _word(robust, "robust", ROBUST)
    return {"robust": word, "rounds": ROBUST_ROUNDS if word in ("auto", "weights") else 0}


def _halves(matrices: Any, name: str, count: int, size: int) -> np.ndarray:
    """Upper halves, row by row, of (count, size, size) matrices; one matrix stands for all; halves stay."""
    given = plain(matrices, name)
    half = size * (size + 1) // 2
    if given.shape == (count, half):
        return reals(given, name, (count, half))
    if given.ndim == 2:
        given = np.broadcast_to(given, (count, *given.shape))
    given = reals(given, name, (count, size, size))
    if not np.allclose(given, np.swapaxes(given, 1, 2), rtol=1e-9, atol=1e-12 * np.abs(given).max(initial=0)):
        raise ValueError(f"{name}: the matrices are not symmetric")
    row, col = np.triu_indices(size)
    return np.ascontiguousarray(given[:, row, col])


def _turns(elements: Any, name: str, count: int, q: int) -> np.ndarray:
    """Rotations as matrices, from those, from angles (q = 2) or from quaternions w, x, y, z (q = 3)."""
    given = plain(elements, name)
    if q == 2 and given.shape == (count,):
        c, s = np.cos(given), np.sin(given)
        given = np.stack([c, -s, s, c], axis=-1).reshape(count, 2, 2)
    elif q == 3 and given.shape == (count, 4):
        w, x, y, z = np.moveaxis(given / np.linalg.norm(given, axis=1, keepdims=True), 1, 0)
        given = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                          2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                          2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1)
        given = given.reshape(count, 3, 3)
    return reals(given, name, (count, q, q))


def _tuple(given: Any, name: str, least: int, words: str) -> list[Any]:
    if not isinstance(given, (tuple, list)) or not least <= len(given) <= least + (name == "sightings"):
        raise TypeError(f"{name}: a tuple ({words}) is needed")
    return list(given)


def _survey(fixed: Any, priors: Any, sightings: Any, q: int) -> dict[str, Any]:
    """What is known of single nodes, as arrays."""
    made: dict[str, Any] = {}
    if fixed is not None:
        node, element, position = _tuple(fixed, "fixed", 3, "nodes, elements, positions")
        node = whole(node, "fixed").ravel()
        made.update(fixed_node=node, fixed_element=_turns(element, "fixed: elements", len(node), q),
                    fixed_position=reals(position, "fixed: positions", (len(node), q)))
    if priors is not None:
        node, element, position, about = _tuple(priors, "priors", 4, "nodes, elements, positions, information")
        node = whole(node, "priors").ravel()
        made.update(prior_node=node, prior_element=_turns(element, "priors: elements", len(node), q),
                    prior_position=reals(position, "priors: positions", (len(node), q)),
                    prior_information=_halves(about, "priors: information", len(node), q + q * (q - 1) // 2))
    if sightings is not None:
        node, point, place, *more = _tuple(sightings, "sightings", 3, "nodes, points, coordinates[, information]")
        node = whole(node, "sightings").ravel()
        about = more[0] if more and more[0] is not None else np.eye(q)
        made.update(sighted_node=node, sighted_point=whole(point, "sightings: points", (len(node),)),
                    sighted=reals(place, "sightings: coordinates", (len(node), q)),
                    sighted_information=_halves(about, "sightings: information", len(node), q))
    return made


def pose_weights(information: Any, q: int) -> tuple[np.ndarray, np.ndarray]:
    """kappa and tau: the weights of rotation and shift that information matrices stand for.

    information : (edges, d, d), or their upper halves row by row, d = 3 (x, y, angle) for q = 2 and 6 (x, y, z
        and the vector part of the quaternion) for q = 3. Noise is taken as isotropic, by the rule of SE-Sync.

    >>> import lavdm, numpy
    >>> lavdm.pose_weights(numpy.diag([1.0, 4.0, 9.0])[None], 2)
    (array([9.]), array([1.6]))
    """
    if q not in (2, 3):
        raise ValueError(f"q is {q!r}: poses are in 2 or 3 dimensions")
    given = np.atleast_1d(plain(information, "information"))
    size = 3 if q == 2 else 6
    halves = _halves(given, "information", 1 if given.shape == (size, size) else len(given), size)
    kappa, tau = np.empty(len(halves)), np.empty(len(halves))
    _core.pose_weights(q, halves, kappa, tau)
    return kappa, tau


def _poses(edges: Edges, shift: Any, shift_weight: Any, information: Any, survey: dict[str, Any],
           full: bool, covariance: bool) -> tuple[Edges, dict[str, Any]]:
    """What belongs to shifts; the weights that are not given are those of the information."""
    asked = [name for name, there in (("shift_weight", shift_weight is not None), ("full", full),
                                      ("information", information is not None), ("covariance", covariance),
                                      ("fixed, priors and sightings", bool(survey))) if there]
    if shift is None and asked:
        raise ValueError(f"{asked[0]}: of pose graphs alone, which have a shift for every edge")
    if full and information is None:
        raise ValueError("full: the information of the edges is needed")
    how: dict[str, Any] = {"full": int(full), "covariance": int(covariance), **survey}
    if shift is None:
        return edges, how
    how["shift"] = reals(shift, "shift", (len(edges), edges.q))
    if information is not None:
        how["information"] = _halves(information, "information", len(edges), edges.q + edges.q * (edges.q - 1) // 2)
        kappa, tau = pose_weights(how["information"], edges.q)
        if edges.weight is None:
            edges = Edges(edges.row, edges.col, edges.element, kappa, edges.kind, n=edges.n)
        shift_weight = tau if shift_weight is None else shift_weight
    if shift_weight is not None:
        how["shift_weight"] = reals(shift_weight, "shift_weight", (len(edges),))
    return edges, how


# ---------------------------------------------------------- synchronisation


ARRAYS = ("node", "element", "component", "residual", "trust", "position", "covariance", "point", "point_position",
          "point_covariance")


def synchronize(edges: Any, *, group: str = "auto", order: int | None = None, robust: bool | int | str = False,
                certify: bool | str = "auto", refine: bool = True, nodes: Any = None, shift: Any = None,
                shift_weight: Any = None, information: Any = None, full: bool = False, covariance: bool = False,
                fixed: Any = None, priors: Any = None, sightings: Any = None, seed: int = 1,
                threads: int | str = "auto", progress: Progress = None) -> Synchronization:
    """Group synchronisation: R_i for every node, from edges that say what R_i R_k' is. `lavdm sync`.

    edges : `Edges`, or what `Edges.of` takes.
    group : 'auto', 'z2', 'cyclic' (with its order), 'so' or 'o'.
    robust : against wrong edges. True or 'auto': what predicts edges best that were held back; 'weights' or a
        number of rounds: re-weighting by how well edges fit; 'cycles': weights by the cycles that close first;
        'gradual': truncated least squares, reached by degrees.
    certify : prove that nothing fits better: True, False, or 'auto', where it takes little time.
    refine : go on from the rounded eigenvectors to the best fit.

    Pose graphs:

    shift : (edges, q): col as seen in the coordinates of row; positions are found too.
    shift_weight : (edges,), as `edges.weight` is for rotations.
    information : (edges, d, d) or their upper halves, for q = 2 of x, y, angle, for q = 3 of x, y, z and the
        vector part of the quaternion. Weights that are not given follow from it (`pose_weights`).
    full : use it as it is, by least squares that start from the optimum of the isotropic problem.
    covariance : give the covariance of every pose.
    fixed : (nodes, elements, positions): they stay there. Elements are R as above (body from world), as
        matrices, angles (q = 2) or quaternions w, x, y, z (q = 3).
    priors : (nodes, elements, positions, information): measurements of poses.
    sightings : (nodes, points, coordinates, information): points that nodes saw, in their coordinates.

    >>> import lavdm, numpy
    >>> truth = numpy.array([0.0, 0.3, 1.1, -2.0])
    >>> row, col = numpy.triu_indices(4, 1)
    >>> found = lavdm.synchronize((row, col, truth[row] - truth[col]))
    >>> numpy.allclose(found.angle, truth)
    True
    """
    edges = Edges.of(edges)
    if isinstance(certify, (bool, np.bool_)):
        certify = "yes" if certify else "no"
    survey = _survey(fixed, priors, sightings, edges.q)
    edges, poses = _poses(edges, shift, shift_weight, information, survey, full, covariance)
    how: dict[str, Any] = {"group": group, "order": order, "refine": int(refine), "seed": seed_of(seed),
                           "certify": _word(certify, "certify", CERTIFY), **_robust(robust), **poses}
    if order is not None:
        how["order"] = index(order, "order", 2)
    if threads not in ("auto", None):
        how["threads"] = index(threads, "threads")
    if nodes is not None:
        how["nodes"] = whole(nodes, "nodes").ravel()
    with call({}, progress) as options:
        if "threads" in options:
            how["threads"] = int(options["threads"])
        found = _core.sync({"edges": edges._dict()}, options, how)
    for name in ARRAYS:
        found[name] = None if found[name] is None else np.asarray(found[name])
    for part in found["part"]:
        part["eigenvalues"] = np.asarray(part["eigenvalues"])
    found["timings"] = dict(found["timings"])
    warn(found["warnings"])
    return Synchronization(**found)
