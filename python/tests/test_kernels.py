"""Kernels that are functions of Python."""
import gc
import pickle
import weakref

import numpy as np
import pytest

import lavdm

POINTS = lavdm.sample("sphere", 300)
HOW = dict(method="roseland", components=4, threads=2)


class Enough(Exception):
    pass


def gaussian(t):
    return np.exp(-t * t)


@pytest.mark.parametrize("method", ["dm", "vdm", "roseland", "lavdm", "nystrom"])
def test_kernel(method):
    how = dict(method=method, components=4, epsilon=0.3, cutoff=3, threads=2)
    built_in, own = lavdm.fit(POINTS, **how), lavdm.fit(POINTS, kernel=gaussian, **how)
    assert own.options["kernel"] == "callback"
    assert np.allclose(own.eigenvalues, built_in.eigenvalues, rtol=1e-10)
    core = own._core
    model = lavdm.model.Model(core)
    del own
    gc.collect()
    new = lavdm.sample("sphere", 40, seed=8)
    a, b = model.extend(new), built_in.extend(new)
    assert np.allclose(a.distances(range(20), range(20, 40)), b.distances(range(20), range(20, 40)), atol=1e-7)


def test_kernel_lives_as_long_as_its_model():
    class Kernel:
        def __call__(self, t):
            return np.exp(-t * t)
    kernel = Kernel()
    gone = weakref.ref(kernel)
    model = lavdm.fit(POINTS, kernel=kernel, **HOW)
    del kernel
    gc.collect()
    assert gone() is not None
    extended = model.extend(POINTS[:5])
    del model
    gc.collect()
    assert np.isfinite(extended.eigenvectors).all()
    del extended
    gc.collect()
    assert gone() is None


def test_kernel_that_holds_its_model():
    class Kernel:
        def __call__(self, t):
            return np.exp(-t * t)
    kernel = Kernel()
    kernel.model = lavdm.fit(POINTS, kernel=kernel, **HOW)
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None


def test_exception_in_a_kernel():
    def broken(t):
        raise Enough(t)
    with pytest.raises(Enough):
        lavdm.fit(POINTS, kernel=broken, **HOW)
    with pytest.raises(TypeError, match="str"):
        lavdm.fit(POINTS, kernel=lambda t: "1", **HOW)
    with pytest.raises(TypeError):
        lavdm.fit(POINTS, kernel=lambda: 1.0, **HOW)
    for value in (-0.5, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=rf"kernel\([0-9.e-]+\) is {value}: it must be finite and never negative"):
            lavdm.fit(POINTS, kernel=lambda t: value, **HOW)
    healthy = [True]

    def sometimes(t):
        if not healthy[0]:
            raise Enough
        return np.exp(-t * t)
    model = lavdm.fit(POINTS, kernel=sometimes, **HOW)
    healthy[0] = False
    with pytest.raises(Enough):
        model.extend(POINTS[:5])
    healthy[0] = True
    assert np.isfinite(model.extend(POINTS[:5]).eigenvectors).all()


def test_kernel_is_not_pickled():
    model = lavdm.fit(POINTS, kernel=gaussian, **HOW)
    opened = pickle.loads(pickle.dumps(model))
    assert np.array_equal(opened.eigenvectors, model.eigenvectors)
    with pytest.raises(ValueError, match="the kernel of the model was a function"):
        opened.extend(POINTS[:5])


def test_kernel_of_an_estimator():
    f = lavdm.Roseland(components=3, kernel=gaussian, cutoff=3, epsilon=0.3).fit(POINTS)
    g = lavdm.Roseland(components=3, cutoff=3, epsilon=0.3).fit(POINTS)
    assert np.allclose(f.eigenvalues_, g.eigenvalues_)
    assert f.get_params()["kernel"] is gaussian
