"""Results as a page of HTML: what `lavdm report` writes, from memory."""
from __future__ import annotations

import html as _html
import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _frames
from ._data import call, data as data_of
from ._progress import Progress

if TYPE_CHECKING:
    from .model import Model


class Report:
    """A page of HTML that shows a result, and holds all that it shows.

    A notebook shows it inline, in a frame that can reach neither the notebook nor a network.
    """

    def __init__(self, html: str, title: str) -> None:
        self.html = html
        """The page."""
        self.title = title

    def save(self, path: str | os.PathLike) -> None:
        """Writes the page to a file, to be opened in a browser."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<lavdm.Report: {self.title}, {len(self.html) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        return (f'<iframe title="{_html.escape(self.title)}" sandbox="allow-scripts allow-downloads" '
                'style="width:100%;height:900px;border:0" '
                f'srcdoc="{_html.escape(self.html)}"></iframe>')


def _bytes(text: Any) -> bytes:
    return str(text).encode("utf-8", "replace")


def _lines(texts: Any) -> bytes:
    """One text a line: what is missing is an empty one."""
    def one(value: Any) -> str:
        missing = value is None or (isinstance(value, float) and np.isnan(value))
        return "" if missing else str(value).replace("\r", " ").replace("\n", " ")

    return _bytes("\n".join(map(one, texts)))


def _colours(labels: Any, n: int) -> list[tuple[bytes, Any]]:
    """Texts, booleans and whole numbers are labels; other numbers are a colour."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(f"labels: the shape is {array.shape}, and one for each of the {n} points is needed")
    number, name = array.dtype.kind == "f", getattr(labels, "name", None)
    values = (b"colour", np.ascontiguousarray(array, np.float64)) if number else (b"labels", _lines(array.tolist()))
    return [values, *([] if name is None else [(b"colour_name" if number else b"label_name", _bytes(name))])]


def _facts(model: Model) -> list[tuple[bytes, Any]]:
    info = model._info
    facts: list[tuple[bytes, Any]] = [(name.encode(), info[name]) for name in ("n", "p", "m", "q")]
    for name, value in info.items():
        if isinstance(value, (int, float)) and name not in ("n", "p", "m", "q"):
            facts.append((name.encode(), value))
    for name, value in model.options.items():
        if name in ("method", "bundle", "metric", "kernel", "design") and value != "auto":
            facts.append((name.encode(), _bytes(value)))
        elif name in ("dim", "epsilon", "alpha", "beta", "knn", "cutoff", "time", "seed") and value != "auto":
            facts.append((name.encode(), float(value)))
    facts += [(b"options", _bytes("\n".join(f"{k} = {v}" for k, v in info["chosen"].items()))),
              (b"warnings", _lines(info["warnings"])), (b"reasons", _lines(info["reasons"])),
              (b"timings", _bytes("\n".join(f"{stage} {seconds:.6g}" for stage, seconds in info["timings"]))),
              (b"version", _bytes(_core.version))]
    isolated = np.asarray(info["isolated"])
    if isolated.size:
        facts.append((b"isolated_points", np.ascontiguousarray(isolated, np.int64)))
    return facts


def _rows(points: Any, model: Model) -> tuple[Any, list[Any] | None]:
    """The points as the core takes them, and the names of their columns."""
    if points is None:
        return None, model._columns
    if _frames.is_frame(points):
        points = _frames.ordered(_frames.read(points, spare=model._label), model._columns)
    return data_of(points), getattr(points, "columns", model._columns)


def _images(images: Any) -> Any:
    if images is None:
        return None
    shape = np.shape(images)
    if len(shape) not in (2, 3):
        raise ValueError(f"images: (n, height, width) is needed, or (n, samples) of signals, and the shape is {shape}")
    given = data_of(images, images=True)
    if len(shape) == 2:
        given["height"], given["width"] = 1, shape[1]
    return given


def report(model: Model, data: Any = None, labels: Any = None, images: Any = None, title: str | None = None,
           progress: Progress = None) -> Report:
    title = "lavdm" if title is None else str(title)
    points, columns = _rows(data, model)
    items = _colours(labels, model.n) if labels is not None else []
    if labels is None and model.labels is not None:
        items += [(b"labels", _lines(model.labels)), (b"label_name", _bytes(model._label))]
    if model.ids is not None:
        items.append((b"ids", _lines(model.ids)))
    if columns is not None:
        items.append((b"columns", _lines(columns)))
    items += _facts(model)
    items += [(name.encode(), np.ascontiguousarray(model[name])) for name in model.arrays]
    threads = {"seed": model.options["seed"]}
    with tempfile.TemporaryDirectory(prefix="lavdm-") as folder:
        path = os.path.join(folder, "page.html")
        with call(threads, progress) as how:
            _core.report(path, _bytes(title), items, points, _images(images), how)
        with open(path, encoding="utf-8", newline="") as file:
            return Report(file.read(), title)
