"""Images: stacks against brute force, class averages against the truth, denoising of every kind of picture."""
import h5py
import numpy as np
import pytest

import lavdm

RNG = np.random.default_rng(5)


def quarter(image, times):
    """Turned by times * 90 degrees, from columns to rows."""
    return np.rot90(image, -times)


@pytest.fixture(scope="module")
def images():
    return lavdm.projections(24, 21, seed=2)[0]


def disk(size):
    y, x = np.indices((size, size)) - (size - 1) / 2
    return x * x + y * y <= (size / 2) ** 2


# ---------------------------------------------------------------------- stacks


def test_pairs_of_quarter_turns(images):
    """Turns by 90 degrees are exact on the grid."""
    everything = np.concatenate([images] + [[quarter(image, k) for image in images] for k in (1, 2, 3)])
    stack = lavdm.Stack(everything, noise=0)
    n = len(images)
    for k in (1, 2, 3):
        distance, angle, reflected = stack.pairs(np.arange(n) + k * n, np.arange(n))
        assert np.allclose(distance, 0, atol=1e-5 * np.linalg.norm(images[0]))
        assert np.allclose(np.angle(np.exp(1j * (angle - k * np.pi / 2))), 0, atol=1e-5)
        assert not reflected.any() and reflected.dtype == bool


def test_pairs_against_brute_force(images):
    stack = lavdm.Stack(images, noise=0)
    inside = disk(21)
    angles = np.linspace(-np.pi, np.pi, 721)[:-1]
    for i, j in ((0, 1), (3, 9), (17, 4)):
        turned = stack.turn(np.full(len(angles), j), angles)
        own = stack.turn([i], [0.0])[0]
        every = np.sqrt(((turned - own)[:, inside] ** 2).sum(1))
        distance, angle, _ = stack.pairs(i, j)
        assert abs(distance - every.min()) < 0.01 * every.min()
        there = np.abs(np.angle(np.exp(1j * (angles - angle)))).argmin()  # the angle on the grid
        assert every[there] < 1.001 * every.min()
        assert np.isscalar(distance) and np.isscalar(angle)


def test_reflections(images):
    mirrored = np.concatenate([images, images[:, ::-1]])
    n = len(images)
    without, with_ = lavdm.Stack(mirrored, noise=0), lavdm.Stack(mirrored, noise=0, reflections=True)
    distance, angle, reflected = with_.pairs(range(n), range(n, 2 * n))
    assert np.allclose(distance, 0, atol=1e-5) and reflected.all()
    assert not without.pairs(range(n), range(n, 2 * n))[2].any()
    assert (without.pairs(range(n), range(n, 2 * n))[0] > 0.01).all()
    O = with_.align(range(n), range(n, 2 * n))
    assert np.allclose(np.linalg.det(O), -1)
    assert np.allclose(lavdm.align(with_, 0, n), O[0]) and O[0].shape == (2, 2)
    assert np.allclose(np.linalg.det(without.align(0, range(5))), 1)
    back = with_.turn(np.arange(n, 2 * n), angle, reflected)
    assert np.allclose(back, with_.turn(range(n), 0.0), atol=1e-4)


def test_turn(images):
    stack = lavdm.Stack(images, noise=0)
    inside = disk(21)
    same = stack.turn(range(24), 0)
    assert same.shape == (24, 21, 21) and (same[:, ~inside] == 0).all()
    assert np.abs(same - images)[:, inside].max() < 0.05 * np.abs(images).max()
    assert np.allclose(stack.turn(3, np.pi / 2)[0], quarter(same[3], 1), atol=1e-6)
    assert np.allclose(stack.turn(3, 0, True)[0], same[3][::-1], atol=1e-6)
    assert np.allclose(stack.turn([1, 2], [0.3, 0.4])[1], stack.turn(2, 0.4)[0], rtol=0, atol=1e-13)  # BLAS' kernels
    for bad in ((24, 0), (-1, 0), (0, np.nan), ([0, 1], [0, 1, 2]), (0, "x")):
        with pytest.raises(ValueError):
            stack.turn(*bad)


def test_neighbours_against_all_pairs(images):
    stack = lavdm.Stack(images, noise=0)
    i, j = np.indices((24, 24))
    distance, angle, reflected = stack.pairs(i, j)
    assert distance.shape == (24, 24)
    np.fill_diagonal(distance, np.inf)
    index, d, a, r = stack.neighbours(5)
    assert np.allclose(d, np.sort(distance, 1)[:, :5], atol=1e-9)
    assert np.allclose(np.take_along_axis(distance, index, 1), d, atol=1e-9)
    assert np.allclose(np.take_along_axis(angle, index, 1), a, atol=1e-6)
    index, d, _, _ = stack.neighbours(2, objects=[7, 3], references=[1, 3, 5])
    assert index.shape == (2, 2) and set(index.ravel()) <= {1, 3, 5} and 3 not in index[1]
    index, d, _, _ = stack.neighbours(3, objects=[3], references=[1, 3])
    assert list(index[0][1:]) == [-1, -1] and np.isnan(d[0][1:]).all()
    for bad, kind in ((0, ValueError), (-1, ValueError), (1.5, TypeError), (None, TypeError)):
        with pytest.raises(kind, match="k is"):
            stack.neighbours(bad)
    for more in (dict(objects=[24]), dict(references=[-1]), dict(objects=[0.5]), dict(objects=np.ones(24, bool))):
        with pytest.raises(ValueError):
            stack.neighbours(2, **more)


def test_stack_facts(images, tmp_path):
    stack = lavdm.Stack(images[:, :19], noise=0)
    assert len(stack) == 24
    assert {k: stack.info[k] for k in ("n", "height", "width", "noise")} == dict(n=24, height=19, width=21, noise=0)
    noisy = images + RNG.normal(0, 0.5, images.shape)
    assert abs(lavdm.Stack(noisy).info["noise"] - 0.5) < 0.1
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = images
        found = lavdm.Stack(file["x"][:], noise=0).pairs(0, 1)
    assert found[0] == lavdm.Stack(images, noise=0).pairs(0, 1)[0]
    for bad in (images[0, 0], images[None], "images", images + 1j, images * np.nan):
        with pytest.raises(ValueError):
            lavdm.Stack(bad)


def test_signals():
    """The shift that brings one closest to another, by brute force over whole samples."""
    signals = RNG.normal(size=(6, 32))
    signals = np.fft.irfft(np.fft.rfft(signals) * (np.arange(17) < 8), 32)
    shifted = np.stack([np.roll(signals[k], 3 * k) for k in range(6)])
    stack = lavdm.Stack(np.concatenate([signals, shifted]), noise=0)
    distance, angle, _ = stack.pairs(np.arange(6) + 6, np.arange(6))
    assert np.allclose(distance, 0, atol=1e-5)
    assert np.allclose(np.angle(np.exp(1j * (angle - 2 * np.pi * 3 * np.arange(6) / 32))), 0, atol=1e-5)
    d = stack.pairs(0, 1)[0]
    assert d <= min(np.linalg.norm(signals[0] - np.roll(signals[1], k)) for k in range(32)) + 1e-9
    assert stack.turn(0, 2 * np.pi / 32).shape == (1, 1, 32)
    assert np.allclose(stack.turn(0, 2 * np.pi / 32)[0, 0], np.roll(signals[0], 1), atol=1e-6)


# -------------------------------------------------------------- class averages


def test_class_average():
    images, rotations = lavdm.projections(600, 24, snr=0.5, seed=4)
    clean, _ = lavdm.projections(600, 24, seed=4)
    found = lavdm.class_average(images, neighbours=8)
    assert found.averages.shape == (600, 24, 24) and found.neighbours.shape == (600, 8)
    assert np.array_equal(found.images, np.arange(600)) and not found.reflected.any()
    inside = disk(24)
    before = np.linalg.norm((images - clean)[:, inside], axis=1)
    after = np.linalg.norm((found.averages - clean)[:, inside], axis=1)
    assert np.median(after / before) < 0.7
    views = rotations[:, :, 2]
    near = np.degrees(np.arccos(np.clip(np.einsum("np,nkp->nk", views, views[found.neighbours]), -1, 1)))
    assert np.median(near) < 25
    again = lavdm.class_average(images, neighbours=8)
    assert np.array_equal(again.averages, found.averages)
    for array in (found.averages, found.angles, found.distances, found.neighbours):
        assert not array.flags.writeable


@pytest.mark.parametrize("method", ["rid", "vdm", "lavdm"])
def test_ways_of_averaging(method):
    images, _ = lavdm.projections(150, 16, snr=1, seed=4)
    found = lavdm.class_average(images, method=method, neighbours=4, classes=20, reflections=True)
    assert found.method == method and found.averages.shape == (20, 16, 16) and len(set(found.images)) == 20
    assert found.reflected.shape == (20, 4) and found.reflected.any()
    single = lavdm.class_average(images.astype(np.float32), method=method, neighbours=4, classes=20, reflections=True)
    assert np.array_equal(single.neighbours, found.neighbours) or np.mean(single.neighbours == found.neighbours) > 0.9


@pytest.mark.parametrize("more, words", [(dict(method="best"), "method is 'best'"), (dict(neighbours=0), "neighbours"),
                                         (dict(classes=-5), "classes"), (dict(rounds=-2), "rounds")])
def test_bad_average(more, words):
    with pytest.raises(ValueError, match=words):
        lavdm.class_average(lavdm.projections(40, 12)[0], **more)


@pytest.mark.parametrize("bad", [np.zeros((5, 16)), np.zeros(5), np.zeros((2, 3, 4, 5)), [], None])
def test_stack_of_other_shapes(bad):
    with pytest.raises(ValueError, match="three axes"):
        lavdm.class_average(bad)


# ------------------------------------------------------------------- denoising

CLEAN = lavdm.example_picture(48)
NOISY = lavdm.example_picture(48, sigma=20)
HOW = dict(patch=7, window=15, neighbours=16, turned=8)


def error(a, b=CLEAN):
    return np.sqrt(np.mean((np.asarray(a, float) - b) ** 2))


@pytest.mark.parametrize("method", ["rid", "lavdm", "nlm", "nlem"])
def test_methods(method):
    found = lavdm.denoise(NOISY, 20, method=method)
    assert found.dtype == float and found.shape == (48, 48) and error(found) < 0.75 * error(NOISY)
    assert found.flags.writeable


@pytest.mark.parametrize("average", ["shrink", "mean", "median"])
def test_averages(average):
    assert error(lavdm.denoise(NOISY, 20, average=average, **HOW)) < 0.9 * error(NOISY)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64,
                                  np.float16, np.float32, np.float64, np.longdouble, bool])
def test_types(kind):
    picture = NOISY > 128 if kind is bool else np.clip(NOISY / 2, 0, 127).astype(kind)
    found = lavdm.denoise(picture, 10, **HOW)
    plain = lavdm.denoise(picture.astype(float), 10, **HOW)
    if np.issubdtype(kind, np.integer):
        assert found.dtype == kind and np.array_equal(found, np.clip(np.rint(plain), *np.array([0, 127])).astype(kind))
    else:
        assert found.dtype == float and np.array_equal(found, plain)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int64, np.uint64])
def test_whole_numbers_stay_in_range(kind):
    """Rounded and clipped at both ends, also where the largest is no double."""
    limits = np.iinfo(kind)
    for level in (limits.max, limits.min):
        flat = np.full((24, 24), level, kind)
        found = lavdm.denoise(flat, limits.max * 0.01, method="nlm")
        assert found.dtype == kind
        assert np.abs(found.astype(float) - float(level)).max() <= 0.01 * float(limits.max)


def test_layouts():
    wanted = lavdm.denoise(NOISY, 20, **HOW)
    for given in (np.asfortranarray(NOISY), NOISY[::-1][::-1], NOISY.astype(">f8"), NOISY.tolist(),
                  NOISY.astype(object)):
        assert np.array_equal(lavdm.denoise(given, 20, **HOW), wanted)
    assert lavdm.denoise(NOISY[:, :31], 20, **HOW).shape == (48, 31)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, float])
def test_colours(channels, kind):
    scale = 257 if kind is np.uint16 else 1
    noise = np.random.default_rng(1).normal(0, 20, (48, 48, channels))
    picture = np.clip((CLEAN[:, :, None] + noise) * scale, 0, 255 * scale).astype(kind)
    alpha = channels in (2, 4)
    if alpha:
        picture[:, :, -1] = (np.indices((48, 48)).sum(0) * 2 * scale).astype(kind)
    found = lavdm.denoise(picture, 20 * scale, **HOW)
    assert found.shape == picture.shape and found.dtype == kind
    colours = channels - alpha
    assert error(found[:, :, 0] / scale) < 0.8 * error(picture[:, :, 0] / scale)
    if alpha:
        assert np.array_equal(found[:, :, -1], picture[:, :, -1])
        alone = lavdm.denoise(picture[:, :, :colours], 20 * scale, **HOW)
        assert np.array_equal(alone, found[:, :, :colours])
    if channels == 1:
        assert np.array_equal(found[:, :, 0], lavdm.denoise(picture[:, :, 0], 20 * scale, **HOW))


def test_noise_is_estimated():
    for sigma in (5, 25):
        picture = lavdm.example_picture(128, sigma=sigma)
        assert abs(lavdm.estimate_noise(picture) - sigma) < 0.15 * sigma + 0.5
    assert lavdm.estimate_noise(np.stack([picture] * 3, 2)) == pytest.approx(lavdm.estimate_noise(picture), rel=0.05)
    assert lavdm.estimate_noise(picture.round().astype(np.uint8)) > 0
    assert isinstance(lavdm.estimate_noise(picture), float)
    sigma = lavdm.estimate_noise(NOISY)
    assert np.array_equal(lavdm.denoise(NOISY, **HOW), lavdm.denoise(NOISY, sigma, **HOW))


@pytest.mark.parametrize("bad, words", [
    (NOISY + 1j, "complex"), (NOISY * np.nan, "row 1, column 1 is NaN"), (NOISY * np.inf, "row 1, column 1"), (NOISY[0], "shape"),
    (np.zeros((4, 4, 5)), "shape"), (np.zeros((4, 4, 0)), "shape"), (NOISY[:0], "0 x 48 pixels is empty"), ("text", "numbers"),
    (np.ma.masked_greater(NOISY, 100), "masked"), (None, "numbers|image"),
])
def test_bad_pictures(bad, words):
    for work in (lavdm.denoise, lavdm.estimate_noise):
        with pytest.raises(ValueError, match=words):
            work(bad)


@pytest.mark.parametrize("more, kind, words", [
    (dict(sigma=-1), ValueError, "sigma is -1"), (dict(sigma=np.nan), ValueError, "sigma is nan"),
    (dict(sigma=np.inf), ValueError, "sigma"), (dict(sigma="x"), (TypeError, ValueError), ""),
    (dict(method="best"), ValueError, "method is 'best': it must be lavdm, rid, nlm or nlem"),
    (dict(average="mode"), ValueError, "average is 'mode': it must be"), (dict(patch=4), ValueError, "patch"),
    (dict(patch=-3), ValueError, "patch"), (dict(patch=1.5), TypeError, "patch"), (dict(window=2), ValueError, "window"),
    (dict(neighbours=0), ValueError, "neighbours"), (dict(passes=0), ValueError, "passes"),
    (dict(step=0), ValueError, "step"), (dict(landmarks=2), ValueError, "landmarks"),
    (dict(seed=-1), ValueError, "seed"), (dict(threads=0), ValueError, "threads"),
    (dict(bandwidth=-2), ValueError, "bandwidth"), (dict(turned=-2), ValueError, "turned"),
])
def test_bad_options(more, kind, words):
    with pytest.raises(kind, match=words):
        lavdm.denoise(NOISY, **{"sigma": 20, **more})


# ------------------------------------------------------------------ test data


def test_projections():
    images, rotations = lavdm.projections(40, 20, seed=6)
    assert np.allclose(rotations @ np.swapaxes(rotations, 1, 2), np.eye(3)) and np.allclose(np.linalg.det(rotations), 1)
    longer, _ = lavdm.projections(50, 20, seed=6)
    assert np.array_equal(longer[:40], images)
    noisy, _ = lavdm.projections(40, 20, seed=6, snr=0.25)
    assert np.var(noisy - images) == pytest.approx(np.var(images) / 0.25, rel=0.05)
    assert not np.array_equal(lavdm.projections(40, 20, seed=2**64 - 1)[0], images)
    for bad, kind in ((dict(n=0), ValueError), (dict(size=-1), ValueError), (dict(blobs=0), ValueError),
                      (dict(snr=0), ValueError), (dict(snr=np.nan), ValueError), (dict(seed=-1), ValueError),
                      (dict(n=1.5), TypeError)):
        with pytest.raises(kind, match=next(iter(bad))):
            lavdm.projections(**{"n": 3, "size": 8, **bad})


def test_example_picture():
    assert CLEAN.shape == (48, 48) and CLEAN.min() >= 0 and CLEAN.max() <= 255
    assert np.std(NOISY - CLEAN) == pytest.approx(20, rel=0.1)
    for bad, kind in ((dict(size=0), ValueError), (dict(sigma=-1), ValueError), (dict(sigma=np.nan), ValueError),
                      (dict(seed=-1), ValueError), (dict(size=2.5), TypeError)):
        with pytest.raises(kind, match=next(iter(bad))):
            lavdm.example_picture(**bad)
