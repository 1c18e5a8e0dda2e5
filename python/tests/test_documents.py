"""The examples in the docstrings run, and every public thing has a docstring."""
import doctest
import importlib
import inspect

import pytest

import lavdm

MODULES = ["lavdm", "lavdm._options", "lavdm.estimators", "lavdm.graph", "lavdm.images", "lavdm.model",
           "lavdm.samples", "lavdm.tl"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_there_are_examples():
    for name in lavdm.__all__:
        thing = getattr(lavdm, name)
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing) and name not in ("fit", "load", "example_picture"):
            assert ">>>" in thing.__doc__, name
