"""Matrices of scipy.sparse as points: the same model as of the dense ones with the same pca."""
import numpy as np
import pytest
import scipy.sparse

import lavdm


@pytest.fixture(scope="module")
def points():
    """Bumps along a closed curve, in 200 coordinates of which a tenth is not zero."""
    random = np.random.default_rng(3)
    at = random.uniform(0, 20, 400)
    away = np.abs(at[:, None] - np.arange(200)[None] / 10)
    away = np.minimum(away, 20 - away)
    return np.where(away < 1.2, (1.2 - away) * (1 + np.arange(200) % 3), 0)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_every_format(points, form):
    model = lavdm.fit(scipy.sparse.csr_matrix(points).asformat(form), method="dm", pca=5, components=6, trust="no")
    dense = lavdm.fit(points, method="dm", pca=5, components=6, trust="no")
    assert np.allclose(model.eigenvalues, dense.eigenvalues, atol=1e-9)
    assert np.allclose(model["pca_mean"], points.mean(0), atol=1e-12)
    assert model["pca_basis"].shape == (200, 5)


@pytest.mark.parametrize("kind", ["f4", "i4", "u1", "?"])
def test_types(points, kind):
    matrix = scipy.sparse.csr_matrix(np.rint(points).astype(kind))
    model = lavdm.fit(matrix, method="dm", pca=4, epsilon=0.8, components=5, trust="no")
    dense = lavdm.fit(matrix.toarray().astype("f8"), method="dm", pca=4, epsilon=0.8, components=5, trust="no")
    assert np.allclose(model.eigenvalues, dense.eigenvalues, atol=1e-9)


def test_duplicates_are_added_up_and_the_input_stays(points):
    matrix = scipy.sparse.csr_matrix(points)
    twice = scipy.sparse.csr_matrix((np.repeat(matrix.data, 2) / 2, np.repeat(matrix.indices, 2), 2 * matrix.indptr),
                                    matrix.shape)
    model = lavdm.fit(twice, method="dm", pca=5, components=6, trust="no")
    assert twice.nnz == 2 * matrix.nnz
    once = lavdm.fit(matrix, method="dm", pca=5, components=6, trust="no")
    assert np.array_equal(model.eigenvalues, once.eigenvalues)


def test_extension(points):
    matrix = scipy.sparse.csr_matrix(points)
    model = lavdm.fit(matrix[:300], method="roseland", pca=5, components=6, trust="no")
    sparse, dense = model.extend(matrix[300:]), model.extend(points[300:])
    assert np.allclose(sparse.eigenvectors, dense.eigenvectors, atol=1e-9)
    assert np.array_equal(sparse["coordinate_index"], model["coordinate_index"])


def test_pca_is_chosen_and_told(points):
    model = lavdm.fit(scipy.sparse.csr_matrix(points), method="dm", trust="no")
    assert model["pca_basis"].shape[1] == model.options["pca"] > 0
    assert any("sparse: 400 points with 200 coordinates" in reason for reason in model.info["reasons"])


def test_refusals(points):
    matrix = scipy.sparse.csr_matrix(points)
    with pytest.raises(ValueError, match="give pca 50, or auto"):
        lavdm.fit(matrix, method="dm", pca=0)
    with pytest.raises(ValueError, match="complex"):
        lavdm.fit(matrix.astype(complex), method="dm", pca=3)
    with pytest.raises(ValueError, match="finite"):
        lavdm.fit(matrix * np.nan, method="dm", pca=3)
    with pytest.raises(TypeError, match="toarray"):
        lavdm.fit(matrix, bundle="rotation")
    dense = lavdm.fit(points, method="dm", pca=0, components=4, trust="no")
    with pytest.raises(ValueError, match="has no principal coordinates"):
        dense.extend(matrix)


def test_lists_that_lie(points):
    """Past the package, the core itself looks at every list."""
    good = lavdm._data.data(scipy.sparse.csr_matrix(points))["sparse"]
    start, index = good["start"].copy(), good["index"].copy()
    start[-1] += 1
    for bad in ({"rows": 401}, {"rows": -1}, {"start": start}, {"start": start[:0]}, {"value": good["value"][1:]},
                {"rows": 2**62}):
        with pytest.raises((ValueError, TypeError)):
            lavdm._core.fit({"sparse": {**good, **bad}}, {"pca": "3", "method": "dm"})
    index[0] = 200
    with pytest.raises(ValueError, match="columns must ascend"):
        lavdm._core.fit({"sparse": {**good, "index": index}}, {"pca": "3", "method": "dm"})
