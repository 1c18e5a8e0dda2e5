#!/usr/bin/python3
"""Given graphs: seconds and memory of `lavdm embed --graph` with 10 pairs of dm, and of peers on the same graph.

usage: bench/graphs.py make KIND NODES DEGREE FILE.npz    KIND: grid (a torus of two dimensions, neighbours within
                                                          a disk) or small (a ring with a tenth of its ends rewired)
       bench/graphs.py run FILE.npz                       the command, in a process of its own
       bench/graphs.py eigsh FILE.npz                     scipy.sparse.linalg.eigsh of the same operator
       bench/graphs.py scanpy [CELLS]                     scanpy's tl.diffmap written out, against dm: on the same
                                                          graph, and from points (50 coordinates, 15 neighbours)

One JSON line each. make lists every edge once: DEGREE edges for a node, so that the matrix has twice as many entries.
"""
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("LAVDM", os.path.join(ROOT, "build", "lavdm"))
PAIRS = 10


# ----------------------------------------------------------------------- graphs


def offsets(degree):
    """The nearest half-disk of steps on a square grid: one of each step and its opposite."""
    reach = int(np.ceil(np.sqrt(2 * degree))) + 1
    dx, dy = np.meshgrid(np.arange(-reach, reach + 1), np.arange(-reach, reach + 1))
    half = (dy > 0) | ((dy == 0) & (dx > 0))
    dx, dy = dx[half], dy[half]
    order = np.lexsort((dx, dy, dx**2 + dy**2))[:degree]
    return dx[order], dy[order]


def grid(nodes, degree):
    side = int(np.sqrt(nodes))
    number = np.arange(side * side, dtype=np.int64)
    x, y = number % side, number // side
    dx, dy = offsets(degree)
    col = np.empty((side * side, degree), np.int64)
    for k in range(degree):
        col[:, k] = (x + dx[k]) % side + (y + dy[k]) % side * side
    weight = np.tile(np.exp(-(dx**2 + dy**2) / (dx**2 + dy**2).max()), side * side)
    return np.repeat(number, degree), col.ravel(), weight


def small(nodes, degree):
    rng = np.random.default_rng(1)
    row = np.repeat(np.arange(nodes, dtype=np.int64), degree)
    col = (row + np.tile(np.arange(1, degree + 1), nodes)) % nodes
    rewired = rng.random(len(row)) < 0.1
    col[rewired] = rng.integers(0, nodes, int(rewired.sum()))
    keep = row != col
    return row[keep], col[keep], rng.uniform(0.5, 1, len(row))[keep]


def make(kind, nodes, degree, path):
    began = time.time()
    row, col, weight = {"grid": grid, "small": small}[kind](int(float(nodes)), int(degree))
    np.savez(path, row=row, col=col, weight=weight)
    return {"kind": kind, "nodes": int(row.max()) + 1, "edges": len(row), "bytes": os.path.getsize(path),
            "seconds": time.time() - began}


# -------------------------------------------------------------------------- ours


def run(path):
    began = time.time()
    done = subprocess.run([PROGRAM, "embed", "--graph", path, "--method", "dm", "--components", str(PAIRS), "--json"],
                          stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    # the floor: a column and a weight for each entry of the matrix, and the eigenvectors twice
    floor = 12 * found["edges"] + 2 * 8 * PAIRS * found["n"]
    return {"nodes": found["n"], "entries": found["edges"], "seconds": time.time() - began, "peak_bytes": peak,
            "floor_bytes": floor, "residual": max(found["residuals"]), "eigenvalues": found["eigenvalues"],
            "stages": found["seconds"]}


# ------------------------------------------------------------------------- peers


def operator(weights):
    """Z^-1/2 Q^-1 W Q^-1 Z^-1/2: the symmetric operator of dm with alpha = 1, and of tl.diffmap."""
    import scipy.sparse as sp

    q = sp.diags(1 / np.asarray(weights.sum(0)).ravel())
    kernel = q @ weights @ q
    z = sp.diags(1 / np.sqrt(np.asarray(kernel.sum(0)).ravel()))
    return (z @ kernel @ z).tocsr()


def eigsh(path):
    import scipy.sparse as sp
    from scipy.sparse.linalg import eigsh as solve

    arrays = np.load(path)
    began = time.time()
    n = int(max(arrays["row"].max(), arrays["col"].max())) + 1
    weights = sp.coo_matrix((arrays["weight"], (arrays["row"], arrays["col"])), (n, n)).tocsr()
    matrix = operator((weights + weights.T).tocsr())
    built = time.time()
    values = np.sort(solve(matrix, k=PAIRS, which="LA", return_eigenvectors=True)[0])[::-1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"nodes": n, "entries": matrix.nnz, "build_seconds": built - began, "solve_seconds": time.time() - built,
            "peak_bytes": peak, "eigenvalues": values.tolist()}


def scanpy(cells=50000):
    """tl.diffmap: the eigenvectors of the density-normalised graph by eigsh, 15 of them, as scanpy calls it."""
    sys.path.insert(0, os.path.join(ROOT, "build", "python"))
    import lavdm
    from scipy.sparse.linalg import eigsh as solve
    from sklearn.neighbors import kneighbors_graph

    cells = int(cells)
    rng = np.random.default_rng(1)
    points = np.zeros((cells, 50))
    points[:, :3] = lavdm.sample("swiss-roll", cells)[:, :3]
    points += 0.02 * rng.standard_normal(points.shape)
    clock = [time.time()]

    def lap():
        clock.append(time.time())
        return clock[-1] - clock[-2]

    distance = kneighbors_graph(points, 15, mode="distance", n_jobs=-1)
    neighbours = lap()
    distance.data = np.exp(-distance.data**2 / np.median(distance.data) ** 2)
    weights = distance.maximum(distance.T).tocsr()
    lap()
    matrix = operator(weights)
    theirs = np.sort(solve(matrix, k=15, which="LM", v0=np.ones(cells))[0])[::-1]
    their_graph = lap()
    model = lavdm.fit(graph=weights, method="dm", alpha=1, components=15)
    our_graph = lap()
    lavdm.fit(points, method="dm", alpha=1, edges="knn", knn=15, components=15, trust=False)
    ours = lap()
    return {"cells": cells, "entries": int(weights.nnz), "their_neighbours_seconds": neighbours,
            "their_graph_seconds": their_graph, "our_graph_seconds": our_graph,
            "their_seconds": neighbours + their_graph, "our_seconds": ours,
            "largest_difference": float(np.abs(model.eigenvalues - theirs).max()),
            "our_stages": {k: round(v, 3) for k, v in model.info["timings"].items()}}


if __name__ == "__main__":
    commands = {"make": make, "run": run, "eigsh": eigsh, "scanpy": scanpy}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    print(json.dumps(commands[sys.argv[1]](*sys.argv[2:])), flush=True)
