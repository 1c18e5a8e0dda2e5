"""Every block of docs/python.md runs, in order, and prints what the page shows."""
import doctest
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "python.md"
COMMAND = os.environ.get("LAVDM") or shutil.which("lavdm") or str(ROOT / "build" / "lavdm")


def blocks():
    """(language, first line, text) of each fenced block."""
    text = GUIDE.read_text()
    return [(found[1], text[:found.start()].count("\n") + 2, found[2])
            for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]


def test_blocks_are_of_the_kinds_that_run():
    kinds = [language for language, _, _ in blocks()]
    assert set(kinds) == {"python", "sh"} and kinds.count("python") > 15
    assert GUIDE.read_text().count("```") == 2 * len(kinds)
    for language, line, text in blocks():
        assert language == "sh" or doctest.DocTestParser().get_examples(text), f"line {line}: nothing to run"


def test_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.path.dirname(COMMAND) + os.pathsep + os.environ["PATH"])
    names = {"__name__": "__main__"}
    report = []
    runner = doctest.DocTestRunner()
    for language, line, text in blocks():
        if language == "sh":
            done = subprocess.run(["sh", "-e"], input=text, text=True, capture_output=True)
            if done.returncode or done.stdout:
                report.append(f"docs/python.md:{line}: {done.stdout}{done.stderr}")
            continue
        test = doctest.DocTestParser().get_doctest(text, names, GUIDE.name, str(GUIDE), line - 1)
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert not report, "\n".join(report)


def test_links():
    for target in re.findall(r"\]\(([^)#]+)", GUIDE.read_text()):
        assert (GUIDE.parent / target).exists(), target


def test_a_wrong_output_would_be_seen(tmp_path, monkeypatch):
    changed = tmp_path / "python.md"
    changed.write_text("```python\n>>> 1 + 1\n3\n\n```\n")
    monkeypatch.setattr("test_guide.GUIDE", changed)
    with pytest.raises(AssertionError, match="Expected"):
        test_guide(tmp_path, monkeypatch)
