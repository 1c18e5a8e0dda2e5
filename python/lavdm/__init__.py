"""lavdm: diffusion maps, vector diffusion maps, ROSELAND and LA-VDM.

Estimators of scikit-learn's kind:

>>> import lavdm
>>> points = lavdm.sample("klein", 2000)
>>> embedding = lavdm.LandmarkVectorDiffusionMap(components=8).fit_transform(points)
>>> embedding.shape
(2000, 36)

and functions around them: `fit` and `load` give a `Model`; `connection_laplacian`,
`vector_diffusion_distance`, `align` and `orientability` ask about points; `synchronize` about graphs,
`pose_weights` about those of poses;
`denoise`, `class_average` and `Stack` about images; `sample` and `projections` make data; `plot` draws;
`tl.diffmap` is for AnnData.
Every option is explained by `options()`, which is the library's own table.
"""
from . import plot, tl
from ._core import version as __version__
from ._data import LavdmWarning
from ._options import Option, options
from .estimators import DiffusionMap, LandmarkVectorDiffusionMap, Nystrom, Roseland, VectorDiffusionMap
from .graph import (Edges, Orientability, align, connection_laplacian, orientability, vector_diffusion_distance)
from .images import ClassAverages, Stack, class_average, denoise, estimate_noise, example_picture
from .model import Model, Report, fit, load, plan
from .samples import projections, sample, shapes
from .sync import Synchronization, pose_weights, synchronize

__all__ = [
    "ClassAverages", "DiffusionMap", "Edges", "LandmarkVectorDiffusionMap", "LavdmWarning", "Model", "Nystrom",
    "Option", "Orientability", "Report", "Roseland", "Stack", "Synchronization", "VectorDiffusionMap", "align",
    "class_average", "connection_laplacian", "denoise", "estimate_noise", "example_picture", "fit", "load",
    "options", "orientability", "plan", "pose_weights", "projections", "sample", "shapes", "synchronize",
    "vector_diffusion_distance",
]
