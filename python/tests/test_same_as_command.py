"""The package and the command give the same numbers, to the last bit, with the same number of threads."""
import math
import os
import subprocess

import h5py
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lavdm

PROGRAM = os.path.abspath(os.environ.get("LAVDM", "build/lavdm"))
THREADS = 2
# what depends on the clock and on how much memory is free
CHANGING = {"max_memory"}


@pytest.fixture
def command(tmp_path):
    def run(*words):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=tmp_path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout
    return run


def words(options):
    """Options of the package as those of the command."""
    for name, value in options.items():
        yield "--" + name.replace("_", "-")
        yield str(value)


def same(model, path, names=None):
    """The arrays of a model are those of a file of the command."""
    with h5py.File(path, "r") as file:
        found = names or [name for name in model.arrays]
        assert found
        for name in found:
            ours, theirs = model[name], file[name][()]
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, name
            assert ours.tobytes() == theirs.tobytes(), name
        for name, value in model.options.items():
            if name not in CHANGING:
                assert lavdm.options()[name].value(file.attrs["option_" + name]) == value, name


CASES = {
    "dm": dict(method="dm", components=5),
    "dm-knn": dict(method="dm", components=5, edges="knn", knn=12, alpha=0.5),
    "vdm": dict(method="vdm", components=6),
    "vdm-kernel": dict(method="vdm", components=4, kernel="epanechnikov", epsilon=0.3),
    "roseland": dict(method="roseland", components=5, landmarks=60),
    "roseland-farthest": dict(method="roseland", components=3, landmarks=40, design="farthest", beta=1),
    "lavdm": dict(method="lavdm", components=6, landmarks=80),
    "lavdm-random": dict(method="lavdm", components=4, design="random", seed=7, hood="radius"),
    "lavdm-streamed": dict(method="lavdm", components=4, stream="yes"),
    "orientation": dict(method="lavdm", bundle="orientation", components=3),
    "pca": dict(method="lavdm", components=3, pca=3),
    "nystrom": dict(method="nystrom", components=4, landmarks=80),
}


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", CASES)
def test_embed(name, precision, command, tmp_path):
    options = {**CASES[name], "precision": precision, "threads": THREADS}
    points = lavdm.sample("sphere", 350, noise=0.01)
    np.save(tmp_path / "x.npy", points)
    command("embed", "x.npy", "-o", "m.h5", "-q", "--embedding", *words(options))
    model = lavdm.fit(points, **options)
    same(model, tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as file:
        assert np.array_equal(model.embedding(), file["embedding"][()])
        if model.q == 1:
            assert np.array_equal(model.coordinates(), file["coordinates"][()])


def test_floats_as_input(command, tmp_path):
    points = lavdm.sample("torus", 300).astype(np.float32)
    np.save(tmp_path / "x.npy", points)
    command("embed", "x.npy", "-o", "m.h5", "-q", "--threads", THREADS, "--components", 4)
    same(lavdm.fit(points, threads=THREADS, components=4), tmp_path / "m.h5")


def test_own_landmarks(command, tmp_path):
    points = lavdm.sample("sphere", 300)
    np.save(tmp_path / "x.npy", points)
    np.save(tmp_path / "index.npy", np.arange(0, 300, 6))
    command("embed", "x.npy", "-o", "m.h5", "-q", "--threads", THREADS, "--components", 4, "--design", "index.npy")
    model = lavdm.fit(points, landmark_index=np.arange(0, 300, 6), threads=THREADS, components=4)
    same(model, tmp_path / "m.h5")


def test_graph(command, tmp_path):
    rng = np.random.default_rng(1)
    row, col = np.triu_indices(40, 1)
    keep = rng.random(len(row)) < 0.3
    row, col = row[keep], col[keep]
    weight, angle = rng.random(len(row)) + 0.5, rng.uniform(-3, 3, len(row))
    np.save(tmp_path / "g.npy", np.stack([row, col, weight, angle], 1))
    command("embed", "--graph", "g.npy", "--element", "angle", "-o", "m.h5", "-q", "--method", "vdm",
            "--threads", THREADS, "--components", 4)
    same(lavdm.fit(graph=(row, col, angle, weight), method="vdm", threads=THREADS, components=4), tmp_path / "m.h5")


@pytest.mark.parametrize("method", ["vdm", "lavdm"])
def test_images(method, command, tmp_path):
    images, _ = lavdm.projections(80, 18, snr=2)
    np.save(tmp_path / "x.npy", images)
    options = dict(method=method, bundle="rotation", components=4, threads=THREADS, landmarks=20)
    if method == "vdm":
        del options["landmarks"]
    command("embed", "x.npy", "-o", "m.h5", "-q", *words(options))
    same(lavdm.fit(images, **options), tmp_path / "m.h5")


def test_signals(command, tmp_path):
    signals = lavdm.sample("signals", 80)
    np.save(tmp_path / "x.npy", signals)
    options = dict(method="vdm", bundle="shift", components=3, threads=THREADS)
    command("embed", "x.npy", "-o", "m.h5", "-q", *words(options))
    same(lavdm.fit(signals, **options), tmp_path / "m.h5")


@pytest.mark.parametrize("method", ["dm", "vdm", "roseland", "lavdm", "nystrom"])
def test_extend(method, command, tmp_path):
    points, new = lavdm.sample("sphere", 350), lavdm.sample("sphere", 40, seed=2)
    np.save(tmp_path / "x.npy", points)
    np.save(tmp_path / "new.npy", new)
    command("embed", "x.npy", "-o", "m.h5", "-q", "--method", method, "--components", 4, "--threads", THREADS)
    command("extend", "m.h5", "new.npy", "-o", "e.h5", "-q", "--threads", THREADS)
    extended = lavdm.fit(points, method=method, components=4, threads=THREADS).extend(new, threads=THREADS)
    names = ["eigenvalues", "eigenvectors", "degrees"] + (["frames"] if extended.q == 2 else [])
    same(extended, tmp_path / "e.h5", names)
    with h5py.File(tmp_path / "e.h5") as file:
        assert np.array_equal(extended.embedding(), file["embedding"][()])


def test_orient(command, tmp_path):
    points = lavdm.sample("klein", 1200)
    np.save(tmp_path / "x.npy", points)
    command("orient", "x.npy", "-o", "o.h5", "-q", "--threads", THREADS)
    found = lavdm.orientability(points, threads=THREADS)
    assert not found.orientable
    with h5py.File(tmp_path / "o.h5") as file:
        assert np.array_equal(found.signs, file["signs"][()])
        assert np.array_equal(found.model["leading"], file["leading"][()])
        assert np.array_equal(found.model.eigenvalues, file["eigenvalues"][()])
        for name in ("confidence", "ratio", "mean_magnitude", "doubt", "eigenvalue", "trivial_eigenvalue",
                     "odd", "spread", "frustrated", "turn", "gap", "margin"):
            assert getattr(found, name) == file.attrs[name], name


@pytest.mark.parametrize("group, element", [("so2", "angle"), ("so3", "quaternion"), ("z2", "sign")])
def test_sync(group, element, command, tmp_path):
    command("sample", "graph", "--group", group, "-n", 60, "--degree", 8, "--noise", 0.1, "--outliers", 0.1,
            "-o", "edges.npy", "-q")
    command("sync", "edges.npy", "--element", element, "--robust", "-o", "r.h5", "-q", "--threads", THREADS)
    table = np.load(tmp_path / "edges.npy")
    values = table[:, 3:] if element == "quaternion" else table[:, 3]
    edges = lavdm.Edges(table[:, 0], table[:, 1], values, table[:, 2], kind=element)
    found = lavdm.synchronize(edges, robust=True, threads=THREADS)
    with h5py.File(tmp_path / "r.h5") as file:
        for ours, theirs in (("node", "nodes"), ("component", "component"), ("residual", "residuals"),
                             ("trust", "trust")):
            assert getattr(found, ours).tobytes() == file[theirs][()].tobytes(), ours
        theirs = file["elements"][()]  # in the kind of the edges
        if element == "quaternion":
            turns = Rotation.from_quat(theirs[:, [1, 2, 3, 0]]).as_matrix()
            assert np.allclose(found.element, turns, atol=1e-14)
        elif element == "angle":
            assert [math.atan2(R[1, 0], R[0, 0]) for R in found.element] == list(theirs.ravel())
            assert np.allclose(found.angle, theirs.ravel(), atol=1e-15)  # NumPy has an atan2 of its own
        else:
            assert np.array_equal(found.sign, theirs.ravel())


@pytest.mark.parametrize("method", ["rid", "vdm", "lavdm"])
def test_average(method, command, tmp_path):
    images, _ = lavdm.projections(90, 18, snr=1)
    np.save(tmp_path / "x.npy", images)
    command("average", "x.npy", "-o", "a.npy", "--table", "t.npz", "--method", method, "-k", 5, "-q",
            "--threads", THREADS)
    found = lavdm.class_average(images, method=method, neighbours=5, threads=THREADS)
    table = np.load(tmp_path / "t.npz")
    for ours, theirs in (("images", "images"), ("neighbours", "neighbours"), ("angles", "angles"),
                         ("distances", "distances")):
        assert np.array_equal(getattr(found, ours), table[theirs]), ours
    assert np.array_equal(found.reflected, table["reflected"] != 0)
    averages = np.load(tmp_path / "a.npy")
    assert np.array_equal(found.averages.astype(averages.dtype), averages)


@pytest.mark.parametrize("method", ["rid", "lavdm", "nlm"])
def test_denoise(method, command, tmp_path):
    picture = lavdm.example_picture(48, sigma=20)
    np.save(tmp_path / "x.npy", picture)
    command("denoise", "x.npy", "-o", "y.npy", "-m", method, "-s", 20, "--threads", THREADS)
    assert np.array_equal(lavdm.denoise(picture, 20, method=method, threads=THREADS), np.load(tmp_path / "y.npy"))
    command("denoise", "x.npy", "-o", "y.npy", "-m", method, "--threads", THREADS)
    assert np.array_equal(lavdm.denoise(picture, method=method, threads=THREADS), np.load(tmp_path / "y.npy"))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_denoise_whole_numbers(kind, command, tmp_path):
    picture = np.clip(lavdm.example_picture(48, sigma=20), 0, 255).round().astype(kind)
    np.save(tmp_path / "x.npy", picture)
    command("denoise", "x.npy", "-o", "y.npy", "-s", 20, "--threads", THREADS)
    theirs, ours = np.load(tmp_path / "y.npy"), lavdm.denoise(picture, 20, threads=THREADS)
    assert ours.dtype == theirs.dtype == kind and np.array_equal(ours, theirs)


@pytest.mark.parametrize("shape", list(lavdm.shapes()))
def test_sample(shape, command, tmp_path):
    command("sample", shape, "-n", 50, "-o", "x.npz", "-q", "--seed", 5, "--noise", 0.1, "--frames", "--parameters")
    theirs = np.load(tmp_path / "x.npz")
    names = ("points", "frames", "parameters")
    for name, array in zip(names, lavdm.sample(shape, 50, seed=5, noise=0.1, frames=True, parameters=True)):
        assert array.tobytes() == theirs[name].tobytes(), name


def test_projections(command, tmp_path):
    command("sample", "projections", "-n", 12, "--size", 16, "--snr", 0.5, "--seed", 3, "-o", "x.npy", "-q",
            "--rotations", "r.npy")
    images, rotations = lavdm.projections(12, 16, snr=0.5, seed=3)
    theirs = np.load(tmp_path / "x.npy")
    assert np.array_equal(images.astype(theirs.dtype), theirs)
    assert np.array_equal(rotations, np.load(tmp_path / "r.npy"))


@pytest.mark.parametrize("compact", [False, True])
def test_files_go_both_ways(compact, command, tmp_path):
    points, new = lavdm.sample("sphere", 350), lavdm.sample("sphere", 40, seed=2)
    np.save(tmp_path / "x.npy", points)
    np.save(tmp_path / "new.npy", new)
    options = dict(method="lavdm", components=5, threads=THREADS)
    command("embed", "x.npy", "-o", "theirs.h5", "-q", *words(options), *(["--compact"] if compact else []))
    model = lavdm.fit(points, **options)
    model.save(tmp_path / "ours.h5", compact=compact)
    command("extend", "theirs.h5", "new.npy", "--reference", "x.npy", "-o", "a.h5", "-q", "--threads", THREADS)
    command("extend", "ours.h5", "new.npy", "--reference", "x.npy", "-o", "b.h5", "-q", "--threads", THREADS)
    for path in ("theirs.h5", "ours.h5"):
        opened = lavdm.load(tmp_path / path)
        assert ("eigenvectors" in opened) is (not compact)
        for name in opened.arrays:
            assert np.array_equal(opened[name], model[name], equal_nan=True), name
        extended = opened.extend(new, points, threads=THREADS)
        for file in ("a.h5", "b.h5"):
            same(extended, tmp_path / file, ["eigenvectors", "frames", "degrees"])
    if compact:
        with pytest.raises(KeyError, match="no array 'eigenvectors'"):
            opened["eigenvectors"]
        with pytest.raises(ValueError):
            opened.embedding()


def test_distance(command, tmp_path):
    points = lavdm.sample("sphere", 300)
    model = lavdm.fit(points, method="vdm", components=5, threads=THREADS)
    model.save(tmp_path / "m.h5")
    command("distance", "m.h5", "-k", 4, "-o", "d.npz", "-q")
    theirs = np.load(tmp_path / "d.npz")
    index, distance = model.neighbours(4)
    assert np.array_equal(index, theirs["index"]) and np.array_equal(distance, theirs["distance"])
    _, _, alignment = model.neighbours(4, alignments=True)
    assert np.array_equal(alignment, theirs["alignment"])
