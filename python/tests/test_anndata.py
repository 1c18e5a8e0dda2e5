"""lavdm.tl.diffmap writes what scanpy's tl.diffmap writes, which is computed here anew with SciPy."""
import anndata
import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import kneighbors_graph

import lavdm

CELLS = 1500


def connectivities(points, k=15):
    """Weights of the kind that pp.neighbors makes: of k neighbours, falling with distance, symmetric, without loops."""
    distance = kneighbors_graph(points, k, mode="distance")
    width = distance.max(1).toarray()
    weights = distance.copy()
    weights.data = np.exp(-distance.data / np.repeat(width, k))
    both = weights.T
    return (weights + both - weights.multiply(both)).tocsr().astype(np.float32)


def scanpy_diffmap(weights, n_comps):
    """K = Q^-1 W Q^-1, T = Z^-1/2 K Z^-1/2; eigsh, from the largest down."""
    weights = weights.astype(np.float64)
    q = np.asarray(weights.sum(0)).ravel()
    kernel = scipy.sparse.diags(1 / q) @ weights @ scipy.sparse.diags(1 / q)
    z = np.sqrt(np.asarray(kernel.sum(0)).ravel())
    values, vectors = eigsh(scipy.sparse.diags(1 / z) @ kernel @ scipy.sparse.diags(1 / z), k=n_comps, which="LM")
    return values[::-1], vectors[:, ::-1]


@pytest.fixture
def adata():
    points = lavdm.sample("swiss-roll", CELLS)
    found = anndata.AnnData(np.zeros((CELLS, 4), np.float32))
    found.obsm["X_pca"] = points
    found.obsp["connectivities"] = connectivities(points)
    found.uns["neighbors"] = {"connectivities_key": "connectivities", "distances_key": "distances",
                              "params": {"n_neighbors": 15}}
    return found


def agrees(adata, weights, n_comps):
    values, vectors = scanpy_diffmap(weights, n_comps)
    found, basis = adata.uns["diffmap_evals"], adata.obsm["X_diffmap"]
    assert found.shape == (n_comps,) and basis.shape == (adata.shape[0], n_comps)
    assert found.dtype == basis.dtype == np.float32  # as scanpy's
    assert np.abs(found - values).max() < 1e-6
    assert np.allclose(np.linalg.norm(basis, axis=0), 1, atol=1e-5)
    # each vector but for its sign, where its eigenvalue stands alone
    gap = np.minimum(np.append(np.inf, -np.diff(values)), np.append(-np.diff(values), 0))
    alone = gap > 1e-4
    assert alone.sum() > n_comps // 2
    assert np.abs(np.sum(basis * vectors, 0))[alone] == pytest.approx(1, abs=1e-4)
    # the first is the trivial one: the square root of the degrees, of one sign
    assert found[0] == pytest.approx(1, abs=1e-6) and abs(np.sign(basis[:, 0]).sum()) == adata.shape[0]


@pytest.mark.parametrize("n_comps", [3, 15])
def test_same_as_scanpy(adata, n_comps):
    assert lavdm.tl.diffmap(adata, n_comps) is None
    agrees(adata, adata.obsp["connectivities"], n_comps)
    assert adata.uns["lavdm_diffmap"]["graph"] == "obsp['connectivities']"


def test_default_is_fifteen(adata):
    lavdm.tl.diffmap(adata)
    assert adata.obsm["X_diffmap"].shape == (CELLS, 15)


def test_copy(adata):
    other = lavdm.tl.diffmap(adata, 5, copy=True)
    assert "X_diffmap" not in adata.obsm and "diffmap_evals" not in adata.uns
    agrees(other, adata.obsp["connectivities"], 5)


def test_other_neighbours(adata):
    weights = connectivities(adata.obsm["X_pca"], 30)
    adata.obsp["wide_connectivities"] = weights
    adata.uns["wide"] = {"connectivities_key": "wide_connectivities"}
    lavdm.tl.diffmap(adata, 6, neighbors_key="wide")
    agrees(adata, weights, 6)
    with pytest.raises(KeyError, match="key_added='narrow'"):
        lavdm.tl.diffmap(adata, neighbors_key="narrow")
    adata.uns["narrow"] = {"connectivities_key": "narrow_connectivities"}
    with pytest.raises(KeyError, match="narrow_connectivities"):
        lavdm.tl.diffmap(adata, neighbors_key="narrow")


def test_old_place_of_the_neighbours(adata):
    weights = adata.obsp["connectivities"].copy()
    del adata.obsp["connectivities"]
    adata.uns["neighbors"] = {"connectivities": weights}
    lavdm.tl.diffmap(adata, 5)
    agrees(adata, weights, 5)


def test_without_neighbours(adata):
    del adata.obsp["connectivities"], adata.uns["neighbors"]
    with pytest.warns(lavdm.LavdmWarning, match=r"the graph of the 15 nearest by obsm\['X_pca'\] is taken"):
        lavdm.tl.diffmap(adata, 5)
    model = lavdm.fit(adata.obsm["X_pca"], method="dm", components=5, alpha=1, edges="knn", knn=15, seed=0)
    assert np.allclose(adata.uns["diffmap_evals"], model.eigenvalues, atol=1e-6)
    assert adata.uns["lavdm_diffmap"]["knn"] == 15
    assert np.allclose(np.linalg.norm(adata.obsm["X_diffmap"], axis=0), 1, atol=1e-5)
    adata.obsm["X_other"] = adata.obsm.pop("X_pca")
    with pytest.raises(KeyError, match=r"obsm\['X_pca'\].*X_other"):
        lavdm.tl.diffmap(adata)
    with pytest.warns(lavdm.LavdmWarning, match="X_other"):
        lavdm.tl.diffmap(adata, 5, use_rep="X_other")
    assert np.allclose(adata.uns["diffmap_evals"], model.eigenvalues, atol=1e-6)


def test_pieces(adata):
    """Two pieces have two eigenvalues 1, and their vectors span what scanpy's span."""
    half = connectivities(lavdm.sample("circle", CELLS // 2))
    weights = scipy.sparse.block_diag([half, half], "csr")
    adata.obsp["connectivities"] = weights
    with pytest.warns(lavdm.LavdmWarning, match="2"):
        lavdm.tl.diffmap(adata, 5)
    values, _ = scanpy_diffmap(weights, 5)
    assert np.abs(adata.uns["diffmap_evals"] - values).max() < 1e-6
    q = np.asarray(weights.sum(0)).ravel()
    kernel = scipy.sparse.diags(1 / q) @ weights @ scipy.sparse.diags(1 / q)
    root = np.sqrt(np.asarray(kernel.sum(0)).ravel())
    for part in (slice(None, CELLS // 2), slice(CELLS // 2, None)):
        trivial = np.zeros(CELLS)
        trivial[part] = root[part] / np.linalg.norm(root[part])
        basis = adata.obsm["X_diffmap"][:, :2]
        assert np.linalg.norm(basis.T @ trivial) == pytest.approx(1, abs=1e-5)


def test_bad_graphs(adata):
    good = adata.obsp["connectivities"]
    alone = good.tolil()
    alone[6], alone[:, 6] = 0, 0
    crooked = good.copy()
    crooked.data[:5] *= 2
    for wrong, words in ((alone.tocsr(), "1 cells have no neighbour, the first of them in row 7"),
                         (crooked, "not symmetric"), (-good, "weight")):
        adata.obsp["connectivities"] = wrong
        with pytest.raises(ValueError, match=words):
            lavdm.tl.diffmap(adata)
        assert "X_diffmap" not in adata.obsm  # nothing half done
    for wrong in (0, -3, 2.5, "many"):
        with pytest.raises((TypeError, ValueError), match="n_comps is"):
            lavdm.tl.diffmap(adata, wrong)


def test_few_cells(adata):
    few = adata[:10].copy()
    few.obsp["connectivities"] = scipy.sparse.csr_matrix(np.ones((10, 10)) - np.eye(10))
    lavdm.tl.diffmap(few)
    assert few.obsm["X_diffmap"].shape == (10, 9)


def test_through_a_file(adata, tmp_path):
    lavdm.tl.diffmap(adata, 5)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert np.array_equal(again.obsm["X_diffmap"], adata.obsm["X_diffmap"])
    assert again.uns["lavdm_diffmap"]["graph"] == "obsp['connectivities']"
    lavdm.tl.diffmap(again, 5)
    assert np.array_equal(again.uns["diffmap_evals"], adata.uns["diffmap_evals"])


def test_the_rest_says_what_to_call(adata):
    for call in (lambda: lavdm.fit(adata), lambda: lavdm.DiffusionMap(2).fit(adata)):
        with pytest.raises((TypeError, ValueError), match="lavdm.tl.diffmap"):
            call()


def test_states_and_jobs(adata):
    lavdm.tl.diffmap(adata, 5, random_state=None, n_jobs=1)
    agrees(adata, adata.obsp["connectivities"], 5)
