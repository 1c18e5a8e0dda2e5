"""A model as a small table of HTML, for notebooks. Whatever comes from outside is escaped."""
from __future__ import annotations

from html import escape
from typing import Any

SHOWN = 10  # eigenvalues and warnings


def table(model: Any) -> str:
    options, info = model.options, model.info
    through = f" through {model.m} landmarks" if options["method"] not in ("dm", "vdm") else ""
    rows = [("method", f"{options['method']} of {model.n} points{through}"),
            ("bundle", f"{options['bundle']}, q = {model.q}"),
            ("components", str(options["components"])),
            ("epsilon", f"{options['epsilon']:.4g}" if isinstance(options["epsilon"], float) else options["epsilon"]),
            ("eigenvalues", _listed([f"{value:.4g}" for value in model.eigenvalues], ", "))]
    if model.labels is not None:
        rows.append(("labels", _listed(sorted(set(map(str, model.labels))), ", ")))
    if model.ids is not None and len(model.ids):
        rows.append(("ids", f"{model.ids[0]} to {model.ids[-1]}"))
    rows += [("reason", sentence) for sentence in info["reasons"]]
    rows += [("warning", sentence) for sentence in info["warnings"]]
    body = "".join(f"<tr><th style='text-align:left'>{escape(str(name))}</th>"
                   f"<td style='text-align:left'>{escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table><caption>lavdm.Model</caption><tbody>{body}</tbody></table>"


def _listed(texts: list[str], mark: str) -> str:
    return mark.join(texts[:SHOWN]) + (f"{mark}… ({len(texts)} in all)" if len(texts) > SHOWN else "")
