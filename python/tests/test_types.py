"""Types: the stubs are current and true, and mypy finds no fault in the package or in code that uses it."""
import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys
import types

import pytest

import lavdm
from lavdm import _core

ROOT = pathlib.Path(os.environ.get("LAVDM_SOURCE") or pathlib.Path(__file__).parents[2])
PACKAGE = ROOT / "python" / "lavdm"


def run(*words, **more):
    environment = {**os.environ, "MYPY_CACHE_DIR": os.devnull, "MYPYPATH": str(ROOT / "python")}
    if "mypy" in words:
        environment.pop("LD_PRELOAD", None)  # nothing of ours runs in it
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, env=environment, **more)


def test_estimators_are_current():
    made = run(ROOT / "tools" / "stubs.py")
    assert made.returncode == 0, made.stderr
    assert made.stdout == (PACKAGE / "estimators.pyi").read_text(), "run make docs"


def test_estimators_hold_the_table():
    classes = {node.name: node for node in ast.parse((PACKAGE / "estimators.pyi").read_text()).body
               if isinstance(node, ast.ClassDef)}
    for kind in (lavdm.DiffusionMap, lavdm.VectorDiffusionMap, lavdm.Roseland, lavdm.LandmarkVectorDiffusionMap,
                 lavdm.Nystrom):
        assert [parent.id for parent in classes[kind.__name__].bases] == ["_Diffusion"]
        init = next(node for node in classes[kind.__name__].body if isinstance(node, ast.FunctionDef))
        assert [argument.arg for argument in init.args.args] == ["self", "n_components"]
        names = ["n_components"] + [argument.arg for argument in init.args.kwonlyargs]
        assert names == list(inspect.signature(kind).parameters)
        values = [ast.literal_eval(default) for default in init.args.defaults + init.args.kw_defaults]
        assert dict(zip(names, values)) == kind().get_params()
    base = {node.name for node in classes["_Diffusion"].body if isinstance(node, ast.FunctionDef)}
    assert {"fit", "transform", "fit_transform", "embedding_", "eigenvalues_", "frames_", "options_"} <= base


def test_core_is_what_its_stub_says():
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found = {name for name, thing in vars(_core).items() if isinstance(thing, types.BuiltinFunctionType)}
    assert set(functions) == found
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and hasattr(_core, node.name):
            methods = {name for name in vars(getattr(_core, node.name)) if not name.startswith("__")}
            assert {part.name for part in node.body if isinstance(part, ast.FunctionDef)} - {"__init__"} == methods
    # docstrings begin with the call
    for thing in [getattr(_core, name) for name in found] + [
            method for kind in (_core.Model, _core.Stack) for name, method in vars(kind).items()
            if not name.startswith("__")]:
        assert re.match(rf"{thing.__name__}\(", thing.__doc__), thing.__name__


def test_strict_core():
    """The core refuses what is of the wrong type or size, and does not read beyond."""
    import numpy as np

    model = lavdm.fit(lavdm.sample("circle", 50), method="dm", components=3)._core
    right, j = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for arguments in [(np.zeros(4), j), (right, j[:3]), (right[::2], j[::2]), (right.astype(np.int32), j), (3, j),
                      (right, b"x" * 32)]:
        with pytest.raises((TypeError, ValueError, BufferError)):
            model.pairs(*arguments, 1.0, 2, False, np.zeros(4), None)
    for out in (np.zeros((50, 2), np.float32), np.zeros((49, 2)), np.zeros((50, 2)).T[::1], bytes(800)):
        with pytest.raises((TypeError, ValueError, BufferError)):
            model.coordinates(1.0, 2, out)
    read_only = np.zeros((50, 2))
    read_only.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        model.coordinates(1.0, 2, read_only)
    for data in ({"points": np.zeros(3)}, {"points": np.zeros((3, 3), int)}, {"points": "text"},
                 {"points": np.zeros((3, 3), ">f8")}, {"edges": {"row": right, "col": j[:2], "kind": "none"}},
                 {"edges": {"row": right, "col": j, "kind": "spin"}}, {"read": 3, "n": 5, "p": 2}, {"n": "x", "read": 3}):
        with pytest.raises((TypeError, ValueError, BufferError)):
            _core.fit(data, {})
    for options in ({"epsilon": 3}, {3: "x"}, {"zzz": "1"}, {"checkpoint": "text"}, {"kernel_function": 3},
                    {"progress": 3}):
        with pytest.raises((TypeError, ValueError)):
            _core.fit({"points": np.random.default_rng(0).random((20, 2))}, options)
    with pytest.raises(TypeError):
        _core.Model()
    with pytest.raises(TypeError):
        _core.Stack()


def test_mypy():
    pytest.importorskip("mypy")
    done = run("-m", "mypy", "--config-file", ROOT / "python" / "pyproject.toml", PACKAGE)
    assert done.returncode == 0, done.stdout + done.stderr


USE = """
import lavdm
import numpy as np

x = lavdm.sample("sphere", 100)
f = lavdm.VectorDiffusionMap(components=4, kernel=lambda t: 1.0, reflections=True, epsilon=None)
y: np.ndarray = f.fit_transform(x)
n: int = f.model_.n
m: int = f.fit(x).model_.n
d: lavdm.Synchronization = lavdm.synchronize(([0], [1], [0.5]))
g = lavdm.DiffusionMap(2, random_state=np.random.default_rng(0), n_jobs=-1, gamma=2.0, affinity="precomputed")
lavdm.DiffusionMap(components="four")  # WRONG
lavdm.DiffusionMap(landmarks=3)  # WRONG
lavdm.Roseland("two")  # WRONG
lavdm.DiffusionMap(design="grid")  # WRONG
lavdm.DiffusionMap(bandwidth=3)  # WRONG
lavdm.fit(x).no_such_thing  # WRONG
"""


def test_mypy_of_a_user(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(USE)
    done = run("-m", "mypy", "--config-file", ROOT / "python" / "pyproject.toml", "use.py", cwd=tmp_path)
    wrong = [number for number, line in enumerate(USE.split("\n"), 1) if "WRONG" in line]
    found = sorted({int(number) for number in re.findall(r"use.py:(\d+): error", done.stdout)})
    assert found == wrong, done.stdout
