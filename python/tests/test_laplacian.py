"""The connection Laplacian against matrices made by hand, and against the fitted models."""
import numpy as np
import pytest
import scipy.sparse

import lavdm

POINTS = lavdm.sample("sphere", 300, seed=3)


def weights(points, epsilon, alpha):
    squared = ((points[:, None] - points[None]) ** 2).sum(-1)
    w = np.exp(-squared / epsilon)
    density = w.sum(1) ** alpha
    return w / np.outer(density, density)


def dense(points, frames, epsilon, alpha):
    """S by its definition, and the degrees."""
    w = weights(points, epsilon, alpha)
    n, _, d = frames.shape
    s = np.empty((n, d, n, d))
    for i in range(n):
        for j in range(n):
            u, _, v = np.linalg.svd(frames[i].T @ frames[j])
            s[i, :, j] = w[i, j] * (u @ v)
    return s.reshape(n * d, n * d), w.sum(1)


@pytest.mark.parametrize("alpha", [0, 0.5, 1])
def test_scalar(alpha):
    options = dict(method="dm", edges="complete", epsilon=0.3, alpha=alpha)
    w = weights(POINTS, 0.3, alpha)
    d = w.sum(1)
    plain = lavdm.connection_laplacian(POINTS, normalization="none", **options)
    assert scipy.sparse.issparse(plain)
    assert np.allclose(plain.toarray(), np.diag(d) - w, rtol=0, atol=1e-12 * d.max())
    walk = lavdm.connection_laplacian(POINTS, normalization="random_walk", **options)
    assert np.allclose(walk.toarray(), np.eye(300) - w / d[:, None], rtol=0, atol=1e-13)
    symmetric = lavdm.connection_laplacian(POINTS, **options)
    assert np.allclose(symmetric.toarray(), np.eye(300) - w / np.sqrt(np.outer(d, d)), rtol=0, atol=1e-13)


@pytest.mark.parametrize("alpha", [0, 1])
def test_vectors(alpha):
    points = POINTS[:80]
    laplacian, more = lavdm.connection_laplacian(points, method="vdm", edges="complete", epsilon=0.4, alpha=alpha,
                                                 dim=2, knn=20, normalization="none", details=True)
    s, degrees = dense(points, more["frames"], 0.4, alpha)
    assert np.allclose(more["degrees"], degrees, rtol=1e-12)
    assert np.allclose(laplacian.toarray(), np.diag(np.repeat(degrees, 2)) - s, rtol=0,
                       atol=1e-9 * degrees.max())


@pytest.mark.parametrize("method", ["dm", "vdm", "roseland", "lavdm"])
@pytest.mark.parametrize("normalization", ["symmetric", "random_walk", "none"])
def test_eigenvectors_of_the_model(method, normalization):
    model = lavdm.fit(POINTS, method=method, components=5)
    laplacian, more = lavdm.connection_laplacian(POINTS, method=method, normalization=normalization, details=True)
    assert scipy.sparse.issparse(laplacian) == (method in ("dm", "vdm"))
    assert np.array_equal(more["degrees"], model["degrees"])
    if "frames" in model:
        assert np.array_equal(more["frames"], model["frames"])
    u, degree = model.eigenvectors.reshape(-1, 5), np.repeat(more["degrees"], model.q)[:, None]
    left = {"symmetric": np.sqrt(degree), "random_walk": 1, "none": 1}[normalization]
    right = {"symmetric": np.sqrt(degree), "random_walk": 1, "none": degree}[normalization]
    error = laplacian @ (left * u) - (1 - model.eigenvalues) * (right * u)
    assert np.abs(error).max() < 1e-9 * np.abs(right * u).max()
    v, w = np.random.default_rng(0).normal(size=(2, laplacian.shape[0]))
    assert np.isclose(v @ (laplacian @ w), (laplacian.T @ v) @ w)


def test_graph_of_angles():
    truth = np.array([0.0, 0.4, -1.0, 2.0])
    row, col = np.triu_indices(4, 1)
    weight = np.arange(1.0, 7)
    graph = lavdm.Edges(row * 10, col * 10, truth[row] - truth[col], weight)
    laplacian, more = lavdm.connection_laplacian(graph=graph, normalization="none", alpha=0, details=True)
    assert more["nodes"].tolist() == [0, 10, 20, 30]
    w = np.zeros((4, 4))
    w[row, col] = w[col, row] = weight
    assert np.allclose(more["degrees"], w.sum(1))
    turn = np.array([[np.cos(truth), -np.sin(truth)], [np.sin(truth), np.cos(truth)]])  # (2, 2, node)
    consistent = turn.transpose(2, 0, 1).reshape(8, 2)
    assert np.abs(laplacian @ consistent).max() < 1e-12  # the truth is in the kernel
    assert np.linalg.eigvalsh(laplacian.toarray())[2] > 0.1  # and nothing else


def test_isolated_points():
    points = np.vstack([POINTS[:60], [[100, 0, 0]]])
    with pytest.warns(lavdm.LavdmWarning):
        laplacian, more = lavdm.connection_laplacian(points, method="dm", epsilon=0.3, details=True)
    assert more["degrees"][-1] == 0 and laplacian[-1, -1] == 1 and laplacian[-1, :-1].nnz == 0


def test_refusals():
    with pytest.raises(ValueError, match="normalization"):
        lavdm.connection_laplacian(POINTS, normalization="left")
    with pytest.raises(ValueError, match="nystrom"):
        lavdm.connection_laplacian(POINTS, method="nystrom")
    with pytest.raises(MemoryError):
        lavdm.connection_laplacian(POINTS, edges="complete", max_memory="1M")
    with pytest.raises(ValueError):
        lavdm.connection_laplacian(np.full((10, 3), np.nan))
