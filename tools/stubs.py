"""Prints python/lavdm/estimators.pyi: the estimators with every option of the table, for editors and type checkers.

The signatures that Python itself sees are made from the same table when the package is imported. Run by
`make docs`:  PYTHONPATH=build/python python3 tools/stubs.py > python/lavdm/estimators.pyi
"""
import inspect
import textwrap

from lavdm import _names, estimators
from lavdm._options import OPTIONS

HEAD = '''"""The family as scikit-learn estimators.

Made by tools/stubs.py from the table of options: `make docs` makes it again.
"""
import os
from typing import Any, Callable, Literal, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from . import model as _model

_Self = TypeVar("_Self", bound="_Diffusion")
'''
OWN = {"progress": "bool | Callable[[str, float], Any]", "checkpoint": "str | os.PathLike[str] | None"}


def method(name, function):
    """As in the source: its annotations are texts."""
    signature = str(inspect.signature(function)).replace("'", "")
    line = f"def {name}{signature}: ...".replace(" = ", "\0=\0").replace(": ", ":\0")
    return textwrap.fill(line, 116, initial_indent="    ", break_long_words=False,
                         subsequent_indent=" " * len(f"    def {name}(")).replace("\0", " ")


def public(cls):
    for name, thing in vars(cls).items():
        if name.startswith("_"):
            continue
        if isinstance(thing, property):
            yield "    @property\n" + method(name, thing.fget)
        elif inspect.isfunction(thing):
            yield method(name, inspect.unwrap(thing))


def parameters(cls):
    for name, parameter in inspect.signature(cls).parameters.items():
        kind = OPTIONS[name].python_type if name in OPTIONS else OWN.get(name) or _names.NAMES[name][1]
        yield f"        {name}: {kind} = {parameter.default!r}," + ("\n        *," if name == "n_components" else "")


def main():
    base = estimators._Diffusion
    print(HEAD)
    print(f"class {base.__name__}({', '.join(parent.__name__ for parent in base.__bases__)}):")
    print("    model_: _model.Model\n    n_features_in_: int\n    feature_names_in_: np.ndarray")
    print("\n".join(public(base)))
    for cls in base.__subclasses__():
        print(f"\nclass {cls.__name__}({base.__name__}):\n    def __init__(\n        self,")
        print("\n".join(parameters(cls)) + "\n    ) -> None: ...")
        for name in inspect.signature(cls).parameters:
            print(f"    {name}: Any")


if __name__ == "__main__":
    main()
