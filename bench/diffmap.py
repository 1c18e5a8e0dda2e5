#!/usr/bin/python3
"""lavdm.tl.diffmap beside scanpy's tl.diffmap, written out with SciPy, on one and the same graph of cells.

usage: PYTHONPATH=build/python bench/diffmap.py [CELLS [COMPONENTS]]

The cells lie near a tree of 12 branches in 50 principal components, or near a sheet; the graph has 15 neighbours with
weights exp(-d / d_15), joined as UMAP joins them. Seconds by the clock and of the processor, and the largest
difference of eigenvalues.
"""
import sys
import time
import warnings

import anndata
import numpy as np
import scipy.sparse
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import kneighbors_graph

import lavdm

NEIGHBOURS = 15


def tree(n, generator):
    ends, parts = [np.zeros(50)], []
    for _ in range(12):
        start, step = ends[generator.integers(len(ends))], generator.standard_normal(50)
        step *= 8 / np.linalg.norm(step)
        parts.append(start + generator.random((n // 12 + 1, 1)) * step)
        ends.append(start + step)
    return np.concatenate(parts)[:n] + 0.5 * np.linspace(1, 0.2, 50) * generator.standard_normal((n, 50))


def sheet(n, generator):
    waves = np.sin(generator.random((n, 2)) @ (4 * generator.standard_normal((2, 12))) + 6 * generator.random(12))
    return 0.5 * waves @ generator.standard_normal((12, 50)) + 0.02 * generator.standard_normal((n, 50))


def graph(points):
    distance = kneighbors_graph(points, NEIGHBOURS, mode="distance")
    weights = distance.copy()
    weights.data = np.exp(-distance.data / np.repeat(distance.max(1).toarray(), NEIGHBOURS))
    return (weights + weights.T - weights.multiply(weights.T)).tocsr().astype(np.float32)


def scanpy(weights, components):
    """K = Q^-1 W Q^-1, T = Z^-1/2 K Z^-1/2; eigsh, from the largest down."""
    weights = weights.astype(np.float64)
    q = scipy.sparse.diags(1 / np.asarray(weights.sum(0)).ravel())
    kernel = q @ weights @ q
    z = scipy.sparse.diags(1 / np.sqrt(np.asarray(kernel.sum(0)).ravel()))
    return eigsh(z @ kernel @ z, k=components, which="LM")[0][::-1]


def timed(work):
    begin = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - begin[0], time.process_time() - begin[1]


def main():
    cells, components = [int(word) for word in sys.argv[1:]] + [50000, 15][len(sys.argv) - 1:]
    for kind in (tree, sheet):
        adata = anndata.AnnData(np.zeros((cells, 1), np.float32))
        adata.obsp["connectivities"] = graph(kind(cells, np.random.default_rng(0)))
        warnings.simplefilter("ignore")
        _, ours, our_work = timed(lambda: lavdm.tl.diffmap(adata, components))
        values, theirs, their_work = timed(lambda: scanpy(adata.obsp["connectivities"], components))
        apart = np.abs(values - adata.uns["diffmap_evals"]).max()
        print(f"{kind.__name__:6} {cells} cells, {components} components: lavdm {ours:.2f} s ({our_work:.2f} of the "
              f"processor), SciPy {theirs:.2f} s ({their_work:.2f}): {theirs / ours:.1f} times as fast, "
              f"eigenvalues apart by {apart:.1e}", flush=True)


if __name__ == "__main__":
    main()
