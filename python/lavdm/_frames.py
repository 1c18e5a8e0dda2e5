"""Frames of pandas, polars, pyarrow and others as points: numeric columns, ids of the rows, a column of labels.

pandas is asked by its own names, all others by the dataframe interchange protocol (`__dataframe__`), whose columns are
buffers: data, offsets of texts, and what marks values that are missing.
"""
from __future__ import annotations

import ctypes
from typing import Any, Iterator

import numpy as np

INT, UINT, FLOAT, BOOL, STRING, CATEGORICAL = 0, 1, 2, 20, 21, 23  # kinds of the protocol
NUMBERS = (INT, UINT, FLOAT, BOOL)
USE_NAN, USE_SENTINEL, USE_BITS, USE_BYTES = 1, 2, 3, 4  # how the protocol marks what is missing


def is_frame(thing: Any) -> bool:
    return hasattr(thing, "__dataframe__") or _is_pandas(thing)


def _is_pandas(thing: Any) -> bool:
    return type(thing).__module__.split(".")[0] == "pandas" and hasattr(thing, "columns")


class Frame:
    """A frame that was read. It looks enough like one for scikit-learn to find the names of the columns."""

    def __init__(self, array: np.ndarray, columns: list[Any], ids: np.ndarray | None,
                 labels: np.ndarray | None) -> None:
        self.array, self.columns, self.ids, self.labels = array, columns, ids, labels
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.array, dtype)

    def __len__(self) -> int:
        return len(self.array)

    def __dataframe__(self, *_: Any, **__: Any) -> "Frame":
        return self

    def column_names(self) -> list[Any]:
        return self.columns


def read(frame: Any, labels: Any = None, name: str = "points", spare: Any = None) -> Frame:
    """The numeric columns of a frame as points. `labels` names a column that is no coordinate; `spare` one that may be
    there and is none either. Text and missing values are refused by row and column."""
    if isinstance(frame, Frame):
        return frame
    names = list(frame.columns if _is_pandas(frame) else frame.__dataframe__().column_names())
    if labels is not None and not any(_same(one, labels) for one in names):
        raise ValueError(f"labels is {labels!r}, and {name} has no such column: it has {_listed(names)}")
    ids = np.asarray(frame.index) if _is_pandas(frame) else None
    if _is_pandas(frame) and labels is None and spare is None:
        kinds = set(frame.dtypes)
        if len(kinds) == 1 and kinds <= {np.dtype(np.float32), np.dtype(np.float64)}:
            array = frame.to_numpy()  # where it lies
            if array.size and not np.isnan(array).any():
                return Frame(array, names, ids, None)
    found: np.ndarray | None = None
    columns, arrays = [], []
    source: Iterator[tuple[Any, Any]] = _pandas(frame) if _is_pandas(frame) else _protocol(frame)
    for key, values in source:
        if labels is not None and _same(key, labels):
            found = values.texts()
        elif spare is not None and _same(key, spare):
            continue
        else:
            columns.append(key)
            arrays.append(values.numbers(key, ids, name))
    if not arrays:
        raise ValueError(f"{name}: the frame has no numeric column" + (" but that of labels" if labels is not None else ""))
    single = all(array.dtype == np.float32 for array in arrays)
    table = np.empty((len(arrays[0]), len(arrays)), np.float32 if single else np.float64)
    for k, array in enumerate(arrays):
        if len(array) != len(table):
            raise ValueError(f"{name}: column {columns[k]!r} has {len(array)} rows and the first has {len(table)}")
        table[:, k] = array
    return Frame(table, columns, ids, found)


def ordered(frame: Frame, columns: list[Any] | None) -> Frame:
    """The columns of these names, in their order; as they are if there are no names."""
    if columns is None or frame.columns == columns:
        return frame
    places = [[k for k, one in enumerate(frame.columns) if _same(one, name)] for name in columns]
    for name, found in zip(columns, places):
        if len(found) != 1:
            raise ValueError(f"points: there {'is no column' if not found else 'are several columns'} {name!r}, with which "
                             f"the model was fitted: it has {_listed(columns)}, and this frame {_listed(frame.columns)}")
    return Frame(frame.array[:, [found[0] for found in places]], list(columns), frame.ids, frame.labels)


def _same(one: Any, other: Any) -> bool:
    return type(one) == type(other) and one == other


def _listed(names: list[Any]) -> str:
    return ", ".join(map(repr, names[:10])) + (" and others" if len(names) > 10 else "")


def _refuse_text(key: Any, example: Any, name: str) -> None:
    raise ValueError(f"{name}: column {key!r} holds {example}, and numbers are needed; leave it out, or name it as "
                     f"labels={key!r} in fit")


def _whole(array: np.ndarray, missing: np.ndarray, key: Any, ids: Any, name: str) -> np.ndarray:
    """The numbers, none of which is missing."""
    if missing.any():
        row = int(missing.argmax())
        who = f"row {row + 1}" + ("" if ids is None or _same(ids[row], row) or ids[row] == row else f" ({ids[row]!r})")
        raise ValueError(f"{name}: {who}, column {key!r} is missing, one of {int(missing.sum())} in that column: fill it, "
                         "or leave the row out first (dropna in pandas)")
    return array


# ------------------------------------------------------------------- pandas


class _Series:
    def __init__(self, series: Any) -> None:
        self.series = series

    def texts(self) -> np.ndarray:
        return np.asarray(["" if missing else str(value) for value, missing
                           in zip(self.series.tolist(), self.series.isna())], dtype=object)

    def numbers(self, key: Any, ids: Any, name: str) -> np.ndarray:
        kind = getattr(self.series.dtype, "kind", "O")
        missing = self.series.isna().to_numpy()
        if kind == "c":
            _refuse_text(key, "complex numbers", name)
        if kind in "mM" or str(self.series.dtype) == "category":
            _refuse_text(key, f"values of type {self.series.dtype}", name)
        if kind not in "fiub":
            text = next((value for value in self.series[~missing]
                         if not isinstance(value, (int, float, np.number, np.bool_))), None)
            if text is not None:
                _refuse_text(key, f"{text!r}", name)
        array = _whole(self.series.to_numpy(), missing, key, ids, name)
        return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _pandas(frame: Any) -> Iterator[tuple[Any, _Series]]:
    for k, key in enumerate(frame.columns):  # names may come twice
        yield key, _Series(frame.iloc[:, k])


# ----------------------------------------------------------------- protocol


class _Column:
    """A column of the protocol, in chunks."""

    def __init__(self, chunks: list[Any]) -> None:
        self.chunks = chunks
        self.kind = int(chunks[0].dtype[0])

    def texts(self) -> np.ndarray:
        return np.concatenate([_texts(chunk) for chunk in self.chunks])

    def numbers(self, key: Any, ids: Any, name: str) -> np.ndarray:
        if self.kind not in NUMBERS:
            kinds = {STRING: "text", CATEGORICAL: "categories", 22: "dates"}
            some = ""
            if self.kind in (STRING, CATEGORICAL):
                some = next((f" ({text!r})" for text in self.texts() if text), "")
            _refuse_text(key, kinds.get(self.kind, "no numbers") + some, name)
        parts = [_numbers(chunk) for chunk in self.chunks]
        missing = np.concatenate([_missing(chunk, part) for chunk, part in zip(self.chunks, parts)])
        array = np.concatenate(parts)
        array = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
        return _whole(array, missing | np.isnan(array), key, ids, name)


def _protocol(frame: Any) -> Iterator[tuple[Any, _Column]]:
    table = frame.__dataframe__(allow_copy=True)
    chunks = list(table.get_chunks())
    if not chunks:
        raise ValueError("the frame has no rows")
    for key in table.column_names():
        yield key, _Column([chunk.get_column_by_name(key) for chunk in chunks])


def _size(column: Any) -> int:
    return int(column.size() if callable(column.size) else column.size)


def _memory(buffer: Any, kind: Any, offset: int, count: int) -> np.ndarray:
    """A copy of `count` values of a buffer of memory."""
    kind = np.dtype(kind)
    need = (offset + count) * kind.itemsize
    if min(offset, count) < 0 or buffer.bufsize < need:
        raise ValueError(f"a column of the frame has {buffer.bufsize} bytes, and {need} are needed")
    if not need:
        return np.empty(0, kind)
    if not buffer.ptr:
        raise ValueError("a column of the frame has no memory")
    if getattr(buffer, "__dlpack_device__", lambda: (1, 0))()[0] != 1:
        raise ValueError("a column of the frame is not in the memory of the processor: bring it there first")
    taken = (ctypes.c_uint8 * need).from_address(buffer.ptr)
    return np.frombuffer(taken, kind)[offset:].copy()


def _type(dtype: Any) -> np.dtype:
    letter = {INT: "i", UINT: "u", FLOAT: "f", BOOL: "b"}.get(int(dtype[0]))
    if letter is None or dtype[1] not in (8, 16, 32, 64):
        raise ValueError(f"a column of the frame has values of an unknown type, {tuple(dtype)!r}")
    order = dtype[3] if dtype[3] in ("<", ">") else "="
    return np.dtype(np.bool_) if letter == "b" else np.dtype(f"{order}{letter}{dtype[1] // 8}")


def _bits(buffer: Any, offset: int, count: int) -> np.ndarray:
    taken = _memory(buffer, np.uint8, offset // 8, (offset % 8 + count + 7) // 8)
    return np.unpackbits(taken, bitorder="little")[offset % 8:offset % 8 + count]


def _numbers(column: Any) -> np.ndarray:
    buffer, dtype = column.get_buffers()["data"]
    if int(dtype[0]) == BOOL and dtype[1] == 1:
        return _bits(buffer, column.offset, _size(column)).astype(np.float64)
    return _memory(buffer, _type(dtype), column.offset, _size(column))


def _missing(column: Any, values: np.ndarray) -> np.ndarray:
    how, mark = column.describe_null
    count = len(values)
    if how == USE_SENTINEL:
        return values == mark
    if how in (USE_BITS, USE_BYTES):
        validity = column.get_buffers()["validity"]
        if validity is None:
            return np.zeros(count, bool)
        bits = _bits if how == USE_BITS else lambda b, o, c: _memory(b, np.uint8, o, c) != 0
        return bits(validity[0], column.offset, count) == mark
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(count, bool)


def _texts(column: Any) -> np.ndarray:
    """Values of any kind as texts; empty where there is none."""
    kind, count = int(column.dtype[0]), _size(column)
    if kind == CATEGORICAL:
        about = column.describe_categorical
        about = about if isinstance(about, dict) else dict(zip(("is_ordered", "is_dictionary", "categories"), about))
        words = _texts(about["categories"])
        codes = _numbers(column).astype(np.int64)
        gone = _missing(column, codes)
        if ((codes[~gone] < 0) | (codes[~gone] >= len(words))).any():
            raise ValueError("a column of categories has a code that stands for none")
        return np.asarray(["" if g else words[c] for c, g in zip(codes, gone)], dtype=object)
    if kind == STRING:
        parts = column.get_buffers()
        ends = _memory(parts["offsets"][0], _type(parts["offsets"][1]), column.offset, count + 1)
        data, size = parts["data"][0], int(ends[-1])
        if (np.diff(ends) < 0).any() or ends[0] < 0:
            raise ValueError("a column of texts has offsets that fall")
        content = _memory(data, np.uint8, 0, size).tobytes()
        gone = _missing(column, np.zeros(count))
        return np.asarray(["" if g else content[a:b].decode("utf-8", "replace")
                           for a, b, g in zip(ends[:-1], ends[1:], gone)], dtype=object)
    if kind not in NUMBERS:
        raise ValueError("labels: a column of dates is none of labels; make texts of it first")
    values = _numbers(column)
    return np.asarray(["" if g else str(v) for v, g in zip(values.tolist(), _missing(column, values))], dtype=object)
