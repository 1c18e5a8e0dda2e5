"""Results are views of the library's memory: they outlive their model, cannot be written to, and cost no copy."""
import gc
import resource

import numpy as np
import pytest

import lavdm

POINTS = lavdm.sample("torus", 240, noise=0.01)
HOW = dict(method="lavdm", components=3, landmarks=40, threads=2)

pytestmark = pytest.mark.filterwarnings("ignore::lavdm.LavdmWarning")


def test_results_are_views_that_live_on():
    model = lavdm.fit(POINTS, **HOW)
    arrays = {name: model[name] for name in model.arrays}
    copies = {name: array.copy() for name, array in arrays.items()}
    isolated = model.info["isolated"]
    assert np.shares_memory(arrays["eigenvectors"], model["eigenvectors"])  # no copy
    del model
    gc.collect()
    [lavdm.fit(POINTS, **HOW) for _ in range(3)]  # would write over memory that was given back
    for name, array in arrays.items():
        assert np.array_equal(array, copies[name], equal_nan=True), name
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
        with pytest.raises(ValueError):
            array.flags.writeable = True
    assert isolated.size == 0


def test_buffers_of_the_core():
    array = lavdm.fit(POINTS, **HOW)._core.array("eigenvectors")
    view = memoryview(array)
    assert view.readonly and view.format == "d" and view.shape == (240, 2, 3) and view.c_contiguous
    assert view.nbytes == len(bytes(view)) == 240 * 2 * 3 * 8
    with pytest.raises(TypeError, match="read-only"):
        view[0, 0, 0] = 1.0


def test_results_may_be_changed_where_they_are_ones_own():
    model = lavdm.fit(POINTS, **HOW)
    embedding = model.embedding()
    embedding *= 2
    assert np.array_equal(model.embedding() * 2, embedding)


def test_memory_is_not_doubled():
    """100 MB of points in rows that are no plain array are read where they lie."""
    wide = np.zeros((50_000, 256))
    wide[:, :3] = lavdm.sample("sphere", 50_000)
    view = wide[::-1, ::-1]
    how = dict(method="roseland", landmarks=20, components=2, design="random", threads=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lavdm.fit(view, **how)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) * 1024 < lavdm.plan(view, **how)["memory"] + wide.nbytes // 2
