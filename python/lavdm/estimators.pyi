"""The family as scikit-learn estimators.

Made by tools/stubs.py from the table of options: `make docs` makes it again.
"""
import os
from typing import Any, Callable, Literal, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from . import model as _model

_Self = TypeVar("_Self", bound="_Diffusion")

class _Diffusion(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    model_: _model.Model
    n_features_in_: int
    feature_names_in_: np.ndarray
    def fit(self: _Self, X: Any, y: Any = None, *, graph: Any = None, landmark_points: Any = None,
            landmark_index: Any = None, labels: Any = None) -> _Self: ...
    def transform(self, X: Any) -> np.ndarray: ...
    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray: ...
    def inverse_transform(self, X: Any) -> np.ndarray: ...
    def report(self, path: Any = None, data: Any = None, labels: Any = None, images: Any = None, title: str |
               None = None) -> _model.Report: ...
    @property
    def embedding_(self) -> np.ndarray: ...
    @property
    def eigenvalues_(self) -> np.ndarray: ...
    @property
    def eigenvectors_(self) -> np.ndarray: ...
    @property
    def landmarks_(self) -> np.ndarray: ...
    @property
    def frames_(self) -> np.ndarray: ...
    @property
    def coordinates_(self) -> np.ndarray: ...
    @property
    def options_(self) -> dict[str, Any]: ...
    @property
    def embedding_columns_(self) -> int: ...

class DiffusionMap(_Diffusion):
    def __init__(
        self,
        n_components: int | Literal['auto'] | None = None,
        *,
        bundle: Literal['auto', 'trivial', 'tangent', 'orientation', 'given', 'rotation', 'shift'] = 'auto',
        pca: int | Literal['auto'] | None = 'auto',
        dim: int | Literal['auto'] | None = 'auto',
        epsilon: float | Literal['auto'] | None = 'auto',
        alpha: float | Literal['auto'] | None = 'auto',
        kernel: Literal['gaussian', 'epanechnikov', 'ball', 'callback'] | Callable[[float], float] = 'gaussian',
        cutoff: float | Literal['auto'] | None = 'auto',
        edges: Literal['auto', 'ball', 'knn', 'complete'] = 'auto',
        knn: int | Literal['auto'] | None = 'auto',
        components: int | Literal['auto'] | None = 'auto',
        time: float = 1.0,
        delta: float = 0.0,
        tolerance: float = 1e-08,
        seed: int = 1,
        threads: int | Literal['auto'] | None = 'auto',
        max_memory: int | str | Literal['auto'] | None = 'auto',
        precision: Literal['double', 'single'] = 'double',
        stream: Literal['auto', 'no', 'yes'] = 'auto',
        reflections: Literal['no', 'yes'] | bool = 'no',
        signals: Literal['periodic', 'windowed', 'phase'] = 'periodic',
        noise: float | Literal['auto'] | None = 'auto',
        engine: Literal['auto', 'cpu', 'reference'] = 'auto',
        bandwidth: Literal['auto', 'global', 'local'] = 'auto',
        normalise: Literal['auto', 'degree', 'sinkhorn'] = 'auto',
        trust: Literal['no', 'yes'] | bool = 'yes',
        metric: Literal['euclidean', 'cosine', 'correlation', 'manhattan', 'chebyshev', 'hamming', 'jaccard', 'haversine', 'precomputed'] = 'euclidean',
        gamma: float | None = None,
        n_neighbors: int | None = None,
        affinity: Literal['precomputed'] | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        fit_inverse_transform: bool = False,
        progress: bool | Callable[[str, float], Any] = False,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None: ...
    n_components: Any
    bundle: Any
    pca: Any
    dim: Any
    epsilon: Any
    alpha: Any
    kernel: Any
    cutoff: Any
    edges: Any
    knn: Any
    components: Any
    time: Any
    delta: Any
    tolerance: Any
    seed: Any
    threads: Any
    max_memory: Any
    precision: Any
    stream: Any
    reflections: Any
    signals: Any
    noise: Any
    engine: Any
    bandwidth: Any
    normalise: Any
    trust: Any
    metric: Any
    gamma: Any
    n_neighbors: Any
    affinity: Any
    random_state: Any
    n_jobs: Any
    fit_inverse_transform: Any
    progress: Any
    checkpoint: Any

class VectorDiffusionMap(_Diffusion):
    def __init__(
        self,
        n_components: int | Literal['auto'] | None = None,
        *,
        bundle: Literal['auto', 'trivial', 'tangent', 'orientation', 'given', 'rotation', 'shift'] = 'auto',
        pca: int | Literal['auto'] | None = 'auto',
        dim: int | Literal['auto'] | None = 'auto',
        epsilon: float | Literal['auto'] | None = 'auto',
        alpha: float | Literal['auto'] | None = 'auto',
        kernel: Literal['gaussian', 'epanechnikov', 'ball', 'callback'] | Callable[[float], float] = 'gaussian',
        cutoff: float | Literal['auto'] | None = 'auto',
        edges: Literal['auto', 'ball', 'knn', 'complete'] = 'auto',
        knn: int | Literal['auto'] | None = 'auto',
        hood: Literal['knn', 'radius'] = 'knn',
        components: int | Literal['auto'] | None = 'auto',
        time: float = 1.0,
        delta: float = 0.0,
        tolerance: float = 1e-08,
        seed: int = 1,
        threads: int | Literal['auto'] | None = 'auto',
        max_memory: int | str | Literal['auto'] | None = 'auto',
        precision: Literal['double', 'single'] = 'double',
        stream: Literal['auto', 'no', 'yes'] = 'auto',
        reflections: Literal['no', 'yes'] | bool = 'no',
        signals: Literal['periodic', 'windowed', 'phase'] = 'periodic',
        noise: float | Literal['auto'] | None = 'auto',
        engine: Literal['auto', 'cpu', 'reference'] = 'auto',
        frame_knn: int | Literal['auto'] | None = 'auto',
        frames: Literal['auto', 'local', 'lowpass'] = 'auto',
        bandwidth: Literal['auto', 'global', 'local'] = 'auto',
        normalise: Literal['auto', 'degree', 'sinkhorn'] = 'auto',
        trust: Literal['no', 'yes'] | bool = 'yes',
        metric: Literal['euclidean', 'cosine', 'correlation', 'manhattan', 'chebyshev', 'hamming', 'jaccard', 'haversine', 'precomputed'] = 'euclidean',
        gamma: float | None = None,
        n_neighbors: int | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        fit_inverse_transform: bool = False,
        progress: bool | Callable[[str, float], Any] = False,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None: ...
    n_components: Any
    bundle: Any
    pca: Any
    dim: Any
    epsilon: Any
    alpha: Any
    kernel: Any
    cutoff: Any
    edges: Any
    knn: Any
    hood: Any
    components: Any
    time: Any
    delta: Any
    tolerance: Any
    seed: Any
    threads: Any
    max_memory: Any
    precision: Any
    stream: Any
    reflections: Any
    signals: Any
    noise: Any
    engine: Any
    frame_knn: Any
    frames: Any
    bandwidth: Any
    normalise: Any
    trust: Any
    metric: Any
    gamma: Any
    n_neighbors: Any
    random_state: Any
    n_jobs: Any
    fit_inverse_transform: Any
    progress: Any
    checkpoint: Any

class Roseland(_Diffusion):
    def __init__(
        self,
        n_components: int | Literal['auto'] | None = None,
        *,
        bundle: Literal['auto', 'trivial', 'tangent', 'orientation', 'given', 'rotation', 'shift'] = 'auto',
        pca: int | Literal['auto'] | None = 'auto',
        dim: int | Literal['auto'] | None = 'auto',
        landmarks: int | Literal['auto'] | None = 'auto',
        design: Literal['kmeans', 'farthest', 'random', 'given'] = 'kmeans',
        epsilon: float | Literal['auto'] | None = 'auto',
        alpha: float | Literal['auto'] | None = 'auto',
        beta: float | Literal['auto'] | None = 'auto',
        kernel: Literal['gaussian', 'epanechnikov', 'ball', 'callback'] | Callable[[float], float] = 'gaussian',
        cutoff: float | Literal['auto'] | None = 'auto',
        edges: Literal['auto', 'ball', 'knn', 'complete'] = 'auto',
        knn: int | Literal['auto'] | None = 'auto',
        components: int | Literal['auto'] | None = 'auto',
        time: float = 1.0,
        delta: float = 0.0,
        tolerance: float = 1e-08,
        seed: int = 1,
        threads: int | Literal['auto'] | None = 'auto',
        max_memory: int | str | Literal['auto'] | None = 'auto',
        precision: Literal['double', 'single'] = 'double',
        stream: Literal['auto', 'no', 'yes'] = 'auto',
        reflections: Literal['no', 'yes'] | bool = 'no',
        signals: Literal['periodic', 'windowed', 'phase'] = 'periodic',
        noise: float | Literal['auto'] | None = 'auto',
        engine: Literal['auto', 'cpu', 'reference'] = 'auto',
        trust: Literal['no', 'yes'] | bool = 'yes',
        metric: Literal['euclidean', 'cosine', 'correlation', 'manhattan', 'chebyshev', 'hamming', 'jaccard', 'haversine', 'precomputed'] = 'euclidean',
        gamma: float | None = None,
        affinity: Literal['precomputed'] | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        fit_inverse_transform: bool = False,
        progress: bool | Callable[[str, float], Any] = False,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None: ...
    n_components: Any
    bundle: Any
    pca: Any
    dim: Any
    landmarks: Any
    design: Any
    epsilon: Any
    alpha: Any
    beta: Any
    kernel: Any
    cutoff: Any
    edges: Any
    knn: Any
    components: Any
    time: Any
    delta: Any
    tolerance: Any
    seed: Any
    threads: Any
    max_memory: Any
    precision: Any
    stream: Any
    reflections: Any
    signals: Any
    noise: Any
    engine: Any
    trust: Any
    metric: Any
    gamma: Any
    affinity: Any
    random_state: Any
    n_jobs: Any
    fit_inverse_transform: Any
    progress: Any
    checkpoint: Any

class LandmarkVectorDiffusionMap(_Diffusion):
    def __init__(
        self,
        n_components: int | Literal['auto'] | None = None,
        *,
        bundle: Literal['auto', 'trivial', 'tangent', 'orientation', 'given', 'rotation', 'shift'] = 'auto',
        pca: int | Literal['auto'] | None = 'auto',
        dim: int | Literal['auto'] | None = 'auto',
        landmarks: int | Literal['auto'] | None = 'auto',
        design: Literal['kmeans', 'farthest', 'random', 'given'] = 'kmeans',
        epsilon: float | Literal['auto'] | None = 'auto',
        alpha: float | Literal['auto'] | None = 'auto',
        beta: float | Literal['auto'] | None = 'auto',
        kernel: Literal['gaussian', 'epanechnikov', 'ball', 'callback'] | Callable[[float], float] = 'gaussian',
        cutoff: float | Literal['auto'] | None = 'auto',
        edges: Literal['auto', 'ball', 'knn', 'complete'] = 'auto',
        knn: int | Literal['auto'] | None = 'auto',
        hood: Literal['knn', 'radius'] = 'knn',
        components: int | Literal['auto'] | None = 'auto',
        time: float = 1.0,
        delta: float = 0.0,
        tolerance: float = 1e-08,
        seed: int = 1,
        threads: int | Literal['auto'] | None = 'auto',
        max_memory: int | str | Literal['auto'] | None = 'auto',
        precision: Literal['double', 'single'] = 'double',
        stream: Literal['auto', 'no', 'yes'] = 'auto',
        reflections: Literal['no', 'yes'] | bool = 'no',
        signals: Literal['periodic', 'windowed', 'phase'] = 'periodic',
        noise: float | Literal['auto'] | None = 'auto',
        engine: Literal['auto', 'cpu', 'reference'] = 'auto',
        frame_knn: int | Literal['auto'] | None = 'auto',
        frames: Literal['auto', 'local', 'lowpass'] = 'auto',
        trust: Literal['no', 'yes'] | bool = 'yes',
        metric: Literal['euclidean', 'cosine', 'correlation', 'manhattan', 'chebyshev', 'hamming', 'jaccard', 'haversine', 'precomputed'] = 'euclidean',
        gamma: float | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        fit_inverse_transform: bool = False,
        progress: bool | Callable[[str, float], Any] = False,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None: ...
    n_components: Any
    bundle: Any
    pca: Any
    dim: Any
    landmarks: Any
    design: Any
    epsilon: Any
    alpha: Any
    beta: Any
    kernel: Any
    cutoff: Any
    edges: Any
    knn: Any
    hood: Any
    components: Any
    time: Any
    delta: Any
    tolerance: Any
    seed: Any
    threads: Any
    max_memory: Any
    precision: Any
    stream: Any
    reflections: Any
    signals: Any
    noise: Any
    engine: Any
    frame_knn: Any
    frames: Any
    trust: Any
    metric: Any
    gamma: Any
    random_state: Any
    n_jobs: Any
    fit_inverse_transform: Any
    progress: Any
    checkpoint: Any

class Nystrom(_Diffusion):
    def __init__(
        self,
        n_components: int | Literal['auto'] | None = None,
        *,
        bundle: Literal['auto', 'trivial', 'tangent', 'orientation', 'given', 'rotation', 'shift'] = 'auto',
        pca: int | Literal['auto'] | None = 'auto',
        dim: int | Literal['auto'] | None = 'auto',
        landmarks: int | Literal['auto'] | None = 'auto',
        design: Literal['kmeans', 'farthest', 'random', 'given'] = 'kmeans',
        epsilon: float | Literal['auto'] | None = 'auto',
        alpha: float | Literal['auto'] | None = 'auto',
        kernel: Literal['gaussian', 'epanechnikov', 'ball', 'callback'] | Callable[[float], float] = 'gaussian',
        cutoff: float | Literal['auto'] | None = 'auto',
        edges: Literal['auto', 'ball', 'knn', 'complete'] = 'auto',
        knn: int | Literal['auto'] | None = 'auto',
        hood: Literal['knn', 'radius'] = 'knn',
        components: int | Literal['auto'] | None = 'auto',
        time: float = 1.0,
        delta: float = 0.0,
        tolerance: float = 1e-08,
        seed: int = 1,
        threads: int | Literal['auto'] | None = 'auto',
        max_memory: int | str | Literal['auto'] | None = 'auto',
        precision: Literal['double', 'single'] = 'double',
        stream: Literal['auto', 'no', 'yes'] = 'auto',
        reflections: Literal['no', 'yes'] | bool = 'no',
        signals: Literal['periodic', 'windowed', 'phase'] = 'periodic',
        noise: float | Literal['auto'] | None = 'auto',
        engine: Literal['auto', 'cpu', 'reference'] = 'auto',
        frame_knn: int | Literal['auto'] | None = 'auto',
        frames: Literal['auto', 'local', 'lowpass'] = 'auto',
        normalise: Literal['auto', 'degree', 'sinkhorn'] = 'auto',
        trust: Literal['no', 'yes'] | bool = 'yes',
        metric: Literal['euclidean', 'cosine', 'correlation', 'manhattan', 'chebyshev', 'hamming', 'jaccard', 'haversine', 'precomputed'] = 'euclidean',
        gamma: float | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        fit_inverse_transform: bool = False,
        progress: bool | Callable[[str, float], Any] = False,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None: ...
    n_components: Any
    bundle: Any
    pca: Any
    dim: Any
    landmarks: Any
    design: Any
    epsilon: Any
    alpha: Any
    kernel: Any
    cutoff: Any
    edges: Any
    knn: Any
    hood: Any
    components: Any
    time: Any
    delta: Any
    tolerance: Any
    seed: Any
    threads: Any
    max_memory: Any
    precision: Any
    stream: Any
    reflections: Any
    signals: Any
    noise: Any
    engine: Any
    frame_knn: Any
    frames: Any
    normalise: Any
    trust: Any
    metric: Any
    gamma: Any
    random_state: Any
    n_jobs: Any
    fit_inverse_transform: Any
    progress: Any
    checkpoint: Any
