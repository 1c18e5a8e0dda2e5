"""Images and signals: denoising, class averages, stacks that turn."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._data import call, data, index, plain, reals, seed_of, warn, whole
from ._options import only
from ._progress import Progress, reporter

# --------------------------------------------------------------- denoising


def _picture(image: Any) -> np.ndarray:
    picture = plain(image, "image")
    if picture.ndim not in (2, 3) or (picture.ndim == 3 and not 1 <= picture.shape[2] <= 4):
        raise ValueError(f"image: the shape is {picture.shape}; a picture is (height, width) or "
                         "(height, width, channels) with 1 to 4 channels")
    if not picture.size:
        raise ValueError(f"image: a picture of {picture.shape[0]} x {picture.shape[1]} pixels is empty")
    picture = reals(picture if picture.ndim == 3 else picture[:, :, None], "image")
    if not np.isfinite(picture).all():
        row, column, _ = np.argwhere(~np.isfinite(picture))[0]
        raise ValueError(f"image: row {row + 1}, column {column + 1} is NaN or infinite: give that pixel a value first")
    return picture


def _counts(**numbers: Any) -> dict[str, Any]:
    """Those that are given are 1 or more: what the library takes -1 for is None here."""
    return {name: None if number is None else index(number, name) for name, number in numbers.items()}


def denoise(image: Any, sigma: float | None = None, *, method: str = "rid", average: str = "shrink",
            passes: int | None = None, patch: int | None = None, window: int | None = None,
            neighbours: int | None = None, turned: int | None = None, step: int | None = None,
            bandwidth: float | None = None, landmarks: int | str = "auto", seed: int = 1,
            threads: int | str = "auto", progress: Progress = None) -> np.ndarray:
    """A picture (height, width[, channels]) without its white Gaussian noise: `lavdm denoise`.

    Every patch is estimated from those like it, however they are turned. `sigma` is the standard
    deviation of the noise in the picture's own units; None estimates it. Integer pictures come back as
    the same type, rounded and clipped; others as doubles. Methods: 'rid' (turned patches by
    rotation-invariant distance), 'lavdm' (by vector diffusion distance), 'nlm', 'nlem'; what the group
    of patches is made into: 'shrink', 'mean', 'median'. None elsewhere: chosen from sigma.

    >>> import lavdm, numpy
    >>> clean, noisy = lavdm.example_picture(64), lavdm.example_picture(64, sigma=25)
    >>> better = lavdm.denoise(noisy, 25)
    >>> bool(numpy.std(better - clean) < 0.6 * numpy.std(noisy - clean))
    True
    """
    picture = _picture(image)
    if sigma is not None and not float(sigma) >= 0:
        raise ValueError(f"sigma is {sigma}: it must be 0 or more; None estimates it")
    height, width, channels = picture.shape
    out = np.empty_like(picture)
    if bandwidth is not None and not float(bandwidth) > 0:
        raise ValueError(f"bandwidth is {bandwidth}: it must be more than 0")
    how = {"method": method, "average": average, "sigma": sigma, "bandwidth": bandwidth,
           **_counts(passes=passes, patch=patch, window=window, neighbours=neighbours, turned=turned, step=step)}
    with call({"landmarks": landmarks, "seed": seed, "threads": threads}, progress) as options:
        _core.denoise(picture, height, width, channels, options, how, out)
    original = np.asarray(image)
    out = out.reshape(original.shape)
    if original.dtype.kind in "iu":
        limits = np.iinfo(original.dtype)
        top = float(limits.max)
        if top > limits.max:  # 64 bits: the next double is beyond
            top = np.nextafter(top, 0)
        return np.clip(np.rint(out), limits.min, top).astype(original.dtype)
    return out


def estimate_noise(image: Any) -> float:
    """The standard deviation of white noise in a picture.

    >>> import lavdm
    >>> bool(23 < lavdm.estimate_noise(lavdm.example_picture(128, sigma=25)) < 27)
    True
    """
    picture = _picture(image)
    height, width, channels = picture.shape
    return _core.noise_level(picture, height, width, channels)


def example_picture(size: int = 240, sigma: float = 0, seed: int = 1) -> np.ndarray:
    """A picture to try denoising on, (size, size): strokes, disks and gratings, 0 .. 255, and noise."""
    size = index(size, "size")
    if not 0 <= sigma < np.inf:
        raise ValueError(f"sigma is {sigma}: it must be a finite number, 0 or more")
    out = np.empty((size, size))
    _core.example_picture(size, size, seed_of(seed), float(sigma), out)
    return out


# ---------------------------------------------------------- class averages


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class ClassAverages:
    """Averages of images with their neighbours."""

    averages: np.ndarray = field(repr=False)
    """(count, height, width)."""
    images: np.ndarray = field(repr=False)
    """(count): the image that each average is about."""
    neighbours: np.ndarray = field(repr=False)
    """(count, k): the images averaged with it, nearest first; -1 where fewer are left."""
    angles: np.ndarray = field(repr=False)
    """(count, k): the turn of each, in radians."""
    reflected: np.ndarray = field(repr=False)
    """(count, k): whether it was reflected first."""
    distances: np.ndarray = field(repr=False)
    method: str
    noise: float
    landmarks: int
    edges: int
    components: int


def class_average(images: Any, *, method: str = "auto", neighbours: int | None = None,
                  edges: int | None = None, rounds: int | None = None, classes: int | None = None,
                  precision: str = "single", progress: Progress = None, **options: Any) -> ClassAverages:
    """Averages every image of a stack (n, height, width) with those from almost the same direction.

    What `lavdm average` does: neighbours by 'rid', 'vdm' or 'lavdm' ('auto': vdm up to 20,000 images).
    Options: reflections, noise, landmarks, components, time, seed, threads, max_memory.

    >>> import lavdm
    >>> images, _ = lavdm.projections(200, 24, snr=1)
    >>> lavdm.class_average(images, neighbours=5).averages.shape
    (200, 24, 24)
    """
    how = {"method": method, **_counts(neighbours=neighbours, edges=edges, rounds=rounds, classes=classes)}
    if np.ndim(images) != 3:
        raise ValueError(f"images: a stack of three axes is needed, images x rows x columns, and this has "
                         f"{np.ndim(images)}")
    only("class_average", options, "reflections", "noise", "landmarks", "components", "time", "seed", "threads",
         "max_memory")
    with call({"precision": precision, **options}, progress) as table:
        found = _core.class_average(data(images, images=True), table, how)
    shape = np.asarray(found["neighbours"]).shape
    flags = found.pop("reflected")
    reflected = np.zeros(shape, bool) if flags is None else np.frombuffer(flags, np.int8).reshape(shape) != 0
    warning = found.pop("warning")
    if warning:
        warn([warning])
    for name in ("averages", "images", "neighbours", "angles", "distances"):
        found[name] = np.asarray(found[name])
    return ClassAverages(reflected=reflected, **found)


# ------------------------------------------------------------------ stacks


class Stack:
    """Images (n, height, width), or signals (n, samples), that are compared at their best turn.

    distance(i, j) = min over turns O (and reflections, if reflections='yes') of |I_i - O I_j|. Options:
    reflections, noise, pca, precision, signals, threads, max_memory, seed.

    >>> import lavdm, numpy
    >>> images, _ = lavdm.projections(10, 16)
    >>> stack = lavdm.Stack(numpy.concatenate([images, images[:, :, ::-1].transpose(0, 2, 1)]), noise=0)
    >>> distance, angle, _ = stack.pairs(0, 10)
    >>> bool(distance < 1e-6), round(float(numpy.degrees(angle)) % 360)
    (True, 90)
    """

    def __init__(self, objects: Any, *, progress: Progress = None, **options: Any) -> None:
        images = np.ndim(objects) == 3
        only("Stack", options, "bundle", "reflections", "noise", "pca", "precision", "signals", "threads",
             "max_memory", "seed")
        options.setdefault("bundle", "rotation" if images else "shift")
        with call(options, progress) as how:
            self._core = _core.Stack(data(objects, images=images), how)

    @property
    def info(self) -> dict[str, Any]:
        """n, height, width, pixels, bands, coefficients, compared, noise, signals."""
        return self._core.info()

    def __len__(self) -> int:
        return self.info["n"]

    def pairs(self, i: Any, j: Any) -> tuple[Any, Any, Any]:
        """(distance, angle, reflected): turning j so brings it closest to i."""
        first, second = np.broadcast_arrays(whole(i, "i"), whole(j, "j"))
        shape, count = first.shape, first.size
        distance, angle, reflected = np.empty(count), np.empty(count), np.empty(count, np.int8)
        self._core.pairs(None, whole(first, "i").ravel(), whole(second, "j").ravel(), distance, angle, reflected)
        return distance.reshape(shape)[()], angle.reshape(shape)[()], (reflected != 0).reshape(shape)[()]

    def align(self, i: Any, j: Any) -> np.ndarray:
        """(..., 2, 2): the matrices O of the turns, and reflections, that bring j closest to i."""
        _, angle, reflected = self.pairs(i, j)
        c, s, mirror = np.cos(angle), np.sin(angle), np.where(reflected, -1.0, 1.0)
        return np.stack([np.stack([c, -s * mirror], -1), np.stack([s, c * mirror], -1)], -2)

    def neighbours(self, k: int, objects: Any = None, references: Any = None, *,
                   progress: Progress = None) -> tuple[np.ndarray, ...]:
        """(index, distance, angle, reflected), each (objects, k): the nearest of the references."""
        k = index(k, "k")
        chosen = None if objects is None else whole(objects, "objects").ravel()
        others = None if references is None else whole(references, "references").ravel()
        shape = (len(self) if chosen is None else len(chosen), k)
        number, distance, angle = np.empty(shape, np.int64), np.empty(shape), np.empty(shape)
        reflected = np.empty(shape, np.int8)
        with reporter(progress) as listener:
            self._core.neighbours(listener, chosen, others, k, number, distance, angle, reflected)
        return number, distance, angle, reflected != 0

    def turn(self, objects: Any, angle: Any, reflected: Any = False) -> np.ndarray:
        """Objects turned by angles (reflected first): (count, height, width), 0 outside of the disk."""
        which, turns, flags = np.broadcast_arrays(np.atleast_1d(whole(objects, "objects")),
                                                  reals(angle, "angle"), np.asarray(reflected, bool))
        info = self.info
        out = np.empty((which.size, info["height"], info["width"]))
        self._core.turn(None, whole(which, "objects").ravel(), reals(turns, "angle").ravel(),
                        np.ascontiguousarray(flags, np.int8).ravel(), out)
        return out
