"""Every line of the table "What it is elsewhere, and here" of docs/python.md runs, and is what it says."""
import pathlib
import re

import anndata
import matplotlib
import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.manifold import SpectralEmbedding
from sklearn.neighbors import NearestNeighbors

import lavdm

matplotlib.use("Agg")
GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
pytestmark = pytest.mark.filterwarnings("ignore::lavdm.LavdmWarning", "ignore:This location:FutureWarning")


def lines():
    section = GUIDE.read_text().split("## What it is elsewhere, and here")[1].split("\n## ")[0]
    found = re.findall(r"^\| (.+) \| `(lavdm\..+?)`(?: \(.*\))? \|$", section, re.M)
    assert len(found) == section.count("\n| ") - 1  # all but the head
    return found


def names():
    X, new = lavdm.sample("torus", 400), lavdm.sample("torus", 30, seed=5)
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(2))
    W = np.exp(-2 * D**2)
    distance, index = NearestNeighbors(n_neighbors=15).fit(X).kneighbors()
    frame = pandas.DataFrame(X, columns=["x", "y", "z"]).assign(kind=np.where(X[:, 2] > 0, "up", "down"))
    adata = anndata.AnnData(np.zeros((400, 1), np.float32))
    adata.obsm["X_pca"] = X
    adata.obsp["w"] = scipy.sparse.csr_matrix(W)
    adata.uns["mine"] = {"connectivities_key": "w"}
    return locals() | {"lavdm": lavdm, "scipy": scipy}


@pytest.mark.parametrize("line", lines(), ids=lambda line: line[0][:60])
def test_line(line):
    """Two columns for each point where an embedding is asked for, and nothing that is not a number."""
    there = names()
    found = eval(line[1], there)
    if line[1].startswith("lavdm.tl"):
        assert there["adata"].obsm["X_diffmap"].shape[0] == 400 and found is None
    elif "transform(" in line[1] and "inverse" not in line[1] and "set_output" not in line[1]:
        assert found.shape == ((30, 2) if "new" in line[1] else (400, 2))
        assert np.isfinite(found).all() and (found.std(0) > 0).all()
    else:
        assert found is not None


def test_the_nearest_to_spectral_embedding():
    """The same eigenvectors on the same weights, but for lengths and signs."""
    W = names()["W"]
    theirs = SpectralEmbedding(3, affinity="precomputed", random_state=0).fit_transform(W)
    # scikit-learn leaves loops out
    alone = W - np.eye(len(W))
    ours = lavdm.DiffusionMap(3, affinity="precomputed", alpha=0, time=0).fit_transform(alone)
    q = np.linalg.qr(ours)[0]
    assert np.linalg.norm(theirs - q @ (q.T @ theirs)) < 1e-4 * np.linalg.norm(theirs)


def test_kernels_of_the_others():
    """exp(-d^2 / 4 e) and exp(-d^2 / 2 e) are ours with epsilon 4 e and 2 e."""
    text = GUIDE.read_text()
    assert "exp(−d²/4ε)" in text and "exp(−d²/2ε)" in text
    D = names()["D"]
    for factor in (4, 2):
        weights = np.exp(-(D**2) / (factor * 0.1))
        by_weights = lavdm.DiffusionMap(3, affinity="precomputed", alpha=1).fit(weights)
        by_points = lavdm.DiffusionMap(3, epsilon=factor * 0.1, alpha=1, edges="complete").fit(names()["X"])
        assert np.allclose(by_weights.eigenvalues_, by_points.eigenvalues_, atol=1e-9)
