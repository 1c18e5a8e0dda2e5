"""The options of the library, as its own table has them.

There is no second list: names, types, defaults, choices and explanations of
every option come from ``_core.options()``.
"""
from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, Iterable, Mapping

from . import _core


@dataclass(frozen=True)
class Option:
    """A row of the table."""

    name: str
    type: str  # "choice", "integer", "real" or "bytes"
    initial: str
    help: str
    more: str
    least: float | None
    most: float | None
    choices: tuple[str, ...]

    @property
    def default(self) -> Any:
        return self.value(self.initial)

    def value(self, text: str) -> Any:
        """What a text of the library is in Python: a number, or the text."""
        if self.type == "choice" or text == "auto":
            return text
        if self.type == "integer":
            return int(text)
        if self.type == "real":
            return float(text)
        return int(text) if text.isdigit() else text  # bytes: 4G is a text

    @property
    def python_type(self) -> str:
        """Its values, as a type annotation."""
        if self.choices:
            more = " | bool" if self._switch else " | Callable[[float], float]" if "callback" in self.choices else ""
            return "Literal[" + ", ".join(map(repr, self.choices)) + "]" + more
        kind = {"integer": "int", "real": "float", "bytes": "int | str"}[self.type]
        return kind + " | Literal['auto'] | None" if self.initial == "auto" else kind

    @property
    def _switch(self) -> bool:
        return self.choices == ("no", "yes")

    def text(self, value: Any) -> str:
        """What a value of Python is to the library."""
        if isinstance(value, str):
            return value
        if value is None and self.initial == "auto":
            return "auto"
        if self._switch and type(value).__name__ in ("bool", "bool_"):  # Python's and NumPy's
            return "yes" if value else "no"
        if isinstance(value, numbers.Integral) and not isinstance(value, bool) and self.type != "choice":
            return str(int(value))
        if isinstance(value, numbers.Real) and not isinstance(value, bool) and self.type != "choice":
            number = float(value)
            return str(int(number)) if self.type != "real" and number.is_integer() else repr(number)
        wanted = " or ".join(map(repr, self.choices)) if self.choices else "a number"
        if self.initial == "auto" and not self.choices:
            wanted += " or 'auto'"
        raise TypeError(f"{self.name} is {value!r}: it must be {wanted}")


OPTIONS: dict[str, Option] = {
    row["name"]: Option(**dict(row, choices=tuple(row["choices"].split("|")) if row["choices"] else ()))
    for row in _core.options()
}


def texts(values: Mapping[str, Any]) -> dict[str, str]:
    """The options that were given, as texts. A callable kernel is left to `call`."""
    result = {}
    for name, value in values.items():
        if name not in OPTIONS:
            raise TypeError(f"there is no option {name!r}{nearest(name, OPTIONS)}; lavdm.options() lists them")
        result[name] = OPTIONS[name].text(value)
    return result


def values(chosen: Mapping[str, str]) -> dict[str, Any]:
    """Options of the library as numbers and names."""
    return {name: OPTIONS[name].value(text) for name, text in chosen.items()}


def only(function: str, given: Mapping[str, Any], *names: str) -> None:
    """Refuses options of the table that a function has no use for, rather than take them in silence."""
    for name in given:
        if name not in names:
            raise TypeError(f"{function} has no option {name!r}{nearest(name, names)}; it takes "
                            f"{', '.join(names)}")


def nearest(name: str, names: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def options() -> dict[str, Option]:
    """Every option of the library, by its name.

    >>> import lavdm
    >>> lavdm.options()["landmarks"].help
    'number of landmarks'
    >>> lavdm.options()["design"].choices
    ('kmeans', 'farthest', 'random', 'given')
    """
    return dict(OPTIONS)


def describe(name: str, indent: str = "    ") -> str:
    """A paragraph of a docstring about an option."""
    import textwrap

    option = OPTIONS[name]
    kind = "{" + ", ".join(map(repr, option.choices)) + "}" if option.choices else {
        "integer": "int", "real": "float", "bytes": "int or str"}[option.type]
    if option.initial == "auto" and not option.choices:
        kind += " or 'auto'"
    # the texts are Markdown, and docstrings are not
    about = (option.help[0].upper() + option.help[1:] + ". " + option.more).replace("`", "'").strip()
    body = textwrap.fill(" ".join(about.split()), 88, initial_indent=indent + "    ",
                         subsequent_indent=indent + "    ")
    return f"{indent}{name} : {kind}, default {option.default!r}\n{body}"
