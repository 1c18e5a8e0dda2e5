"""lavdm.plot draws the model's numbers, and says what it cannot draw."""
import doctest
import inspect
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

import lavdm
from lavdm import plot

N = 1500
SPHERE = lavdm.sample("sphere", N)


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def vdm():
    return lavdm.VectorDiffusionMap(components=18).fit(SPHERE)


@pytest.fixture(scope="module")
def dm():
    return lavdm.DiffusionMap(components=5).fit(lavdm.sample("torus", 600))


def test_examples():
    found = doctest.testmod(plot)
    assert found.attempted > 10 and found.failed == 0


def test_documented_and_typed():
    for name in plot.__all__:
        function = getattr(plot, name)
        assert ">>>" in function.__doc__
        assert all(p.annotation is not p.empty for p in inspect.signature(function).parameters.values()), name


def test_import_leaves_matplotlib_alone():
    code = "import sys, lavdm; lavdm.plot.spectrum; print(any(m.startswith('matplotlib') for m in sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_without_matplotlib(vdm, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (plot.spectrum, plot.embedding, plot.field):
        with pytest.raises(ImportError, match="python3-matplotlib"):
            draw(vdm)


# ---------------------------------------------------------------- spectrum


def slow_levels(values, apart, least):
    """All groups that are levels, by trying every pair of ends; of nested ones the largest."""
    height = np.log(np.maximum(1 - np.asarray(values, float), 1e-9))
    found = []
    for first in range(len(height)):
        for end in range(first + 1, len(height)):
            before = np.inf if first == 0 else height[first] - height[first - 1]
            spread, after = height[end - 1] - height[first], height[end] - height[end - 1]
            if before > least and after > least and before > apart * spread and after > apart * spread:
                found.append((first, end))
    return [a for a in found if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in found)]


def test_levels_against_every_group():
    generator = np.random.default_rng(1)
    for _ in range(200):
        sizes = generator.integers(1, 7, 5)
        centres = np.cumsum(generator.uniform(0.6, 2, 5)) - 6
        height = np.concatenate([c + generator.uniform(0, 0.03, s) for c, s in zip(centres, sizes)])
        values = 1 - np.exp(np.sort(height))
        ends = np.cumsum(sizes)
        found = plot.levels(values)
        assert found[:4] == list(zip(np.concatenate([[0], ends[:3]]), ends[:4]))
        assert slow_levels(values, 4.0, 0.1) == found and len(found) == 4
        random = np.sort(generator.random(12))[::-1]
        assert plot.levels(random, 2, 0.02) == slow_levels(random, 2, 0.02)


def test_levels_leaves_out_what_may_go_on():
    assert plot.levels([0.99, 0.99, 0.9, 0.9001, 0.9]) == [(0, 2)]
    assert plot.levels([1, 1, 0.5, 0.1]) == [(0, 2), (2, 3)]
    assert plot.levels([0.99, 0.99, 0.9, 0.9, 0.905, 0.905]) == [(0, 2)]  # pairs of a level that may go on
    assert plot.levels([0.5]) == [] and plot.levels([]) == []


def test_levels_of_an_even_spectrum_are_single():
    assert all(after - first == 1 for first, after in plot.levels(1 - 0.01 * 1.3 ** np.arange(12)))


@pytest.mark.parametrize("laplacian", [False, True])
def test_spectrum(vdm, laplacian):
    ax = plot.spectrum(vdm, laplacian=laplacian)
    values = 1 - vdm.eigenvalues_ if laplacian else vdm.eigenvalues_
    x, y = ax.lines[0].get_data()
    assert np.array_equal(x, np.arange(1, 19)) and np.array_equal(y, values)
    assert [text.get_text() for text in ax.texts] == ["×6", "×10"]
    assert ax.texts[0].xy == (3.5, pytest.approx(values[:6].mean()))
    assert len(ax.lines) == 3  # the dots, and a bar for each of the levels
    assert np.allclose(ax.lines[2].get_ydata(), values[6:16].mean())
    assert ax.get_ylim()[0] <= values.min() and values.max() <= ax.get_ylim()[1]


def test_spectrum_on_given_axes_without_marks(vdm):
    _, ax = plt.subplots()
    assert plot.spectrum(vdm.model_, ax, multiplicities=False, label="VDM", colour="k") is ax
    assert len(ax.lines) == 1 and not ax.texts
    assert ax.lines[0].get_label() == "VDM" and ax.lines[0].get_color() == "k"


# --------------------------------------------------------------- embedding


def test_embedding_of_scalars(dm):
    colour = np.arange(600.0)
    ax = plot.embedding(dm, colour=colour, size=9)
    dots = ax.collections[0]
    assert np.array_equal(np.asarray(dots.get_offsets()), dm.embedding_[:, :2])
    assert np.array_equal(dots.get_array(), colour) and dots.get_sizes() == [9]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("coordinate 1", "coordinate 2")
    same = plot.embedding(dm.model_, time=2, rank=4)
    assert np.array_equal(np.asarray(same.collections[0].get_offsets()), dm.model_.coordinates(2, 4)[:, 1:3])


def test_embedding_in_three_dimensions(dm):
    ax = plot.embedding(dm, dims=(1, 3, 4))
    assert ax.name == "3d"
    assert np.allclose(np.stack(ax.collections[0]._offsets3d, 1), dm.embedding_[:, [0, 2, 3]])
    assert ax.get_zlabel() == "coordinate 4"


def test_embedding_columns_of_vectors(vdm):
    ax = plot.embedding(vdm, dims=(0, 5), rank=4)
    table = vdm.model_.embedding(rank=4)
    assert np.array_equal(np.asarray(ax.collections[0].get_offsets()), table[:, [0, 5]])
    # columns are the pairs 00 01 02 03 11 12 ...
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("⟨u0, u0⟩", "⟨u1, u2⟩")


def test_embedding_principal_axes(vdm):
    from sklearn.decomposition import PCA

    ax = plot.embedding(vdm, 3)
    drawn = np.stack(ax.collections[0]._offsets3d, 1)
    truth = PCA(3).fit_transform(vdm.model_.embedding(rank=8))
    assert np.allclose(np.abs(np.sum(drawn * truth, 0)), np.sum(truth**2, 0), rtol=1e-6)
    assert ax.get_xlabel() == "principal axis 1"


@pytest.mark.parametrize("kind", [lavdm.DiffusionMap, lavdm.Roseland])
def test_embedding_of_distances_between_images(kind):
    """Whatever the bundle, these diffuse numbers: r coordinates, the first constant, and not products of eigenvectors."""
    images, _ = lavdm.projections(120, 16)
    fitted = kind(bundle="rotation", components=5, time=2).fit(images)
    u, values = fitted.eigenvectors_[:, 0], fitted.eigenvalues_
    assert np.allclose(fitted.embedding_, (u * values**2)[:, 1:])
    assert fitted.transform(images[:7]).shape == (7, 4)
    assert len(fitted.get_feature_names_out()) == 4
    ax = plot.embedding(fitted)
    assert np.array_equal(np.asarray(ax.collections[0].get_offsets()), fitted.embedding_[:, :2])


def test_embedding_draws_at_most(dm):
    ax = plot.embedding(dm, most=50, colour=np.arange(600))
    drawn = ax.collections[0].get_array().astype(int)
    assert len(drawn) == 50 and drawn[0] == 0 and drawn[-1] == 599
    assert np.array_equal(np.asarray(ax.collections[0].get_offsets()), dm.embedding_[drawn, :2])


def test_embedding_without_points_out_of_reach(dm):
    new = np.concatenate([lavdm.sample("torus", 20, seed=2), [[50, 0, 0]]])
    with pytest.warns(lavdm.LavdmWarning):
        model = dm.model_.extend(new)
    assert len(plot.embedding(model).collections[0].get_offsets()) == 20


@pytest.mark.parametrize("how, words", [
    (dict(dims=(1, 5)), "there are 5 columns"), (dict(dims=(1,)), "two or three"), (dict(dims=4), "dims is 4"),
    (dict(dims=(0.5, 1)), "whole number"), (dict(rank=2), "2 components are too few for 2 dimensions"),
    (dict(most=0), "most is 0"), (dict(colour=np.zeros(3)), "one for each of 600 points")])
def test_embedding_errors(dm, how, words):
    with pytest.raises(ValueError, match=words):
        plot.embedding(dm, **how)


def test_embedding_of_vectors_that_cannot_be_drawn(vdm):
    with pytest.raises(ValueError, match="1 components are too few"):
        plot.embedding(vdm, rank=1)
    with pytest.warns(lavdm.LavdmWarning):
        nowhere = vdm.model_.extend(np.full((3, 3), 50.0))
    with pytest.raises(ValueError, match="reaches none"):
        plot.embedding(nowhere)


# ------------------------------------------------------------------- field


def middles(quiver):
    """Middle, vector and colour of the arrows of a 3-D quiver: shafts come first, from tip to tail."""
    segments = np.array([s for s in quiver._segments3d][:len(quiver._segments3d) // 3])
    return segments.mean(1), segments[:, 0] - segments[:, 1], quiver.get_array()[:len(segments)]


def rows_of(found):
    """Which points of the sphere these are."""
    distance = np.linalg.norm(SPHERE[:, None] - found[None], axis=2)
    assert distance.min(0).max() < 1e-9
    return distance.argmin(0)


@pytest.mark.parametrize("component", [0, 7])
def test_field_is_the_eigenvector(vdm, component):
    ax = plot.field(vdm, component, SPHERE, arrows=150, hidden="show", background=False)
    (quiver,) = ax.collections
    where, arrow, colour = middles(quiver)
    rows = rows_of(where)
    assert len(set(rows)) == 150
    truth = np.einsum("npd,nd->np", vdm.frames_, vdm.eigenvectors_[:, :, component])[rows]
    scale = np.linalg.norm(arrow, axis=1).max() / np.linalg.norm(truth, axis=1).max()
    assert np.allclose(arrow, scale * truth)
    assert np.allclose(colour, np.linalg.norm(truth, axis=1))
    assert len(quiver.get_array()) == len(quiver._segments3d)


@pytest.mark.parametrize("view", [(0, 0), (30, -60), (90, 0), (-20, 140)])
def test_hidden_arrows_of_the_sphere(view):
    points = lavdm.sample("sphere", 3000)
    vdm = lavdm.VectorDiffusionMap(components=2).fit(points)
    figure = plt.figure()
    ax = figure.add_subplot(projection="3d")
    ax.view_init(*view)
    assert plot.field(vdm, 0, points, ax, arrows=300) is ax
    dots, behind, front = ax.collections
    elevation, azimuth = np.radians(view)
    eye = [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
    assert (middles(front)[0] @ eye).min() > -0.35 and (middles(behind)[0] @ eye).max() < 0.05
    assert len(middles(front)[0]) + len(middles(behind)[0]) == 300
    assert behind.get_alpha() < 0.5 and behind.get_zorder() < front.get_zorder()
    assert behind.get_clim() == front.get_clim()
    dropped = plot.field(vdm, 0, points, None, arrows=300, hidden="drop")
    assert len(dropped.collections) == 2


def test_field_of_given_vectors_from_the_models_points(vdm):
    rotation = np.cross([0, 0, 1], SPHERE)
    ax = plot.field(vdm, vectors=rotation, arrows=80, hidden="show", background=False)
    where, arrow, colour = middles(ax.collections[0])
    truth = rotation[rows_of(where)]
    assert np.allclose(colour, np.linalg.norm(truth, axis=1))
    assert np.allclose(np.cross(arrow, truth), 0, atol=1e-12) and (np.sum(arrow * truth, 1) > 0).all()


def test_field_is_seen_on_white(vdm):
    """Any colour of the lengths has a contrast of 2 or more with white, the longest ones of 7, as text must have."""
    ax = plot.field(vdm, vectors=np.cross([0, 0, 1], SPHERE), hidden="show", background=False)
    colours = ax.collections[0].get_cmap()(np.linspace(0, 1, 100))[:, :3]
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    contrast = 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05)
    assert contrast.min() > 2 and contrast[-20:].min() > 7
    assert (np.diff(contrast) > 0).all()


def test_field_in_single_precision():
    vdm = lavdm.VectorDiffusionMap(components=2, precision="single").fit(SPHERE)
    ax = plot.field(vdm, hidden="show", background=False, arrows=20)
    nearest = np.linalg.norm(SPHERE[:, None] - middles(ax.collections[0])[0][None], axis=2).min(0)
    assert nearest.max() < 1e-6


def test_field_in_the_plane():
    circle = lavdm.sample("circle", 300)
    vdm = lavdm.VectorDiffusionMap(components=2, dim=1).fit(circle)
    ax = plot.field(vdm, 0, circle, arrows=40, background=False)
    (quiver,) = ax.collections
    arrows = np.stack([quiver.U, quiver.V], 1)
    rows = np.linalg.norm(circle[:, None] - quiver.XY[None], axis=2).argmin(0)
    assert len(arrows) == 40
    truth = vdm.model_.ambient()[rows, :, 0]
    assert np.allclose(arrows, truth)
    assert np.allclose(quiver.get_array(), np.linalg.norm(truth, axis=1))


def test_arrows_are_spread(vdm):
    chosen = plot._spread(SPHERE, 60)
    apart = np.linalg.norm(SPHERE[chosen][:, None] - SPHERE[chosen][None], axis=2) + 9 * np.eye(60)
    far = np.linalg.norm(SPHERE[:, None] - SPHERE[chosen][None], axis=2).min(1)
    assert apart.min() >= far.max()  # what makes farthest-point samples good
    assert len(plot._spread(SPHERE, 10**4)) == N


@pytest.mark.parametrize("how, words", [
    (dict(component=18), "the model has 18 components"), (dict(component=-1), "from 0 to 17"),
    (dict(points=SPHERE[:5]), r"\(1500, 3\) is needed"), (dict(hidden="no"), "fade, drop or show"),
    (dict(arrows=0), "arrows is 0"), (dict(vectors=np.zeros((2, 3))), "vectors: the shape"),
    (dict(vectors=np.zeros((N, 3))), "zero at every point")])
def test_field_errors(vdm, how, words):
    with pytest.raises(ValueError, match=words):
        plot.field(vdm, **how)


def test_field_of_other_models(dm):
    with pytest.raises(ValueError, match="the bundle is 'trivial'.*plot.embedding"):
        plot.field(dm)
    klein = lavdm.VectorDiffusionMap(components=2).fit(lavdm.sample("klein", 500))
    with pytest.raises(ValueError, match="4 coordinates.*ambient"):
        plot.field(klein)


def test_wrong_things(vdm):
    _, flat = plt.subplots()
    with pytest.raises(ValueError, match="projection='3d'"):
        plot.field(vdm, ax=flat)
    with pytest.raises(ValueError, match="no projection"):
        plot.spectrum(vdm, plt.figure().add_subplot(projection="3d"))
    with pytest.raises(TypeError, match="call its fit first"):
        plot.spectrum(lavdm.DiffusionMap())
    with pytest.raises(TypeError, match="this is ndarray"):
        plot.embedding(SPHERE)


# ------------------------------------------------------------------- labels


def colours_of(ax):
    return [(tuple(part.get_facecolor()[0]), len(part.get_offsets())) for part in ax.collections]


def test_labels(dm):
    """A colour for each of the labels, told by a legend."""
    labels = np.array(["a", "_b", "$c$"])[np.arange(600) % 3]
    ax = plot.embedding(dm, labels=labels)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [r"\$c\$", "_b", "a"]
    found = colours_of(ax)
    assert len(set(found)) == 3 and all(number == 200 for _, number in found)
    for k, name in enumerate(["$c$", "_b", "a"]):
        assert matplotlib.colors.to_hex(found[k][0]) == plot.PALETTE[k]
        assert np.array_equal(np.asarray(ax.collections[k].get_offsets()), dm.embedding_[labels == name, :2])
        assert ax.get_legend().get_texts()[k].get_text().replace("\\", "") == name
    ax.figure.canvas.draw()
    same = plot.embedding(dm, colour=labels)  # texts that are no colours
    assert colours_of(same) == found and same.get_legend() is not None
    assert plot.embedding(dm, colour=np.repeat(["red", "blue"], 300)).get_legend() is None  # these are
    three = plot.embedding(dm, 3, labels=labels)
    assert three.name == "3d" and len(three.collections) == 3


def test_labels_of_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(lavdm.sample("torus", 300), columns=["x", "y", "z"]).assign(side=np.repeat(["in", "out"], 150))
    fitted = lavdm.DiffusionMap(3).fit(frame, labels="side")
    ax = plot.embedding(fitted)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["in", "out"]
    assert plot.embedding(fitted, colour="k").get_legend() is None


def test_many_labels(dm):
    ax = plot.embedding(dm, labels=np.arange(600) % 40)
    looks = {(tuple(part.get_facecolor()[0]), part.get_paths()[0].vertices.tobytes()) for part in ax.collections}
    assert len(looks) == 40 and len(ax.get_legend().get_texts()) == 40
    with pytest.raises(ValueError, match="labels has 49 different values, and 48 can be told apart"):
        plot.embedding(dm, labels=np.arange(600) % 49)


def test_colours_that_the_colour_blind_can_tell_apart():
    """By the usual linear models of how each of three kinds of cones being absent changes linear RGB."""
    absent = {"protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                             [-0.003882, -0.048116, 1.051998]],
              "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                               [-0.011820, 0.042940, 0.968881]],
              "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                             [0.004733, 0.691367, 0.303900]]}
    colours = np.array([matplotlib.colors.to_rgb(one) for one in plot.PALETTE])
    linear = np.where(colours > 0.04045, ((colours + 0.055) / 1.055) ** 2.4, colours / 12.92)
    for matrix in absent.values():
        seen = np.clip(linear @ np.array(matrix).T, 0, 1) ** (1 / 2.2)
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)[np.triu_indices(len(seen), 1)]
        assert apart.min() > 0.1


def test_wrong_labels(dm):
    for how, words in ((dict(labels=["a"] * 5), "labels: the shape"), (dict(labels=["a"] * 600, colour="k"), "give one"),
                       (dict(labels=np.zeros((600, 2))), "one label for each")):
        with pytest.raises(ValueError, match=words):
            plot.embedding(dm, **how)


def test_pieces_are_drawn_apart():
    """The coordinates that an estimator returns, with what tells the pieces apart and without the constant."""
    apart = np.concatenate([lavdm.sample("circle", 200), lavdm.sample("circle", 200) + 9])
    with pytest.warns(lavdm.LavdmWarning):
        fitted = lavdm.DiffusionMap(2, epsilon=0.1).fit(apart)
    drawn = np.asarray(plot.embedding(fitted).collections[0].get_offsets())
    assert np.array_equal(drawn, fitted.embedding_)


def test_arrows_are_seen_on_light_ground(vdm):
    """Every arrow in front is darker than the ground by the contrast that large text has to have, 3 to 1."""
    ax = plot.field(vdm, 0, SPHERE, arrows=150)
    ax.figure.canvas.draw()
    colours = ax.collections[-1].get_edgecolor()
    assert len(colours) > 100 and np.ptp(colours[:, :3], axis=0).max() > 0.1
    linear = np.where(colours[:, :3] <= 0.04045, colours[:, :3] / 12.92, ((colours[:, :3] + 0.055) / 1.055) ** 2.4)
    light = linear @ [0.2126, 0.7152, 0.0722]
    assert ((1 + 0.05) / (light + 0.05)).min() > 2.2 and np.median(1.05 / (light + 0.05)) > 3


# ------------------------------------------------------------------ figure


def test_figure(vdm, dm):
    both = dm.model_.plot(colour=np.arange(600), title="A torus")
    assert [ax.get_ylabel() for ax in both.axes][0] == "eigenvalue" and len(both.axes) == 2
    assert both._suptitle.get_text() == "A torus" and tuple(both.get_size_inches()) == (7, 2.8)
    space = plot.figure(dm, axes=3, spectrum="no", view=(10, 40), size=(4, 3))
    assert [ax.name for ax in space.axes] == ["3d"] and tuple(space.get_size_inches()) == (4, 3)
    assert (space.axes[0].azim, space.axes[0].elev) == (10, 40)
    assert dm.model_.plot(axes=(1, 4), spectrum="no").axes[0].get_ylabel() == "coordinate 4"
    arrows = vdm.model_.plot(fields=2, points=SPHERE)
    assert arrows.axes[1].name == "3d" and len(arrows.axes[1].collections) == 3
    assert len(vdm.model_.plot(spectrum="only").axes) == 1


@pytest.mark.parametrize("how, says", [
    ({"spectrum": "yes"}, "beside, only or no"), ({"spectrum": "only", "fields": 0}, "no use"),
    ({"fields": 0, "colour": "red"}, "give one of them"), ({"axes": (1, 2, 3, 4)}, "two or three"),
])
def test_figure_refuses(vdm, how, says):
    with pytest.raises(ValueError, match=says):
        plot.figure(vdm, **how)
