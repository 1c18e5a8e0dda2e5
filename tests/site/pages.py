#!/usr/bin/env python3
"""Runs what pages of docs/ tell the reader to run, in order, and compares what they show with what is printed.

    tests/site/pages.py BUILD PAGE.md ...

Blocks `sh` and `python` of a page are run in one new folder, in which `build` is BUILD. Every line of a block `text` must
have been printed since the last one that something was run after: the words the same, numbers within 3 % or one of
their last digit.
"""
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])")


def alike(shown, printed):
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", printed).split():
        return False
    for a, b in zip(NUMBER.findall(shown), NUMBER.findall(printed)):
        last = 10.0 ** -len(a.partition("e")[0].partition(".")[2]) * 10.0 ** int(a.partition("e")[2] or 0)
        if abs(float(a) - float(b)) > max(0.03 * abs(float(a)), 1.01 * last):
            return False
    return True


def run(language, text, names):
    if language == "sh":
        done = subprocess.run(["sh", "-e"], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout, done.returncode and f"sh ended with {done.returncode}:\n{done.stdout}"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "<page>", "exec"), names)
    return out.getvalue(), 0


def check(page):
    text = page.read_text()
    names, printed, ran, shown, faults = {"__name__": "__main__"}, [], 0, 0, []
    fresh = True  # what is run next begins a new output
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        language, block, line = found[1], found[2], text[:found.start()].count("\n") + 2
        if language in ("sh", "python"):
            output, fault = run(language, block, names)
            if fault:
                return [f"{page.name}:{line}: {fault}"]
            printed = (printed if not fresh else []) + output.splitlines()
            fresh, ran = False, ran + 1
        elif language == "text":
            left, fresh = list(printed), True
            for offset, wanted in enumerate(block.splitlines()):
                match = next((number for number, line_there in enumerate(left) if alike(wanted, line_there)), None)
                if match is None:
                    faults.append(f"{page.name}:{line + offset}: nothing printed this: {wanted}")
                else:
                    del left[match]
                shown += 1
    if not ran or not shown:
        faults.append(f"{page.name}: nothing is run, or nothing shown")
    print(f"{page.name}: {ran} blocks run, {shown} lines compared")
    return faults


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    pages = [pathlib.Path(page).resolve() for page in sys.argv[2:]]
    sys.path.insert(0, str(build / "python"))
    faults = []
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.symlink(build, "build")
            faults += check(page)
            os.chdir("/")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
