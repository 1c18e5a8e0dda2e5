"""The estimators as scikit-learn knows them: its own checks, parameters, pipelines, pickles."""
import copy
import inspect
import io
import pickle

import joblib
import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import lavdm

FAMILY = [lavdm.DiffusionMap, lavdm.VectorDiffusionMap, lavdm.Roseland, lavdm.LandmarkVectorDiffusionMap,
          lavdm.Nystrom]
SPHERE = lavdm.sample("sphere", 400)
OWN = {"progress", "checkpoint"}


def family(test):
    return pytest.mark.parametrize("kind", FAMILY, ids=lambda kind: kind.__name__)(test)


@pytest.fixture(scope="module")
def fitted():
    return {kind: kind(components=4, threads=2).fit(SPHERE) for kind in FAMILY}


# ------------------------------------------------------- scikit-learn's checks


def checks():
    for kind in FAMILY:
        for estimator, check in check_estimator(kind(), generate_only=True):
            name = getattr(check, "func", check).__name__
            yield pytest.param(estimator, check, id=f"{kind.__name__}-{name}")


@pytest.mark.filterwarnings("ignore::lavdm.LavdmWarning")  # scikit-learn's data are no manifolds
@pytest.mark.parametrize("estimator, check", checks())
def test_check_estimator(estimator, check):
    check(estimator)


def test_no_check_is_skipped():
    for kind in FAMILY:
        tags = kind()._get_tags() if hasattr(kind, "_get_tags") else {}
        assert not tags.get("_xfail_checks") and not tags.get("_skip_test") and not tags.get("no_validation")


# ----------------------------------------------------------------- parameters


# What a method does not use its estimator does not take; test_what_is_left_out_has_no_effect is the evidence.
LEFT_OUT = {
    lavdm.DiffusionMap: {"landmarks", "design", "beta", "hood", "frame_knn", "frames"},
    lavdm.VectorDiffusionMap: {"landmarks", "design", "beta"},
    lavdm.Roseland: {"hood", "frame_knn", "frames", "bandwidth", "normalise"},
    lavdm.LandmarkVectorDiffusionMap: {"bandwidth", "normalise"},
    lavdm.Nystrom: {"beta", "bandwidth"},
}


@family
def test_parameters_are_the_table(kind):
    wanted = {name: option.default for name, option in lavdm.options().items()
              if name != "method" and name not in LEFT_OUT[kind]}
    theirs = {"n_components", "gamma", "random_state", "n_jobs", "fit_inverse_transform"}
    theirs |= {"n_neighbors"} if kind in (lavdm.DiffusionMap, lavdm.VectorDiffusionMap) else set()
    theirs |= {"affinity"} if kind in (lavdm.DiffusionMap, lavdm.Roseland) else set()
    parameters = kind().get_params()
    assert set(parameters) == set(wanted) | OWN | theirs
    assert {name: parameters[name] for name in wanted} == wanted
    assert {name: parameters[name] for name in theirs} == {
        name: False if name == "fit_inverse_transform" else None for name in theirs}
    signature = inspect.signature(kind)
    assert {name: p.default for name, p in signature.parameters.items()} == parameters
    assert next(iter(signature.parameters)) == "n_components"
    assert all((p.kind == p.KEYWORD_ONLY) != (name == "n_components") for name, p in signature.parameters.items())
    text = " ".join(kind.__doc__.split())
    for name in wanted:
        assert f"    {name} : " in kind.__doc__ and lavdm.options()[name].help[1:40] in text
    for name in theirs:
        assert f"    {name} : " in kind.__doc__


OTHERWISE = {"landmarks": 50, "design": "random", "beta": 0.3, "hood": "radius", "frame_knn": 21, "frames": "lowpass",
             "bandwidth": "local", "normalise": "sinkhorn"}


@family
def test_what_is_left_out_has_no_effect(kind):
    """The library refuses it, or does the same to the bit; and what another estimator takes has one there."""
    for name, value in OTHERWISE.items():
        alike, refused = None, False
        try:
            alike = lavdm.fit(SPHERE, method=kind._method, components=4, threads=1, **{name: value})
        except ValueError:
            refused = True
        same = lavdm.fit(SPHERE, method=kind._method, components=4, threads=1)
        unused = refused or np.array_equal(alike.eigenvectors, same.eigenvectors)
        if name != "design":  # all of few points are landmarks, however they are chosen
            assert unused == (name in LEFT_OUT[kind]), name


@family
def test_get_set_clone(kind):
    estimator = kind(components=3, epsilon=0.5)
    assert estimator.get_params()["components"] == 3
    assert estimator.set_params(components=5, kernel="ball") is estimator
    other = clone(estimator)
    assert other is not estimator and other.get_params() == estimator.get_params()
    with pytest.raises(ValueError, match="[Ii]nvalid parameter"):
        estimator.set_params(width=3)
    assert "components=5" in repr(estimator)


@family
def test_unknown_parameter(kind):
    with pytest.raises(TypeError, match=r"no parameter 'epsillon' \(did you mean 'epsilon'\?\)"):
        kind(epsillon=1)
    with pytest.raises(TypeError, match="no parameter 'method'"):
        kind(method="dm")
    with pytest.raises(TypeError, match="n_components alone"):
        kind(3, 4)
    with pytest.raises(TypeError, match="twice"):
        kind(3, n_components=4)
    for name in LEFT_OUT[kind]:
        with pytest.raises(TypeError, match=f"no parameter '{name}': the method {kind._method} has no use for it; .* have"):
            kind(**{name: OTHERWISE[name]})


@family
def test_bad_value_is_told_by_fit(kind):
    with pytest.raises(ValueError, match="components is '0'"):
        kind(components=0).fit(SPHERE)
    with pytest.raises(TypeError, match=r"epsilon is \[\]"):
        kind(epsilon=[]).fit(SPHERE)


# ----------------------------------------------------------------- attributes


@family
def test_nothing_before_fit(kind):
    estimator = kind()
    for name in ("model_", "embedding_", "eigenvalues_", "eigenvectors_", "landmarks_", "frames_", "options_",
                 "embedding_columns_", "n_features_in_"):
        assert not hasattr(estimator, name), name
    for name in ("embedding_", "eigenvalues_", "options_"):
        with pytest.raises(NotFittedError):
            getattr(estimator, name)
    with pytest.raises(NotFittedError):
        estimator.transform(SPHERE)
    with pytest.raises(NotFittedError):
        estimator.get_feature_names_out()


@family
def test_attributes(kind, fitted):
    f, n = fitted[kind], len(SPHERE)
    scalar = kind in (lavdm.DiffusionMap, lavdm.Roseland)
    q = 1 if scalar else 2
    r = f.model_.rank()
    assert f.eigenvalues_.shape == (4,) and f.eigenvectors_.shape == (n, q, 4)
    assert f.embedding_columns_ == (r - 1 if scalar else r * (r + 1) // 2)
    assert f.embedding_.shape == (n, f.embedding_columns_)
    assert f.options_["method"] == f._method and f.options_["components"] == 4
    assert f.n_features_in_ == 3 and not hasattr(f, "feature_names_in_")
    assert np.all(np.diff(f.eigenvalues_) <= 0)
    wanted = f.model_.coordinates()[:, 1:] if scalar else f.model_.embedding()
    assert not scalar or np.ptp(f.model_.coordinates()[:, 0]) < 1e-12 < np.ptp(f.embedding_, 0).min()
    assert np.array_equal(f.embedding_, wanted)
    if kind in (lavdm.DiffusionMap, lavdm.VectorDiffusionMap):
        with pytest.raises(AttributeError, match=f"no landmarks: its method is {f._method} and its bundle"):
            f.landmarks_
    else:
        assert f.landmarks_.shape == (f.model_.m, 3)
    if scalar:
        with pytest.raises(AttributeError, match="no frames: .* its bundle trivial"):
            f.frames_
    else:
        assert f.frames_.shape == (n, 3, 2)
        assert np.allclose(np.einsum("npd,npe->nde", f.frames_, f.frames_), np.eye(2), atol=1e-12)


@family
def test_fit_returns_self_and_refit_forgets(kind):
    estimator = kind(components=3)
    assert estimator.fit(SPHERE) is estimator
    first = estimator.embedding_
    other = lavdm.sample("torus", 300)
    estimator.set_params(components=2).fit(other)
    assert estimator.embedding_.shape[0] == 300 and estimator.eigenvalues_.shape == (2,)
    assert np.array_equal(estimator.embedding_, kind(components=2).fit(other).embedding_)
    assert first.shape[0] == 400


@family
def test_fit_transform_and_transform(kind, fitted):
    f = fitted[kind]
    assert np.array_equal(kind(components=4, threads=2).fit_transform(SPHERE), f.embedding_)
    again = f.transform(SPHERE)
    assert np.allclose(again, f.embedding_, rtol=1e-9, atol=1e-9 * np.abs(f.embedding_).max())
    # of new points one at a time what they are together
    some = lavdm.sample("sphere", 20, seed=9)
    together = f.transform(some)
    assert np.isfinite(together).all()
    alone = np.concatenate([f.transform(some[k:k + 1]) for k in range(20)])
    assert np.allclose(alone, together, rtol=1e-9, atol=1e-12)


@family
def test_wrong_width(kind, fitted):
    with pytest.raises(ValueError, match="2 features.*3"):
        fitted[kind].transform(SPHERE[:, :2])


def test_other_bundle_of_a_method():
    f = lavdm.LandmarkVectorDiffusionMap(bundle="orientation", components=2).fit(SPHERE)
    assert f.eigenvectors_.shape == (400, 1, 2) and f.embedding_.shape[1] == f.embedding_columns_
    f = lavdm.VectorDiffusionMap(bundle="trivial", components=3).fit(SPHERE)
    assert f.embedding_.shape == (400, f.model_.rank() - 1)


def test_graph_alone():
    angle = lavdm.sample("circle", 50, parameters=True)[1][:, 0]
    row, col = np.triu_indices(50, 1)
    near = np.abs(np.angle(np.exp(1j * (angle[row] - angle[col])))) < 0.8
    edges = lavdm.Edges(row[near], col[near], (angle[row] - angle[col])[near])
    f = lavdm.VectorDiffusionMap(components=2).fit(None, graph=edges)
    assert f.eigenvectors_.shape == (50, 2, 2)
    assert np.allclose(f.eigenvalues_, 1)  # a connection without a holonomy
    with pytest.raises(ValueError):
        f.transform(SPHERE)
    with pytest.raises(ValueError):
        lavdm.VectorDiffusionMap().fit(None)


def test_landmarks_of_ones_own():
    index = np.arange(0, 400, 8)
    f = lavdm.Roseland(components=3, design="given").fit(SPHERE, landmark_index=index)
    g = lavdm.Roseland(components=3, design="given").fit(SPHERE, landmark_points=SPHERE[index])
    assert np.array_equal(f.landmarks_, SPHERE[index])
    assert np.allclose(f.eigenvalues_, g.eigenvalues_, rtol=1e-12)


def test_images():
    images, _ = lavdm.projections(60, 16, seed=3)
    f = lavdm.VectorDiffusionMap(bundle="rotation", components=3).fit(images)
    assert f.eigenvectors_.shape == (60, 2, 3)
    flat = lavdm.VectorDiffusionMap(bundle="rotation", components=3).fit(images.reshape(60, -1))
    assert np.array_equal(f.eigenvalues_, flat.eigenvalues_)
    assert np.allclose(f.transform(images), f.embedding_, atol=1e-9)
    wide, _ = lavdm.projections(40, 20, seed=3)
    g = lavdm.LandmarkVectorDiffusionMap(bundle="rotation", components=2, landmarks=10).fit(wide[:, :, 2:])
    assert g.eigenvectors_.shape == (40, 2, 2)


# ------------------------------------------------ with the rest of scikit-learn


def test_pipeline_and_search():
    points, where = lavdm.sample("swiss-roll", 240, parameters=True)
    label = (where[:, 0] > np.median(where[:, 0])).astype(int)
    pipe = make_pipeline(StandardScaler(), lavdm.Roseland(components=6, landmarks=60, threads=1),
                         LogisticRegression(max_iter=1000))
    pipe.fit(points, label)
    assert pipe.score(points, label) > 0.7
    search = GridSearchCV(pipe, {"roseland__components": [3, 8], "roseland__time": [1.0, 4.0]}, cv=2, n_jobs=2)
    search.fit(points, label)
    assert search.best_params_["roseland__components"] in (3, 8)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    alone = GridSearchCV(pipe, {"roseland__components": [3, 8], "roseland__time": [1.0, 4.0]}, cv=2, n_jobs=1)
    alone.fit(points, label)
    assert np.array_equal(search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])


@family
def test_names_and_pandas(kind):
    frame = pandas.DataFrame(SPHERE, columns=["x", "y", "z"], index=[f"p{k}" for k in range(400)])
    f = kind(components=3).set_output(transform="pandas")
    out = f.fit_transform(frame)
    assert isinstance(out, pandas.DataFrame) and list(out.index) == list(frame.index)
    names = [f"{kind.__name__.lower()}{k}" for k in range(f.embedding_columns_)]
    assert list(out.columns) == names == list(f.get_feature_names_out())
    assert list(f.feature_names_in_) == ["x", "y", "z"]
    assert list(f.transform(frame[:5]).columns) == names
    assert np.array_equal(out.to_numpy(), kind(components=3).fit_transform(SPHERE))
    with pytest.raises(ValueError, match="feature names"):
        f.transform(frame[["y", "x", "z"]])


# --------------------------------------------------------------------- pickles


def by_joblib(thing):
    file = io.BytesIO()
    joblib.dump(thing, file)
    file.seek(0)
    return joblib.load(file)


COPIES = {"pickle": lambda thing: pickle.loads(pickle.dumps(thing)), "deepcopy": copy.deepcopy, "joblib": by_joblib}


@pytest.mark.parametrize("way", COPIES)
@family
def test_copies(kind, way, fitted):
    unfitted = COPIES[way](kind(components=7, epsilon=0.25))
    assert unfitted.get_params() == kind(components=7, epsilon=0.25).get_params()
    assert not hasattr(unfitted, "model_")
    f = fitted[kind]
    g = COPIES[way](f)
    assert g is not f and g.get_params() == f.get_params() and g.options_ == f.options_
    for name in f.model_.arrays:
        assert np.array_equal(g.model_[name], f.model_[name], equal_nan=True), name
    assert np.array_equal(g.embedding_, f.embedding_)
    new = lavdm.sample("sphere", 30, seed=4)
    assert np.array_equal(g.transform(new), f.transform(new))
    assert g.model_.arrays == f.model_.arrays and g.n_features_in_ == 3


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_protocols(protocol, fitted):
    f = fitted[lavdm.Roseland]
    g = pickle.loads(pickle.dumps(f, protocol=protocol))
    assert np.array_equal(g.embedding_, f.embedding_)


def test_pickle_of_a_pickle_is_the_same(fitted):
    f = fitted[lavdm.VectorDiffusionMap].model_
    once = pickle.dumps(f)
    assert pickle.dumps(pickle.loads(once)) == once


def test_damaged_pickle(fitted):
    content = bytearray(pickle.dumps(fitted[lavdm.Roseland].model_))
    content[len(content) // 2] ^= 1
    with pytest.raises((OSError, pickle.UnpicklingError)):
        pickle.loads(bytes(content))


def test_in_other_processes(fitted):
    """Fitted estimators travel to workers."""
    new = lavdm.sample("sphere", 30, seed=4)
    wanted = fitted[lavdm.Roseland].transform(new)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(fitted[lavdm.Roseland].transform)(new) for _ in range(2))
    assert all(np.array_equal(one, wanted) for one in found)
