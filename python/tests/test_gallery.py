"""The gallery's scripts run, draw a picture, and print numbers that make sense."""
import ast
import os
import pathlib
import re
import subprocess
import sys

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.image

GALLERY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")


def run(name, folder):
    """What the script prints; its picture is looked at as well."""
    picture = folder / f"{name}.png"
    done = subprocess.run([sys.executable, GALLERY / f"{name}.py", picture, "--quick"], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    image = matplotlib.image.imread(picture)
    assert image.shape[0] >= 400 and image.shape[1] >= 800
    assert 20_000 < os.path.getsize(picture) < 400_000
    ink = (np.abs(image[:, :, :3] - 1) > 0.1).any(2)
    assert 0.02 < ink.mean() < 0.95
    # every quarter has something in it, and nothing touches the border of the sheet by being cut
    h, w = ink.shape
    assert all(part.mean() > 0.01 for part in (ink[:h // 2, :w // 2], ink[:h // 2, w // 2:], ink[h // 2:, :w // 2],
                                               ink[h // 2:, w // 2:]))
    assert not ink[0].any() and not ink[-1].any() and not ink[:, 0].any() and not ink[:, -1].any()
    return done.stdout


def numbers(text):
    return [float(found) for found in re.findall(r"[-+]?\d+\.?\d*", text.replace(",", " "))]


def test_sphere_fields(tmp_path):
    printed = run("sphere_fields", tmp_path)
    assert re.search(r"multiplicities: 6, 10\n", printed)
    ratio = numbers(re.search(r"first level: (.*)", printed)[1])
    assert ratio[0] == 1 and abs(ratio[1] - 5) < 0.4
    assert numbers(re.search(r"relative error at most (.*)", printed)[1])[0] < 0.05


def test_klein_landmarks(tmp_path):
    printed = run("klein_landmarks", tmp_path)
    found = {}
    for value, rest in re.findall(r"eigenvalue (\d): (.*)", printed):
        found.setdefault(int(value), []).append(numbers(rest))
    assert {value: [len(some) for some in both] for value, both in found.items()} == {
        0: [1, 1], 1: [4, 4], 2: [4, 4], 4: [4, 4]}
    for value, both in found.items():
        assert np.abs(np.array(both) - value).max() < 0.25
    assert numbers(re.search(r"of the first field (.*) is along x", printed)[1])[0] > 99
    assert numbers(re.search(r"varies by (.*) %", printed)[1])[0] < 1


@pytest.mark.skipif(not FASHION.exists(), reason="the package dataset-fashion-mnist is not installed")
def test_fashion_mnist(tmp_path):
    printed = run("fashion_mnist", tmp_path)
    right = {(kind, name.strip()): float(share)
             for kind, name, share in re.findall(r"^(upright|turned) +(.*?) +(\d\.\d+) right", printed, re.M)}
    assert len(right) == 12
    assert min(right.values()) > 0.4  # by chance: 0.1
    turns = [name for _, name in right if "turn" in name]
    assert all(abs(right["upright", name] - right["turned", name]) < 0.1 for name in turns)
    assert right["turned", "ROSELAND after the best turn, 50 columns"] > right["turned", "ROSELAND, 50 columns"] + 0.05


def test_fashion_mnist_says_what_is_missing(tmp_path):
    code = (GALLERY / "fashion_mnist.py").read_text().replace(str(FASHION), str(tmp_path / "nothing"))
    copy = tmp_path / "fashion.py"
    copy.write_text(code)
    done = subprocess.run([sys.executable, copy, tmp_path / "no.png"], text=True, capture_output=True)
    assert done.returncode == 1 and "apt install dataset-fashion-mnist" in done.stderr
    assert "Traceback" not in done.stderr


def test_denoising(tmp_path):
    printed = run("denoising", tmp_path)
    sigma = numbers(re.search(r"estimated: (.*)", printed)[1])[0]
    assert 35 < sigma < 45
    gain = {name: float(more) for name, more in re.findall(r"^(.*?): .* dB, ([-+]\d+\.\d+) dB", printed, re.M)}
    assert set(gain) == {"non-local means", "lavdm.denoise"}
    assert min(gain.values()) > 3 and gain["lavdm.denoise"] > gain["non-local means"]


def test_pose_graph(tmp_path):
    printed = run("pose_graph", tmp_path)
    assert "globally optimal" in printed
    wheels, found = (numbers(re.search(rf"{name}: error of positions (.*)", printed)[1])[0] for name in ("wheels alone", "synchronised"))
    expected = numbers(re.search(r"expected by the covariances: (.*)", printed)[1])[0]
    assert found < wheels / 3 and expected / 3 < found < 3 * expected  # a few slow modes are most of it
    assert numbers(re.search(r"\n(.*) % of the true positions", printed)[1])[0] > 60
    assert (tmp_path / "pose_graph.html").read_text().startswith("<!")


def test_rotation_averaging(tmp_path):
    printed = run("rotation_averaging", tmp_path)
    table = [dict(re.findall(r"([a-z -]+) ([\d.]+)", line)) for line in re.findall(r"median error in degrees: (.*)", printed)]
    table = [{name.strip(" ,"): float(value) for name, value in row.items()} for row in table]
    assert len(table) == 4 and all(len(row) == 4 for row in table)
    assert max(table[0].values()) < 1.5  # no wrong pairs
    assert table[2]["auto"] < 2 < 5 < table[2]["least squares"]
    assert "globally optimal" in printed and "auto chose" in printed


def test_phase_unwrapping(tmp_path):
    printed = run("phase_unwrapping", tmp_path)
    wrong = {name: numbers(rest)[2] for name, rest in re.findall(r"(added up|synchronised): error (.*)", printed)}
    assert wrong["synchronised"] < 2 < wrong["added up"]


def test_klein_bottle(tmp_path):
    """The README's picture: a field of the level that is there four times, and a cover whose angles are those of a torus."""
    script = GALLERY.parents[1] / "studies" / "gallery" / "klein_bottle.py"
    done = subprocess.run([sys.executable, "-B", script, tmp_path, "--quick"], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    level = numbers(re.search(r"as unit: (.*)", done.stdout)[1])
    assert np.abs(np.array(level) - np.repeat([0, 1, 2, 4], [1, 4, 4, 4])).max() < 0.25
    assert "not orientable" in done.stdout
    half, most = numbers(re.search(r"half are within (.*) radians", done.stdout)[1])[0::2]
    assert half < 0.05 and most < 0.2
    for theme, ground in (("light", (1, 1, 1)), ("dark", (13 / 255, 17 / 255, 23 / 255))):
        image = matplotlib.image.imread(tmp_path / f"klein-{theme}.png")[:, :, :3]
        assert np.allclose(image[[0, 0, -1, -1], [0, -1, 0, -1]], ground, atol=0.01)
        drawn = (np.abs(image - ground) > 0.05).any(2)
        assert 0.3 < drawn.mean() < 0.6
        # glass lets through: amber and blue on the torus, little of them on the bottle
        blue, amber = image[..., 2] > image[..., 0] + 0.3, image[..., 0] > image[..., 2] + 0.3
        right = slice(image.shape[1] // 2, None)
        assert blue[:, right].mean() > 0.01 and amber[:, right].mean() > 0.01


@pytest.mark.parametrize("script", sorted(GALLERY.glob("*.py")), ids=lambda path: path.stem)
def test_scripts_are_readable(script):
    text = script.read_text()
    assert "usage:" in ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) < 115
    assert max(map(len, text.splitlines())) <= 120
