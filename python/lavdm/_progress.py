"""Progress of long work: a callable, a bar, or nothing."""
from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Union

Progress = Union[bool, None, Callable[[str, float], Any]]


class _Bar:
    """A bar for each stage, by tqdm."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm = tqdm
        self.bar: Any = None
        self.stage: str | None = None

    def __call__(self, stage: str, fraction: float) -> None:
        if stage != self.stage:
            self.close()
            self.stage = stage
            self.bar = self.tqdm(total=1.0, desc=stage, leave=False,
                                 bar_format="{l_bar}{bar}| {elapsed}<{remaining}")
        self.bar.update(max(0.0, fraction - self.bar.n))

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


class _Line:
    """A line that is written over, where there is no tqdm."""

    def __init__(self) -> None:
        self.length = 0

    def __call__(self, stage: str, fraction: float) -> None:
        line = f"{stage} {100 * fraction:3.0f}%"
        sys.stderr.write("\r" + line.ljust(self.length))
        sys.stderr.flush()
        self.length = len(line)

    def close(self) -> None:
        sys.stderr.write("\r" + " " * self.length + "\r")
        sys.stderr.flush()


@contextmanager
def reporter(progress: Progress) -> Iterator[Callable[[str, float], Any] | None]:
    """What the library shall call: progress itself, or what True stands for."""
    if callable(progress):
        yield progress
    elif not progress:
        yield None
    else:
        try:
            from tqdm.auto import tqdm
            bar: Any = _Bar(tqdm)
        except ImportError:
            bar = _Line()
        try:
            yield bar
        finally:
            bar.close()
