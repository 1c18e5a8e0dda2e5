"""What the package takes it gives back: memory, and references to what it was given."""
import gc
import os
import sys
import tracemalloc

import numpy as np
import pytest

import lavdm

SLOW = bool(os.environ.get("LAVDM_SANITIZE"))


def gaussian(t):
    return np.exp(-t * t)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grown_by(work, rounds, enough):
    """The least by which some rounds make the process grow: what is left behind is left by all of them,
    what the allocator keeps it keeps once."""
    least = float("inf")
    for _ in range(4):
        before = resident()
        for _ in range(rounds):
            work()
        gc.collect()
        least = min(least, resident() - before)
        if least < enough:
            break
    return least


def everything(points, index, images, picture, edges):
    model = lavdm.fit(points, landmark_index=index, method="lavdm", components=3, threads=1)
    [model[name] for name in model.arrays]
    model.info
    model.embedding()
    model.distances(0, index, alignments=True)
    model.neighbours(3, index)
    model.extend(points, points)
    lavdm.fit(points, kernel=gaussian, method="roseland", components=2, landmarks=10, threads=1)
    lavdm.synchronize(edges)
    lavdm.Stack(images).neighbours(2)
    lavdm.class_average(images, neighbours=2)
    lavdm.denoise(picture, 10, patch=5, window=7)
    for bad in (dict(epsilon=-1), dict(max_memory=10), dict(zzz=1), dict(landmark_index=[-5])):
        with pytest.raises((ValueError, MemoryError, TypeError)):
            lavdm.fit(points, **bad)
    for problem in (lambda *_: 1 / 0,):
        with pytest.raises(ZeroDivisionError):
            lavdm.fit(points, progress=problem)
        with pytest.raises(ZeroDivisionError):
            lavdm.fit(points, kernel=lambda t: 1 / 0)


@pytest.mark.filterwarnings("ignore::lavdm.LavdmWarning")
def test_nothing_leaks():
    arguments = (lavdm.sample("sphere", 120), np.arange(0, 120, 5), lavdm.projections(20, 12)[0],
                 lavdm.example_picture(16), lavdm.Edges([0, 1, 2], [1, 2, 0], [0.1, 0.2, -0.3]))
    rounds = 3 if SLOW else 12
    for _ in range(3):
        everything(*arguments)
    gc.collect()
    counts = [sys.getrefcount(thing) for thing in arguments] + [sys.getrefcount(gaussian)]
    none, objects = sys.getrefcount(None), len(gc.get_objects())
    tracemalloc.start()
    everything(*arguments)
    gc.collect()
    traced = tracemalloc.get_traced_memory()[0]
    for _ in range(rounds):
        everything(*arguments)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - traced
    tracemalloc.stop()
    assert [sys.getrefcount(thing) for thing in arguments] + [sys.getrefcount(gaussian)] == counts
    assert abs(sys.getrefcount(None) - none) < 50
    assert len(gc.get_objects()) - objects < 200
    assert grown < 20_000 * rounds / 12
    if not SLOW:  # the sanitizer keeps what was freed for a while
        assert grown_by(lambda: everything(*arguments), rounds, 8e6) < 8e6


POINTS = lavdm.sample("sphere", 3000)


def test_models_give_back_their_memory():
    def make():
        return lavdm.fit(POINTS, method="vdm", components=40, threads=2)
    bound = 3 * make()["eigenvectors"].nbytes
    if not SLOW:
        assert grown_by(make, 4, bound) < bound
