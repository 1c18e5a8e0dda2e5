"""Model.report: the page that `lavdm report` writes, from memory."""
import html
import os
import re
import sys

import numpy as np
import pytest

import lavdm

sys.path.insert(0, os.path.join(os.environ.get("LAVDM_SOURCE", "."), "tests", "cli"))
from page import Page  # noqa: E402

HOSTILE = "</script><script>alert(1)</script>\u2028\"'<!--"


@pytest.fixture(scope="module")
def points():
    return lavdm.sample("klein", 300)


@pytest.fixture(scope="module")
def model(points):
    return lavdm.fit(points, dim=2, trust="no")


def taken_apart(report, tmp_path):
    report.save(tmp_path / "page.html")
    return Page(tmp_path / "page.html").check()


def test_numbers(model, points, tmp_path):
    page = taken_apart(model.report(title="Klein"), tmp_path)
    assert (page.kind, page.rows, page.json["title"]) == ("embed", 300, "Klein")
    np.testing.assert_array_equal(page["eigenvectors"], model.eigenvectors.astype("f4"))
    np.testing.assert_array_equal(page["eigenvalues"], model.eigenvalues)
    np.testing.assert_array_equal(page["data"], points.astype("f4"))  # which the model keeps
    assert page.facts["method"] == "lavdm" and page.facts["options"]["dim"] == "2"
    assert page.facts["reasons"] == model.info["reasons"] and page.facts["warnings"] == model.info["warnings"]
    assert page.facts["timings"].keys() == model.info["timings"].keys()
    assert page.facts["edges"] == model.info["edges"]


def test_like_the_command(model, points, tmp_path):
    """The arrays are those that the command writes of the same fit."""
    import subprocess

    np.save(tmp_path / "x.npy", points)
    subprocess.run([os.environ["LAVDM"], "embed", "x.npy", "--dim", "2", "--trust", "no", "--report", "y.html", "-q"],
                   cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
    ours, theirs = taken_apart(model.report(data=points), tmp_path), Page(tmp_path / "y.html")
    assert set(ours.arrays) == set(theirs.arrays)
    for name in ours.arrays:
        np.testing.assert_array_equal(ours[name], theirs[name])


def test_data_labels_images(points, tmp_path):
    model = lavdm.fit(points, method="roseland", trust="no")
    assert "points" not in model
    assert "data" not in taken_apart(model.report(), tmp_path)
    names = np.array([HOSTILE, "b", "c"])[np.arange(300) % 3]
    images = np.arange(300 * 12.0).reshape(300, 3, 4)
    page = taken_apart(model.report(data=points, labels=names, images=images), tmp_path)
    assert page.labels() == list(names) and page.arrays["thumbs"]["shape"] == [300, 3, 4]
    np.testing.assert_array_equal(page["data"], points.astype("f4"))
    page = taken_apart(model.report(labels=np.arange(300) % 4), tmp_path)
    assert page.labels() == [str(i % 4) for i in range(300)]
    page = taken_apart(model.report(labels=np.linspace(0, 1, 300), images=np.ones((300, 7))), tmp_path)
    np.testing.assert_allclose(page["colour"], np.linspace(0, 1, 300), rtol=1e-6)
    assert page.arrays["thumbs"]["shape"] == [300, 1, 7]


def test_frame(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(100, 3)), columns=["a", HOSTILE, "c"], index=[f"row {i}" for i in range(100)])
    frame["kind"] = np.array(["x", "y"])[np.arange(100) % 2]
    model = lavdm.fit(frame, labels="kind", method="dm", trust="no")
    page = taken_apart(model.report(data=frame), tmp_path)
    assert page["ids"] == list(frame.index) and page.labels() == list(frame["kind"])
    assert page.arrays["data"]["names"] == ["a", HOSTILE, "c"] and page.facts["label_name"] == "kind"


def test_notebook(model):
    """Inline, in a frame of its own that the text of the page cannot leave."""
    report = model.report(title=HOSTILE)
    shown = report._repr_html_()
    found = re.fullmatch(r'<iframe title="([^"]*)" sandbox="allow-scripts allow-downloads" style="[^"]*" '
                         r'srcdoc="([^"]*)"></iframe>', shown)
    assert found and html.unescape(found[2]) == report.html and html.unescape(found[1]) == HOSTILE
    assert "<script>alert" not in report.html


def test_path_and_estimator(points, tmp_path):
    estimator = lavdm.DiffusionMap(n_components=3).fit(points)
    report = estimator.report(tmp_path / "page.html", data=points)
    assert (tmp_path / "page.html").read_bytes() == report.html.encode()
    assert Page(tmp_path / "page.html").json["title"] == "DiffusionMap"
    with pytest.raises(Exception, match="not fitted"):
        lavdm.DiffusionMap().report()


def test_refused(model, points):
    with pytest.raises(ValueError, match="labels: the shape is"):
        model.report(labels=["a"])
    with pytest.raises(ValueError, match="the data has 10 rows"):
        model.report(data=points[:10])
    with pytest.raises(ValueError, match="images"):
        model.report(images=np.ones(300))
    with pytest.raises(ValueError, match="300"):
        model.report(images=np.ones((10, 3, 3)))
    with pytest.raises(OSError):
        model.report("/nowhere/page.html")


def test_progress(model):
    class Stop(Exception):
        pass

    def stop(stage, fraction):
        raise Stop

    with pytest.raises(Stop):
        model.report(progress=stop)
