#!/usr/bin/env python3
"""Makes the reports of docs/reports.md, by the commands that stand there.

    tools/site/reports.py BUILD OUT

Blocks `sh` and `python` are run in one new folder, in which `build` is BUILD; the pages that they leave go to OUT.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def main():
    build, out = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "reports.md").read_text()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "build").symlink_to(build)
        for language, block in re.findall(r"^```(sh|python)\n(.*?)^```$", page, re.M | re.S):
            command = ["sh", "-e"] if language == "sh" else ["/usr/bin/python3", "-"]
            done = subprocess.run(command, input=block, text=True, cwd=work, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if done.returncode:
                sys.exit(f"docs/reports.md: this failed:\n{block}{done.stdout}")
        for name in re.findall(r"^<!-- report (\S+) -->$", page, re.M):
            shutil.copy(work / name, out / name)


if __name__ == "__main__":
    main()
