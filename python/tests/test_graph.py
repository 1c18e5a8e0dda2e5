"""Connection graphs: edges of every kind, synchronisation against the truth, distances, alignments, orientation."""
import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.transform import Rotation
from scipy.stats import special_ortho_group

import lavdm

RNG = np.random.default_rng(7)


def random_graph(n=40, share=0.25, rng=RNG):
    """Pairs (row, col), each once, in one piece."""
    row, col = np.triu_indices(n, 1)
    keep = (rng.random(len(row)) < share) | (col == row + 1)
    return row[keep], col[keep]


def turn(angle):
    angle = np.asarray(angle)
    c, s = np.cos(angle), np.sin(angle)
    return np.moveaxis(np.array([[c, -s], [s, c]]), (0, 1), (-2, -1))


def same_up_to_one(found, truth, atol=1e-6):
    """R_i = T_i G for one G."""
    aligned = np.einsum("nji,njk->nik", truth, found)  # T_i' R_i
    return np.allclose(aligned, aligned[0], atol=atol)


# ----------------------------------------------------------------------- edges


def test_kinds():
    row, col = [0, 1, 2], [1, 2, 3]
    cases = [(None, "none", 1), ([1, -1, 1], "sign", 1), (np.array([1, -1, 1], np.int8), "sign", 1),
             ([0.1, 0.2, 0.3], "angle", 2), (np.stack([np.eye(4)] * 3), "matrix", 4),
             (np.tile([1.0, 0, 0, 0], (3, 1)), "quaternion", 3)]
    for element, kind, q in cases:
        edges = lavdm.Edges(row, col, element)
        assert (edges.kind, edges.q, len(edges)) == (kind, q, 3)
        assert repr(edges) == f"Edges(3 edges, {kind})"
        assert lavdm.synchronize(edges).q == q
    assert lavdm.Edges(row, col, [1.0, -1.0, 1.0], kind="sign").kind == "sign"
    assert lavdm.Edges(row, col, [1, 2, 3], kind="angle").q == 2


@pytest.mark.parametrize("arguments, words", [
    (([0, 1], [1]), "2 rows and 1 cols"),
    (([0, 1.5], [1, 2]), "row: whole numbers"),
    (([0, 1], [1, np.nan]), "col: whole numbers"),
    (([True, False], [1, 2]), "booleans"),
    (([0, 1], [1, 2], [0.1]), r"the shape is \(1,\), and \(2,\) is needed"),
    (([0, 1], [1, 2], np.zeros((2, 3))), "none that stands for"),
    (([0, 1], [1, 2], np.zeros((2, 3, 2))), "element: the shape"),
    (([0, 1], [1, 2], [1j, 1]), "complex"),
    (([0, 1], [1, 2], ["a", "b"]), "numbers are needed"),
    (([0, 1], [1, 2], None, [1, 2, 3]), "weight: the shape"),
    (([0, 1], [1, 2], [1, 1], None, "spin"), "kind is 'spin'"),
    (([0, 1], [1, 2], None, None, "angle"), "element"),
])
def test_bad_edges(arguments, words):
    with pytest.raises(ValueError, match=words):
        lavdm.Edges(*arguments)


@pytest.mark.parametrize("edges, words", [
    (([0], [1], [3], None), "not orthogonal"), (([0], [1], [np.nan], None), "not orthogonal"),
    (([0], [1], [0.5], [-1.0]), "weight"), (([0], [1], [0.5], [np.inf]), "weight"),
    (([0], [1], np.ones((1, 2, 2)), None), "orthogonal"), (([0], [1], [[1.0, 1, 1, 1]], None), "not orthogonal"),
    (([-1], [1], [0.5], None), "-1|negative"), (([], [], None, None), "no edges"),
])
def test_edges_that_the_library_refuses(edges, words):
    for call in (lambda: lavdm.synchronize(edges), lambda: lavdm.fit(graph=edges, method="vdm", components=1)):
        with pytest.raises(ValueError, match=words):
            call()


def test_edges_of():
    row, col = random_graph()
    weight = RNG.random(len(row)) + 0.1
    n = row.max() + 1
    tables = [scipy.sparse.coo_matrix((weight, (row, col)), (n + 1, n + 1)), (row, col, None, weight),
              [row, col, None, weight], lavdm.Edges(row, col, weight=weight)]
    tables.append(tables[0].tocsr())
    found = [lavdm.fit(graph=table, method="dm", components=3).eigenvalues for table in tables]
    for other in found[1:]:
        assert np.allclose(other, found[0], rtol=1e-12)
    edges = tables[3]
    assert lavdm.Edges.of(edges) is edges
    for bad in (np.zeros((5, 2)), 3, "edges", (1,), (1, 2, 3, 4, 5), None):
        with pytest.raises(TypeError, match="edges: lavdm.Edges, a tuple"):
            lavdm.Edges.of(bad)


def test_dm_of_a_graph_against_numpy():
    row, col = random_graph(30)
    weight = RNG.random(len(row)) + 0.1
    model = lavdm.fit(graph=(row, col, None, weight), method="dm", components=6, alpha=0)
    W = np.zeros((30, 30))
    W[row, col] = W[col, row] = weight
    root = np.sqrt(W.sum(1))
    values = np.sort(np.linalg.eigvalsh(W / root / root[:, None]))[::-1]
    # dm leaves the constant out, if its eigenvalue 1 is not there
    start = 0 if abs(model.eigenvalues[0] - 1) < 1e-9 else 1
    assert np.allclose(model.eigenvalues, values[start:start + 6], atol=1e-9)


@pytest.mark.parametrize("kind", ["sign", "angle", "matrix", "quaternion"])
def test_vdm_of_a_graph_against_numpy(kind):
    row, col = random_graph(25)
    e = len(row)
    element = {"sign": RNG.choice([-1, 1], e), "angle": RNG.uniform(-3, 3, e),
               "matrix": special_ortho_group(3, seed=1).rvs(e),
               "quaternion": Rotation.random(e, random_state=1).as_quat()[:, [3, 0, 1, 2]]}[kind]
    blocks = {"sign": lambda: element[:, None, None].astype(float), "angle": lambda: turn(element),
              "matrix": lambda: element,
              "quaternion": lambda: Rotation.from_quat(element[:, [1, 2, 3, 0]]).as_matrix()}[kind]()
    q, weight = blocks.shape[1], RNG.random(e) + 0.1
    S, D = np.zeros((25, q, 25, q)), np.zeros(25)
    for i, k, w, O in zip(row, col, weight, blocks):
        S[i, :, k] += w * O
        S[k, :, i] += w * O.T
        D[i] += w
        D[k] += w
    root = np.repeat(np.sqrt(D), q)
    values = np.sort(np.linalg.eigvalsh(S.reshape(25 * q, 25 * q) / root / root[:, None]))[::-1]
    model = lavdm.fit(graph=(row, col, element, weight), method="vdm", components=5, alpha=0)
    assert model.q == q and np.allclose(model.eigenvalues, values[:5], atol=1e-9)


# ------------------------------------------------------------- synchronisation


def truth_of(group, n, rng):
    if group == "z2":
        return rng.choice([-1.0, 1.0], n)[:, None, None]
    if group.startswith("so"):
        q = int(group[2:])
        return turn(rng.uniform(-3, 3, n)) if q == 2 else special_ortho_group(q, seed=3).rvs(n + 2)[:n]
    q = int(group[1:])
    matrices = special_ortho_group(q, seed=4).rvs(n + 2)[:n] if q > 2 else turn(rng.uniform(-3, 3, n))
    matrices[rng.random(n) < 0.5, :, 0] *= -1
    return matrices


@pytest.mark.parametrize("group", ["z2", "so2", "so3", "so4", "o2", "o3"])
@pytest.mark.parametrize("robust", [False, True])
def test_synchronize(group, robust):
    rng = np.random.default_rng(11)
    truth = truth_of(group, 40, rng)
    row, col = random_graph(40, rng=rng)
    O = truth[row] @ np.swapaxes(truth[col], 1, 2)
    wrong = rng.random(len(row)) < (0.15 if robust else 0)
    O[wrong] = truth_of(group, int(wrong.sum()), rng)
    element = O[:, 0, 0].astype(int) if group == "z2" else O
    found = lavdm.synchronize((row, col, element), robust=robust)
    assert found.group == group.rstrip("01345").rstrip("2") or group == "z2" and found.group == "z2"
    assert found.q == truth.shape[1] and found.components == 1 and found.isolated == 0
    assert np.array_equal(found.node, np.arange(40))
    assert np.allclose(found.element[0], np.eye(found.q))
    assert same_up_to_one(found.element, truth, 1e-3 if robust else 1e-7)
    if robust and group != "z2":
        assert found.trust[wrong].max() < 0.1 < found.trust[~wrong].min()
        assert found.residual[~wrong].max() < 1e-2
    if group == "z2":
        assert np.array_equal(found.sign, truth[:, 0, 0] * truth[0, 0, 0])
        with pytest.raises(AttributeError, match="q = 2"):
            found.angle
    if group == "so2":
        assert np.allclose(turn(found.angle), found.element)
        with pytest.raises(AttributeError, match="q = 1"):
            found.sign
    if group == "so3":
        rotation = Rotation.from_matrix(O).as_quat()[:, [3, 0, 1, 2]]
        other = lavdm.synchronize((row, col, rotation), robust=robust)
        assert np.allclose(other.element, found.element, atol=1e-6)


def test_cyclic():
    steps = RNG.integers(0, 5, 30)
    row, col = random_graph(30)
    angle = 2 * np.pi / 5 * (steps[row] - steps[col]) + RNG.normal(0, 0.1, len(row))
    found = lavdm.synchronize((row, col, angle), group="cyclic", order=5)
    got = np.rint(found.angle * 5 / (2 * np.pi)).astype(int) % 5
    assert np.array_equal(got, (steps - steps[0]) % 5) and found.order == 5
    for order, kind in ((1, ValueError), (-5, ValueError), (2.5, TypeError), (None, ValueError)):
        with pytest.raises(kind, match="order"):
            lavdm.synchronize((row, col, angle), group="cyclic", order=order)


@pytest.mark.parametrize("q", [2, 3])
def test_poses(q):
    n = 30
    rotations = truth_of(f"so{q}", n, RNG)
    positions = RNG.normal(size=(n, q))
    row, col = random_graph(n)
    O = rotations[row] @ np.swapaxes(rotations[col], 1, 2)
    shift = np.einsum("eij,ej->ei", rotations[row], positions[col] - positions[row])
    found = lavdm.synchronize((row, col, O), shift=shift, shift_weight=np.ones(len(row)))
    assert same_up_to_one(found.element, rotations)
    assert np.allclose(found.position[0], 0)
    # found.R = R R_0', so that positions turn by R_0
    wanted = (positions - positions[0]) @ rotations[0].T
    assert np.allclose(found.position, wanted, atol=1e-6)
    assert lavdm.synchronize((row, col, O)).position is None
    with pytest.raises(ValueError, match="shift: the shape"):
        lavdm.synchronize((row, col, O), shift=shift[:, :1])


def test_pieces():
    found = lavdm.synchronize(([5, 7, 20, 3], [7, 5, 21, 3], [0.5, -0.5, 1.0, 0.1]), nodes=[40])
    assert list(found.node) == [3, 5, 7, 20, 21, 40]
    assert found.components == 2 and found.isolated == 2 and found.loops == 1
    assert list(found.component) == [-1, 0, 0, 1, 1, -1] or list(found.component) == [-1, 1, 1, 0, 0, -1]
    assert len(found.part) == 2 and {part["nodes"] for part in found.part} == {2}
    assert np.allclose(found.angle[[1, 2]], [0, -0.5]) and np.allclose(found.angle[[3, 4]], [0, -1])
    for array in (found.node, found.element, found.component, found.residual, found.trust):
        assert not array.flags.writeable
    assert all(seconds >= 0 for seconds in found.timings.values())


@pytest.mark.parametrize("more, kind, words", [
    (dict(group="su2"), ValueError, "group is 'su2': it must be"), (dict(group=3), TypeError, "text"),
    (dict(seed=-1), ValueError, "seed is -1"), (dict(seed=2**64), ValueError, "seed"),
    (dict(threads=0), ValueError, "threads is 0"), (dict(threads="all"), TypeError, "threads"),
    (dict(robust=-1), ValueError, "robust is -1"), (dict(group="z2"), ValueError, "z2|Z2|sign"),
    (dict(nodes=[0.5]), ValueError, "nodes: whole"), (dict(nodes=[-3]), ValueError, "-3"),
])
def test_bad_synchronize(more, kind, words):
    with pytest.raises(kind, match=words):
        lavdm.synchronize(([0, 1, 2], [1, 2, 0], [0.1, 0.2, -0.3]), **more)


def test_seed_of_64_bits():
    edges = ([0, 1, 2], [1, 2, 0], [0.1, 0.2, -0.3])
    assert np.allclose(lavdm.synchronize(edges, seed=2**64 - 1).element, lavdm.synchronize(edges).element)


# ------------------------------------------------------- distances, alignments


@pytest.fixture(scope="module")
def sphere():
    points, frames = lavdm.sample("sphere", 1500, frames=True)
    return points, frames, lavdm.VectorDiffusionMap(components=6, time=2).fit(points)


def test_distance_is_that_of_the_embedding(sphere):
    _, _, vdm = sphere
    i, j = RNG.integers(0, 1500, 200), RNG.integers(0, 1500, 200)
    found = lavdm.vector_diffusion_distance(vdm, i, j)
    wanted = np.linalg.norm(vdm.embedding_[i] - vdm.embedding_[j], axis=1)
    scale = np.linalg.norm(vdm.embedding_, axis=1).max()
    assert np.allclose(found, wanted, atol=1e-7 * scale)
    assert np.array_equal(lavdm.vector_diffusion_distance(vdm.model_, i, j), found)
    for time, rank in ((1, 3), (5.5, 6)):
        table = vdm.model_.embedding(time, rank)
        assert np.allclose(lavdm.vector_diffusion_distance(vdm, i, j, time=time, rank=rank),
                           np.linalg.norm(table[i] - table[j], axis=1), atol=1e-7 * scale)
    index, distance = vdm.model_.neighbours(4, [0, 1, 2])
    every = lavdm.vector_diffusion_distance(vdm, np.arange(3)[:, None], np.arange(1500))
    every[np.arange(3), np.arange(3)] = np.inf
    assert np.allclose(np.sort(every, 1)[:, :4], distance, atol=1e-9)
    assert np.allclose(np.take_along_axis(every, index, 1), distance, atol=1e-9)


def test_diffusion_distance():
    dm = lavdm.DiffusionMap(components=5, time=3).fit(lavdm.sample("torus", 300))
    found = dm.model_.distances(0, range(300), diffusion=True)
    wanted = np.linalg.norm(dm.embedding_ - dm.embedding_[0], axis=1)
    assert np.allclose(found, wanted, atol=1e-9)


def transport(x, y):
    """Along the great circle from y to x, in space."""
    axis = np.cross(y, x)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + K + K @ K / (1 + x @ y)


def test_align_is_parallel_transport(sphere):
    """The embedding is that of the sphere: at the top eigenspace the alignment is transport exactly."""
    points, _, vdm = sphere
    rng = np.random.default_rng(2)
    i, j = rng.integers(0, 1500, 300), rng.integers(0, 1500, 300)
    close = (np.einsum("np,np->n", points[i], points[j]) > 0.3) & (i != j)
    i, j = i[close], j[close]
    assert len(i) > 50
    O = lavdm.align(vdm, i, j)
    assert np.allclose(O @ np.swapaxes(O, 1, 2), np.eye(2), atol=1e-9)
    ambient = vdm.frames_[i] @ O @ np.swapaxes(vdm.frames_[j], 1, 2)
    errors = []
    for matrix, a, b in zip(ambient, i, j):
        vector = vdm.frames_[b] @ np.array([1.0, 0.0])
        exact, found = transport(points[a], points[b]) @ vector, matrix @ vector
        errors.append(np.degrees(np.arccos(np.clip(exact @ found / np.linalg.norm(exact) / np.linalg.norm(found),
                                                   -1, 1))))
    assert np.median(errors) < 3 and np.percentile(errors, 95) < 12, (np.median(errors), np.percentile(errors, 95))
    assert np.allclose(lavdm.align(vdm, j, i), np.swapaxes(O, 1, 2), atol=1e-7)
    assert np.allclose(lavdm.align(vdm, i, i), np.eye(2), atol=1e-7)


# ----------------------------------------------------------------- orientation


N = 3000


@pytest.mark.parametrize("shape, orientable", [("sphere", True), ("torus", True), ("klein", False), ("rp2", False),
                                               ("mobius", False)])
def test_orientability(shape, orientable):
    points = lavdm.sample(shape, N)
    found = lavdm.orientability(points)
    assert found.orientable is orientable and found.verdict == orientable and found.confidence > 0.8
    assert found.signs.shape == (N,) and set(np.unique(found.signs)) <= {-1.0, 0.0, 1.0}
    assert found.model.options["bundle"] == "orientation" and found.graph_components == 1
    assert f"orientable={orientable}" in repr(found)
    if shape == "sphere":
        # frames times signs are all of one orientation
        frames = found.model["frames"]
        outside = np.einsum("np,np->n", np.cross(frames[:, :, 0], frames[:, :, 1]), points)
        assert abs(np.sum(np.sign(outside) * found.signs)) == N
    if shape == "rp2":
        coordinates, values, parity = found.model.cover(points, 3)
        assert coordinates.shape == (2 * N, 3) and np.array_equal(parity, [-1, -1, -1])
        assert np.allclose(coordinates[:N], -coordinates[N:])
        with pytest.raises(TypeError, match="cover has no option 'epsilon'"):
            found.model.cover(points, 3, epsilon=1)
        with pytest.raises(ValueError, match="rank"):
            found.model.cover(points, 0)


def test_equality_of_results_is_identity():
    edges = ([0, 1], [1, 2], [0.5, 0.25])
    a, b = lavdm.synchronize(edges), lavdm.synchronize(edges)
    assert a == a and a != b and len({a, b}) == 2
