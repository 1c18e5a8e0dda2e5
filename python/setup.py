"""Builds lavdm/_core with the project's own CMake build, so that there is one description of it.

CMAKE_ARGS in the environment: further arguments to cmake, such as -DLAVDM_NATIVE=OFF for a wheel that
is to run on other processors than this one's.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def version():
    """The version lives in include/lavdm.h alone."""
    header = (ROOT / "include" / "lavdm.h").read_text()
    return ".".join(re.findall(r"define LAVDM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        subprocess.check_call(["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
                               "-DLAVDM_TESTS=OFF", f"-DPython3_EXECUTABLE={sys.executable}",
                               *shlex.split(os.environ.get("CMAKE_ARGS", ""))])
        subprocess.check_call(["cmake", "--build", str(build), "--target", "lavdm_python", "--parallel",
                               str(os.cpu_count() or 1)])
        built = build / "python" / "lavdm" / target.name
        if not built.exists():
            raise RuntimeError(f"{target.name} was not built; are Python's headers there (python3-dev)?")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built, target)


if not (ROOT / "include" / "lavdm.h").exists():
    sys.exit("The C sources are not here: install from a checkout of the whole project, pip install ./python")

setup(version=version(), ext_modules=[Extension("lavdm._core", [])], cmdclass={"build_ext": CMakeBuild})
