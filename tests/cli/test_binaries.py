"""What was built, as the linker left it: where libraries are looked for, and what a build is hardened with."""
import glob
import os
import platform
import re
import subprocess

from support import PROGRAM, Case, main

BUILD = os.path.dirname(PROGRAM)


def settings():
    with open(os.path.join(BUILD, "CMakeCache.txt")) as cache:
        return dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read(), re.M))


def is_binary(path):
    """Programs and shared libraries; no objects."""
    try:
        with open(path, "rb") as file:
            start = file.read(18)
    except FileNotFoundError:  # of a test that runs beside this one
        return False
    return len(start) == 18 and start[:4] == b"\x7fELF" and start[16] in (2, 3)


def binaries():
    """Programs, libraries, examples, tests, the modules of Python and Octave: all that the build folder has, but for
    what is older than the objects of the library, and so of an earlier build."""
    objects = glob.glob(os.path.join(BUILD, "CMakeFiles/lavdm_objects.dir/src/base/run.c*"))
    built = min(map(os.path.getmtime, objects), default=0)
    for folder, inside, files in os.walk(BUILD):
        inside[:] = [name for name in inside if name not in ("CMakeFiles", "python-install")]
        paths = [os.path.join(folder, name) for name in files]
        found = [path for path in paths if os.path.isfile(path) and not os.path.islink(path) and is_binary(path)]
        yield from (path for path in found if os.path.getmtime(path) >= built)


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], stdout=subprocess.PIPE, text=True, check=True).stdout


class Loader(Case):
    def test_no_empty_relative_or_temporary_folder_is_searched(self):
        found = list(binaries())
        self.assertIn(PROGRAM, found)
        for path in found:
            for searched in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", readelf("-d", path)):
                for folder in searched.split(":"):
                    self.assertRegex(folder, r"^(/|\$ORIGIN)", path)
                    self.assertNotRegex(folder, r"^/(var/)?tmp(/|$)", path)

    def test_libraries_in_the_working_directory_are_not_loaded(self):
        self.text("taken.c", '#include <unistd.h>\n__attribute__((constructor)) void taken(void) { _exit(66); }\n')
        subprocess.run(["cc", "-shared", "-fPIC", self.path("taken.c"), "-o", self.path("taken.so")], check=True)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", PROGRAM))
        self.assertTrue(any(name.startswith("libzip.so") for name in needed), needed)
        for name in needed:
            os.link(self.path("taken.so"), self.path(name))
        usual = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        self.done("--version", env=usual)
        # and they would have been, from a folder that is searched
        self.assertNotEqual(self.run_lavdm("--version", env={**usual, "LD_LIBRARY_PATH": self.folder}).returncode, 0)


class Hardened(Case):
    def setUp(self):
        super().setUp()
        chosen = settings()
        on = {name for name, value in chosen.items() if name.startswith("LAVDM_") and value in ("ON", "1", "TRUE")}
        if "LAVDM_HARDEN" not in on or on & {"LAVDM_SANITIZE", "LAVDM_THREAD", "LAVDM_FUZZ"}:
            self.skipTest("a build that is not hardened")
        self.x86 = platform.machine() == "x86_64"
        self.debug = chosen.get("CMAKE_BUILD_TYPE") == "Debug"

    def test_every_program_and_library(self):
        for path in binaries():
            header, segments, dynamic = (readelf(option, path) for option in ("-h", "-l", "-d"))
            self.assertRegex(header, r"Type:\s+DYN", path)  # can be loaded anywhere
            self.assertIn("GNU_RELRO", segments, path)
            self.assertRegex(dynamic, r"\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW", path)
            self.assertNotIn("TEXTREL", dynamic, path)
            self.assertNotRegex(segments, r"GNU_STACK.*RWE", path)

    def test_functions_are_checked(self):
        for path in (path for path in binaries() if os.path.basename(path).startswith(("lavdm", "liblavdm", "_core"))):
            names = readelf("--dyn-syms", path)
            self.assertIn("__stack_chk_fail", names, path)
            if not self.debug:
                self.assertRegex(names, r" __(mem|str|v?sn?printf|fprintf)\w*_chk", path)

    def test_objects_allow_for_control_flow_enforcement(self):
        # A program is marked if all of it is, the C library's start files included; those are the system's.
        closed = os.path.join(BUILD, "liblavdm.o")
        if not self.x86 or not os.path.exists(closed):
            self.skipTest("not for this processor")
        self.assertRegex(readelf("-n", closed), r"x86 feature: IBT, SHSTK")


if __name__ == "__main__":
    main()
