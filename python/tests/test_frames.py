"""Frames: numeric columns are points, the index ids, a named column labels; what is text or missing is named."""
import pickle
import re
import sys

import numpy as np
import pandas
import pytest
from pandas.api.interchange import from_dataframe

import lavdm
from lavdm import _frames

POINTS = lavdm.sample("sphere", 300)
SPECIES = np.where(POINTS[:, 2] > 0, "north", "south")
IDS = [f"p{k}" for k in range(300)]
pytestmark = pytest.mark.filterwarnings("ignore::lavdm.LavdmWarning")


class Hidden:
    """A frame of pandas behind the protocol, and nothing else: what polars or pyarrow look like from here."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self._frame.__dataframe__(nan_as_null=nan_as_null, allow_copy=allow_copy)


class Buffer:
    def __init__(self, array, size=None):
        self.array = np.ascontiguousarray(array)
        self.ptr = self.array.ctypes.data
        self.bufsize = self.array.nbytes if size is None else size

    def __dlpack_device__(self):
        return (1, None)


class Column:
    """A column by hand, as Arrow lays it out: bits that say what is there, an offset, chunks, texts in one piece."""

    offset = 0
    describe_null = (0, None)

    def __init__(self, dtype, size, data, validity=None, offsets=None, null=(0, None), offset=0, categories=None):
        self.dtype, self._size, self.describe_null, self.offset = dtype, size, null, offset
        self._buffers = {"data": (data, dtype), "validity": validity and (validity, (20, 1, "b", "=")),
                         "offsets": offsets and (offsets, (0, 32, "i", "="))}
        self.describe_categorical = {"is_ordered": False, "is_dictionary": True, "categories": categories}
        if categories is not None:
            self._buffers["data"] = (data, (0, 8, "c", "="))

    def size(self):
        return self._size

    def get_buffers(self):
        return self._buffers


class ByHand:
    """The protocol without pandas: a list of chunks, each a dict of columns."""

    metadata: dict = {}

    def __init__(self, *chunks):
        self._chunks = chunks

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self

    def column_names(self):
        return list(self._chunks[0])

    def get_chunks(self, number=None):
        return [ByHand(chunk) for chunk in self._chunks]

    def get_column_by_name(self, name):
        return self._chunks[0][name]


class Empty(ByHand):
    def get_chunks(self, number=None):
        return []


def doubles(values, **more):
    return Column((2, 64, "g", "="), len(values), Buffer(np.asarray(values, float)), **more)


def texts(words):
    content = "".join(words).encode()
    ends = np.cumsum([0] + [len(word.encode()) for word in words]).astype(np.int32)
    return Column((21, 8, "u", "="), len(words), Buffer(np.frombuffer(content, np.uint8)), offsets=Buffer(ends))


def table(extra=None):
    frame = pandas.DataFrame(POINTS.copy(), columns=["x", "y", "z"], index=IDS)
    return frame if extra is None else frame.assign(**extra)


SAME = lavdm.fit(POINTS, method="dm", components=3).eigenvectors


@pytest.mark.parametrize("frame", [
    table(), Hidden(table()), Hidden(table().reset_index(drop=True)),
    ByHand({"x": doubles(POINTS[:, 0]), "y": doubles(POINTS[:, 1]), "z": doubles(POINTS[:, 2])}),
    ByHand(*[{name: doubles(POINTS[part, k]) for k, name in enumerate("xyz")}
             for part in (slice(0, 100), slice(100, 101), slice(101, 300))]),
    ByHand({name: Column((2, 64, "g", "="), 300, Buffer(np.concatenate([[9.0, 9.0], POINTS[:, k]])), offset=2)
            for k, name in enumerate("xyz")}),
], ids=["pandas", "protocol", "protocol without index", "by hand", "chunks", "offset"])
def test_points(frame):
    assert np.array_equal(lavdm.fit(frame, method="dm", components=3).eigenvectors, SAME)
    fitted = lavdm.DiffusionMap(2).fit(frame)
    assert np.array_equal(fitted.model_.eigenvectors, SAME) and list(fitted.feature_names_in_) == ["x", "y", "z"]
    assert np.allclose(fitted.transform(frame), fitted.embedding_, atol=1e-9)
    assert lavdm.plan(frame, method="dm") == lavdm.plan(POINTS, method="dm")
    assert np.array_equal(lavdm.orientability(frame).signs, lavdm.orientability(POINTS).signs)


@pytest.mark.parametrize("hide", [lambda frame: frame, Hidden], ids=["pandas", "protocol"])
@pytest.mark.parametrize("kind", ["float32", "int8", "int64", "uint16", "bool"])
def test_types(kind, hide):
    whole = np.rint(20 * POINTS) if kind != "bool" else POINTS > 0
    whole = np.abs(whole) if kind == "uint16" else whole
    frame = hide(pandas.DataFrame(whole.astype(kind), columns=["x", "y", "z"]))
    read = _frames.read(frame).array
    assert np.array_equal(read, whole) and read.dtype == (np.float32 if kind == "float32" else np.float64)


def test_nullable_and_mixed():
    frame = pandas.DataFrame({"a": pandas.array([1, 2, 3], dtype="Int64"), "b": [1.5, 2.5, 3.5],
                              "c": pandas.Series([1, 2.5, True], dtype=object),
                              "d": pandas.array([0.5, 1.5, 2.5], dtype="Float64")})
    assert np.array_equal(_frames.read(frame).array, [[1, 1.5, 1, 0.5], [2, 2.5, 2.5, 1.5], [3, 3.5, 1, 2.5]])
    assert _frames.read(ByHand({"a": Column((20, 1, "b", "="), 10, Buffer(np.array([0b01000101, 0b10], np.uint8)))}
                               )).array.ravel().tolist() == [1, 0, 1, 0, 0, 0, 1, 0, 0, 1]


def test_no_copy():
    frame = pandas.DataFrame(POINTS)
    assert np.shares_memory(_frames.read(frame).array, frame.to_numpy())


# ------------------------------------------------------------- ids, labels


@pytest.mark.parametrize("species", [SPECIES, pandas.Categorical(SPECIES), SPECIES.astype(object)],
                         ids=["text", "categories", "objects"])
@pytest.mark.parametrize("hide", [lambda frame: frame, Hidden], ids=["pandas", "protocol"])
def test_labels(species, hide):
    frame = hide(table({"species": species}))
    model = lavdm.fit(frame, labels="species", method="dm", components=3)
    assert np.array_equal(model.eigenvectors, SAME) and list(model.labels) == list(SPECIES)
    fitted = lavdm.DiffusionMap(2).fit(frame, labels="species")
    assert list(fitted.model_.labels) == list(SPECIES) and list(fitted.feature_names_in_) == ["x", "y", "z"]
    # with the column of labels and without
    assert np.array_equal(fitted.transform(frame), fitted.transform(hide(table())))
    if not isinstance(frame, Hidden):
        assert list(model.ids) == IDS and list(fitted.model_.ids) == IDS
    again = pickle.loads(pickle.dumps(model))
    assert list(again.labels) == list(SPECIES) and (model.ids is None) == (again.ids is None)


@pytest.mark.parametrize("hide", [lambda frame: frame, Hidden], ids=["pandas", "protocol"])
def test_new_points_by_the_names_of_columns(hide):
    x = lavdm.sample("sphere", 300)
    frame = pandas.DataFrame(x, columns=["a", "b", "c"]).assign(kind="k")
    made = lavdm.fit(hide(frame), method="dm", components=4, labels="kind")
    wanted = made.extend(x[:9]).eigenvectors
    for model in (made, pickle.loads(pickle.dumps(made))):
        for columns in (["a", "b", "c"], ["c", "kind", "a", "b"]):
            assert np.array_equal(model.extend(hide(frame[:9][columns])).eigenvectors, wanted)
    with pytest.raises(ValueError, match="there is no column 'c', with which the model was fitted"):
        made.extend(hide(frame[["a", "b"]].assign(d=1.0)))


def test_labels_by_hand():
    words = ["süd", "", "nord"] * 100
    columns = {name: doubles(POINTS[:, k]) for k, name in enumerate("xyz")}
    assert list(_frames.read(ByHand({**columns, "s": texts(words)}), "s").labels) == words
    codes = np.tile(np.array([1, -1, 0], np.int8), 100)
    kinds = Column((23, 8, "c", "="), 300, Buffer(codes), null=(2, -1), categories=texts(["nord", "süd"]))
    assert list(_frames.read(ByHand({**columns, "s": kinds}), "s").labels) == words
    numbers = _frames.read(ByHand({**columns, "s": doubles(np.arange(300))}), "s").labels
    assert list(numbers[:2]) == ["0.0", "1.0"]


@pytest.mark.parametrize("hide", [lambda frame: frame, Hidden], ids=["pandas", "protocol"])
def test_text_is_refused(hide):
    for species in (SPECIES, pandas.Categorical(SPECIES)):
        frame = hide(table({"species": species}))
        for call in (lambda: lavdm.fit(frame, method="dm"), lambda: lavdm.DiffusionMap(2).fit(frame)):
            with pytest.raises(ValueError, match="column 'species' holds .*labels='species'"):
                call()
    with pytest.raises(ValueError, match="column 'when' holds"):
        lavdm.fit(hide(table({"when": pandas.date_range("2020-01-01", periods=300)})))
    with pytest.raises(ValueError, match="labels is 'kind', and points has no such column: it has 'x', 'y', 'z'"):
        lavdm.fit(hide(table()), labels="kind")
    with pytest.raises(ValueError, match="no numeric column but that of labels"):
        lavdm.fit(hide(pandas.DataFrame({"kind": SPECIES})), labels="kind")
    with pytest.raises(TypeError, match="labels names a column of a frame"):
        lavdm.fit(POINTS, labels="kind")
    with pytest.raises(TypeError, match="labels names a column of a frame"):
        lavdm.DiffusionMap(2).fit(POINTS, labels="kind")


@pytest.mark.parametrize("hide", [lambda frame: frame, Hidden], ids=["pandas", "protocol"])
def test_missing(hide):
    frame = table()
    frame.loc["p6", "y"] = np.nan
    frame.loc["p8", "y"] = np.nan
    who = r"row 7 \('p6'\)" if hide is not Hidden else "row 7"
    for call in (lambda: lavdm.fit(hide(frame)), lambda: lavdm.DiffusionMap(2).fit(hide(frame))):
        with pytest.raises(ValueError, match=who + ", column 'y' is missing, one of 2 in that column: fill it"):
            call()
    with pytest.raises(ValueError, match="row 2, column 'a' is missing"):
        lavdm.fit(pandas.DataFrame({"a": pandas.array([1, None, 3], dtype="Int64"), "b": [1, 2, 3]}))


@pytest.mark.parametrize("null, validity", [
    ((3, 0), Buffer(np.array([0b11111011], np.uint8))), ((3, 1), Buffer(np.array([0b00000100], np.uint8))),
    ((4, 0), Buffer(np.array([1, 1, 0, 1, 1], np.uint8))), ((4, 1), Buffer(np.array([0, 0, 1, 0, 0], np.uint8))),
    ((2, 3.0), None)], ids=["bits", "bits of what is missing", "bytes", "bytes of what is missing", "a value"])
def test_marks_of_what_is_missing(null, validity):
    column = doubles([1, 2, 3, 4, 5], null=null, validity=validity)
    with pytest.raises(ValueError, match="row 3, column 'x' is missing, one of 1"):
        _frames.read(ByHand({"x": column}))


def test_frames_that_lie():
    good = doubles(POINTS[:, 0])
    short = Column((2, 64, "g", "="), 300, Buffer(np.zeros(300), size=2399))
    lost = Column((2, 64, "g", "="), 300, Buffer(np.zeros(300)))
    lost._buffers["data"][0].ptr = 0
    odd = Column((2, 24, "g", "="), 300, Buffer(np.zeros(300)))
    behind = Column((2, 64, "g", "="), 300, Buffer(np.zeros(300)), offset=-3)
    falling = texts(["a", "b"])
    falling._buffers["offsets"] = (Buffer(np.array([0, 2, 1], np.int32)), (0, 32, "i", "="))
    beyond = texts(["a", "b"])
    beyond._buffers["offsets"] = (Buffer(np.array([0, 1, 200], np.int32)), (0, 32, "i", "="))
    none = Column((23, 8, "c", "="), 2, Buffer(np.array([0, 5], np.int8)), categories=texts(["a"]))
    away = Column((2, 64, "g", "="), 300, Buffer(np.zeros(300)))
    away._buffers["data"][0].__class__ = type("Far", (Buffer,), {"__dlpack_device__": lambda self: (2, 0)})
    for wrong, words in ((short, "2399 bytes, and 2400"), (lost, "no memory"), (odd, "unknown type"), (behind, "bytes"),
                         (doubles(np.zeros(7)), "7 rows and the first has 300"), (away, "not in the memory")):
        with pytest.raises(ValueError, match=words):
            lavdm.fit(ByHand({"x": good, "y": wrong}))
    for wrong, words in ((falling, "fall"), (beyond, "bytes"), (none, "stands for none")):
        with pytest.raises(ValueError, match=words):
            _frames.read(ByHand({"x": doubles([1, 2]), "s": wrong}), "s")
    with pytest.raises(ValueError, match="no rows"):
        lavdm.fit(Empty({"x": good}))


def test_the_frame_by_hand_is_of_the_protocol():
    """pandas reads it as we do."""
    columns = {name: doubles(POINTS[:, k]) for k, name in enumerate("xyz")}
    words = ["süd", "ost", "nord"] * 100
    frame = ByHand({**columns, "words": texts(words)})
    theirs, ours = from_dataframe(frame), _frames.read(frame, "words")
    assert np.array_equal(theirs[["x", "y", "z"]].to_numpy(), POINTS) and np.array_equal(ours.array, POINTS)
    assert list(theirs["words"]) == words == list(ours.labels)


def test_numbers_for_names_and_names_twice():
    assert lavdm.fit(pandas.DataFrame(POINTS), method="dm", components=2).n == 300
    twice = pandas.DataFrame(POINTS, columns=["x", "x", "z"])
    assert np.array_equal(_frames.read(twice.assign(z=POINTS[:, 2].astype(np.float32))).array[:, :2], POINTS[:, :2])


# ------------------------------------------------------------------ as HTML


def test_html():
    frame = table({"<b>kind</b>": np.where(SPECIES == "north", "<script>alert(1)</script>", "a & b")})
    frame.index = [f"<i>{name}" for name in IDS]
    model = lavdm.fit(frame, labels="<b>kind</b>", method="dm", components=12)
    text = model._repr_html_()
    assert "<script" not in text and "&lt;script&gt;alert(1)&lt;/script&gt;" in text and "a &amp; b" in text
    assert "<i>" not in text and "&lt;i&gt;p0 to &lt;i&gt;p299" in text
    # nothing but the tags of a table
    assert set(re.findall(r"</?(\w+)", text)) == {"table", "caption", "tbody", "tr", "th", "td"}
    assert f"{model.eigenvalues[1]:.4g}" in text and "(12 in all)" in text and "dm of 300 points" in text
    for reason in model.info["reasons"] + model.info["warnings"]:
        assert reason.split("<")[0] in text
    marked = lavdm.fit(POINTS, landmarks=50, components=3)
    assert "through 50 landmarks" in marked._repr_html_() and "labels" not in marked._repr_html_()


def test_html_of_warnings():
    far = np.concatenate([POINTS, [[50, 50, 50]]])
    text = lavdm.fit(far, method="dm", components=3, epsilon=0.2)._repr_html_()
    assert "<th style='text-align:left'>warning</th>" in text and "isolated" in text


def test_pandas_is_not_needed():
    """Frames of others are read without it."""
    import subprocess

    code = ("import sys; sys.modules['pandas'] = None\n"
            "import lavdm, numpy; print(lavdm.fit(numpy.random.default_rng(0).random((50, 2)), method='dm').n)")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "50", done.stderr
