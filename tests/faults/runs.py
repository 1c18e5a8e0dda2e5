"""One run of the command, disturbed or not, and what must be true of it afterwards."""
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import time

import numpy as np

MOST_SECONDS = 60  # of the processor: far above what any of them takes
OLD = b"what was here before\n"
TIMEOUT = 120
# facts of the run rather than of the result
FACTS = {"seconds", "fit_seconds", "total_seconds", "write_seconds", "timings", "stages", "points_per_second",
         "peak_memory_bytes", "memory_needed", "option_max_memory", "resumed", "warnings"}


def plain(value):
    """Without facts of the run, in a form that can be compared."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in FACTS}
    return [plain(item) for item in value] if isinstance(value, list) else value


def named(path):
    """The arrays and attributes of a container."""
    if path.endswith(".npz"):
        with np.load(path) as file:
            return {key: file[key] for key in file.files}
    if path.endswith(".mat"):
        import scipy.io
        return {key: item for key, item in scipy.io.loadmat(path).items() if not key.startswith("__")}
    import h5py
    with h5py.File(path) as file:
        found = {key: file.attrs[key] for key in file.attrs if key != "checksum"}
        found.update((key, file[key][()]) for key in file)
        return found


def content(path):
    """What a file says, facts of the run apart; its bytes, if it is no container."""
    if os.path.splitext(path)[1] in (".npz", ".mat", ".h5"):
        return {key: (str(np.asarray(item).dtype), np.shape(item), np.asarray(item).tobytes()
                      if np.asarray(item).dtype != object else str(item))
                for key, item in named(path).items() if key not in FACTS}
    with open(path, "rb") as file:
        data = file.read()
    head, mark, rest = data.partition(b'id="page">')  # of a report, the description of its data
    text, end, tail = rest.partition(b"</script>")
    if not path.endswith(".html") or not mark or not end:
        return data
    described = json.loads(text)
    return head, tail, described | {"facts": plain(described["facts"])}


def said(words, text):
    """What was printed, facts of the run apart; a summary is full of them, and is taken as it is."""
    if "--json" in words:
        try:
            return plain(json.loads(text))
        except ValueError:
            return text
    return text if words.split()[0] in ("info", "help", "options") else None


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def alive(group):
    """Whether the group has a process that is more than an entry for its parent to read."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/stat") as file:
                state, _, its = file.read().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its) == group and state not in "ZX":
            return True
    return False


class Bench:
    """A folder of inputs and one to run in."""

    def __init__(self, folder, program, tools):
        self.program, self.folder = program, folder
        self.work, self.temporary = os.path.join(folder, "work"), os.path.join(folder, "tmp")
        self.calls, self.preload = os.path.join(tools, "calls"), os.path.join(tools, "libfaults.so")
        self.report, self.plan = os.path.join(folder, "report"), os.path.join(folder, "plan")

    def lay_out(self, outputs):
        for path in self.work, self.temporary:
            shutil.rmtree(path, ignore_errors=True)
            os.mkdir(path)
        for name in outputs:
            with open(os.path.join(self.work, name), "wb") as file:
                file.write(OLD)

    def start(self, command, threads=1, **more):
        environment = dict(os.environ, TMPDIR=self.temporary, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS="1",
                           OMP_WAIT_POLICY="passive", LC_ALL="C.UTF-8", **more)
        return subprocess.Popen(command, cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                preexec_fn=limit)

    def finish(self, run):
        """(exit code, stdout, stderr, children that were left); the code is None if it hung."""
        try:
            out, err = run.communicate(timeout=TIMEOUT)
            code = run.returncode
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            out, err = run.communicate()
            code = None
        except BaseException:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
                run.communicate()
            raise
        return code, out.decode(errors="replace"), err.decode(errors="replace"), self.left(run.pid)

    @staticmethod
    def left(group):
        """Whether a process of this group is still there some time after its leader."""
        for wait in range(200):
            if not alive(group):
                return 0
            time.sleep(0.001 * wait)
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            return 0
        return 1

    def counted(self, words, threads=1):
        """An undisturbed run: its end, and how many calls of each class it makes."""
        with open(self.plan, "wb") as file:
            file.write(struct.pack("3q", 0, 0, 0))
        command = [self.program, *words.split()]
        end = self.finish(self.start(command, threads, LD_PRELOAD=self.preload, FAULTS=self.plan))
        with open(self.plan, "rb") as file:
            counts = {"memory": struct.unpack("3q", file.read())[0]}
        if os.path.exists(self.calls):
            self.finish(self.start([self.calls, "count", self.report, *command], threads,
                                   FAULTS_LIBRARY=self.preload))
            counts.update(self.reported())
        return end, counts

    def reported(self):
        with open(self.report) as file:
            return {name: int(number) for name, number in map(str.split, file)}

    def disturbed(self, words, kind, first, last, threads=1):
        """A run in which calls first to last of a class fail; kind is `class` or `class:how`."""
        name, _, how = kind.partition(":")
        command = [self.program, *words.split()]
        if name == "memory":
            with open(self.plan, "wb") as file:
                file.write(struct.pack("3q", 0, first, last))
            return self.finish(self.start(command, threads, LD_PRELOAD=self.preload, FAULTS=self.plan))
        tracer = [self.calls, "fail", self.report, name, str(first), str(last), how]
        end = self.finish(self.start([*tracer, *command], threads, FAULTS_LIBRARY=self.preload))
        left = self.reported()["left"] if end[0] is not None else 0
        return (*end[:3], end[3] or left)

    def files(self):
        return sorted(os.listdir(self.work))

    def files_wrong(self, new, done, checkpoint=None):
        """What is wrong with the files: each is the new one, or unless it is done the old one; there is no other."""
        there = [name for name in self.files() if name != checkpoint]
        if there != sorted(new) or os.listdir(self.temporary):
            return f"left {there} {os.listdir(self.temporary)}"
        for name, value in new.items():
            path = os.path.join(self.work, name)
            with open(path, "rb") as file:
                if file.read() == OLD:
                    if done:
                        return f"{name} is the old one"
                    continue
            try:
                found = content(path)
            except Exception as reason:
                return f"{name} cannot be read: {reason}"
            if found != value:
                keys = [key for key in {**value, **found} if found.get(key) != value.get(key)] if isinstance(
                    found, dict) else ""
                return f"{name} is neither the old one nor the new one {keys}"
        return None
