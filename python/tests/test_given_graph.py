"""Graphs that users bring: matrices of weights, landmarks among their nodes, new nodes, and what is refused."""
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from sklearn.neighbors import kneighbors_graph

import lavdm

pytestmark = pytest.mark.filterwarnings("ignore::lavdm.LavdmWarning")


def affinities(n=400, k=12, shape="torus", loops=False, seed=1):
    """A symmetric sparse matrix of Gaussian weights of nearest neighbours."""
    distance = kneighbors_graph(lavdm.sample(shape, n, seed=seed), k, mode="distance")
    distance.data = np.exp(-distance.data**2 / np.median(distance.data) ** 2)
    weights = distance.maximum(distance.T).tocsr()
    return (weights + scipy.sparse.eye(n)).tocsr() if loops else weights


def turns(weights, seed=2):
    """Edges, each once, with angles."""
    upper = scipy.sparse.triu(weights, 1).tocoo()
    angle = np.random.default_rng(seed).uniform(-3, 3, upper.nnz)
    return upper.row, upper.col, angle, upper.data


def reason(model):
    return next(text for text in model.info["reasons"] if text.startswith("graph: "))


# ------------------------------------------------------------------- matrices


def test_dense_and_sparse_are_the_same():
    weights = affinities()
    kinds = [weights, weights.tocsc(), weights.tocoo(), weights.tobsr((4, 4)), weights.toarray(),
             np.asfortranarray(weights.toarray()), weights.astype(np.float64).tolil()]
    models = [lavdm.fit(graph=kind, method="dm", components=5) for kind in kinds]
    models.append(lavdm.fit(weights.toarray(), affinity="precomputed", method="dm", components=5))
    models.append(lavdm.fit(weights, affinity="precomputed", method="dm", components=5))
    for model in models:
        np.testing.assert_array_equal(model.eigenvalues, models[0].eigenvalues)
        np.testing.assert_array_equal(model.eigenvectors, models[0].eigenvectors)
    assert reason(models[0]) == f"graph: 400 nodes, {scipy.sparse.triu(weights, 1).nnz} edges, symmetric, diagonal none"


def test_what_a_matrix_is_is_told():
    weights = affinities(60, 5).tolil()
    weights[3, 4], weights[4, 3] = 0.5, 0.25
    model = lavdm.fit(graph=weights, method="dm", components=3)
    assert "1 with other weights in the two directions, averaged" in reason(model)
    mean = weights.copy()
    mean[3, 4] = mean[4, 3] = 0.375
    np.testing.assert_array_equal(model.eigenvalues, lavdm.fit(graph=mean, method="dm", components=3).eigenvalues)
    weights[4, 3] = 0
    assert "1 of them in one direction only and taken for both" in reason(lavdm.fit(graph=weights, method="dm"))
    assert "each listed once, for both directions" in reason(lavdm.fit(graph=scipy.sparse.triu(weights, 1), method="dm"))
    assert "60 on the diagonal" in reason(lavdm.fit(graph=affinities(60, 5, loops=True), method="dm"))


def test_rows_without_entries_stay():
    weights = affinities(50, 5).tolil()
    weights[7], weights[:, 7] = 0, 0
    model = lavdm.fit(graph=weights.tocsr(), method="dm", components=3)
    assert model.n == 50 and list(model.info["isolated"]) == [7]
    stored = weights.tocsr()
    stored.data[0] = stored[:, 0].tocsr().data[0]
    explicit = scipy.sparse.coo_matrix((np.append(stored.data, 0), (np.append(stored.tocoo().row, 7),
                                                                      np.append(stored.tocoo().col, 7))), (50, 50))
    np.testing.assert_array_equal(lavdm.fit(graph=explicit, method="dm", components=3).eigenvalues,
                                  lavdm.fit(graph=stored, method="dm", components=3).eigenvalues)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_bad_weights_are_named(value):
    weights = affinities(30, 4).toarray()
    weights[5, 9] = weights[9, 5] = value
    with pytest.raises(ValueError, match=r"has weight .*\(from 5 to 9\)"):
        lavdm.fit(graph=weights, method="dm")


@pytest.mark.parametrize("options, words", [
    ({"knn": 5}, "knn is 5"), ({"epsilon": 0.1}, "epsilon is 0.1"), ({"dim": 2}, "dim is 2"), ({"pca": 3}, "pca is 3"),
    ({"kernel": "ball"}, "kernel is ball"), ({"cutoff": 2}, "cutoff is 2"), ({"edges": "knn"}, "edges is knn"),
    ({"frame_knn": 9}, "frame_knn is 9"), ({"frames": "local"}, "frames is local"), ({"hood": "radius"}, "hood is"),
    ({"stream": "yes"}, "stream is yes"), ({"landmarks": 5}, "dm has no landmarks"),
    ({"design": "random"}, "dm has no landmarks"), ({"landmark_index": [1, 2]}, "dm has no landmarks"),
])
def test_what_has_no_use_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        lavdm.fit(graph=affinities(40, 5), method="dm", **options)
    lavdm.fit(graph=affinities(40, 5), method="dm", pca=0, stream="no", components=3)


def test_not_a_graph():
    for graph, words in ((np.zeros((3, 3, 3)), "matrix of weights"), ("graph.npz", "is str")):
        with pytest.raises(TypeError, match=words):
            lavdm.fit(graph=graph, method="dm")
    with pytest.raises(ValueError, match="square"):
        lavdm.fit(np.ones((3, 4)), affinity="precomputed", method="dm")
    with pytest.raises(ValueError, match="no edges"):
        lavdm.fit(graph=np.zeros((3, 3)), method="dm")
    with pytest.raises(ValueError, match="complex"):
        lavdm.fit(graph=scipy.sparse.eye(3, dtype=complex), method="dm")
    with pytest.raises(ValueError, match="precomputed"):
        lavdm.fit(np.ones((3, 3)), affinity="rbf", method="dm")


def test_tails_of_a_gaussian():
    x = np.arange(200.0)
    weights = np.exp(-np.subtract.outer(x, x) ** 2 / 4)
    with pytest.warns(lavdm.LavdmWarning, match="weights below 1e-100 were taken for no edge"):
        model = lavdm.fit(graph=weights, method="dm", components=3)
    cut = np.where(weights < 1e-100, 0, weights)
    np.testing.assert_array_equal(model.eigenvalues, lavdm.fit(graph=cut, method="dm", components=3).eigenvalues)


# ------------------------------------------------------------------ landmarks


def through(weights, landmarks):
    """A (n, m): columns of the landmarks, with loops, and rows that none reaches from their neighbours."""
    dense = weights.toarray()
    for k in landmarks:
        if dense[k, k] == 0:
            dense[k, k] = dense[k].max()
    block = dense[:, landmarks]
    far, seen = np.zeros(len(block), bool), (block > 0).any(1)
    plain = weights.toarray()
    while not seen.all():
        share = plain * seen
        next_ = ~seen & (share.sum(1) > 0)
        if not next_.any():
            break
        block[next_] = share[next_] @ block / share[next_].sum(1, keepdims=True)
        far |= next_
        seen |= next_
    return block, far


@pytest.mark.parametrize("design", ["kmeans", "farthest", "random", "given"])
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("alpha, beta", [(0.0, 0.0), (1.0, 0.5)])
def test_two_steps_through_landmarks(design, loops, alpha, beta):
    weights = affinities(loops=loops)
    chosen = {"landmark_index": [200, 3, 77, 150, 11, 12, 13, 350]} if design == "given" else {"landmarks": 20,
                                                                                                "design": design}
    model = lavdm.fit(graph=weights, method="roseland", components=5, alpha=alpha, beta=beta, **chosen)
    marks = model["landmark_index"]
    assert model.m == len(marks) == (8 if design == "given" else 20)
    assert (np.diff(marks) > 0).all() and (model["landmark_nodes"] == marks).all()
    block, far = through(weights, marks)
    assert model.info["far_points"] == far.sum() > 0
    z = block.T @ block.sum(1)
    kernel = block @ np.diag(z**-beta) @ block.T
    kernel = kernel / np.outer(kernel.sum(1), kernel.sum(1)) ** alpha
    degree = kernel.sum(1)
    values = np.linalg.eigvalsh(kernel / np.sqrt(np.outer(degree, degree)))[::-1][:5]
    np.testing.assert_allclose(model.eigenvalues, values, atol=1e-10)
    np.testing.assert_allclose(model["degrees"], degree, rtol=1e-9)


def test_elements_go_along():
    edges = turns(affinities(200, 10))
    model = lavdm.fit(graph=edges, method="lavdm", landmarks=30, design="farthest", components=6)
    assert model.q == 2 and model.m == 30
    exact = lavdm.fit(graph=edges, method="lavdm", landmarks=30, design="farthest", components=6,
                      engine="reference")
    np.testing.assert_allclose(model.eigenvalues, exact.eigenvalues, atol=1e-10)
    assert (model["landmark_index"] == exact["landmark_index"]).all()
    # a graph that can be synchronised: the connection is trivial, and the spectrum that of the weights, twice
    row, col, _, weight = edges
    angle = np.random.default_rng(5).uniform(-3, 3, 200)
    flat = lavdm.fit(graph=(row, col, angle[row] - angle[col], weight), method="lavdm", landmarks=30, design="farthest", components=6)
    plain = lavdm.fit(graph=(row, col, None, weight), method="lavdm", landmarks=30, design="farthest",
                      components=3)
    np.testing.assert_allclose(flat.eigenvalues, np.repeat(plain.eigenvalues, 2), atol=1e-10)


def test_all_nodes_as_landmarks():
    weights = affinities(100, 8, loops=True)
    model = lavdm.fit(graph=weights, method="roseland", landmarks=100, components=5)
    square = lavdm.fit(graph=weights @ weights, method="dm", alpha=0, components=5)
    np.testing.assert_allclose(model.eigenvalues, square.eigenvalues, atol=1e-10)


def test_what_columns_are():
    weights = affinities(120, 8)
    by_list = weights.tocoo().row, weights.tocoo().col, None, weights.data
    assert lavdm.fit(graph=by_list, method="roseland").m == 120
    assert "landmarks, which the second numbers name" in reason(lavdm.fit(graph=by_list, method="roseland"))
    assert lavdm.fit(graph=by_list, method="roseland", landmarks=10, components=4).m == 10
    assert lavdm.fit(graph=by_list, method="roseland", design="farthest").m == 120  # all of so few
    rectangular = weights[:, :30]
    for graph in (rectangular, lavdm.Edges(*by_list[:2], weight=weights.data, ends="landmarks")):
        found = lavdm.fit(graph=graph, method="roseland", components=4)
        assert found.m == (30 if graph is rectangular else 120)
        with pytest.raises(ValueError, match="landmarks is 7, but the edges lead to"):
            lavdm.fit(graph=graph, method="roseland", landmarks=7)
        with pytest.raises(ValueError, match="dm has no landmarks"):
            lavdm.fit(graph=graph, method="dm")
        with pytest.raises(ValueError, match="none are left to be chosen"):
            lavdm.fit(graph=graph, method="roseland", design="random")
    coo = rectangular.tocoo()
    with pytest.raises(ValueError, match="--ends landmarks or --ends nodes"):
        lavdm.fit(graph=(coo.row, coo.col, None, coo.data), method="roseland", landmarks=30)
    assert lavdm.fit(graph=lavdm.Edges(coo.row, coo.col, weight=coo.data, ends="nodes"), method="roseland",
                     landmarks=30, components=4).m == 30


@pytest.mark.parametrize("options, words", [
    ({"landmarks": 61}, "landmarks is 61, but the graph has only 60 nodes"),
    ({"landmark_index": [1, 60]}, "landmark 2 is node 60, which the graph does not have"),
    ({"landmark_index": [5, 9, 5]}, "node 5 is named twice"),
    ({"landmark_index": []}, "no landmarks"),
    ({"landmark_index": [1, 2], "landmarks": 3}, "landmarks is 3, but 2 are given"),
    ({"landmark_points": np.ones((2, 3))}, "landmark_points"),
    ({"design": "given"}, "landmark_index names nodes"),
])
def test_landmarks_that_cannot_be(options, words):
    with pytest.raises(ValueError, match=words):
        lavdm.fit(graph=affinities(60, 6), method="roseland", **options)


def test_names_with_gaps():
    weights = affinities(80, 6).tocoo()
    named = lavdm.fit(graph=(10 * weights.row + 5, 10 * weights.col + 5, None, weights.data), method="roseland",
                      landmark_index=[205, 15, 405, 605], components=3)
    plain = lavdm.fit(graph=weights, method="roseland", landmark_index=[1, 20, 40, 60], components=3)
    np.testing.assert_array_equal(named["landmark_index"], [1, 20, 40, 60])
    np.testing.assert_array_equal(named["landmark_nodes"], [15, 205, 405, 605])
    np.testing.assert_array_equal(named.eigenvalues, plain.eigenvalues)


def test_a_piece_without_landmarks():
    weights = scipy.sparse.block_diag([affinities(60, 6), affinities(20, 5, seed=3)]).tocsr()
    model = lavdm.fit(graph=weights, method="roseland", landmark_index=range(10), components=3)
    assert list(model.info["isolated"]) == list(range(60, 80))
    both = lavdm.fit(graph=weights, method="roseland", landmarks=8, design="farthest", components=3)
    assert (both["landmark_index"] >= 60).any() and both.info["graph_components"] == 2


# ------------------------------------------------------------------ extension


@pytest.mark.parametrize("method", ["dm", "vdm", "roseland", "lavdm"])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.5}, {"normalise": "sinkhorn"}, {"precision": "single"}])
def test_nodes_come_back(method, options, tmp_path):
    if "normalise" in options and method in ("roseland", "lavdm"):
        pytest.skip("balanced diffusion has no landmarks")
    weights = affinities(200, 10)
    row, col, angle, value = turns(weights)
    landmarks = {"landmarks": 60} if method in ("roseland", "lavdm") else {}
    model = lavdm.fit(graph=(row, col, angle, value), method=method, components=5, **landmarks, **options)
    model.save(tmp_path / "model.h5")
    both = lavdm.Edges(np.append(row, col), np.append(col, row), np.append(angle, -angle), np.append(value, value))
    if landmarks:  # the loops that landmarks are given
        marks = model["landmark_index"]
        loops = weights.max(1).toarray().ravel()[marks]
        both = lavdm.Edges(np.append(both.row, marks), np.append(both.col, marks),
                           np.append(both.element, 0 * loops), np.append(both.weight, loops))
    for opened in (model, lavdm.load(tmp_path / "model.h5")):
        again = opened.extend(graph=both)
        known = again["degrees"] > 0
        assert known.sum() == 200 - model.info["far_points"]
        tolerance = {"atol": 1e-4} if "precision" in options else {"atol": 1e-10}
        np.testing.assert_allclose(again.eigenvectors[known], model.eigenvectors[known], **tolerance)
        np.testing.assert_allclose(again["degrees"][known], model["degrees"][known], rtol=1e-9)
        assert np.isnan(again.eigenvectors[~known]).all()
    exact = model.extend(graph=both, engine="reference") if "precision" not in options else again
    np.testing.assert_allclose(exact.eigenvectors[known], again.eigenvectors[known], atol=1e-10)


def test_new_nodes_by_matrices(tmp_path):
    weights = affinities(300, 10, "swiss-roll", loops=True)
    old, new = np.arange(250), np.arange(250, 300)
    model = lavdm.fit(graph=weights[old][:, old], method="dm", components=4)
    found = model.extend(graph=weights[new][:, old])
    assert found.n == 50 and list(found["nodes"]) == list(range(50))
    dense = model.extend(graph=weights[new][:, old].toarray())
    np.testing.assert_array_equal(found.eigenvectors, dense.eigenvectors)
    whole = lavdm.fit(graph=weights, method="dm", components=4)
    u, v = whole.eigenvectors[new, 0, 1], found.eigenvectors[:, 0, 1]
    assert abs(np.corrcoef(u, v)[0, 1]) > 0.99
    marks = lavdm.fit(graph=weights[old][:, old], method="roseland", landmarks=80, components=4)
    by_nodes, block = marks.extend(graph=weights[new][:, old]), weights[new][:, old][:, marks["landmark_index"]]
    by_marks = marks.extend(graph=block)
    np.testing.assert_array_equal(by_nodes.eigenvectors, by_marks.eigenvectors)
    assert any("to other nodes have no use" in text for text in by_nodes.info["reasons"])
    marks.save(tmp_path / "small.h5", compact=True)
    np.testing.assert_array_equal(lavdm.load(tmp_path / "small.h5").extend(graph=block).eigenvectors,
                                  by_marks.eigenvectors)
    by_nodes.save(tmp_path / "new.h5")
    np.testing.assert_array_equal(lavdm.load(tmp_path / "new.h5").eigenvectors, by_nodes.eigenvectors)
    with pytest.raises(ValueError, match="249 columns, and the model 250 nodes and 80 landmarks"):
        marks.extend(graph=weights[new][:, old[1:]])


def test_extensions_that_cannot_be():
    weights = affinities(100, 8)
    model = lavdm.fit(graph=weights, method="dm", components=3)
    points = lavdm.fit(lavdm.sample("circle", 200), method="dm", components=3)
    with pytest.raises(ValueError, match="edge 2 leads to node 100, which the model does not have"):
        model.extend(graph=([0, 0], [1, 100]))
    with pytest.raises(ValueError, match="--graph FILE"):
        model.extend(lavdm.sample("circle", 5))
    with pytest.raises(ValueError, match="as points, not by edges"):
        points.extend(graph=([0], [1]))
    with pytest.raises(ValueError, match="is itself an extension"):
        model.extend(graph=([0], [1])).extend(graph=([0], [0]))
    vector = lavdm.fit(graph=turns(weights), method="vdm", components=3)
    with pytest.raises(ValueError, match="have size 1, and those of the model 2"):
        vector.extend(graph=([0], [1]))
    lonely = lavdm.fit(graph=weights, method="roseland", landmark_index=[0, 50], components=2)
    far = next(i for i in range(1, 100) if i != 50 and weights[i, 0] == 0 and weights[i, 50] == 0)
    found = lonely.extend(graph=([0, 1], [far, 50]))
    assert np.isnan(found.eigenvectors[0]).all() and list(found.info["isolated"]) == [0]


# ------------------------------------------------------------------ as scanpy


def scanpy_diffmap(connectivities, count):
    """tl.diffmap, written out: the symmetric transition matrix of the density-normalised graph."""
    q = scipy.sparse.diags(1 / np.asarray(connectivities.sum(0)).ravel())
    kernel = q @ connectivities @ q
    z = scipy.sparse.diags(1 / np.sqrt(np.asarray(kernel.sum(0)).ravel()))
    values, vectors = scipy.sparse.linalg.eigsh(z @ kernel @ z, k=count, which="LM")
    return values[::-1], vectors[:, ::-1]


def test_as_scanpy():
    weights = affinities(2000, 15, "swiss-roll", loops=True)
    values, vectors = scanpy_diffmap(weights, 15)
    model = lavdm.fit(graph=weights, method="dm", alpha=1, components=15)
    np.testing.assert_allclose(model.eigenvalues, values, atol=1e-6)
    ours = np.sqrt(model["degrees"])[:, None] * model.eigenvectors[:, 0]
    for l in range(6):
        assert abs(ours[:, l] @ vectors[:, l]) / np.linalg.norm(ours[:, l]) > 1 - 1e-6
