"""Metrics by the formulas of SciPy and scikit-learn: eigenvalues of the same operator, written out."""
import numpy as np
import pytest
from scipy.spatial.distance import cdist

import lavdm

pairwise = pytest.importorskip("sklearn.metrics").pairwise_distances
METRICS = ["cosine", "correlation", "manhattan", "chebyshev", "hamming", "jaccard", "haversine"]
ENGINES = ["cpu", "reference"]
N, K = 200, 12


def points(metric, n=N, seed=0):
    draw = np.random.default_rng(seed)
    if metric == "haversine":
        return np.column_stack([draw.uniform(-1.2, 1.2, n), draw.uniform(-3.1, 3.1, n)])
    if metric in ("hamming", "jaccard"):
        x = (draw.random((n, 24)) < 0.4).astype(float)
        x[:, 0] = 1  # jaccard knows rows without a one too, but they are all alike
        return x
    t = draw.uniform(0, 2 * np.pi, n)
    curve = np.column_stack([np.cos(t), np.sin(t), np.cos(2 * t), np.sin(2 * t), np.sin(3 * t)])
    return 2 + curve + 0.05 * draw.normal(size=(n, 5))


def between(metric, x, y=None):
    """Distances by SciPy."""
    y = x if y is None else y
    if metric == "haversine":
        return pairwise(x, y, metric="haversine")
    if metric == "jaccard":
        return cdist(x.astype(bool), y.astype(bool), "jaccard")
    return cdist(x, y, {"manhattan": "cityblock"}.get(metric, metric))


def linked(d, knn):
    """The k-NN rule: one among the knn nearest of the other, itself aside."""
    reach = np.sort(d, axis=1)[:, knn]
    return d <= np.maximum(reach[:, None], reach[None, :])


def kernel(name, d2):
    return {"gaussian": np.exp(-d2), "epanechnikov": np.maximum(1 - d2, 0), "ball": (d2 <= 1) * 1.0}[name]


def dm_values(d, epsilon, cutoff, alpha, name="gaussian", knn=None):
    w = kernel(name, d * d / epsilon)
    w = w * (linked(d, knn) if knn else d <= cutoff * np.sqrt(epsilon))
    s = w.sum(axis=1) ** -alpha
    w = w * s[:, None] * s[None, :]
    degree = w.sum(axis=1)
    return np.sort(np.linalg.eigvalsh(w / np.sqrt(np.outer(degree, degree))))[::-1]


def roseland_values(d, epsilon, cutoff):
    w = np.exp(-d * d / epsilon) * (d <= cutoff * np.sqrt(epsilon))
    degree = w @ w.sum(axis=0)
    return np.linalg.svd(w / np.sqrt(degree)[:, None], compute_uv=False) ** 2


def scale(metric, d):
    return float(np.median(np.sort(d, axis=1)[:, K]) ** 2)


@pytest.mark.parametrize("kernel_name", ["gaussian", "epanechnikov", "ball"])
@pytest.mark.parametrize("metric", METRICS)
def test_ball(metric, kernel_name):
    x = points(metric)
    d = between(metric, x)
    epsilon = 4 * scale(metric, d) * 1.0001  # no distance of whole numbers is at the cut-off itself
    cutoff = 2 if kernel_name == "gaussian" else 1
    truth = dm_values(d, epsilon, cutoff, 0.5, kernel_name)[:8]
    for engine in ENGINES:
        model = lavdm.fit(x, method="dm", metric=metric, epsilon=epsilon, cutoff=cutoff, edges="ball", alpha=0.5,
                          kernel=kernel_name, components=8, trust="no", engine=engine)
        assert np.abs(model.eigenvalues - truth).max() < 1e-10
        assert model.options["metric"] == metric


@pytest.mark.parametrize("metric", [m for m in METRICS if m not in ("hamming", "jaccard")])  # no ties
def test_knn(metric):
    x = points(metric)
    d = between(metric, x)
    epsilon = scale(metric, d)
    truth = dm_values(d, epsilon, None, 1, knn=K)[:8]
    for engine in ENGINES:
        for given, name in ((x, metric), (d, "precomputed")):
            model = lavdm.fit(given, method="dm", metric=name, epsilon=epsilon, edges="knn", knn=K, components=8,
                              trust="no", engine=engine)
            assert np.abs(model.eigenvalues - truth).max() < 1e-10


@pytest.mark.parametrize("metric", METRICS)
def test_roseland(metric):
    x, marks = points(metric), np.arange(0, N, 6)
    d = between(metric, x, x[marks])
    epsilon = 4 * scale(metric, between(metric, x)) * 1.0001
    assert (d <= 3 * np.sqrt(epsilon)).any(axis=1).all()
    truth = roseland_values(d, epsilon, 3)[:8]
    for engine in ENGINES:
        model = lavdm.fit(x, method="roseland", metric=metric, epsilon=epsilon, cutoff=3, landmark_index=marks,
                          components=8, trust="no", engine=engine)
        assert np.abs(model.eigenvalues - truth).max() < 1e-10


@pytest.mark.parametrize("edges", ["ball", "knn"])
@pytest.mark.parametrize("metric", METRICS)
def test_precomputed_is_the_same(metric, edges):
    x = points(metric)
    d = between(metric, x)
    how = {"method": "dm", "edges": edges, "components": 6, "knn": K, "dim": 2}
    if metric in ("hamming", "jaccard") and edges == "knn":
        pytest.skip("ties")
    by_name, given = lavdm.fit(x, metric=metric, **how), lavdm.fit(d, metric="precomputed", **how)
    assert np.isclose(by_name.options["epsilon"], given.options["epsilon"], rtol=1e-9)
    assert np.abs(by_name.eigenvalues - given.eigenvalues).max() < 1e-9


@pytest.mark.parametrize("method", ["dm", "roseland", "nystrom"])
@pytest.mark.parametrize("metric", METRICS + ["precomputed"])
@pytest.mark.filterwarnings("ignore")
def test_extension_and_files(metric, method, tmp_path):
    shape = "chebyshev" if metric == "precomputed" else metric
    x, new = points(shape), points(shape, 40, seed=1)
    both = np.concatenate([x, new])
    given, more = (between(shape, x), between(shape, both, x)) if metric == "precomputed" else (x, both)
    how = {"method": method, "metric": metric, "components": 5, "bundle": "trivial", "threads": 1}
    if method != "dm":
        how["landmarks"] = 60
    rules = ["ball"] if metric in ("hamming", "jaccard") else ["ball", "knn"]  # neighbours as near as each other
    for edges in rules if method == "dm" else ["auto"]:
        model = lavdm.fit(given, edges=edges, **how)
        model.save(tmp_path / "model.h5")
        opened = lavdm.load(tmp_path / "model.h5")
        assert opened.options["metric"] == metric
        for one in (model, opened):
            found = one.extend(more)
            kept = np.isfinite(found.eigenvectors[:N, 0]).all(axis=1)  # far from every landmark: not guessed
            assert kept.mean() > 0.9
            assert np.allclose(found.eigenvectors[:N][kept], model.eigenvectors[kept], atol=1e-8)
        # what the reference engine makes of the same model
        slow = model.extend(more, engine="reference")
        assert np.allclose(slow.eigenvectors, found.eigenvectors, atol=1e-8, equal_nan=True)


@pytest.mark.parametrize("metric", METRICS + ["precomputed"])
@pytest.mark.filterwarnings("ignore")
def test_single(metric):
    shape = "manhattan" if metric == "precomputed" else metric
    x = points(shape)
    given = between(shape, x) if metric == "precomputed" else x
    for method in ("dm", "roseland"):
        how = {"method": method, "metric": metric, "components": 5, "epsilon": 4.001 * scale(shape, between(shape, x)),
               "cutoff": 3.0, "design": "farthest", "trust": "no", "threads": 1}
        double, single = lavdm.fit(given, **how), lavdm.fit(np.float32(given), precision="single", **how)
        assert np.abs(double.eigenvalues - single.eigenvalues).max() < 2e-4


def test_lists():
    x = points("manhattan")
    d = between("manhattan", x)
    index = np.argsort(d, axis=1, kind="stable")[:, :K + 1]
    value = np.take_along_axis(d, index, axis=1)
    epsilon = scale("manhattan", d)
    how = {"method": "dm", "epsilon": epsilon, "components": 8, "trust": "no"}
    truth = dm_values(d, epsilon, None, 1, knn=K)[:8]
    for given in ((index, value), (index[:, 1:], value[:, 1:])):  # with the point itself, and without
        model = lavdm.fit(given, metric="precomputed", **how)
        assert model.options["knn"] == K and model.options["edges"] == "knn"
        assert np.abs(model.eigenvalues - truth).max() < 1e-10
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.repeat(np.arange(N), K)
    graph = sparse.csr_matrix((value[:, 1:].ravel(), (rows, index[:, 1:].ravel())), shape=(N, N))
    model = lavdm.fit(graph, metric="precomputed", **how)
    assert np.abs(model.eigenvalues - truth).max() < 1e-10
    again = model.extend(d)
    assert np.allclose(again.eigenvectors, model.eigenvectors, atol=1e-9)
    fewer = lavdm.fit((index, value), metric="precomputed", knn=5, **how)
    assert np.abs(fewer.eigenvalues - dm_values(d, epsilon, None, 1, knn=5)[:8]).max() < 1e-10
    chosen = lavdm.fit((index, value), metric="precomputed", method="dm")  # epsilon, dim and bandwidth too
    assert chosen.options["bandwidth"] == "local" and 1 <= chosen.options["dim"] <= 3


def refused(match, given, **how):
    with pytest.raises(ValueError, match=match):
        lavdm.fit(given, **{"method": "dm", **how})


def test_refused():
    x = points("cosine")
    d = between("cosine", x)
    zero, flat, far = x.copy(), x.copy(), points("haversine")
    zero[7], flat[9] = 0, 3
    refused("row 8 is all zeros", zero, metric="cosine")
    refused("row 10 is constant", flat, metric="correlation")
    refused("degrees", np.degrees(far), metric="haversine")
    refused("latitude and longitude", x, metric="haversine")
    for method in ("vdm", "lavdm"):
        refused("--method dm", x, metric="cosine", method=method)
    refused("pca", x, metric="hamming", pca=2)
    bad = d.copy()
    bad[3, 5] += 1
    refused("row 6 and column 4 .* symmetric", bad, metric="precomputed")
    bad = d.copy()
    bad[4, 4] = 1
    refused("row 5 to itself is 1", bad, metric="precomputed")
    for value in (-1, np.nan, np.inf):
        bad = d.copy()
        bad[2, 6] = bad[6, 2] = value
        refused("row 3 and column 7", bad, metric="precomputed")
    refused("square", d[:10], metric="precomputed")
    index = np.argsort(d, axis=1)[:, :6]
    value = np.take_along_axis(d, index, axis=1)
    refused("knn", (index, value), metric="precomputed", knn=9)
    refused("edges knn", (index, value), metric="precomputed", edges="ball")
    refused("landmarks", (index, value), metric="precomputed", method="roseland")
    refused("names the point -1", (np.where(index == 3, -1, index), value), metric="precomputed")
    refused("same shape", (index, value[:, 1:]), metric="precomputed")
    refused("twice", (np.tile(index[:, 1:2], (1, 6)), value), metric="precomputed")
    model = lavdm.fit(d, metric="precomputed", method="dm")
    with pytest.raises(ValueError, match="199 distances"):
        model.extend(d[:, 1:])
    with pytest.raises(ValueError, match="symmetric|graph|number"):
        lavdm.fit(-d, metric="precomputed", method="dm")


def test_distances_taken_for_points():
    d = between("manhattan", points("manhattan"))
    with pytest.warns(lavdm.LavdmWarning, match="--metric precomputed"):
        lavdm.fit(d, method="dm")
    told = lavdm.fit(d, method="roseland", metric="precomputed", landmarks=40)
    assert told.options["design"] == "farthest"


def test_zero_rows_of_jaccard():
    x = points("jaccard")
    x[5], x[6] = 0, 0
    d = between("jaccard", x)
    d[5, 6] = d[6, 5] = 0  # nothing is in either: the same
    model = lavdm.fit(x, method="dm", metric="jaccard", epsilon=0.9, cutoff=3, components=6, trust="no", edges="ball")
    assert np.abs(model.eigenvalues - dm_values(d, 0.9, 3, 1)[:6]).max() < 1e-10


def test_zeros_but_for_rounding():
    """Distances by |x|^2 + |y|^2 - 2 x'y, far from the origin: their zeros are none, and still zeros."""
    x = points("euclidean") + 10
    rounded = np.sqrt(np.maximum((x**2).sum(1)[:, None] + (x**2).sum(1) - 2 * x @ x.T, 0))
    rounded[3, 3] = 1e-7 * rounded.max()
    how = {"method": "dm", "metric": "precomputed", "epsilon": 1.0, "edges": "ball", "dim": 2, "components": 5, "trust": "no"}
    exact = lavdm.fit(cdist(x, x), **how)
    assert np.abs(lavdm.fit(rounded, **how).eigenvalues - exact.eigenvalues).max() < 1e-7
    with pytest.warns(lavdm.LavdmWarning, match="precomputed"):
        lavdm.fit(rounded, method="dm", trust="no")


def test_not_quite_symmetric():
    d = between("manhattan", points("manhattan"))
    uneven = d * (1 + 4e-7 * np.triu(np.ones_like(d)))
    even = np.triu(uneven) + np.triu(uneven).T
    how = {"method": "dm", "metric": "precomputed", "components": 6}
    assert np.array_equal(lavdm.fit(uneven, **how).eigenvalues, lavdm.fit(even, **how).eigenvalues)


@pytest.mark.parametrize("metric", ["cosine", "correlation", "manhattan", "chebyshev"])
def test_many_coordinates(metric):
    draw = np.random.default_rng(0)
    x, marks = 1 + draw.normal(size=(N, 40)) * np.r_[1, np.full(39, 0.3)], np.arange(0, N, 4)
    d = between(metric, x)
    epsilon = 4 * scale(metric, d)
    how = {"metric": metric, "epsilon": epsilon, "cutoff": 3, "components": 8, "trust": "no"}
    model = lavdm.fit(x, method="roseland", landmark_index=marks, **how)
    assert np.abs(model.eigenvalues - roseland_values(d[:, marks], epsilon, 3)[:8]).max() < 1e-10
    model = lavdm.fit(x, method="dm", edges="ball", **how)
    assert np.abs(model.eigenvalues - dm_values(d, epsilon, 3, 1)[:8]).max() < 1e-10
