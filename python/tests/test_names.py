"""scikit-learn's names beside ours: what each becomes, that no two contradict each other, and what comes out."""
import inspect
import os
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lavdm

FAMILY = [lavdm.DiffusionMap, lavdm.VectorDiffusionMap, lavdm.Roseland, lavdm.LandmarkVectorDiffusionMap,
          lavdm.Nystrom]
SCALAR = [lavdm.DiffusionMap, lavdm.Roseland]
SPHERE = lavdm.sample("sphere", 400)
TWO = np.concatenate([SPHERE[:200], SPHERE[200:] + 10])  # in two pieces
pytestmark = pytest.mark.filterwarnings("ignore::lavdm.LavdmWarning")


def family(test):
    return pytest.mark.parametrize("kind", FAMILY, ids=lambda kind: kind.__name__)(test)


# ------------------------------------------------------------ n_components


@family
def test_two_useful_columns(kind):
    table = kind(2).fit_transform(SPHERE)
    assert table.shape == (400, 2) and np.linalg.matrix_rank(table - table.mean(0)) == 2
    assert (table.std(0) > 0.05 * np.abs(table).max()).all()
    assert np.array_equal(table, kind(n_components=2).fit(SPHERE).embedding_)
    assert np.array_equal(kind(n_components="auto").fit_transform(SPHERE), kind().fit_transform(SPHERE))


@pytest.mark.parametrize("kind", SCALAR)
def test_columns_of_scalars_are_the_coordinates_after_the_constant_one(kind):
    few, many = kind(3, threads=1).fit(SPHERE), kind(components=4, threads=1).fit(SPHERE)
    assert few.options_["components"] == 4
    assert np.array_equal(few.embedding_, many.embedding_)
    assert np.array_equal(few.embedding_, few.model_.coordinates()[:, 1:])
    assert np.ptp(few.model_.coordinates()[:, 0]) < 1e-12


def test_columns_of_vectors_are_principal_axes():
    """The k columns whose distances are nearest to vector diffusion distances, in sum of squares."""
    from sklearn.decomposition import PCA

    fitted = lavdm.VectorDiffusionMap(5).fit(SPHERE)
    truth = PCA(5).fit(fitted.model_.embedding())
    found = fitted.embedding_.T @ fitted.embedding_
    assert np.allclose(np.diag(found) / 399, truth.explained_variance_, rtol=1e-8)
    assert np.allclose(found, np.diag(np.diag(found)), atol=1e-10 * found.max())
    every = lavdm.VectorDiffusionMap(210).fit(SPHERE)
    i, j = np.arange(0, 200), np.arange(200, 400)
    distance = np.linalg.norm(every.embedding_[i] - every.embedding_[j], axis=1)
    assert np.allclose(distance, every.model_.distances(i, j), rtol=1e-6)
    assert lavdm.VectorDiffusionMap(211).fit(SPHERE).options_["components"] == 21


@pytest.mark.parametrize("kind", SCALAR)
def test_chosen_coordinates(kind):
    """Of a roll the columns are those that are no functions of slower ones: along it and across it, no parabola."""
    roll, where = lavdm.sample("swiss-roll", 2000, parameters=True)
    fitted = kind().fit(roll)
    chosen = fitted.model_["coordinate_index"]
    assert np.array_equal(fitted.coordinates_, chosen) and len(chosen) == 2 and chosen[0] == 1 < chosen[1] - 1
    assert np.array_equal(fitted.embedding_, fitted.model_.coordinates()[:, chosen])
    ranks = fitted.embedding_.argsort(0).argsort(0)
    for k in range(2 if kind is lavdm.DiffusionMap else 0):  # each follows one parameter, unless density bends it
        assert max(abs(np.corrcoef(ranks[:, k], where[:, j].argsort().argsort())[0, 1]) for j in range(2)) > 0.9
    assert np.allclose(fitted.transform(roll[:40]), fitted.embedding_[:40], atol=1e-9)
    assert len(fitted.get_feature_names_out()) == 2
    # what is asked for is given: the leading ones, or all
    assert list(kind(2).fit(roll).coordinates_) == [1, 2]
    assert list(kind(components=6).fit(roll).coordinates_) == [1, 2, 3, 4, 5]
    assert not hasattr(lavdm.VectorDiffusionMap(2).fit(SPHERE), "coordinates_")


def test_chosen_coordinates_are_drawn():
    import matplotlib.pyplot as plt

    model = lavdm.fit(lavdm.sample("swiss-roll", 2000), method="dm")
    ax = lavdm.plot.embedding(model)
    assert [ax.get_xlabel(), ax.get_ylabel()] == [f"coordinate {l}" for l in model["coordinate_index"]]
    assert lavdm.plot.embedding(model, 3).get_ylabel() == "coordinate 2"  # of two no three can be drawn
    plt.close("all")


@pytest.mark.parametrize("kind", SCALAR)
def test_pieces(kind):
    """Of two pieces eigenvalue 1 has two eigenvectors: what is left out is the constant, and pieces are told apart."""
    fitted = kind(3, epsilon=0.2).fit(TWO)
    assert fitted.model_.info["graph_components"] == 2
    first = fitted.embedding_[:, 0]
    assert np.ptp(first[:200]) < 1e-9 and np.ptp(first[200:]) < 1e-9 and abs(first[0] - first[-1]) > 1e-3
    assert np.ptp(fitted.embedding_, 0).min() > 1e-3
    # orthogonal to the constant, by the masses that the eigenvectors are orthogonal in
    mass = fitted.model_["degrees"]
    assert abs(mass @ first) < 1e-8 * (mass @ np.abs(first))
    assert np.allclose(fitted.transform(TWO[::7]), fitted.embedding_[::7], atol=1e-9)
    every = kind(epsilon=0.2).fit(TWO)  # what tells pieces apart comes before the coordinates within them
    assert np.array_equal(every.coordinates_, every.model_["coordinate_index"]) and every.coordinates_[0] == 1
    assert np.array_equal(every.embedding_, every.model_.coordinates()[:, every.coordinates_])
    assert np.allclose(np.abs(every.embedding_[:, 0]), np.abs(first), atol=1e-9)


@pytest.mark.parametrize("kind", SCALAR)
def test_small_pieces_come_last(kind):
    """Three points far off are a piece of their own, and take no coordinate from the others."""
    far = np.concatenate([TWO, 100 + 0.05 * np.eye(3)[:, :TWO.shape[1]]])
    for points, pieces, want in ((far, 3, [1, 3]), (np.delete(far, np.arange(200), 0), 2, [2, 3])):
        fitted = kind(2, epsilon=0.2).fit(points)
        assert fitted.model_.info["graph_components"] == pieces
        assert list(fitted.coordinates_) == want
        assert np.allclose(fitted.transform(points), fitted.embedding_, atol=1e-9)
        assert pieces - 1 not in fitted.model_["coordinate_index"]
        assert kind(components=7, epsilon=0.2).fit(points).coordinates_[-1] == pieces - 1


def test_more_than_there_are():
    for kind in FAMILY:
        with pytest.raises(ValueError, match="n_components is 2000"):
            kind(2000).fit(SPHERE[:60])
    assert lavdm.DiffusionMap(59).fit_transform(SPHERE[:60]).shape == (60, 59)
    with pytest.raises(ValueError, match="n_components is 60.*only 60 exist"):
        lavdm.DiffusionMap(60).fit(SPHERE[:60])
    for wrong in (0, -1, 1.5, "two", True, [2]):
        with pytest.raises((TypeError, ValueError), match="n_components is"):
            lavdm.DiffusionMap(wrong).fit(SPHERE)


@pytest.mark.filterwarnings("default::lavdm.LavdmWarning")
def test_only_the_constant():
    with pytest.warns(lavdm.LavdmWarning, match="the embedding has no column: give n_components=1"):
        assert lavdm.DiffusionMap(components=1).fit(SPHERE).embedding_.shape == (400, 0)


# ------------------------------------------------------------ names of ours


SAME = [("n_components", 3, {"components": 4}), ("gamma", 4.0, {"epsilon": 0.25}), ("random_state", 7, {"seed": 7}),
        ("n_jobs", 1, {"threads": 1}), ("n_neighbors", 12, {"knn": 12, "edges": "knn"})]


@pytest.mark.parametrize("theirs, value, ours", SAME)
@family
def test_same_as_ours(kind, theirs, value, ours):
    if theirs not in inspect.signature(kind).parameters:
        with pytest.raises(TypeError, match="DiffusionMap and VectorDiffusionMap have"):
            kind(**{theirs: value})
        return
    if theirs == "n_components" and kind not in SCALAR:
        return  # test_columns_of_vectors_are_principal_axes
    more = {"max_memory": "4G"} if theirs == "n_jobs" else {"threads": 1, "max_memory": "4G"}
    by_theirs, by_ours = kind(**{theirs: value}, **more).fit(SPHERE), kind(**ours, **more).fit(SPHERE)
    assert by_theirs.options_ == by_ours.options_
    assert np.array_equal(by_theirs.embedding_, by_ours.embedding_)
    assert by_theirs.get_params()[theirs] == value  # as it was given, for clone
    name = next(iter(ours))
    with pytest.raises(ValueError, match=f"{theirs} is .* and {name} is .*: they are two names of one thing"):
        kind(**{theirs: value, name: 2}).fit(SPHERE)


def test_seed_and_landmarks():
    """The seed does something: other landmarks for another state, and the same for the same."""
    def landmarks(state):
        return lavdm.Roseland(2, landmarks=50, random_state=state).fit(SPHERE).landmarks_

    assert np.array_equal(landmarks(3), landmarks(3)) and not np.array_equal(landmarks(3), landmarks(4))
    assert np.array_equal(landmarks(None), landmarks(None))
    for make in (np.random.RandomState, np.random.default_rng):
        assert np.array_equal(landmarks(make(5)), landmarks(make(5)))
        state = make(5)
        assert not np.array_equal(landmarks(state), landmarks(state))  # it moves on, as scikit-learn's do
    for wrong in (-1, "a", 0.5, 2**64):
        with pytest.raises((TypeError, ValueError), match="random_state is"):
            landmarks(wrong)


def test_jobs():
    cores = len(os.sched_getaffinity(0))
    most = lavdm.DiffusionMap(2).fit(SPHERE).options_["threads"]
    for jobs, threads in ((-1, most), (2, 2), (-cores, 1), (-cores - 5, 1)):
        fitted = lavdm.DiffusionMap(2, n_jobs=jobs).fit(SPHERE)
        assert fitted.options_["threads"] == threads
        assert fitted.transform(SPHERE[:3]).shape == (3, 2)
    for wrong in (0, "all", 1.5):
        with pytest.raises((TypeError, ValueError), match="n_jobs is"):
            lavdm.DiffusionMap(2, n_jobs=wrong).fit(SPHERE)


def test_gamma():
    """exp(-gamma d^2), entry by entry."""
    gamma = 30.0
    distance = ((SPHERE[:, None] - SPHERE[None]) ** 2).sum(2)
    kernel = np.exp(-gamma * distance)
    direct = lavdm.DiffusionMap(4, gamma=gamma, edges="complete", alpha=0).fit(SPHERE)
    degree = kernel.sum(1)
    values = np.linalg.eigvalsh(kernel / np.sqrt(np.outer(degree, degree)))[::-1]
    assert np.allclose(direct.eigenvalues_, values[:5], atol=1e-10)
    for wrong in (0, -1, np.inf, np.nan, "wide"):
        with pytest.raises((TypeError, ValueError), match="gamma is"):
            lavdm.DiffusionMap(gamma=wrong).fit(SPHERE)
    with pytest.raises(ValueError, match="gamma is of the gaussian kernel; give epsilon"):
        lavdm.DiffusionMap(gamma=2, kernel="ball").fit(SPHERE)


def test_other_contradictions():
    with pytest.raises(ValueError, match="n_components is 2 and delta is 0.1"):
        lavdm.DiffusionMap(2, delta=0.1).fit(SPHERE)
    with pytest.raises(ValueError, match="n_neighbors is 5 and edges is 'ball'"):
        lavdm.DiffusionMap(n_neighbors=5, edges="ball").fit(SPHERE)
    for name in ("gamma", "n_neighbors"):
        with pytest.raises(ValueError, match=f"affinities need no {name}"):
            lavdm.DiffusionMap(affinity="precomputed", **{name: 5}).fit(np.ones((9, 9)))


@pytest.mark.parametrize("asked", [{"landmarks": 30}, {"design": "random"}, {"landmark_index": [1, 2, 3]}])
def test_landmarks_of_methods_that_have_none(asked):
    for method, other in (("dm", "roseland"), ("vdm", "lavdm")):
        with pytest.warns(UserWarning, match=f"{method} has no landmarks.* no use: {other} has"):
            made = lavdm.fit(SPHERE, method=method, components=3, **asked)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lavdm.fit(SPHERE, method=method, components=3, landmarks=made.m)  # all points, as the result says


@family
def test_copies_and_pipelines(kind):
    estimator = kind(3, gamma=5.0, random_state=2, n_jobs=1)
    assert clone(estimator).get_params() == estimator.get_params()
    assert estimator.set_params(n_components=2).get_params()["n_components"] == 2
    pipe = make_pipeline(StandardScaler(), estimator).set_params(**{f"{kind.__name__.lower()}__gamma": 2.0})
    table = pipe.fit_transform(SPHERE)
    assert table.shape == (400, 2) and np.allclose(pipe.transform(SPHERE), table, atol=1e-9)
    assert list(pipe.get_feature_names_out()) == [f"{kind.__name__.lower()}{k}" for k in range(2)]
    again = pickle.loads(pickle.dumps(pipe))
    assert np.array_equal(again.transform(SPHERE[:9]), pipe.transform(SPHERE[:9]))


# --------------------------------------------------- affinities of one's own


def kernel_of(points, gamma=8.0):
    return np.exp(-gamma * ((points[:, None] - points[None]) ** 2).sum(2))


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix, scipy.sparse.coo_matrix])
def test_affinities(kind):
    weights = kernel_of(SPHERE)
    fitted = lavdm.DiffusionMap(4, affinity="precomputed", alpha=0).fit(kind(weights))
    degree = weights.sum(1)
    values, vectors = np.linalg.eigh(weights / np.sqrt(np.outer(degree, degree)))
    assert np.allclose(fitted.eigenvalues_, values[::-1][:5], atol=1e-10)
    u = fitted.eigenvectors_[:, 0] * np.sqrt(fitted.model_["degrees"])[:, None]
    u /= np.linalg.norm(u, axis=0)
    # projectors on the first four: the sphere has eigenvalues 1, 3 times, ...
    assert np.allclose(u[:, :4] @ u[:, :4].T, vectors[:, ::-1][:, :4] @ vectors[:, ::-1][:, :4].T, atol=1e-6)
    assert fitted.embedding_.shape == (400, 4) and fitted.n_features_in_ == 400


def test_affinity_without_neighbours_keeps_its_row():
    weights = kernel_of(SPHERE)
    weights[7], weights[:, 7] = 0, 0
    fitted = lavdm.DiffusionMap(2, affinity="precomputed").fit(weights)
    assert fitted.embedding_.shape == (400, 2) and list(fitted.model_.info["isolated"]) == [7]
    assert not fitted.embedding_[7].any() and fitted.embedding_[[6, 8]].any(1).all()


def test_wrong_affinities():
    weights = kernel_of(SPHERE[:50])
    dm = lavdm.DiffusionMap(2, affinity="precomputed")
    for wrong, words in ((SPHERE, "square"), (-weights, "negative"), (np.triu(weights), "not symmetric"),
                         (np.zeros((9, 9)), "every affinity is 0")):
        with pytest.raises(ValueError, match=words):
            dm.fit(wrong)
    with pytest.raises(ValueError, match="NaN"):
        dm.fit(np.full((4, 4), np.nan))
    with pytest.raises(ValueError, match="affinity is 'rbf'"):
        lavdm.DiffusionMap(affinity="rbf").fit(SPHERE)
    with pytest.raises(ValueError, match="give one"):
        dm.fit(weights, graph=weights)
    with pytest.raises(ValueError, match="give one of them"):
        lavdm.DiffusionMap(2, affinity="precomputed", metric="cosine").fit(weights)


def test_new_affinities():
    """Those of new points to all that were fitted; of fitted ones what they were."""
    weights = kernel_of(SPHERE, 20.0)
    for estimator in (lavdm.DiffusionMap(3, affinity="precomputed"),
                      lavdm.Roseland(3, affinity="precomputed", landmarks=80)):
        fitted = estimator.fit(weights)
        assert np.allclose(fitted.transform(weights[:30]), fitted.embedding_[:30], atol=1e-8)
        assert np.allclose(fitted.transform(scipy.sparse.csr_matrix(weights[:30])), fitted.embedding_[:30], atol=1e-8)
        with pytest.raises(ValueError, match="features"):
            fitted.transform(weights[:30, :100])


def test_landmarks_among_given_nodes():
    fitted = lavdm.Roseland(3, affinity="precomputed", landmarks=80).fit(kernel_of(SPHERE, 20.0))
    assert fitted.options_["landmarks"] == 80 and fitted.model_.m == 80


# --------------------------------------------------- distances of one's own


def distances(points, others=None):
    others = points if others is None else others
    return np.sqrt(np.maximum(((points[:, None] - others[None]) ** 2).sum(2), 0))


def test_distances():
    """Distances of one's own are those of the points: the same kernel, the same eigenvalues."""
    how = dict(epsilon=0.2, alpha=1.0, edges="complete")
    given = lavdm.DiffusionMap(3, metric="precomputed", **how).fit(distances(SPHERE))
    points = lavdm.DiffusionMap(3, **how).fit(SPHERE)
    assert np.allclose(given.eigenvalues_, points.eigenvalues_, atol=1e-8) and given.embedding_.shape == (400, 3)
    new = lavdm.sample("sphere", 20, seed=9)
    assert np.allclose(np.abs(given.transform(distances(new, SPHERE))), np.abs(points.transform(new)), atol=1e-6) or (
        np.allclose(np.linalg.norm(given.transform(distances(new, SPHERE)), axis=1),
                    np.linalg.norm(points.transform(new), axis=1), atol=1e-6))


def test_neighbours_of_ones_own():
    """(indices, distances), as searches of others give them, and a sparse matrix of the same."""
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=15).fit(SPHERE)
    far, near = search.kneighbors()
    pair = lavdm.DiffusionMap(3, metric="precomputed").fit((near, far))
    matrix = lavdm.DiffusionMap(3, metric="precomputed").fit(search.kneighbors_graph(mode="distance"))
    assert pair.embedding_.shape == (400, 3) and np.allclose(pair.eigenvalues_, matrix.eigenvalues_, atol=1e-9)


def test_metric():
    from sklearn.metrics import pairwise_distances

    how = dict(epsilon=0.05, alpha=1.0, edges="complete")
    cosine = lavdm.DiffusionMap(3, metric="cosine", **how).fit(SPHERE)
    given = lavdm.DiffusionMap(3, metric="precomputed", **how).fit(pairwise_distances(SPHERE, metric="cosine"))
    assert np.allclose(cosine.eigenvalues_, given.eigenvalues_, atol=1e-8)
    with pytest.raises(ValueError, match="frames"):
        lavdm.VectorDiffusionMap(2, metric="cosine").fit(SPHERE)
    with pytest.raises(ValueError, match="no points to go back to"):
        lavdm.DiffusionMap(2, metric="precomputed", fit_inverse_transform=True).fit(distances(SPHERE))


def test_sparse_points():
    table = np.zeros((400, 40))
    table[:, ::8] = np.pad(SPHERE, ((0, 0), (0, 2)))
    sparse = scipy.sparse.csr_matrix(table)
    fitted = lavdm.DiffusionMap(3, pca=3, epsilon=0.3).fit(sparse)
    dense = lavdm.DiffusionMap(3, pca=3, epsilon=0.3).fit(table)
    assert np.allclose(fitted.eigenvalues_, dense.eigenvalues_, atol=1e-8) and fitted.n_features_in_ == 40
    assert np.allclose(fitted.transform(sparse[:20]), fitted.embedding_[:20], atol=1e-8)


def test_cross_validation_splits_rows_and_columns():
    """scikit-learn takes the same part of rows and of columns of what is pairwise."""
    from sklearn.utils.metaestimators import _safe_split

    weights = kernel_of(SPHERE[:50])
    part, _ = _safe_split(lavdm.DiffusionMap(2, affinity="precomputed"), weights, None, np.arange(20))
    assert part.shape == (20, 20)
    part, _ = _safe_split(lavdm.DiffusionMap(2), weights, None, np.arange(20))
    assert part.shape == (20, 50)


# ---------------------------------------------------------- and back again


@family
def test_inverse(kind):
    """Points of the circle come back, and new ones too, to a hundredth of its radius."""
    if kind in SCALAR:
        points, new, columns = lavdm.sample("circle", 500), lavdm.sample("circle", 100, seed=3), 2
    else:
        points, new, columns = lavdm.sample("sphere", 1500), lavdm.sample("sphere", 200, seed=3), 5
    fitted = kind(columns, fit_inverse_transform=True).fit(points)
    assert np.abs(fitted.inverse_transform(fitted.embedding_) - points).max() < (0.02 if kind in SCALAR else 0.2)
    back = fitted.inverse_transform(fitted.transform(new))
    assert back.shape == new.shape and np.median(np.linalg.norm(back - new, axis=1)) < 0.02


def test_inverse_is_not_guessed():
    points = lavdm.sample("circle", 300)
    fitted = lavdm.DiffusionMap(2, fit_inverse_transform=True).fit(points)
    far = np.array([[100.0, 100.0], [np.nan, 0.0], fitted.embedding_[0]])
    with pytest.warns(lavdm.LavdmWarning, match="2 of 3 rows are far"):
        found = fitted.inverse_transform(far)
    assert np.isnan(found[:2]).all() and np.allclose(found[2], points[0], atol=0.02)
    with pytest.raises(ValueError, match="the shape .2, 3., and the embedding has 2 columns"):
        fitted.inverse_transform(np.zeros((2, 3)))
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.inverse_transform(far[2:]), found[2:])
    with pytest.raises(ValueError, match="set fit_inverse_transform=True"):
        lavdm.DiffusionMap(2).fit(points).inverse_transform(far)
    fitted.set_params(fit_inverse_transform=False).fit(points)
    assert not hasattr(fitted, "X_fit_")


def test_nothing_to_go_back_to():
    images, _ = lavdm.projections(60, 16, seed=3)
    with pytest.raises(ValueError, match="no points to go back to"):
        lavdm.DiffusionMap(2, bundle="rotation", fit_inverse_transform=True).fit(images)
    with pytest.raises(ValueError, match="no points to go back to"):
        lavdm.DiffusionMap(2, affinity="precomputed", fit_inverse_transform=True).fit(kernel_of(SPHERE))
