"""What a model says of itself."""
import json
import os
import subprocess

import numpy as np
import pytest

import lavdm

COLUMNS = ("rate", "ratio", "low", "high", "spread", "drift", "bias", "angle", "agreement")


@pytest.fixture(scope="module")
def sphere():
    return lavdm.sample("sphere", 1500, seed=2)


def test_groups_of_the_sphere(sphere):
    trust = lavdm.fit(sphere).trust
    assert list(trust["first"][:3]) == [0, 6, 16] and trust["unit"] == 0
    assert all(len(trust[name]) == len(trust["first"]) - 1 for name in COLUMNS)
    assert trust["low"][1] <= 5 <= trust["high"][1]
    assert trust["reproduced"] >= 16 and trust["agreement"][0] > 0.9
    assert trust["trustworthiness"] > 0.98 and trust["continuity"] > 0.98 and trust["shortcuts"] < 0.01


def test_rates_are_those_of_the_eigenvalues(sphere):
    model = lavdm.fit(sphere, method="dm")
    trust = model.trust
    for g, (a, b) in enumerate(zip(trust["first"], trust["first"][1:])):
        rate = -np.log(np.clip(model.eigenvalues[a:b], None, 1))
        assert np.isclose(trust["rate"][g], np.where(rate < 1e-9, 0, rate).mean(), atol=1e-12)
    assert np.allclose(trust["ratio"], trust["rate"] / trust["rate"][trust["unit"]])


def test_nothing_changes_but_what_is_said(sphere):
    plain, tested = lavdm.fit(sphere, trust="no"), lavdm.fit(sphere)
    assert plain.trust is None and "trust_table" not in plain
    for name in plain.arrays:
        assert np.array_equal(plain[name], tested[name], equal_nan=True), name


def test_kept_with_the_model(sphere, tmp_path):
    model = lavdm.fit(sphere)
    model.save(tmp_path / "model.h5")
    again = lavdm.load(tmp_path / "model.h5").trust
    for name, value in model.trust.items():
        assert np.array_equal(value, again[name], equal_nan=True), name


def test_as_in_the_command(sphere, tmp_path):
    command = os.environ.get("LAVDM")
    if not command:
        pytest.skip("no command")
    np.save(tmp_path / "x.npy", sphere)
    words = [command, "embed", str(tmp_path / "x.npy"), "-o", str(tmp_path / "y.npz"), "--json"]
    found = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)["trust"]
    trust = lavdm.fit(sphere).trust
    assert found["first"] == list(trust["first"]) and found["rows"] == trust["rows"]
    assert np.allclose(found["rate"], trust["rate"])
    shown = subprocess.run([command, "info", str(tmp_path / "y.npz")], capture_output=True, check=True, text=True).stdout
    assert "stability" in shown and "trustworthiness" in shown
    listed = json.loads(subprocess.run([command, "info", "--json", str(tmp_path / "y.npz")], capture_output=True,
                                       check=True).stdout)
    assert listed["trust"]["first"] == found["first"]
