"""Arrays of every kind, without a copy where their layout allows; what cannot be used is refused in a sentence."""
import h5py
import numpy as np
import pandas
import pytest
import scipy.sparse

import lavdm
from lavdm import _data

POINTS = lavdm.sample("torus", 240, noise=0.01)
HOW = dict(method="lavdm", components=3, landmarks=40, threads=2)
OTHERS = [dict(method="dm", components=3, threads=2), dict(method="vdm", components=3, threads=2, dim=2),
          dict(method="roseland", components=3, pca=2, threads=2)]

pytestmark = pytest.mark.filterwarnings("ignore::lavdm.LavdmWarning")


@pytest.fixture(scope="module")
def wanted():
    return lavdm.fit(POINTS.copy(), **HOW)


def same(model, other):
    assert model.arrays == other.arrays
    for name in model.arrays:
        assert np.array_equal(model[name], other[name], equal_nan=True), name


# --------------------------------------------------------------------- layouts


def unaligned(x):
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def field(x):
    table = np.zeros(len(x), [("flag", "i4"), ("x", x.dtype, x.shape[1])])  # packed: no whole strides
    table["x"] = x
    return table["x"]


def wide_field(x):
    table = np.zeros(len(x), [("flag", "i8"), ("x", x.dtype, x.shape[1])])
    table["x"] = x
    return table["x"]


def strided(x):
    big = np.full((2 * len(x), 3 * x.shape[1]), np.nan)
    big[::2, 1::3] = x
    return big[::2, 1::3]


def backwards(x):
    return np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def middle(x):
    cube = np.zeros((len(x), 2, x.shape[1]))
    cube[:, 1] = x
    return cube[:, 1]


IN_PLACE = {"plain": np.ascontiguousarray, "fortran": np.asfortranarray, "strided": strided, "backwards": backwards,
            "read-only": read_only, "wide field": wide_field, "part of a cube": middle,
            "transposed": lambda x: np.ascontiguousarray(x.T).T}
COPIED = {"unaligned": unaligned, "field": field, "swapped bytes": lambda x: x.astype(x.dtype.newbyteorder()),
          "object": lambda x: x.astype(object), "list": lambda x: x.tolist(), "tuple": lambda x: tuple(map(tuple, x)),
          "long double": lambda x: x.astype(np.longdouble), "matrix": lambda x: np.asmatrix(x),
          "frame": pandas.DataFrame, "masked array without a mask": np.ma.array}


@pytest.mark.parametrize("layout", [*IN_PLACE, *COPIED])
def test_layouts(layout, wanted):
    given = {**IN_PLACE, **COPIED}[layout](POINTS)
    same(lavdm.fit(given, **HOW), wanted)
    assert np.array_equal(np.asarray(given, dtype=float), POINTS)  # left as it was
    new = lavdm.sample("torus", 30, seed=3)
    same(wanted.extend({**IN_PLACE, **COPIED}[layout](new)), wanted.extend(new))


@pytest.mark.parametrize("how", OTHERS, ids=lambda how: how["method"])
@pytest.mark.parametrize("layout", ["fortran", "strided", "backwards", "swapped bytes", "field"])
def test_layouts_of_other_methods(layout, how):
    same(lavdm.fit({**IN_PLACE, **COPIED}[layout](POINTS), **how), lavdm.fit(POINTS, **how))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("layout", IN_PLACE)
def test_no_copy(layout, kind):
    given = IN_PLACE[layout](POINTS).astype(kind) if layout == "plain" else IN_PLACE[layout](POINTS)
    assert _data.rows(given) is given or np.shares_memory(_data.rows(given), given)
    assert _data.data(given)["points"].__array_interface__["data"] == given.__array_interface__["data"]


def test_frames_of_pandas_are_not_copied():
    frame = pandas.DataFrame(POINTS)
    assert np.shares_memory(_data.rows(frame), frame.to_numpy())


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
                                  np.float16, np.float32, bool])
def test_types(kind):
    numbers = np.abs(np.round(20 * POINTS))
    given = numbers > 20 if kind is bool else numbers.astype(kind)
    how = {**HOW, "design": "random", "dim": 2}
    same(lavdm.fit(given, **how), lavdm.fit(given.astype(float), **how))


def test_floats_are_read_as_floats():
    """Their values are those of doubles of the same value."""
    single = POINTS.astype(np.float32)
    same(lavdm.fit(single, **HOW), lavdm.fit(single.astype(float), **HOW))
    for layout in IN_PLACE:
        if layout not in ("strided", "part of a cube"):
            same(lavdm.fit(IN_PLACE[layout](single), **HOW), lavdm.fit(single, **HOW))


def test_broadcast():
    row = np.broadcast_to(POINTS[0], (50, 3))
    assert row.strides[0] == 0
    assert np.array_equal(_data.rows(row), row) and _data.rows(row).strides == (24, 8)
    with pytest.raises(ValueError, match="all 50 points are equal"):
        lavdm.fit(row, **HOW)
    column = np.broadcast_to(POINTS[:, :1], (240, 4))  # on a line
    same(lavdm.fit(column, method="dm", components=2), lavdm.fit(column.copy(), method="dm", components=2))
    one = np.broadcast_to(POINTS[0], (1, 3))
    fitted = lavdm.fit(POINTS, **HOW)
    same(fitted.extend(one), fitted.extend(POINTS[:1]))


def test_memmap(tmp_path, wanted):
    np.save(tmp_path / "x.npy", POINTS)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.shares_memory(_data.rows(mapped), mapped)
    same(lavdm.fit(mapped, **HOW), wanted)
    stored = np.memmap(tmp_path / "raw", np.float64, "w+", shape=POINTS.shape)
    stored[:] = POINTS
    same(lavdm.fit(stored, **HOW), wanted)


def test_frames_of_many_types():
    frame = pandas.DataFrame({"a": POINTS[:, 0], "b": (10 * POINTS[:, 1]).astype(int), "c": POINTS[:, 2] > 0})
    same(lavdm.fit(frame, **HOW), lavdm.fit(frame.to_numpy().astype(float), **HOW))
    frame["d"] = "text"
    with pytest.raises(ValueError, match="column 'd' holds 'text', and numbers are needed"):
        lavdm.fit(frame, **HOW)


def test_things_with_an_array():
    class Thing:
        def __array__(self, dtype=None, copy=None):
            return POINTS.astype(dtype or float)
    same(lavdm.fit(Thing(), **HOW), lavdm.fit(POINTS, **HOW))


# ------------------------------------------------------- read piece by piece


@pytest.mark.parametrize("kind", ["f8", "f4", ">f8", "i4", "u1"])
def test_h5py(kind, tmp_path):
    numbers = POINTS.astype(kind) if "f" in kind else np.abs(np.round(20 * POINTS)).astype(kind)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("x", data=numbers, chunks=(50, 2), compression="gzip")
        dataset = file["x"]
        how = {**HOW, "design": "random", "dim": 2}
        same(lavdm.fit(dataset, **how), lavdm.fit(np.asarray(dataset[:], numbers.dtype.newbyteorder("=")), **how))
        model = lavdm.fit(POINTS, **HOW)
        same(model.extend(dataset), model.extend(dataset[:]))


def test_h5py_is_not_read_as_a_whole(tmp_path):
    most = []

    class Watched(h5py.Dataset):
        def __getitem__(self, which):
            most.append(which.stop - which.start)
            return super().__getitem__(which)

    Watched.__module__ = "h5py.watched"
    points = lavdm.sample("sphere", 20000)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = points
        # so little memory that it has to be read in parts
        model = lavdm.fit(Watched(file["x"].id), method="roseland", components=2, landmarks=50, threads=2,
                          max_memory="30M", stream="yes", cutoff=2)
    assert most and max(most) < 20000, max(most)
    assert model.n == 20000


def test_h5py_images(tmp_path):
    images, _ = lavdm.projections(60, 14)
    how = dict(method="lavdm", bundle="rotation", components=2, landmarks=20, threads=2)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"], file["wide"] = images, images[:, :10]
        same(lavdm.fit(file["x"], **how), lavdm.fit(images, **how))
        same(lavdm.fit(file["wide"], **how), lavdm.fit(images[:, :10], **how))


def test_h5py_refusals(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["cube"], file["complex"] = np.zeros((3, 3, 3)), POINTS + 1j
        file["text"] = np.array([[b"a", b"b"]])
        file["nan"] = np.where(np.arange(240)[:, None] == 7, np.nan, POINTS)
        with pytest.raises(ValueError, match="two axes"):
            lavdm.fit(file["cube"], **HOW)
        for name in ("complex", "text"):
            with pytest.raises(ValueError, match="real numbers are needed"):
                lavdm.fit(file[name], **HOW)
        with pytest.raises(ValueError, match="row 8, column 1 is nan"):
            lavdm.fit(file["nan"], **HOW)
        file["x"] = POINTS
        closed = file["x"]
    with pytest.raises((ValueError, RuntimeError)):
        lavdm.fit(closed, **HOW)


def test_problem_while_reading(tmp_path):
    class Broken:
        __module__ = "h5py.broken"
        shape, dtype, calls = POINTS.shape, POINTS.dtype, 0

        def __getitem__(self, which):
            Broken.calls += 1
            if Broken.calls > 2:
                raise OSError("the disk is gone")
            return POINTS[which]

    with pytest.raises(OSError, match="the disk is gone"):
        lavdm.fit(Broken(), **HOW)

    class Short(Broken):
        __module__ = "h5py.short"

        def __getitem__(self, which):
            return POINTS[which][:, :2]

    with pytest.raises(ValueError, match="rows that were read"):
        lavdm.fit(Short(), **HOW)


# ------------------------------------------------------------------- refusals


class Vague:
    pass


BAD = {
    "complex": (POINTS + 1j, ValueError, "complex"),
    "sparse NaN": (scipy.sparse.csr_matrix(np.where(POINTS > 0, POINTS, np.nan)), ValueError, "nan|finite"),
    "strings": (POINTS.astype(str), ValueError, "numbers are needed"),
    "bytes": (POINTS.astype("S"), ValueError, "numbers are needed"),
    "words": ([["a", "b"], ["c", "d"]], ValueError, "numbers are needed"),
    "dates": (POINTS.astype("M8[s]"), ValueError, "datetime64"),
    "durations": (POINTS.astype("m8[s]"), ValueError, "timedelta64"),
    "object of texts": (POINTS.astype(str).astype(object), ValueError, "numbers are needed"),
    "object of things": (np.full((9, 2), Vague(), object), ValueError, "numbers are needed"),
    "object of complex": ((POINTS + 1j).astype(object), ValueError, "numbers are needed"),
    "structured": (np.zeros(9, "f8,f8"), ValueError, "numbers are needed"),
    "nan": (np.where(POINTS == POINTS[3, 1], np.nan, POINTS), ValueError, "row 4, column 2 is nan"),
    "inf": (np.where(POINTS == POINTS[3, 1], -np.inf, POINTS), ValueError, "row 4, column 2 is -inf"),
    "none in it": ([[None, 1.0]] * 50, ValueError, "is nan"),
    "masked": (np.ma.masked_greater(POINTS, 0.5), ValueError, "masked"),
    "no points": (POINTS[:0], ValueError, "0 rows"),
    "one point": (POINTS[:1], ValueError, "one point"),
    "no columns": (POINTS[:, :0], ValueError, "0 columns"),
    "empty list": ([], ValueError, "two axes"),
    "one axis": (POINTS[0], ValueError, "two axes"),
    "three axes": (POINTS[None], ValueError, "two axes"),
    "number": (3.0, ValueError, "two axes"),
    "ragged": ([[1, 2], [3]], ValueError, ""),
    "nothing": (None, ValueError, "there are no points"),
    "a set": ({1, 2}, ValueError, "numbers are needed"),
    "text": ("points.npy", ValueError, "numbers are needed"),
    "all equal": (np.ones((50, 3)), ValueError, "equal"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_points(name):
    given, kind, words = BAD[name]
    with pytest.raises(kind, match=words):
        lavdm.fit(given, **HOW)
    if name not in ("all equal", "one point", "nothing"):
        model = lavdm.fit(POINTS, **HOW)
        with pytest.raises((kind, ValueError)):
            model.extend(given)
    if name not in ("nothing", "one point", "sparse NaN", "object of texts"):  # scikit-learn reads them
        with pytest.raises((ValueError, TypeError)):
            lavdm.Roseland().fit(given)


def test_masked_for_estimators():
    with pytest.raises(ValueError, match="masked"):
        lavdm.Roseland().fit(np.ma.masked_greater(POINTS, 0.5))


# ------------------------------------------------------------------ odd data


def test_duplicates_and_constant_columns():
    twice = np.concatenate([POINTS, POINTS])
    model = lavdm.fit(twice, method="roseland", components=3, threads=2)
    assert np.allclose(model.eigenvectors[:240], model.eigenvectors[240:], atol=1e-9)
    flat = np.c_[POINTS, np.full(240, 3.25)]
    a, b = lavdm.fit(flat, **HOW), lavdm.fit(POINTS, **HOW)
    assert np.allclose(a.eigenvalues, b.eigenvalues, rtol=1e-6)


def test_few_points():
    model = lavdm.fit(POINTS[:2], method="dm", components=1)
    assert model.n == 2 and np.isfinite(model.eigenvectors).all()
    with pytest.raises(ValueError, match="landmarks"):
        lavdm.fit(POINTS, method="roseland", landmarks=241)
    with pytest.raises(ValueError, match="components"):
        lavdm.fit(POINTS, method="dm", components=241)


def test_one_column():
    line = np.linspace(0, 1, 80)[:, None]
    same(lavdm.fit(line, method="dm", components=3), lavdm.fit(line[::-1][::-1], method="dm", components=3))


# -------------------------------------------------------------------- options

NUMBERS = [name for name, option in lavdm.options().items() if not option.choices]
WORDS = [name for name, option in lavdm.options().items() if option.choices]


@pytest.mark.parametrize("name", lavdm.options())
def test_option_of_a_wrong_type(name):
    for value in ([], {}, object(), 1j, b"auto", True if name not in ("reflections", "trust") else 3, np.zeros(3)):
        with pytest.raises(TypeError, match=f"{name} is .*it must be"):
            lavdm.fit(POINTS, **{name: value})
    if lavdm.options()[name].initial != "auto":
        with pytest.raises(TypeError, match=f"{name} is None"):
            lavdm.fit(POINTS, **{name: None})


@pytest.mark.parametrize("name", lavdm.options())
def test_option_of_a_wrong_value(name):
    option = lavdm.options()[name]
    bad = ["no such", "", "auto\0", "\ud800"]
    if option.initial != "auto" and "auto" not in option.choices:
        bad.append("auto")
    if not option.choices:
        bad += [float("nan"), float("inf"), -float("inf"), "1x", "1e400", "--1"]
        if option.least is not None and np.isfinite(option.least):
            bad.append(option.least - 1 - abs(option.least))
        if option.most is not None and option.most < 1e18:
            bad.append(option.most * 2 + 1)
    if option.type == "integer":
        bad.append(2.5)
    for value in bad:
        with pytest.raises(ValueError) as problem:
            lavdm.fit(POINTS, **{name: value})
        assert name in str(problem.value) or "surrogate" in str(problem.value) or "zero" in str(problem.value)


@pytest.mark.parametrize("name", lavdm.options())
def test_defaults_and_texts(name):
    """A default, its text and the value that it stands for are all taken, and mean the same."""
    option = lavdm.options()[name]
    assert option.value(option.text(option.default)) == option.default
    for value in (option.default, option.initial):
        with _data.call({name: value}) as how:
            assert how[name] == option.text(option.default) or option.value(how[name]) == option.default
    for choice in option.choices:
        assert option.text(choice) == choice
    assert option.help and (option.choices or option.least is not None)


def test_numbers_of_numpy():
    a = lavdm.fit(POINTS, **{**HOW, "components": np.int32(3), "epsilon": np.float32(0.5), "landmarks": 40.0})
    b = lavdm.fit(POINTS, **{**HOW, "epsilon": 0.5})
    same(a, b)
    assert a.options == {**b.options, "max_memory": a.options["max_memory"]}
    for value in (True, np.True_, "yes"):
        with _data.call({"reflections": value}) as how:
            assert how["reflections"] == "yes"


def test_unknown_options():
    with pytest.raises(TypeError, match=r"no option 'landmark' \(did you mean 'landmarks'\?\)"):
        lavdm.fit(POINTS, landmark=3)
    with pytest.raises(TypeError, match="no option 'zzz'; lavdm.options"):
        lavdm.fit(POINTS, zzz=3)
    model = lavdm.fit(POINTS, **HOW)
    for name in set(lavdm.options()) - {"threads", "max_memory", "stream", "engine", "time", "delta"}:
        with pytest.raises(TypeError, match=f"extend has no option '{name}'"):
            model.extend(POINTS, **{name: lavdm.options()[name].default})
    with pytest.raises(TypeError, match="Stack has no option 'landmarks'"):
        lavdm.Stack(np.zeros((3, 8, 8)), landmarks=3)
    with pytest.raises(TypeError, match="class_average has no option 'epsilon'"):
        lavdm.class_average(np.zeros((3, 8, 8)), epsilon=3)


def test_rows_by_number():
    model = lavdm.fit(POINTS, method="vdm", components=3, dim=2)
    assert isinstance(model.distances(0, 1), float) and lavdm.align(model, 0, 1).shape == (2, 2)
    assert model.distances([0], 1).shape == (1,) and model.distances(np.zeros((2, 1), int), [1, 2, 3]).shape == (2, 3)
    assert model.distances(0.0, np.uint8(1)) == model.distances(0, 1)
    assert model.distances([], []).shape == (0,)
    for bad, words in ((-1, "numbered from 0 to 239"), (240, "numbered from 0 to 239"), (0.5, "whole"),
                       (np.nan, "whole"), (np.inf, "too large"), ([True, False], "booleans"), ("0", "numbers"),
                       (2**63, "too large"), (2**70, "too large"), (None, "whole")):
        with pytest.raises(ValueError, match=words):
            model.distances(bad, 1)
    with pytest.raises(ValueError):
        model.distances([0, 1], [0, 1, 2])
    for bad, kind in ((0, ValueError), (-1, ValueError), (240, ValueError), (1.5, TypeError), ("3", TypeError),
                      (True, TypeError)):
        with pytest.raises(kind, match="k is"):
            model.neighbours(bad)
    for rank in (0, -1, 4, 2**40, 2**80):
        with pytest.raises(ValueError, match="rank is .*: it must be from 1 to 3"):
            model.embedding(rank=rank)
    with pytest.raises(ValueError, match="k is 1000000000000: it must be from 1 to 239"):
        model.neighbours(10**12)
    with pytest.raises(TypeError, match="threads"):
        model.set_threads("many")
    with pytest.raises(ValueError, match="threads is 0"):
        model.set_threads(0)


def test_landmarks():
    same(lavdm.fit(POINTS, landmark_index=np.arange(0, 240, 6).astype(float), components=3),
         lavdm.fit(POINTS, landmark_index=list(range(0, 240, 6)), components=3))
    marks = POINTS[::6]
    for layout in ("fortran", "strided", "unaligned", "swapped bytes", "list"):
        given = {**IN_PLACE, **COPIED}[layout](marks)
        same(lavdm.fit(POINTS, landmark_points=given, components=3),
             lavdm.fit(POINTS, landmark_points=marks, components=3))
    for bad in (POINTS[:, :2], POINTS[0], [["a"] * 3], POINTS + 1j):
        with pytest.raises(ValueError, match="landmark_points"):
            lavdm.fit(POINTS, landmark_points=bad)
    for bad in ([0, 240], [-1], np.ones(240, bool), [0.5], [[["a"]]]):
        with pytest.raises(ValueError):
            lavdm.fit(POINTS, landmark_index=bad)
