"""The family as scikit-learn estimators."""
from __future__ import annotations

import inspect
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

try:
    from sklearn.base import ClassNamePrefixFeaturesOutMixin
except ImportError:  # scikit-learn before 1.1
    from sklearn.base import _ClassNamePrefixFeaturesOutMixin as ClassNamePrefixFeaturesOutMixin
try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6
    def validate_data(estimator: Any, X: Any, **how: Any) -> Any:
        return estimator._validate_data(X, **how)

from . import _frames, _names
from . import model as _model
from ._columns import Columns
from ._data import reals, usable, warn
from ._inverse import Inverse
from ._options import OPTIONS, describe, nearest

_OWN = {"progress": False, "checkpoint": None}
_OWN_DOC = """    progress : bool or callable, default False
        True shows a bar; a callable gets (stage, fraction).
    checkpoint : path or None, default None
        A file where expensive stages of fit are saved, and from which an interrupted fit goes on.
"""
_ATTRIBUTES = """
    Attributes
    ----------
    model_ : Model
        The fitted model, with distances, neighbours, ambient fields, and all else.
    embedding_ : array (n, columns)
        Where numbers are diffused (DiffusionMap, Roseland, the trivial bundle): diffusion coordinates lambda^t u but for
        the constant one: the leading n_components; or with components=r all r - 1; or with neither those that are no
        functions of slower ones, which coordinates_ names. Otherwise the products (lambda_l lambda_s)^t <u_l, u_s>, whose Euclidean distance is
        vector diffusion distance; with n_components their leading principal axes.
    coordinates_ : array (columns,)
        Where numbers are diffused: the number of the eigenvector, from 0, that each column is.
    eigenvalues_ : array (r,)
    eigenvectors_ : array (n, q, r)
    landmarks_ : array (m, p)
        Where the method has landmarks.
    frames_ : array (n, p, d)
        Tangent frames, where the bundle has them.
    options_ : dict
        Every option as the fit used it.
    n_features_in_ : int
    feature_names_in_ : array, if X has names of columns
"""


def _with_options(cls: type) -> type:
    """Gives a class an __init__ with the options of the table that its method uses, and scikit-learn's names."""
    method = cls._method  # type: ignore[attr-defined]
    parameters = {**_names.parameters(method), **_OWN}

    def __init__(self: Any, *first: Any, **options: Any) -> None:
        if len(first) > 1:
            raise TypeError(f"{cls.__name__} takes n_components alone without its name; write the others as name=value")
        if first:
            if "n_components" in options:
                raise TypeError(f"{cls.__name__}: n_components is given twice")
            options["n_components"] = first[0]
        for name in options:
            if name not in parameters:
                raise TypeError(f"{cls.__name__} has no parameter {name!r}{_why_not(method, name, parameters)}")
        for name, default in parameters.items():
            setattr(self, name, options.get(name, default))

    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        + [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD if name == "n_components"
                             else inspect.Parameter.KEYWORD_ONLY, default=default)
           for name, default in parameters.items()])
    cls.__init__ = __init__  # type: ignore[misc]
    options = "\n".join((describe if name in OPTIONS else _names.describe)(name)
                        for name in parameters if name not in _OWN)
    about, _, example = inspect.cleandoc(cls.__doc__ or "").partition("\n\nExamples\n")
    about, example = (inspect.cleandoc(text).replace("\n", "\n    ") for text in (about, "Examples\n" + example))
    cls.__doc__ = (f"{about}\n\n    Parameters\n    ----------\n{options}\n{_OWN_DOC}{_ATTRIBUTES}\n    {example}\n")
    return cls


def _why_not(method: str, name: str, parameters: Any) -> str:
    """What to say of a parameter that there is not."""
    others = [cls.__name__ for cls in _Diffusion.__subclasses__()
              if name in getattr(cls.__init__, "__signature__", inspect.Signature()).parameters]
    if name in _names.UNUSED[method] or name in _names.NAMES:
        return f": the method {method} has no use for it" + (f"; {' and '.join(others)} have" if others else "")
    return nearest(name, parameters)


_Self = TypeVar("_Self", bound="_Diffusion")


class _Diffusion(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What the members of the family share."""

    _method: str

    def fit(self: _Self, X: Any, y: Any = None, *, graph: Any = None, landmark_points: Any = None,
            landmark_index: Any = None, labels: Any = None) -> _Self:
        """Fits the model to points X (n, p), or to images (n, height, width) with bundle='rotation'.

        X may be a frame (pandas, or any with `__dataframe__`); its index becomes model_.ids, and the column that
        `labels` names is no coordinate but becomes model_.labels. X of scipy.sparse goes through principal coordinates.
        y is ignored. With bundle='given' and a graph (see `lavdm.Edges`) X may be None. With metric='precomputed' X is
        distances (n, n), or for DiffusionMap (indices, distances) of neighbours; with affinity='precomputed' it is
        affinities (n, n).
        """
        options = _names.options(self._method, self.get_params(deep=False))
        number = _names.columns(self.n_components)
        pairs = self._pairs()
        if pairs and graph is not None:
            raise ValueError(f"{pairs} is 'precomputed' and there is a graph: each says what the weights are; give one")
        self._labels = labels
        frame, rows = (None, None) if X is None and graph is not None else self._check(X, reset=True)
        if self.fit_inverse_transform and (rows is None or pairs or not isinstance(rows, np.ndarray)
                                           or str(self.bundle) in ("rotation", "shift")):
            raise ValueError("fit_inverse_transform is True, and X holds no points to go back to: images and signals are "
                             "fitted up to their turns, graphs and distances have none, and sparse ones would be dense")
        how: dict[str, Any] = {"affinity": "precomputed"} if pairs == "affinity" else {"graph": graph}
        how.update(landmark_points=landmark_points, landmark_index=landmark_index, method=self._method,
                   progress=self.progress, checkpoint=self.checkpoint)
        try:
            model = _model.fit(rows, **how, **options)
        except ValueError as problem:
            if number is not None and str(problem).startswith("components is"):
                raise ValueError(f"n_components is {number}, which needs so many eigenpairs: {problem}") from None
            raise
        self._columns = Columns(model, number, chosen=number is None and self.components in ("auto", None))
        if number is not None and 0 < self._columns.wanted < min(model.n, _names.MOST_PIECES):
            # a graph of many pieces, as of outliers, was not expected: eigenpairs beyond those of the pieces
            model = _model.fit(rows, **how, **{**options, "components": self._columns.wanted})
            self._columns = Columns(model, number)
        model._name_rows(frame, labels)
        self.model_ = model
        for name in ("_embedding", "_inverse", "X_fit_"):
            self.__dict__.pop(name, None)
        if self.fit_inverse_transform:
            self.X_fit_ = np.array(rows)
        if not self._columns.count:
            warn(["the only component is the constant one, so the embedding has no column: give n_components=1, or more "
                  "components"])
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The embedding of new points, (n, columns). NaN for a point that the model does not reach.

        Of precomputed distances or affinities: those of new points to all that were fitted, (n, fitted).
        """
        check_is_fitted(self, "model_")
        rows = self._check(X, reset=False)[1]
        new: dict[str, Any] = {"graph": rows} if self._pairs() == "affinity" else {"points": rows}
        threads = self.threads if self.n_jobs is None else _names.threads(self.n_jobs)
        return self._columns.of(self.model_.extend(**new, threads=threads, max_memory=self.max_memory,
                                                   stream=self.stream, progress=self.progress))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Fits, and returns the embedding of X."""
        return self.fit(X, y, **fit_params).embedding_

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Points (n, p) whose embedding is near X (n, columns); of an estimator with fit_inverse_transform=True.

        Local linear regression of the fitted points on their embedding, so near fitted points these come back to the
        accuracy of a linear fit among neighbours. Rows far from all of them are NaN, with a warning.
        """
        check_is_fitted(self, "model_")
        if not hasattr(self, "X_fit_"):
            raise ValueError("inverse_transform needs the points of the fit: set fit_inverse_transform=True and fit again")
        X = reals(X, "X")
        if X.ndim != 2 or X.shape[1] != self.embedding_columns_:
            raise ValueError(f"X has the shape {X.shape}, and the embedding has {self.embedding_columns_} columns")
        if "_inverse" not in self.__dict__:
            self._inverse = Inverse(self.embedding_, self.X_fit_)
        return self._inverse(X)

    def _pairs(self) -> str | None:
        """'affinity' or 'metric' if X is those of pairs, and no points."""
        affinity = getattr(self, "affinity", None)
        if affinity is not None and affinity != "precomputed":
            raise ValueError(f"affinity is {affinity!r}: it must be 'precomputed' or None; gamma is of the Gaussian kernel, "
                             "and n_neighbors of the graph of nearest neighbours")
        if affinity and str(self.metric) != "euclidean":
            raise ValueError(f"affinity is 'precomputed' and metric is {self.metric!r}: affinities need no distances; give "
                             "one of them")
        return "affinity" if affinity else "metric" if str(self.metric) == "precomputed" else None

    def _check(self, X: Any, reset: bool) -> tuple[Any, Any]:
        """The frame that X may be, and its rows."""
        images = str(self.bundle) == "rotation"
        usable(X, "X")
        if reset and self._pairs() == "metric" and isinstance(X, (tuple, list)) and len(X) == 2 and np.ndim(X[0]) == 2:
            self.n_features_in_ = len(X[0])  # (indices, distances) of neighbours
            return None, X
        if getattr(getattr(X, "dtype", None), "kind", "f") in "SUMm":  # scikit-learn makes numbers of them
            raise ValueError(f"X: numbers are needed, and these are {X.dtype}")
        if _frames.is_frame(X):
            X = _frames.read(X, self._labels if reset else None, "X", spare=None if reset else self._labels)
        elif reset and self._labels is not None:
            raise TypeError("labels names a column of a frame, and X is none")
        return X, validate_data(self, X, dtype=[np.float64, np.float32], order=None, reset=reset,
                                ensure_min_samples=2 if reset else 1, allow_nd=images,
                                accept_sparse=False if images else "csr")

    def _is_pairwise(self) -> bool:
        return "precomputed" in (getattr(self, "affinity", None), self.metric)

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"pairwise": self._is_pairwise()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_pairwise()
        tags.input_tags.sparse = True
        return tags

    def report(self, path: Any = None, data: Any = None, labels: Any = None, images: Any = None,
               title: str | None = None) -> _model.Report:
        """A page to look at the model with, inline in a notebook or in the file `path`: see `Model.report`."""
        check_is_fitted(self, "model_")
        return self.model_.report(path, data, labels, images, title or type(self).__name__)

    # -------------------------------------------------------------- attributes

    @property
    def embedding_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        if "_embedding" not in self.__dict__:
            self._embedding = self._columns.of(self.model_)
        return self._embedding

    @property
    def eigenvalues_(self) -> np.ndarray:
        return self._array("eigenvalues")

    @property
    def eigenvectors_(self) -> np.ndarray:
        return self._array("eigenvectors")

    @property
    def landmarks_(self) -> np.ndarray:
        return self._array("landmarks")

    @property
    def frames_(self) -> np.ndarray:
        return self._array("frames")

    @property
    def coordinates_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        if not self.model_.scalar:
            raise AttributeError(f"this {type(self).__name__} has no coordinates: its columns are products of eigenvectors")
        return self._columns.index

    @property
    def options_(self) -> dict[str, Any]:
        check_is_fitted(self, "model_")
        return self.model_.options

    def _array(self, name: str) -> np.ndarray:
        check_is_fitted(self, "model_")
        if name not in self.model_:
            raise AttributeError(f"this {type(self).__name__} has no {name}: its method is {self._method} and "
                                 f"its bundle {self.options_['bundle']}")
        return self.model_[name]

    @property
    def _n_features_out(self) -> int:
        return self.embedding_columns_

    @property
    def embedding_columns_(self) -> int:
        """Columns of the embedding."""
        check_is_fitted(self, "model_")
        return self._columns.count

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in ("_embedding", "_inverse"):  # made again from the model
            state.pop(name, None)
        return state


@_with_options
class DiffusionMap(_Diffusion):
    """Diffusion maps: coordinates in which distance is how hard it is to diffuse from point to point.

    Examples
    --------
    >>> from lavdm import DiffusionMap, sample
    >>> circle = sample("circle", 400)
    >>> DiffusionMap(2).fit_transform(circle).shape
    (400, 2)
    """

    _method = "dm"


@_with_options
class VectorDiffusionMap(_Diffusion):
    """Vector diffusion maps: diffusion of vectors, turned along every edge to fit the next frame.

    Examples
    --------
    >>> from lavdm import VectorDiffusionMap, sample
    >>> sphere = sample("sphere", 1000)
    >>> vdm = VectorDiffusionMap(components=6).fit(sphere)
    >>> vdm.eigenvectors_.shape, vdm.frames_.shape, vdm.embedding_.shape
    ((1000, 2, 6), (1000, 3, 2), (1000, 21))
    """

    _method = "vdm"


@_with_options
class Roseland(_Diffusion):
    """Diffusion maps through landmarks: ROSELAND.

    Examples
    --------
    >>> from lavdm import Roseland, sample
    >>> X = sample("torus", 2000)
    >>> Roseland(5, landmarks=100).fit(X[:1500]).transform(X[1500:]).shape
    (500, 5)
    """

    _method = "roseland"


@_with_options
class LandmarkVectorDiffusionMap(_Diffusion):
    """Landmark accelerated vector diffusion maps: LA-VDM, diffusion of vectors through landmarks.

    Examples
    --------
    >>> from lavdm import LandmarkVectorDiffusionMap, sample
    >>> lavdm = LandmarkVectorDiffusionMap(landmarks=200, components=4).fit(sample("klein", 3000))
    >>> lavdm.landmarks_.shape, lavdm.eigenvectors_.shape
    ((200, 4), (3000, 2, 4))
    """

    _method = "lavdm"


@_with_options
class Nystrom(_Diffusion):
    """Vector diffusion maps of the landmarks alone, extended to the points: for comparison.

    Examples
    --------
    >>> from lavdm import Nystrom, sample
    >>> Nystrom(landmarks=100, components=3).fit(sample("sphere", 1000)).eigenvectors_.shape
    (1000, 2, 3)
    """

    _method = "nystrom"
