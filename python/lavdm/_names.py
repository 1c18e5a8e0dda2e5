"""scikit-learn's names, beside those of the table of options: what each is, and what it becomes."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._data import index
from ._options import OPTIONS

# Options that a method has no use for: its estimator does not take them.
UNUSED = {
    "dm": ("landmarks", "design", "beta", "hood", "frame_knn", "frames"),
    "vdm": ("landmarks", "design", "beta"),
    "roseland": ("hood", "frame_knn", "frames", "bandwidth", "normalise"),
    "lavdm": ("bandwidth", "normalise"),
    "nystrom": ("beta", "bandwidth"),
}

# name: (default, type, text, methods that have it)
ALL = tuple(UNUSED)
NAMES: dict[str, tuple[Any, str, str, tuple[str, ...]]] = {
    "n_components": (None, "int | Literal['auto'] | None",
                     "Columns of the embedding, none of them constant. Where numbers are diffused: the coordinates after "
                     "the constant one, so that n_components + 1 eigenpairs are computed. Where vectors are: principal "
                     "axes of the products of eigenvectors. None: all columns of the components.", ALL),
    "gamma": (None, "float | None", "The Gaussian kernel as exp(-gamma d^2): epsilon = 1 / gamma.", ALL),
    "n_neighbors": (None, "int | None", "The graph of so many nearest neighbours: edges = 'knn', knn = n_neighbors.",
                    ("dm", "vdm")),
    "affinity": (None, "Literal['precomputed'] | None",
                 "'precomputed': X is a symmetric matrix (n, n) of affinities, dense or sparse, and no points.",
                 ("dm", "roseland")),
    "random_state": (None, "int | np.random.RandomState | np.random.Generator | None",
                     "The seed, or what draws it; None leaves it to seed, which is the same at every call.", ALL),
    "n_jobs": (None, "int | None", "Threads: a number, -1 for all, -2 for all but one; None leaves it to threads.", ALL),
    "fit_inverse_transform": (False, "bool", "Keep X in the estimator, so that inverse_transform has points to go back "
                              "to.", ALL),
}


# Eigenpairs that a fit of n_components goes on to at most, where the graph falls into pieces.
MOST_PIECES = 200


def parameters(method: str) -> dict[str, Any]:
    """Names and defaults of what the estimator of a method takes, n_components first."""
    table = {name: option.default for name, option in OPTIONS.items()
             if name != "method" and name not in UNUSED[method]}
    ours = {name: row[0] for name, row in NAMES.items() if method in row[3] and name not in table}
    return {"n_components": ours.pop("n_components"), **table, **ours}


def options(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options of the table for a fit, of the parameters of an estimator."""
    result = {name: given[name] for name in OPTIONS if name in given}

    def become(theirs: str, ours: str, value: Any) -> None:
        if result[ours] != OPTIONS[ours].default:
            raise ValueError(f"{theirs} is {given[theirs]!r} and {ours} is {result[ours]!r}: they are two names of "
                             "one thing; give one of them")
        result[ours] = value

    for name in ("gamma", "n_neighbors"):
        if given.get("affinity") is not None and given.get(name) is not None:
            raise ValueError(f"affinity is 'precomputed' and {name} is {given[name]!r}: affinities need no {name}, which "
                             "says how points become a graph; leave it out")
    number = columns(given["n_components"])
    if number is not None:
        # of vectors: 20 pairs, which are 210 products, or more where more columns are wanted
        scalar = method in ("dm", "roseland") or str(given["bundle"]) == "trivial"
        become("n_components", "components", number + 1 if scalar else _pairs(number))
        if float(given["delta"]) != 0:
            raise ValueError(f"n_components is {number} and delta is {given['delta']!r}: each says how many columns "
                             "there are; give one of them")
    if given["gamma"] is not None:
        gamma = _positive(given["gamma"])
        if given["kernel"] != "gaussian":
            raise ValueError(f"gamma is {gamma} and kernel is {given['kernel']!r}: gamma is of the gaussian kernel; "
                             "give epsilon")
        become("gamma", "epsilon", 1 / gamma)
    if given.get("n_neighbors") is not None:
        become("n_neighbors", "knn", index(given["n_neighbors"], "n_neighbors"))
        if result["edges"] not in ("auto", "knn"):
            raise ValueError(f"n_neighbors is {given['n_neighbors']} and edges is {result['edges']!r}: n_neighbors is of "
                             "the graph of nearest neighbours; give knn")
        result["edges"] = "knn"
    if given["random_state"] is not None:
        become("random_state", "seed", seed(given["random_state"]))
    if given["n_jobs"] is not None:
        become("n_jobs", "threads", threads(given["n_jobs"]))
    return result


def columns(n_components: Any) -> int | None:
    """n_components as a number, or None."""
    if n_components is None or (isinstance(n_components, str) and n_components == "auto"):
        return None
    return index(n_components, "n_components")


def _pairs(number: int) -> int | str:
    rank = int(np.ceil((np.sqrt(8 * number + 1) - 1) / 2))
    return rank if rank > 20 else "auto"


def _positive(gamma: Any) -> float:
    try:
        number = float(gamma)
    except (TypeError, ValueError):
        raise TypeError(f"gamma is {gamma!r}: it must be a number") from None
    if not 0 < number < np.inf:
        raise ValueError(f"gamma is {number}: it must be more than 0 and finite")
    return number


def seed(random_state: Any) -> int:
    """A seed of the library."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if random_state is np.random:
        return int(np.random.randint(2**31))
    return index(random_state, "random_state", 0, 2**64 - 1)


def threads(n_jobs: Any) -> int | str:
    """n_jobs as joblib has it."""
    number = index(n_jobs, "n_jobs", -2**31)
    if number == 0:
        raise ValueError("n_jobs is 0: it must be a number of threads, or -1 for all")
    if number == -1:
        return "auto"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return number if number > 0 else max(1, cores + 1 + number)


def describe(name: str, indent: str = "    ") -> str:
    """A paragraph of a docstring about one of these names."""
    import textwrap

    default, kind, text, _ = NAMES[name]
    body = textwrap.fill(text, 88, initial_indent=indent + "    ", subsequent_indent=indent + "    ")
    kind = kind.replace("Literal[", "").replace("]", "").replace(" | ", ", ")
    return f"{indent}{name} : {kind}, default {default!r}\n{body}"
