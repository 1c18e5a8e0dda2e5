"""Thousands of calls of the extension module, drawn from a seed: arguments of the right kind, and among them wrong
types, shapes, orders, strides and numbers. Each call answers or raises one of a few exceptions, and the module goes on.

    LAVDM_CALLS=100000 LAVDM_SEED=7 python3 -m pytest python/tests/test_fuzz.py
"""
import faulthandler
import os

import numpy as np
import pytest

from lavdm import _core

CALLS = int(os.environ.get("LAVDM_CALLS", 3000))
SEED = int(os.environ.get("LAVDM_SEED", 0))
RAISED = (ValueError, TypeError, OverflowError, ArithmeticError, MemoryError, OSError, BufferError)
NUMBERS = (0, 1, 2, 3, 5, -1, -2, 2**31, 2**32, 2**32 + 1, 2**61, 2**62, 2**63 - 1, -2**63, 2**64)
OPTIONS = _core.options()
faulthandler.enable()


class Draw:
    """What arguments are drawn from; `odd` is how many of a hundred are not what they should be."""

    def __init__(self, seed, odd):
        self.draw = np.random.default_rng(seed)
        self.odd = odd

    def below(self, count):
        return int(self.draw.integers(count))

    def one(self, choices):
        return choices[self.below(len(choices))]

    def strange(self):
        return self.below(100) < self.odd

    def anything(self):
        return self.one((None, True, -1, 2**63, 0.5, float("nan"), "", "x", "a\0b", "\udcff", b"", b"\0\1", [], [1.0], {},
                         {"points": 1}, (), object(), np.float64(2), np.zeros(3, "O"), np.zeros((), "f8"), memoryview(b"12345678"),
                         np.zeros((2, 2), "c16"), np.array(["a"]), np.zeros((2, 0)), bytearray(8), len))

    def whole(self, right):
        return self.one(NUMBERS) if self.strange() else right

    def real(self):
        return self.one((0.0, -1.0, 1e-320, 1e308, float("inf"), float("nan"))) if self.strange() else float(self.below(40)) / 8

    def layout(self, array):
        """The same numbers, differently laid out or of another type."""
        kind = self.below(10)
        if kind == 0:
            return np.asfortranarray(array)
        if kind == 1:
            return array[::-1]
        if kind == 2:
            return np.repeat(array, 2, axis=0)[::2]
        if kind == 3:
            return array.astype(self.one(("f4", "f2", ">f8", "i4", "i8", "u8", "?", "c16", "O", "S3", "f8")))
        if kind == 4:  # one number again and again
            return np.broadcast_to(np.ones(1, array.dtype), array.shape)
        if kind == 5:  # no number lies where numbers should
            return np.frombuffer(b"\0" + array.tobytes(), "u1")[1:].view(array.dtype).reshape(array.shape)
        if kind == 6:
            array = array.copy()
            array.flags.writeable = False
            return array
        if kind == 7:
            return array.reshape(array.shape + (1,))
        if kind == 8:
            return array[:-1]
        return array.ravel()

    def array(self, *shape, type="f8"):
        """To read or to fill: numbers, whole ones below 8."""
        shape = tuple(min(max(k, 0), 200) for k in shape)
        array = self.draw.integers(0, 8, shape).astype(type) if type == "i8" else self.draw.normal(size=shape).astype(type)
        if type == "f8" and array.size and self.strange():
            array.flat[self.below(array.size)] = self.one((np.nan, np.inf, 1e308, 1e-320, 1e40))
        if self.strange():
            return self.anything() if self.below(2) else self.layout(array)
        return array

    def options(self):
        options = {"threads": "1"}
        for _ in range(self.below(5)):
            option = self.one(OPTIONS)
            choices = option.get("choices")
            value = self.one(choices.split("|") if isinstance(choices, str) else choices) if choices else str(self.below(30))
            options[option["name"]] = value
            if self.strange():
                options[self.one((option["name"], "nothing", 3, "a\0"))] = self.anything()
        if self.strange():
            options[self.one(("progress", "kernel_function", "checkpoint"))] = self.one((None, len, 3, b"a\0b", b"", lambda *a: 0))
        options["threads"] = "1"
        return options

    def edges(self):
        count, kind = 1 + self.below(20), self.one(("none", "sign", "angle", "matrix", "quaternion"))
        edges = {"row": self.array(count, type="i8"), "col": self.array(count, type="i8"), "kind": kind, "q": self.whole(1)}
        if self.below(2):
            edges["weight"] = np.abs(self.array(count)) if not self.odd else self.array(count)
        if kind != "none":
            numbers = np.ones(count) if kind in ("sign", "matrix") else self.array(count, 4) if kind == "quaternion" else self.array(count)
            edges["element"] = numbers if not self.strange() else self.anything()
        return edges

    def data(self):
        n, p = 1 + self.below(24), 1 + self.below(4)
        data = {"points": self.array(n, p)}
        kind = self.below(8)
        if kind == 0:
            data["edges"] = self.edges() if not self.strange() else self.anything()
        if kind == 1:
            data["landmark_points"] = self.array(1 + self.below(5), self.whole(p))
        if kind == 2:
            data["landmark_index"] = self.array(1 + self.below(5), type="i8")
        if kind == 3:
            points = np.ascontiguousarray(self.draw.normal(size=(n, p)))
            data = {"read": lambda first, count: points[first:first + count] if not self.strange() else self.anything(),
                    "n": self.whole(n), "p": self.whole(p), "single": self.whole(0)}
        if self.strange():
            data[self.one(("points", "read", "height", "width", "edges", "landmark_points", "landmark_index", "n"))] = self.anything()
        return data

    def images(self):
        n, side = 2 + self.below(10), 3 + self.below(5)
        return {"points": self.array(n, side * side), "height": self.whole(side), "width": self.whole(side)}

    def how(self, **right):
        return {name: self.anything() if self.strange() else value for name, value in right.items() if self.below(2)}


def functions(d):
    """One call of each kind: a function and its arguments."""
    n, p, h, w, c = 1 + d.below(9), 1 + d.below(3), 4 + d.below(8), 4 + d.below(8), 1 + d.below(4)
    shape = d.one(_core.shapes())[0] if not d.strange() else "nothing"
    try:
        size = _core.shape_size(shape, 0)
    except RAISED:
        size = (3, 2)
    return (
        (_core.fit, d.data(), d.options()),
        (_core.plan, d.data(), d.options()),
        (_core.operator, d.data(), d.options()),
        (_core.orient, d.data(), d.options(), d.array(n)),
        (_core.sync, {"edges": d.edges()}, d.options(),
         d.how(group=d.one(("auto", "z2", "cyclic", "so", "o")), order=d.whole(3), refine=1, rounds=d.whole(1), seed=d.whole(1),
               threads=1, nodes=d.array(3, type="i8"), shift=d.array(d.below(30), d.below(4)), shift_weight=d.array(n))),
        (_core.denoise, d.array(h * w * c), d.whole(h), d.whole(w), d.whole(c), d.options(),
         d.how(method=d.one(("lavdm", "rid", "nlm", "nlem")), sigma=d.real(), patch=d.whole(3), window=d.whole(5), step=d.whole(1),
               passes=d.whole(1), neighbours=d.whole(4), turned=d.whole(4)), d.array(h * w * c)),
        (_core.noise_level, d.array(h * w * c), d.whole(h), d.whole(w), d.whole(c)),
        (_core.example_picture, d.whole(h), d.whole(w), 3, d.real(), d.array(h * w)),
        (_core.class_average, d.images(), d.options(), d.how(method=d.one(("rid", "vdm", "lavdm")), neighbours=d.whole(2),
                                                             edges=d.whole(2), rounds=d.whole(1), classes=d.whole(2))),
        (_core.sample, shape, d.whole(n), d.whole(0), d.one((None, "uniform", "x")), d.real(), 3, d.array(n * size[0]),
         d.one((None, d.array(n * size[0] * size[1]))), d.one((None, d.array(n * size[1])))),
        (_core.shape_size, shape, d.whole(0)),
        (_core.projections, d.whole(n), d.whole(h), 2, 3, d.real(), d.array(n * h * h), d.array(n * 9)),
        (_core.rotation_pairs, d.array(n * 9), d.array(p, type="i8"), d.array(p, type="i8"), d.array(p), d.array(p)),
        (_core.load, d.one(("/nowhere", b"x", "a\0b", 3, None, os.devnull))),
        (_core.Stack, d.images(), d.options()),
    )


def of_model(d, model):
    facts = model.info()
    n, q, r = facts["n"], facts["q"], d.whole(2)
    k, count = d.whole(1), 1 + d.below(6)
    few = r if 0 < r < 9 else 2
    return (
        (model.array, d.one(model.names() + ["nothing", "", "a\0", 3])),
        (model.rank, d.real(), d.real()),
        (model.embedding, d.real(), r, d.array(n * few * (few + 1) // 2)),
        (model.coordinates, d.real(), r, d.array(n * few)),
        (model.ambient, d.array(n * 3)),
        (model.pairs, d.array(count, type="i8"), d.array(count, type="i8"), d.real(), r, d.below(2), d.array(count),
         d.one((None, d.array(count * q * q)))),
        (model.neighbours, None, d.array(count, type="i8"), k, d.real(), r, d.below(2), d.array(count, type="i8"), d.array(count),
         d.one((None, d.array(count * q * q)))),
        (model.extend, d.data(), d.one((None, d.data())), d.options()),
        (model.cover, d.data(), d.real(), r, d.options(), d.array(2 * n * few), d.array(few), d.array(few, type="i8")),
        (model.set_threads, d.one((1, "x", None, 2**64))),
    )


def of_stack(d, stack):
    facts = stack.info()
    count, k = 1 + d.below(5), d.whole(1)
    few = d.array(count, type="i8"), d.array(count, type="i8")
    flags = np.zeros(count, "i1") if not d.strange() else d.anything()
    return (
        (stack.pairs, None, *few, d.array(count), d.array(count), flags),
        (stack.neighbours, None, d.one((None, few[0])), d.one((None, few[1])), k, d.array(count, type="i8"), d.array(count),
         d.array(count), flags),
        (stack.turn, None, few[0], d.array(count), flags, d.array(count * facts["height"] * facts["width"])),
    )


def tried(call):
    """What the call answers, or None; anything but the exceptions of RAISED is a fault."""
    try:
        return call[0](*call[1:])
    except RAISED as problem:
        assert str(problem) or isinstance(problem, MemoryError)
        return None


def touched(found):
    """Every number of an answer is there to be read."""
    for value in found.values() if isinstance(found, dict) else ():
        if type(value).__name__ == "Array":
            float(np.asarray(value, dtype="f8").sum())


@pytest.mark.parametrize("odd", (0, 3, 20))
def test_calls_answer_or_raise(odd, monkeypatch):
    d = Draw((SEED, odd), odd)
    models, stacks, answered = [], [], 0
    for _ in range(CALLS // 3):
        calls = functions(d)
        if models and d.below(2):
            calls = of_model(d, d.one(models))
        elif stacks and d.below(3) == 0:
            calls = of_stack(d, d.one(stacks))
        call = d.one(calls)
        if d.strange():
            at = 1 + d.below(len(call) - 1)
            call = call[:at] + (d.anything(),) + call[at + 1:]
        found = tried(call)
        answered += found is not None
        touched(found)
        found = found[1] if isinstance(found, tuple) and len(found) == 2 else found
        if isinstance(found, _core.Model):
            models = (models + [found])[-4:]
            for name in found.names():
                float(np.asarray(found.array(name), dtype="f8").sum())
        if isinstance(found, _core.Stack):
            stacks = (stacks + [found])[-4:]
    assert answered > CALLS // 3 // 20  # arguments are right often enough to get far
