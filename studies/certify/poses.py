"""Pose graphs in the g2o format, and a slow, plain reference for what `lavdm sync` does with them.

A pose is (Q, t), world from body; edge (i, j) measured Q_i' Q_j and Q_i' (t_j - t_i). The cost is that of SE-Sync:
    sum of kappa |Q_j - Q_i Z|_F^2 + tau |t_j - t_i - Q_i z|^2,
with tau = d / tr(inverse of the block of the shift), kappa the information of the angle (d = 2) or
3 / (2 tr(inverse of the block of the rotation)) (d = 3). Nothing here is taken from the library, on purpose.
"""
from dataclasses import dataclass

import cvxopt
import cvxopt.cholmod
import numpy as np
import scipy.sparse as sp


@dataclass
class Graph:
    d: int
    pairs: np.ndarray        # (m,2)
    turn: np.ndarray         # (m,d,d)
    shift: np.ndarray        # (m,d)
    information: np.ndarray  # (m,3,3) or (m,6,6), shift first
    turns: np.ndarray        # (n,d,d): of the vertices
    places: np.ndarray       # (n,d)


# ------------------------------------------------------------------ rotations

def rotation(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.moveaxis(np.array([[c, -s], [s, c]]), (0, 1), (-2, -1))


def quaternion_matrix(q):
    """x y z w, as the format has them, to matrices."""
    q = np.asarray(q, float)
    x, y, z, w = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def matrix_quaternion(m):
    """The eigenvector of the largest eigenvalue of Bar-Itzhack's matrix, w >= 0."""
    k = np.empty((len(m), 4, 4))
    for i in range(3):
        for j in range(3):
            k[:, i, j] = m[:, i, j] + m[:, j, i] - (i == j) * np.trace(m, axis1=1, axis2=2)
    v = np.stack([m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]], -1)
    k[:, :3, 3] = k[:, 3, :3] = v
    k[:, 3, 3] = np.trace(m, axis1=1, axis2=2)
    q = np.linalg.eigh(k)[1][:, :, 3]
    return q * np.where(q[:, 3:] < 0, -1, 1)


def skew(v):
    """(n,1) or (n,3) numbers to skew matrices: exp(skew) is the rotation by v."""
    if v.shape[-1] == 1:
        return v[..., None] * np.array([[0, -1.0], [1, 0]])
    out = np.zeros(v.shape[:-1] + (3, 3))
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        out[..., i, j], out[..., j, i] = v[..., k], -v[..., k]
    return out


def exponential(v):
    if v.shape[-1] == 1:
        return rotation(v[..., 0])
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    k = skew(v)
    return np.eye(3) + np.sinc(angle / np.pi) * k + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (k @ k)


# ----------------------------------------------------------------------- files

def half(d):
    return np.triu_indices(3 if d == 2 else 6)


def write(path, graph):
    upper = half(graph.d)
    with open(path, "w") as file:
        turns = np.arctan2(graph.turns[:, 1, 0], graph.turns[:, 0, 0])[:, None] if graph.d == 2 else \
            matrix_quaternion(graph.turns)
        measured = np.arctan2(graph.turn[:, 1, 0], graph.turn[:, 0, 0])[:, None] if graph.d == 2 else \
            matrix_quaternion(graph.turn)
        vertex, edge = ("VERTEX_SE2", "EDGE_SE2") if graph.d == 2 else ("VERTEX_SE3:QUAT", "EDGE_SE3:QUAT")
        for i, row in enumerate(np.c_[graph.places, turns]):
            file.write(f"{vertex} {i} " + " ".join(f"{x:.17g}" for x in row) + "\n")
        for (i, j), row, info in zip(graph.pairs, np.c_[graph.shift, measured], graph.information):
            file.write(f"{edge} {i} {j} " + " ".join(f"{x:.17g}" for x in (*row, *info[upper])) + "\n")


def matrices(table, d):
    return rotation(table[:, 0]) if d == 2 else quaternion_matrix(table)


def read(path):
    """The graph of a file; node numbers become 0 .. n-1 in their order. A file of poses alone has no edges."""
    vertex, edge = {}, []
    d = 0
    with open(path) as file:
        for line in file:
            tag, *words = line.split() or [""]
            if tag in ("VERTEX_SE2", "VERTEX_SE3:QUAT"):
                d = 2 if tag == "VERTEX_SE2" else 3
                vertex[int(words[0])] = [float(x) for x in words[1:]]
            elif tag in ("EDGE_SE2", "EDGE_SE3:QUAT"):
                d = 2 if tag == "EDGE_SE2" else 3
                edge.append([float(x) for x in words])
    edge = np.array(edge).reshape(len(edge), 2 + (9 if d == 2 else 28))
    ends = edge[:, :2].astype(int)
    names = np.unique(np.r_[ends.ravel(), np.array(list(vertex), int)])
    wide = d + (1 if d == 2 else 4)
    info = np.zeros((len(edge), len(set(half(d)[0])), len(set(half(d)[0]))))
    upper = half(d)
    info[:, upper[0], upper[1]] = info[:, upper[1], upper[0]] = edge[:, 2 + wide:]
    rest = [0.0] * wide if d == 2 else [0.0] * 6 + [1.0]
    poses = np.array([vertex.get(name, rest) for name in names])
    return Graph(d, np.searchsorted(names, ends), matrices(edge[:, 2 + d:2 + wide], d), edge[:, 2:2 + d], info,
                 matrices(poses[:, d:], d), poses[:, :d])


# ------------------------------------------------------------------ likelihood

def weights(graph):
    d, info = graph.d, graph.information
    tau = d / np.trace(np.linalg.inv(info[:, :d, :d]), axis1=1, axis2=2)
    if d == 2:
        return info[:, 2, 2], tau
    return 3 / (2 * np.trace(np.linalg.inv(info[:, 3:, 3:]), axis1=1, axis2=2)), tau


def residuals(graph, turns, places):
    i, j = graph.pairs.T
    return turns[j] - turns[i] @ graph.turn, places[j] - places[i] - np.einsum("eab,eb->ea", turns[i], graph.shift)


def cost(graph, turns, places):
    kappa, tau = weights(graph)
    e, f = residuals(graph, turns, places)
    return float(kappa @ (e ** 2).sum((1, 2)) + tau @ (f ** 2).sum(1))


def chi2(graph, turns, places, ceres=False):
    """With full information and the errors of g2o: the shift in the frame of the measurement, and the angle or the
    vector part of the quaternion. Ceres' example has the shift in the frame of the first pose and twice that part."""
    i, j = graph.pairs.T
    d = graph.d
    seen = turns[i].transpose(0, 2, 1) @ turns[j]
    move = np.einsum("eba,eb->ea", turns[i], places[j] - places[i]) - graph.shift
    off = graph.turn @ seen.transpose(0, 2, 1) if ceres else graph.turn.transpose(0, 2, 1) @ seen
    if not ceres:
        move = np.einsum("eba,eb->ea", graph.turn, move)
    angle = np.arctan2(off[:, 1, 0], off[:, 0, 0])[:, None] if d == 2 else matrix_quaternion(off)[:, :3]
    if ceres:
        angle = -angle if d == 2 else 2 * angle
    e = np.c_[move, angle]
    return float(np.einsum("ea,eab,eb->", e, graph.information, e))


def generators(d):
    return skew(np.eye(1 if d == 2 else 3))


def jacobian(graph, turns, kappa, tau):
    """Of the residuals, weighted: columns are the steps Q_i -> Q_i exp(w_i) of all nodes, then their places."""
    d, (i, j) = graph.d, graph.pairs.T
    m, n, g = len(i), len(turns), generators(graph.d)
    k = len(g)
    rows, cols, values = [], [], []

    def add(row, col, value):
        rows.append(row.ravel()), cols.append(col.ravel()), values.append(value.ravel())

    root, lift = np.sqrt(kappa)[:, None], np.sqrt(tau)[:, None]
    at, below = np.arange(m * d * d).reshape(m, -1), m * d * d + np.arange(m * d).reshape(m, d)
    for a in range(k):
        add(at, np.broadcast_to((k * j + a)[:, None], at.shape), root * (turns[j] @ g[a]).reshape(m, -1))
        add(at, np.broadcast_to((k * i + a)[:, None], at.shape), -root * (turns[i] @ g[a] @ graph.turn).reshape(m, -1))
        moved = np.einsum("eab,eb->ea", turns[i] @ g[a], graph.shift)
        add(below, np.broadcast_to((k * i + a)[:, None], below.shape), -lift * moved)
    for a in range(d):
        add(below[:, a], k * n + d * j + a, lift[:, 0])
        add(below[:, a], k * n + d * i + a, -lift[:, 0])
    shape = (m * d * (d + 1), n * (k + d))
    return sp.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=shape)


def lower(matrix):
    a = sp.tril(matrix).tocoo()
    return cvxopt.spmatrix(cvxopt.matrix(np.ascontiguousarray(a.data)), cvxopt.matrix(a.row.astype(int)),
                           cvxopt.matrix(a.col.astype(int)), a.shape)


def solve(matrix, right):
    x = cvxopt.matrix(np.asarray(right, float))
    cvxopt.cholmod.linsolve(lower(matrix), x)
    return np.array(x)[:, 0] if right.ndim == 1 else np.array(x)


def optimum(graph, turns, places, steps=100, tolerance=1e-11):
    """The local optimum by Levenberg's steps from these poses; the first node stays."""
    kappa, tau = weights(graph)
    d, n = graph.d, len(turns)
    k = 1 if d == 2 else 3
    free = np.r_[k:k * n, k * n + d:(k + d) * n]
    damp, now = 0.0, cost(graph, turns, places)
    for _ in range(steps):
        e, f = residuals(graph, turns, places)
        j = jacobian(graph, turns, kappa, tau)[:, free]
        r = np.r_[(np.sqrt(kappa)[:, None, None] * e).ravel(), (np.sqrt(tau)[:, None] * f).ravel()]
        square = (j.T @ j).tocsc()
        right = -(j.T @ r)
        for _ in range(12):
            x = np.zeros((k + d) * n)
            try:
                x[free] = solve(square + sp.diags(damp * square.diagonal()) if damp else square, right)
            except ArithmeticError:
                damp = max(10 * damp, 1e-8)
                continue
            tried = turns @ exponential(x[:k * n].reshape(n, k)), places + x[k * n:].reshape(n, d)
            after = cost(graph, *tried)
            if after <= now:
                damp *= 0.1
                break
            damp = max(10 * damp, 1e-4)
        else:
            break
        gain, now, (turns, places) = now - after, after, tried
        if gain <= tolerance * now:
            break
    return turns, places, now


def quadratic(graph):
    """F of the cost tr(X F X') over X = [Q_1 .. Q_n t_1 .. t_n] (d x (d+1) n)."""
    kappa, tau = weights(graph)
    d, (i, j) = graph.d, graph.pairs.T
    m = len(i)
    n = graph.pairs.max() + 1 if not len(graph.turns) else len(graph.turns)
    # an edge's residual is X times a column: kappa's d of them, tau's one
    rows, cols, values = [], [], []
    for b in range(d):
        column = np.arange(m) * (d + 1) + b
        rows += [d * j + b] + [d * i + a for a in range(d)]
        cols += [column] * (d + 1)
        values += [np.sqrt(kappa)] + [-np.sqrt(kappa) * graph.turn[:, a, b] for a in range(d)]
    column = np.arange(m) * (d + 1) + d
    rows += [d * n + j, d * n + i] + [d * i + a for a in range(d)]
    cols += [column] * (d + 2)
    values += [np.sqrt(tau), -np.sqrt(tau)] + [-np.sqrt(tau) * graph.shift[:, a] for a in range(d)]
    b = sp.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=((d + 1) * n, (d + 1) * m))
    return (b @ b.T).tocsc()


def positions(graph, turns):
    """The best places for these rotations, the first node at the origin."""
    n, d = len(turns), graph.d
    f = quadratic(graph)
    keep = np.arange(d * n + 1, (d + 1) * n)
    right = -(f[keep][:, :d * n] @ turns.transpose(0, 2, 1).reshape(n * d, d))
    return np.r_[np.zeros((1, d)), solve(f[keep][:, keep], right)]


def proved(graph, turns, gaps=(1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)):
    """The least of `gaps` for which no poses whatever cost less than (1 - gap) times what these rotations cost (with
    their best places), by a Cholesky factorisation; infinity if none."""
    n, d = len(turns), graph.d
    places = positions(graph, turns)
    f = quadratic(graph)
    x = np.r_[turns.transpose(0, 2, 1).reshape(n * d, d), places]
    total = cost(graph, turns, places)
    fx = (f @ x)[:d * n].reshape(n, d, d)
    block = fx @ turns  # block i of (F X') X at i
    multiplier = sp.block_diag(0.5 * (block + block.transpose(0, 2, 1)))
    keep = np.r_[:d * n, d * n + 1:(d + 1) * n]
    s = f[keep][:, keep] - sp.block_diag([multiplier, sp.csc_matrix((n - 1, n - 1))])
    ridge = sp.diags(np.r_[np.ones(d * n), np.zeros(n - 1)])
    for gap in gaps:
        try:
            cvxopt.cholmod.linsolve(lower((s + gap * total / (d * n) * ridge).tocsc()), cvxopt.matrix(0.0, (s.shape[0], 1)))
            return gap
        except ArithmeticError:
            continue
    return np.inf
