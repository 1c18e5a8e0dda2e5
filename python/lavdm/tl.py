"""Tools for AnnData, by scanpy's names and keys: `lavdm.tl.diffmap(adata)` where scanpy has `sc.tl.diffmap(adata)`."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import _names
from ._affinity import symmetric
from ._data import index, warn
from .model import Model, fit

__all__ = ["diffmap"]

NEIGHBOURS = 15  # of scanpy's pp.neighbors


def diffmap(adata: Any, n_comps: int = 15, neighbors_key: str | None = None, random_state: Any = 0,
            copy: bool = False, *, n_jobs: int | None = None, use_rep: str = "X_pca") -> Any:
    """Diffusion maps of cells, in scanpy's convention.

    The weights W are adata.obsp['connectivities'], which sc.pp.neighbors makes, or those that
    adata.uns[neighbors_key]['connectivities_key'] names. Without any, and without neighbors_key, the graph of
    the 15 nearest neighbours by adata.obsm[use_rep] is made here, and a warning says so.

    With q = W 1, K = Q^-1 W Q^-1, z = K 1: the top eigenpairs of T = Z^-1/2 K Z^-1/2, from the largest down. scanpy
    takes those of largest magnitude, which is the same unless T has an eigenvalue near -1.

    Writes adata.obsm['X_diffmap'] (cells, n_comps), eigenvectors of T of length 1, the first of them the trivial one, and
    adata.uns['diffmap_evals'] (n_comps), both as float32; adata.uns['lavdm_diffmap'] says what was used.
    Returns None, or with copy=True the copy that these were written to.

    >>> import anndata, lavdm, numpy
    >>> adata = anndata.AnnData(numpy.zeros((500, 1), numpy.float32))
    >>> adata.obsm["X_pca"] = lavdm.sample("swiss-roll", 500)
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")              # that there were no neighbours
    ...     lavdm.tl.diffmap(adata, n_comps=5)
    >>> adata.obsm["X_diffmap"].shape, adata.uns["diffmap_evals"].shape
    ((500, 5), (5,))
    """
    n_comps = index(n_comps, "n_comps", 1)
    cells = int(adata.shape[0])
    # scanpy does the same
    n_comps = min(n_comps, max(1, cells - 1))
    adata = adata.copy() if copy else adata
    # residuals of 1e-8 or so: more than floats keep
    how: dict[str, Any] = {"method": "dm", "components": n_comps, "alpha": 1.0, "trust": "no", "tolerance": 1e-5,
                           "seed": _names.seed(0 if random_state is None else random_state)}
    if n_jobs is not None:
        how["threads"] = _names.threads(n_jobs)
    key, weights = _weights(adata, neighbors_key)
    if weights is not None:
        model = fit(graph=_square(weights, cells, key), **how)
        told: dict[str, Any] = {"graph": f"obsp[{key!r}]"}
    else:
        model, told = _from_points(adata, use_rep, how)
    adata.obsm["X_diffmap"] = _vectors(model, cells).astype(np.float32)
    adata.uns["diffmap_evals"] = model.eigenvalues.astype(np.float32)
    adata.uns["lavdm_diffmap"] = {**told, "n_comps": n_comps, "alpha": 1.0}
    return adata if copy else None


def _weights(adata: Any, neighbors_key: str | None) -> tuple[str, Any]:
    """The key and the matrix of weights, or None where there are none and none was asked for."""
    name = "neighbors" if neighbors_key is None else neighbors_key
    about = adata.uns.get(name)
    if about is None and neighbors_key is not None:
        raise KeyError(f"adata.uns has no {neighbors_key!r}: sc.pp.neighbors(adata, key_added={neighbors_key!r}) makes it")
    key = (about or {}).get("connectivities_key", "connectivities")
    if key in adata.obsp:
        return key, adata.obsp[key]
    if about is not None and "connectivities" in about:  # as scanpy did before 1.5
        return key, about["connectivities"]
    if about is not None:
        raise KeyError(f"adata.uns[{name!r}] names the weights {key!r}, and adata.obsp has no such matrix")
    return key, None


def _square(weights: Any, cells: int, key: str) -> scipy.sparse.csr_matrix:
    matrix = scipy.sparse.csr_matrix(weights).astype(np.float64)
    if matrix.shape != (cells, cells):
        raise ValueError(f"{key}: the shape is {matrix.shape}, and ({cells}, {cells}) is needed")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    others = np.diff(matrix.indptr) - (matrix.diagonal() != 0)
    alone = np.flatnonzero(others == 0)
    if len(alone):
        raise ValueError(f"{key}: {len(alone)} cells have no neighbour, the first of them in row {alone[0] + 1}: leave "
                         "them out, or give pp.neighbors more neighbours")
    if not symmetric(matrix, 1e-6):
        raise ValueError(f"{key}: the weights are not symmetric: those of sc.pp.neighbors are")
    return matrix


def _from_points(adata: Any, use_rep: str, how: dict[str, Any]) -> tuple[Model, dict[str, Any]]:
    if use_rep not in adata.obsm:
        raise KeyError(f"adata has neither neighbours nor obsm[{use_rep!r}]: call sc.pp.neighbors(adata) first, or "
                       f"sc.tl.pca(adata), or name what there is by use_rep: {', '.join(adata.obsm.keys()) or 'nothing'}")
    knn = min(NEIGHBOURS, adata.shape[0] - 1)
    warn([f"adata has no neighbours: the graph of the {knn} nearest by obsm[{use_rep!r}] is taken, with lavdm's own "
          "weights; sc.pp.neighbors(adata) makes scanpy's"])
    model = fit(np.asarray(adata.obsm[use_rep]), edges="knn", knn=knn, pca=0, **how)
    return model, {"graph": f"k-NN of obsm[{use_rep!r}]", "knn": knn, "epsilon": model.options["epsilon"]}


def _vectors(model: Model, cells: int) -> np.ndarray:
    """Eigenvectors of the symmetric matrix, v = D^1/2 u, of length 1."""
    vectors = model.eigenvectors[:, 0, :] * np.sqrt(model["degrees"])[:, None]
    return vectors / np.linalg.norm(vectors, axis=0)
