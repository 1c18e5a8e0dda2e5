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

from . import model as _model
from ._data import unmasked
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
        Diffusion coordinates lambda^t u of DiffusionMap, Roseland and the trivial bundle; otherwise the products
        (lambda_l lambda_s)^t <u_l, u_s>, whose Euclidean distance is vector diffusion distance.
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
    """Gives a class an __init__ with every option of the table, but for the method, and documents it."""
    parameters = {name: option.default for name, option in OPTIONS.items() if name != "method"}
    parameters.update(_OWN)

    def __init__(self: Any, **options: Any) -> None:
        for name in options:
            if name not in parameters:
                raise TypeError(f"{cls.__name__} has no parameter {name!r}{nearest(name, parameters)}")
        for name, default in parameters.items():
            setattr(self, name, options.get(name, default))

    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
           for name, default in parameters.items()])
    cls.__init__ = __init__  # type: ignore[misc]
    options = "\n".join(describe(name) for name in parameters if name in OPTIONS)
    about, _, example = inspect.cleandoc(cls.__doc__ or "").partition("\n\nExamples\n")
    about, example = (inspect.cleandoc(text).replace("\n", "\n    ") for text in (about, "Examples\n" + example))
    cls.__doc__ = (f"{about}\n\n    Parameters\n    ----------\n{options}\n{_OWN_DOC}{_ATTRIBUTES}\n    {example}\n")
    return cls


_Self = TypeVar("_Self", bound="_Diffusion")


class _Diffusion(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What the members of the family share."""

    _method: str

    def fit(self: _Self, X: Any, y: Any = None, *, graph: Any = None, landmark_points: Any = None,
            landmark_index: Any = None) -> _Self:
        """Fits the model to points X (n, p), or to images (n, height, width) with bundle='rotation'.

        y is ignored. With bundle='given' and a graph (see `lavdm.Edges`) X may be None.
        """
        if X is not None or graph is None:
            X = self._check(X, reset=True)
        options = {name: getattr(self, name) for name in OPTIONS if name != "method"}
        self.model_ = _model.fit(X, graph=graph, landmark_points=landmark_points, landmark_index=landmark_index,
                                 method=self._method, progress=self.progress, checkpoint=self.checkpoint,
                                 **options)
        self._rank = self.model_.rank()
        self.__dict__.pop("_embedding", None)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The embedding of new points, (n, columns). NaN for a point that the model does not reach."""
        check_is_fitted(self, "model_")
        X = self._check(X, reset=False)
        return self._embed(self.model_.extend(X, threads=self.threads, max_memory=self.max_memory,
                                              stream=self.stream, progress=self.progress))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Fits, and returns the embedding of X."""
        return self.fit(X, y, **fit_params).embedding_

    def _check(self, X: Any, reset: bool) -> Any:
        images = str(self.bundle) == "rotation"
        unmasked(X, "X")
        if getattr(getattr(X, "dtype", None), "kind", "f") in "SUMm":  # scikit-learn makes numbers of them
            raise ValueError(f"X: numbers are needed, and these are {X.dtype}")
        return validate_data(self, X, dtype=[np.float64, np.float32], order=None, reset=reset,
                             ensure_min_samples=2 if reset else 1, allow_nd=images)

    def _embed(self, model: _model.Model) -> np.ndarray:
        if model.scalar:
            return model.coordinates(rank=self._rank)
        return model.embedding(rank=self._rank)

    # -------------------------------------------------------------- attributes

    @property
    def embedding_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        if "_embedding" not in self.__dict__:
            self._embedding = self._embed(self.model_)
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
        r = self._rank
        return r if self.model_.scalar else r * (r + 1) // 2

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_embedding", None)  # made again from the model
        return state


@_with_options
class DiffusionMap(_Diffusion):
    """Diffusion maps: coordinates in which distance is how hard it is to diffuse from point to point.

    Examples
    --------
    >>> from lavdm import DiffusionMap, sample
    >>> circle = sample("circle", 400)
    >>> DiffusionMap(components=3).fit_transform(circle).shape
    (400, 3)
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
    >>> Roseland(landmarks=100, components=5).fit(X[:1500]).transform(X[1500:]).shape
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
