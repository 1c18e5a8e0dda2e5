"""Pictures of fitted models: spectrum, embedding, vector fields. matplotlib is imported when one is drawn."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._columns import Columns
from .graph import _model_of
from .model import Model

__all__ = ["embedding", "field", "figure", "levels", "spectrum"]

# Eight colours that the colour-blind can tell apart, and shapes for more labels than these.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")
SHAPES = ("o", "^", "s", "D", "v", "P")
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#777777"  # that the colour-blind can tell apart


def _axes(ax: Any, dimensions: int) -> Any:
    """ax, or new axes, of the kind that is needed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as problem:
        raise ImportError("lavdm.plot needs matplotlib: pip install matplotlib, or apt install "
                          "python3-matplotlib") from problem
    if ax is None:
        if dimensions == 2:
            return plt.figure().add_subplot()
        return plt.figure().add_subplot(projection="3d")
    found = 3 if hasattr(ax, "get_zlim") else 2
    if found != dimensions:
        wanted = "projection='3d'" if dimensions == 3 else "no projection"
        raise ValueError(f"ax: these axes have {found} dimensions and {dimensions} are drawn; make them with {wanted}")
    return ax


def _whole(value: Any, name: str, least: int, most: int, what: str) -> int:
    number = int(value)
    if number != value or not least <= number <= most:
        raise ValueError(f"{name} is {value}: {what}, so it must be a whole number from {least} to {most}")
    return number


# ---------------------------------------------------------------- spectrum


def levels(eigenvalues: Any, apart: float = 4.0, least: float = 0.1) -> list[tuple[int, int]]:
    """Groups of eigenvalues that are all but equal: (first, after the last) of each, as in a slice.

    On the scale log(1 - eigenvalue), a group is a level if the gaps on either side of it are `least` or more,
    and more than its spread times `apart`. Of groups within groups the largest counts. The last group is
    left out, since it may go on beyond the eigenvalues that were found.

    >>> from lavdm import plot
    >>> plot.levels([1, 0.91, 0.9, 0.902, 0.6, 0.601, 0.4])
    [(0, 1), (1, 4), (4, 6)]
    """
    # An eigenvalue of 1 is exact to rounding only, and has no logarithm.
    height = np.log(np.maximum(1 - np.sort(np.asarray(eigenvalues, float))[::-1], 1e-9))
    gap = np.concatenate([[np.inf], np.diff(height)])
    found, first = [], 0
    while first < len(height):
        ends = [end for end in range(first + 1, len(height))
                if min(gap[first], gap[end]) > max(apart * (height[end - 1] - height[first]), least)]
        if ends:
            found.append((first, ends[-1]))
        first = ends[-1] if ends else first + 1
    return found


def spectrum(fitted: Any, ax: Any = None, *, laplacian: bool = False, multiplicities: bool = True,
             colour: Any = BLUE, label: str | None = None) -> Any:
    """Draws the eigenvalues from the largest down, and writes beside each level how many they are.

    fitted : a fitted estimator, or a Model.
    ax : axes to draw on; None makes new ones.
    laplacian : draw 1 - eigenvalue instead, which are those of the (connection) Laplacian, from the least up.
    multiplicities : write the size of the levels of two or more (see `levels`), as x6.
    Returns the axes.

    >>> import lavdm
    >>> vdm = lavdm.VectorDiffusionMap(components=18).fit(lavdm.sample("sphere", 1500))
    >>> ax = lavdm.plot.spectrum(vdm)
    >>> [text.get_text() for text in ax.texts]
    ['×6', '×10']
    """
    model = _model_of(fitted)
    ax = _axes(ax, 2)
    values = 1 - model.eigenvalues if laplacian else model.eigenvalues
    number = np.arange(1, len(values) + 1)
    ax.plot(number, values, "o", color=colour, markersize=4, label=label, zorder=3)
    for first, after in levels(model.eigenvalues) if multiplicities else []:
        if after - first < 2:
            continue
        mean = values[first:after].mean()
        ax.plot([first + 0.6, after + 0.4], [mean, mean], color=colour, alpha=0.25, linewidth=6,
                solid_capstyle="round", zorder=2)
        ax.annotate(f"×{after - first}", ((first + after + 1) / 2, mean), (0, 7), textcoords="offset points",
                    ha="center", va="bottom", color=colour)
    ax.set_xlabel("component")
    ax.set_ylabel("1 − eigenvalue" if laplacian else "eigenvalue")
    if laplacian:
        ax.set_ylim(bottom=min(0, values.min()))
    ax.margins(y=0.12)
    ax.xaxis.get_major_locator().set_params(integer=True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


# --------------------------------------------------------------- embedding


def _columns(model: Model, dims: Any, time: float | None, rank: int | None) -> tuple[np.ndarray, list[str]]:
    """The columns to draw and their names."""
    scalar = model.scalar
    # The embedding of r components has about r^2/2 columns, and the first few say nearly all.
    rank = rank if rank is not None else model.rank(time) if scalar else min(model.rank(time), 8)
    if isinstance(dims, (int, np.integer)):
        count = int(dims)
        if count not in (2, 3):
            raise ValueError(f"dims is {dims}: it must be 2 or 3, or the numbers of two or three columns")
        if (rank if scalar else rank * (rank + 1) // 2) < count + scalar:
            raise ValueError(f"{rank} components are too few for {count} dimensions: fit more")
        columns = Columns(model, count, time, rank, chosen=True)
        names = [f"coordinate {l}" for l in columns.index] if scalar else [
            f"principal axis {k + 1}" for k in range(count)]
        return columns.of(model), names
    table = model.coordinates(time, rank) if scalar else model.embedding(time, rank)
    names = [f"coordinate {l}" for l in range(rank)] if scalar else [
        f"⟨u{l}, u{s}⟩" for l in range(rank) for s in range(l, rank)]
    dims = list(dims)
    if len(dims) not in (2, 3):
        raise ValueError(f"dims has {len(dims)} columns: two or three can be drawn")
    dims = [_whole(k, "dims", 0, table.shape[1] - 1, f"there are {table.shape[1]} columns") for k in dims]
    return table[:, dims], [names[k] for k in dims]


def embedding(fitted: Any, dims: int | Sequence[int] = 2, colour: Any = None, ax: Any = None, *,
              labels: Any = None, time: float | None = None, rank: int | None = None, most: int = 20000,
              size: float | None = None, **how: Any) -> Any:
    """Draws the embedding: a dot for every point, in two or three dimensions.

    fitted : a fitted estimator, or a Model.
    dims : 2 or 3, or the numbers of the columns to draw. Of diffusion coordinates those are drawn that the fit
        chose as no functions of slower ones, and the leading ones that are not constant where it chose too few.
        The columns <u_l, u_s> of a vector diffusion map are many and alike; unless they are told, their principal
        axes are drawn, over the first 8 components.
    colour : (n) numbers or colours, or the name of one colour. Texts that are no colours are labels.
    labels : (n) texts: a colour for each, told by a legend. None: those of the model, if a frame had them.
    time, rank : as in `Model.embedding`.
    most : how many points are drawn at most, evenly taken from all.
    size : of a dot, in square points.
    **how : further arguments of matplotlib's scatter.
    Returns the axes; ax.collections[-1] is what fig.colorbar wants.

    >>> import lavdm
    >>> points, angle = lavdm.sample("circle", 300, parameters=True)
    >>> dm = lavdm.DiffusionMap(components=3).fit(points)
    >>> ax = lavdm.plot.embedding(dm, colour=angle[:, 0])
    >>> ax.get_xlabel(), len(ax.collections[0].get_offsets())
    ('coordinate 1', 300)
    """
    model = _model_of(fitted)
    table, names = _columns(model, dims, time, rank)
    ax = _axes(ax, len(names))
    drawn = np.flatnonzero(np.isfinite(table).all(1))
    most = _whole(most, "most", 1, 10**9, "it counts points")
    drawn = drawn[np.linspace(0, len(drawn) - 1, min(most, len(drawn))).astype(int)]
    if colour is not None and labels is not None:
        raise ValueError("colour and labels are given: each says what colour a point has; give one of them")
    if colour is not None and not isinstance(colour, str):
        colour = _of_each(colour, "colour", model)
        if _are_labels(colour):
            colour, labels = None, colour
    if labels is None and colour is None:
        labels = model.labels
    if size is None:
        size = float(np.clip(20000 / max(len(drawn), 1), 1, 20))
    how = {"linewidths": 0, "rasterized": True, "s": size, **how}
    if labels is not None:
        _labelled(ax, table, drawn, _of_each(labels, "labels", model), how)
    else:
        each = colour is not None and not isinstance(colour, str)
        ax.scatter(*table[drawn].T, c=BLUE if colour is None else colour[drawn] if each else colour, **how)
    for letter, name in zip("xyz", names):
        getattr(ax, f"set_{letter}label")(name)
        # The numbers depend on n and on nothing that one would read off.
        getattr(ax, f"{letter}axis").set_ticks([])
    if len(names) == 2:
        ax.set_aspect("equal", adjustable="datalim")
    else:
        ax.set_box_aspect(np.ptp(table[drawn], axis=0))
    return ax


def _of_each(values: Any, name: str, model: Model) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim == 0 or len(array) != model.n:
        raise ValueError(f"{name}: the shape is {array.shape}, and one for each of {model.n} points is needed")
    return array


def _are_labels(colour: np.ndarray) -> bool:
    """Texts, at least one of which is no colour."""
    if colour.ndim != 1 or colour.dtype.kind not in "OSU" or not all(isinstance(one, str) for one in colour):
        return False
    from matplotlib.colors import is_color_like

    return not all(is_color_like(one) for one in set(colour.tolist()))


def _labelled(ax: Any, table: np.ndarray, drawn: np.ndarray, labels: np.ndarray, how: dict[str, Any]) -> None:
    if labels.ndim != 1:
        raise ValueError(f"labels: the shape is {labels.shape}, and one label for each point is needed")
    texts = np.asarray([str(one) for one in labels], dtype=object)
    kinds = sorted(set(texts.tolist()))
    if len(kinds) > len(PALETTE) * len(SHAPES):
        raise ValueError(f"labels has {len(kinds)} different values, and {len(PALETTE) * len(SHAPES)} can be told apart: "
                         "give numbers as colour, or fewer labels")
    for k, kind in enumerate(kinds):
        some = drawn[texts[drawn] == kind]
        ax.scatter(*table[some].T, color=PALETTE[k % len(PALETTE)], marker=SHAPES[k // len(PALETTE)], **how)
    legend = ax.legend(ax.collections[-len(kinds):], ["label"] * len(kinds), markerscale=2, fontsize="small",
                       frameon=False, ncol=1 + (len(kinds) - 1) // 12)
    for text, kind in zip(legend.get_texts(), kinds):  # afterwards: legends leave out labels that begin with _
        text.set_text(kind.replace("$", r"\$") or "(none)")


# ------------------------------------------------------------------- field


def _spread(points: np.ndarray, count: int) -> np.ndarray:
    """`count` of the points, each the farthest from those before: evenly spread, whatever their density."""
    candidates = np.arange(len(points))
    if len(points) > 50 * count:
        candidates = candidates[np.linspace(0, len(points) - 1, 50 * count).astype(int)]
    some = points[candidates]
    chosen = [0]
    distance = np.linalg.norm(some - some[0], axis=1)
    while len(chosen) < min(count, len(some)):
        chosen.append(int(distance.argmax()))
        np.minimum(distance, np.linalg.norm(some - some[chosen[-1]], axis=1), out=distance)
    return np.sort(candidates[chosen])


def _hidden(points: np.ndarray, chosen: np.ndarray, ax: Any) -> np.ndarray:
    """Which of the chosen points have others in front of them, as ax looks at them."""
    from scipy.spatial import cKDTree

    elevation, azimuth = np.radians(ax.elev), np.radians(ax.azim)
    towards = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth),
                        np.sin(elevation)])
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0])
    flat = points @ np.stack([right, np.cross(towards, right)], 1)
    depth = points @ towards
    tree = cKDTree(flat)
    reach = 3 * np.median(cKDTree(points).query(points, 2)[0][:, 1])
    # A surface seen at a slant is not in front of itself.
    thick = 0.15 * np.linalg.norm(np.ptp(points, axis=0))
    return np.array([depth[near].max() > depth[i] + thick
                     for i, near in zip(chosen, tree.query_ball_point(flat[chosen], reach))], bool)


def _points(model: Model, points: Any) -> np.ndarray:
    if points is None:
        if "points" not in model:
            raise ValueError("points: the model has none of its own; give those that it was fitted to")
        return model["points"] + (model["centre"] if "centre" in model else 0)
    points = np.asarray(points, float)
    if points.shape != (model.n, model.p):
        raise ValueError(f"points: the shape is {points.shape}, and ({model.n}, {model.p}) is needed: the points "
                         "that the model was fitted to")
    return points


def field(fitted: Any, component: int = 0, points: Any = None, ax: Any = None, *, arrows: int = 400,
          hidden: str = "fade", length: float = 1.0, vectors: Any = None, cmap: Any = None,
          background: bool = True, **how: Any) -> Any:
    """Draws an eigenvector of the tangent bundle as the vector field that it is, in the plane or in space.

    fitted : a fitted estimator with the tangent bundle, or such a Model.
    component : which eigenvector, from 0.
    points : (n, p), p = 2 or 3, those that the model was fitted to; None takes them from the model.
    arrows : how many are drawn, evenly spread; their colour is the length of the vector at the point.
    hidden : of arrows behind the surface, as the 3-D axes look when this is called: 'fade', 'drop' or 'show'.
        So make the axes, turn them by ax.view_init, and draw then.
    length : of the longest arrow, in typical distances from one arrow to the next.
    vectors : (n, p), a field to draw in place of an eigenvector, such as a sum of some.
    cmap : colours of the lengths; None goes from green to the dark end of viridis, all of which is seen on white.
    background : small grey dots for the points that are not hidden.
    **how : further arguments of matplotlib's quiver.
    Returns the axes.

    >>> import lavdm
    >>> X = lavdm.sample("sphere", 800)
    >>> vdm = lavdm.VectorDiffusionMap(components=6).fit(X)
    >>> ax = lavdm.plot.field(vdm, 0, points=X, arrows=100)
    >>> ax.name, len(ax.collections)  # dots, arrows behind, arrows in front
    ('3d', 3)
    """
    model = _model_of(fitted)
    if model.options["bundle"] != "tangent":
        raise ValueError(f"the bundle is {model.options['bundle']!r}: only eigenvectors of bundle='tangent' are vector "
                         "fields; plot.embedding draws the others")
    if model.p not in (2, 3):
        raise ValueError(f"the points have {model.p} coordinates: fields are drawn in 2 and 3 dimensions; "
                         "Model.ambient() gives the vectors")
    if hidden not in ("fade", "drop", "show"):
        raise ValueError(f"hidden is {hidden!r}: it must be fade, drop or show")
    r = len(model.eigenvalues)
    component = _whole(component, "component", 0, r - 1, f"the model has {r} components")
    arrows = _whole(arrows, "arrows", 1, 10**6, "it counts arrows")
    points = _points(model, points)
    if vectors is None:
        vectors = model.ambient()[:, :, component]
    else:
        vectors = np.asarray(vectors, float)
        if vectors.shape != points.shape:
            raise ValueError(f"vectors: the shape is {vectors.shape}, and {points.shape} is needed")
    size = np.linalg.norm(vectors, axis=1)
    usable = np.flatnonzero(size > 0)  # neither isolated nor NaN
    if not len(usable):
        raise ValueError("the field is zero at every point: nothing can be drawn")
    chosen = usable[_spread(points[usable], arrows)]
    step = _step(points[chosen]) if len(chosen) > 1 else 1.0
    scale = length * step / size[chosen].max()
    ax = _axes(ax, model.p)
    if cmap is None:
        cmap = _on_white()
    if model.p == 2:
        if background:
            ax.scatter(*points[chosen].T, s=3, c=GREY, linewidths=0, alpha=0.5)
        ax.quiver(*points[chosen].T, *vectors[chosen].T, size[chosen], cmap=cmap, angles="xy", scale_units="xy",
                  scale=1 / scale, **{"pivot": "mid", "width": 0.004, **how})
        ax.set_aspect("equal")
        return ax
    _field_in_space(ax, points, chosen, vectors[chosen], scale, hidden, background,
                    {"cmap": cmap, "pivot": "middle", "arrow_length_ratio": 0.45, "linewidths": 1.5, **how})
    return ax


def _on_white() -> Any:
    """Lengths as colours that stand out from a white ground, the longest most."""
    import matplotlib
    from matplotlib.colors import ListedColormap

    return ListedColormap(matplotlib.colormaps["viridis_r"](np.linspace(0.3, 1, 256)), "on_white")


def _step(points: np.ndarray) -> float:
    from scipy.spatial import cKDTree

    return float(np.median(cKDTree(points).query(points, 2)[0][:, 1]))


def _field_in_space(ax: Any, points: np.ndarray, chosen: np.ndarray, vectors: np.ndarray, scale: float, hidden: str,
                    background: bool, how: dict[str, Any]) -> None:
    def unseen(some: np.ndarray) -> np.ndarray:
        return np.zeros(len(some), bool) if hidden == "show" else _hidden(points, some, ax)

    behind = unseen(chosen)
    ax.computed_zorder = False  # what is behind is drawn first, and not by the depth of its middle
    if background:
        dots = np.linspace(0, len(points) - 1, min(len(points), 5000)).astype(int)
        ax.scatter(*points[dots[~unseen(dots)]].T, s=2, c=GREY, linewidths=0, alpha=0.25, depthshade=False, zorder=1)
    most = np.linalg.norm(vectors, axis=1).max()
    for which, alpha, order in ((behind, 0.15, 2), (~behind, 1.0, 3)):
        if not which.any() or (alpha < 1 and hidden == "drop"):
            continue
        some = vectors[which]
        drawn = ax.quiver(*points[chosen[which]].T, *(scale * some).T, alpha=alpha, zorder=order, **how)
        size = np.linalg.norm(some, axis=1)
        drawn.set_array(np.concatenate([size, np.repeat(size, 2)]))  # shafts, and then both sides of each head
        drawn.set_clim(0, most)
    # One unit is as long along every axis, whatever of the points was drawn.
    low, high = points.min(0), points.max(0)
    room = 0.05 * (high - low).max()
    for letter, least, greatest in zip("xyz", low - room, high + room):
        getattr(ax, f"set_{letter}lim")(least, greatest)
    ax.set_box_aspect(high - low + 2 * room)
    ax.set_xlabel("x"), ax.set_ylabel("y"), ax.set_zlabel("z")


# ------------------------------------------------------------------ figure

_draw_spectrum = spectrum  # `figure` has an argument of that name


def figure(fitted: Any, *, colour: Any = None, axes: int | Sequence[int] = 2, fields: int | None = None,
           view: tuple[float, float] = (-60, 25), points: Any = None, spectrum: str = "beside",
           size: tuple[float, float] | None = None, title: str | None = None, time: float | None = None) -> Any:
    """What `lavdm plot` draws, by the names of its options: the spectrum, and beside it the embedding or a field.

    fitted : a fitted estimator, or a Model; `model.plot(...)` is the same.
    colour : of the points, as `colour` of `embedding`: numbers, labels or one colour.
    axes : 2, or 3 for space; or the numbers of the columns, as `dims` of `embedding`.
    fields : draw this eigenvector, from 0, as arrows at the points in place of the embedding.
    view : azimuth and elevation that space is seen from, in degrees.
    points : those that the model was fitted to, for `fields`, if it has none.
    spectrum : 'beside', 'only' or 'no'.
    size : width and height in inches.
    Returns the figure: .savefig('picture.pdf') writes it.

    >>> import lavdm
    >>> model = lavdm.fit(lavdm.sample("torus", 500), method="dm", components=6)
    >>> [ax.get_ylabel() for ax in model.plot(axes=(1, 3)).axes]
    ['eigenvalue', 'coordinate 3']
    """
    model = _model_of(fitted)
    if spectrum not in ("beside", "only", "no"):
        raise ValueError(f"spectrum is {spectrum!r}: it must be beside, only or no")
    if spectrum == "only" and (fields is not None or colour is not None):
        raise ValueError("spectrum is 'only': no points are drawn, so that fields and colour have no use")
    if fields is not None and colour is not None:
        raise ValueError("fields and colour are given: arrows have the colour of their length; give one of them")
    dims = model.p if fields is not None else axes if isinstance(axes, (int, np.integer)) else len(list(axes))
    both = spectrum == "beside"
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        _axes(None, 2)  # says what is missing
        raise
    with plt.rc_context({"font.size": 8, "axes.linewidth": 0.6}):
        made = plt.figure(figsize=size or ((7, 2.8) if both else (3.5, 2.8)), layout="constrained")
        if spectrum != "no":
            _draw_spectrum(model, made.add_subplot(1, 2 if both else 1, 1))
        if spectrum != "only":
            ax = made.add_subplot(1, 2 if both else 1, 2 if both else 1, projection="3d" if dims == 3 else None)
            if dims == 3:
                ax.view_init(view[1], view[0])
            if fields is not None:
                field(model, fields, points, ax, arrows=250)
            else:
                embedding(model, axes, colour, ax, time=time)
            if dims == 3:
                ax.set_box_aspect(ax.get_box_aspect(), zoom=0.8)  # room for names and numbers around the box
            for letter in "xyz" if dims == 3 and fields is not None else "":
                getattr(ax, f"{letter}axis").get_major_locator().set_params(nbins=3)  # more would meet
    if title:
        made.suptitle(title)
    return made
