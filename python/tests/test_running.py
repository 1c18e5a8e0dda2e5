"""While it works: threads, Ctrl-C, progress, checkpoints, forks; and what it leaves behind."""
import builtins
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import lavdm

# Programs started here shall be interruptible also where the shell ignores it, in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW = bool(os.environ.get("LAVDM_SANITIZE"))
# A fit that takes seconds, most of them in one stage.
LONG = lavdm.sample("sphere", 3000 if SLOW else 12000)
LONG_HOW = dict(method="vdm", components=30, edges="complete" if not SLOW else "auto", threads=2)
POINTS = lavdm.sample("sphere", 300)
HOW = dict(method="roseland", components=4, threads=2)


class Enough(Exception):
    pass


# --------------------------------------------------------------------- threads


def test_other_threads_go_on():
    """The lock is released: another thread counts during a fit that reports nothing."""
    counted, begun, stop = 0, threading.Event(), False

    def count():
        nonlocal counted
        begun.wait()
        while not stop:
            time.sleep(0.001)
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    begun.set()
    lavdm.fit(LONG[:2500], **LONG_HOW)
    stop = True
    thread.join()
    assert counted >= 10


def with_blas_alone(test):
    """Runs a test in a process whose BLAS has one thread, as all its fits ask for: BLAS knows one number for the
    whole process, which one fit gives back while another works, and bits depend on it."""
    if os.environ.get("OPENBLAS_NUM_THREADS") == "1":
        return False
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{__file__}::{test}"],
                         env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0 and "1 passed" in run.stdout, run.stdout + run.stderr
    return True


def test_fits_in_several_threads():
    exact = not with_blas_alone("test_fits_in_several_threads")
    shapes = ["sphere", "torus", "klein", "circle"]
    points = {shape: lavdm.sample(shape, 400) for shape in shapes}
    how = dict(method="roseland", components=4, threads=1)
    wanted = {shape: lavdm.fit(points[shape], **how) for shape in shapes}
    found = {}

    def work(shape):
        for _ in range(3):
            found[shape] = lavdm.fit(points[shape], **how)

    threads = [threading.Thread(target=work, args=(shape,)) for shape in shapes]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for shape in shapes:
        assert np.allclose(found[shape].eigenvalues, wanted[shape].eigenvalues, rtol=0, atol=1e-13)
        for name in wanted[shape].arrays:
            assert not exact or np.array_equal(found[shape][name], wanted[shape][name], equal_nan=True), (shape, name)


def test_one_stack_in_several_threads():
    if with_blas_alone("test_one_stack_in_several_threads"):
        return
    images, _ = lavdm.projections(60, 16)
    stack = lavdm.Stack(images, noise=0, threads=1)
    wanted, problems = stack.neighbours(5), []

    def work(number):
        for _ in range(5):
            calls = []
            found = stack.neighbours(5, progress=lambda *what: calls.append(what))
            if not all(np.array_equal(a, b) for a, b in zip(found, wanted)):
                problems.append(number)

    def fail(number):
        """What one thread raises ends its own call alone."""
        def progress(stage, fraction):
            raise Enough(number)
        for _ in range(5):
            try:
                stack.neighbours(5, progress=progress)
            except Enough as problem:
                if problem.args != (number,):
                    problems.append(problem)
            else:
                problems.append("no progress was reported")

    threads = [threading.Thread(target=(work, fail)[k % 2], args=(k,)) for k in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not problems


# ---------------------------------------------------------------------- Ctrl-C

INTERRUPTED = """
import os, signal, threading, time
import lavdm, numpy
points = lavdm.sample("sphere", {n})
sent, begun = [], threading.Event()
def progress(stage, fraction):
    begun.set()
def kill():
    begun.wait()
    time.sleep(0.2)
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
thread = threading.Thread(target=kill)
thread.start()
try:
    {work}
    print("finished")
except KeyboardInterrupt:
    print("interrupted after", time.process_time() - sent[0])
thread.join()
print(lavdm.fit(lavdm.sample("circle", 100), method="dm", components=2).n)
"""
WORK = {
    "fit": "lavdm.fit(points, method='vdm', components=30, edges='complete', threads=2, progress=progress)",
    "estimator": "lavdm.VectorDiffusionMap(components=30, edges='complete', threads=2, progress=progress).fit(points)",
    "kernel": "lavdm.fit(points, method='dm', edges='complete', kernel=lambda t: 1 / (1 + t), progress=progress)",
    "neighbours": "lavdm.fit(numpy.random.rand(12000, 10), dim=3, threads=2).neighbours(50, progress=progress)",
    "orientability": "lavdm.orientability(numpy.random.rand(300000, 9), dim=4, progress=progress)",
}


@pytest.mark.parametrize("work", WORK)
def test_interrupt(work):
    """Each work takes a processor more than half a minute; of that little is done once it is to stop."""
    code = INTERRUPTED.format(work=WORK[work], n=12000)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.split("\n")
    assert lines[0].startswith("interrupted after") and lines[1] == "100", run.stdout
    assert float(lines[0].split()[-1]) < (60 if SLOW else 10)


# -------------------------------------------------------------------- progress


def test_progress():
    calls = []
    model = lavdm.fit(LONG, method="vdm", components=6, threads=2,
                      progress=lambda *call: calls.append((threading.get_ident(), *call)))
    assert len(calls) >= 2
    assert {thread for thread, _, _ in calls} == {threading.get_ident()}
    assert all(isinstance(stage, str) and stage and 0 <= fraction <= 1 for _, stage, fraction in calls)
    assert {stage for _, stage, _ in calls} <= set(model.info["timings"]) | {"check"}
    plain = lavdm.fit(LONG, method="vdm", components=6, threads=2)
    assert np.array_equal(plain.eigenvalues, model.eigenvalues)


@pytest.mark.parametrize("problem", [ValueError("enough"), KeyboardInterrupt(), SystemExit(3), Enough()])
def test_exception_in_progress(problem):
    def progress(stage, fraction):
        raise problem
    with pytest.raises(type(problem)) as found:
        lavdm.fit(POINTS, progress=progress, **HOW)
    assert found.value is problem
    frames = [frame.name for frame in found.traceback]
    assert frames[-1] == "progress"
    model = lavdm.fit(POINTS, **HOW)
    for call in (lambda: model.extend(POINTS, progress=progress), lambda: lavdm.orientability(POINTS, progress=progress),
                 lambda: lavdm.Roseland(progress=progress).fit(POINTS),
                 lambda: lavdm.denoise(lavdm.example_picture(32), 20, progress=progress),
                 lambda: lavdm.class_average(lavdm.projections(30, 12)[0], progress=progress),
                 lambda: lavdm.Stack(lavdm.projections(30, 12)[0], progress=progress)):
        with pytest.raises(type(problem)):
            call()
    assert lavdm.fit(POINTS, **HOW).n == 300


def test_progress_that_is_no_function():
    with pytest.raises(TypeError):
        lavdm.fit(POINTS, progress=lambda: None, **HOW)  # takes no arguments


def test_fits_within_progress():
    """The library may be called while it calls."""
    found = []

    def progress(stage, fraction):
        if not found:
            found.append(lavdm.fit(POINTS, **HOW).eigenvalues)
    model = lavdm.fit(POINTS, progress=progress, **HOW)
    assert np.array_equal(found[0], model.eigenvalues)


def test_bar(capsys):
    lavdm.fit(LONG[:2000], method="vdm", components=4, progress=True, threads=2)
    shown = capsys.readouterr()
    assert shown.out == "" and "%" in shown.err and "\n" not in shown.err.strip("\r\n \x1b[A")
    lavdm.fit(POINTS, progress=False, **HOW)
    assert capsys.readouterr().err == ""


def test_bar_without_tqdm(capsys, monkeypatch):
    real = builtins.__import__

    def hide(name, *rest, **more):
        if name.startswith("tqdm"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", hide)
    for name in [name for name in sys.modules if name.startswith("tqdm")]:
        monkeypatch.delitem(sys.modules, name)
    lavdm.fit(LONG[:2000], method="vdm", components=4, progress=True, threads=2)
    shown = capsys.readouterr().err
    assert "%" in shown and shown.endswith("\r") and "\n" not in shown
    with pytest.raises(ValueError):
        lavdm.fit(POINTS * np.nan, progress=True, **HOW)


# ----------------------------------------------------------------- checkpoints


def test_checkpoint(tmp_path):
    path = tmp_path / "check point.h5"
    how = dict(method="lavdm", components=4, threads=2)
    whole = lavdm.fit(LONG[:2500], **how)
    seen = []

    def stop(stage, fraction):
        seen.append(stage)
        if path.exists() and path.stat().st_size:
            raise Enough
    try:
        lavdm.fit(LONG[:2500], checkpoint=path, progress=stop, **how)
    except Enough:
        pass
    assert path.exists(), seen
    resumed = lavdm.fit(LONG[:2500], checkpoint=str(path), **how)
    assert resumed.info["resumed"] and whole.info["resumed"] is None
    for name in whole.arrays:
        assert np.array_equal(resumed[name], whole[name], equal_nan=True), name
    with pytest.raises(ValueError, match="is of another run"):
        lavdm.fit(LONG[:2400], checkpoint=path, **how)
    with pytest.raises(OSError):
        lavdm.fit(POINTS, checkpoint=tmp_path / "no" / "where", **how)
    with pytest.raises(ValueError, match="null byte"):
        lavdm.fit(POINTS, checkpoint="a\0b", **how)
    with pytest.raises(TypeError):
        lavdm.fit(POINTS, checkpoint=3, **how)
    estimator = lavdm.LandmarkVectorDiffusionMap(components=4, threads=2, checkpoint=path).fit(LONG[:2500])
    assert np.array_equal(estimator.eigenvalues_, whole.eigenvalues)


# ----------------------------------------------------------------------- forks


def in_child(pipe, model, stack, picture):
    try:
        results = [model.embedding(), model.neighbours(3)[1], model.extend(POINTS[:50]).eigenvectors,
                   lavdm.fit(POINTS, **HOW).eigenvalues, np.stack(stack.neighbours(3)[1:3]),
                   lavdm.denoise(picture, 20), lavdm.projections(40, 16)[0], lavdm.sample("sphere", 5000),
                   lavdm.class_average(lavdm.projections(40, 16)[0], neighbours=3).averages,
                   lavdm.synchronize(([0, 1, 2], [1, 2, 0], [0.1, 0.2, -0.3])).element,
                   lavdm.orientability(LONG[:600]).signs]
        pipe.send(results)
    except BaseException as problem:
        pipe.send(repr(problem))


class Here:
    """In this process."""

    def send(self, results):
        self.results = results


def test_fork():
    """Threads do not survive a fork: all that a child asks is answered, and not waited for."""
    images, _ = lavdm.projections(60, 16)
    model, stack = lavdm.fit(POINTS, **HOW), lavdm.Stack(images, noise=0)
    picture = lavdm.example_picture(32, sigma=20)
    here = Here()
    in_child(here, model, stack, picture)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(False)
    child = context.Process(target=in_child, args=(theirs, model, stack, picture))
    child.start()
    try:
        assert ours.poll(600), "the child hangs"
        found = ours.recv()
    finally:
        child.kill()
        child.join()
    assert not isinstance(found, str), found
    assert len(found) == len(here.results)
    for k, (a, b) in enumerate(zip(found, here.results)):
        assert np.allclose(np.abs(a), np.abs(b), atol=1e-7, equal_nan=True), k


def test_fork_by_hand():
    lavdm.fit(POINTS, **HOW)
    child = os.fork()
    if child == 0:
        try:
            good = lavdm.DiffusionMap(2, threads=4).fit(POINTS).embedding_.shape == (300, 2)
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    for _ in range(12000):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise AssertionError("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0
    assert lavdm.fit(POINTS, **HOW).options["threads"] == 2  # the parent still has its threads


# ------------------------------------------------------------ warnings, errors


def test_warnings():
    apart = np.concatenate([POINTS, POINTS + 100])
    with pytest.warns(lavdm.LavdmWarning, match="component") as caught:
        model = lavdm.fit(apart, method="dm", components=3, epsilon=0.2)
    assert caught[0].filename == __file__
    assert model.info["warnings"] and model.info["graph_components"] == 2
    assert issubclass(lavdm.LavdmWarning, UserWarning)
    with pytest.warns(lavdm.LavdmWarning) as caught:
        lavdm.DiffusionMap(components=3, epsilon=0.2).fit_transform(apart)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(lavdm.LavdmWarning):
            lavdm.fit(apart, method="dm", components=3, epsilon=0.2)
        lavdm.fit(POINTS, **HOW)
    model = lavdm.fit(POINTS, **HOW)
    with pytest.warns(lavdm.LavdmWarning, match="1 of 2|one|far|reach"):
        far = model.extend([[0, 0, 1.0], [50, 50, 50]])
    assert list(far.info["isolated"]) == [1] and np.isnan(far.eigenvectors[1]).all()


@pytest.mark.parametrize("kind, call", [
    (ValueError, lambda: lavdm.fit(POINTS, epsilon=-3)),
    (ValueError, lambda: lavdm.fit(POINTS * np.nan)),
    (MemoryError, lambda: lavdm.fit(POINTS, max_memory=1000)),
    (MemoryError, lambda: lavdm.fit(POINTS, max_memory="1M")),
    (OSError, lambda: lavdm.load("no such file.h5")),
    (OSError, lambda: lavdm.load(__file__)),
    (OSError, lambda: lavdm.fit(POINTS, **HOW).save("/no/such/folder/x.h5")),
    (TypeError, lambda: lavdm.load(3)),
    (ValueError, lambda: lavdm.load("a\0b")),
    (TypeError, lambda: lavdm.fit(POINTS, threads=[])),
    (TypeError, lambda: lavdm.vector_diffusion_distance(lavdm.DiffusionMap(), 0, 1)),
    (TypeError, lambda: lavdm.align(3, 0, 1)),
    (ValueError, lambda: lavdm.sample("no such shape", 10)),
    (ValueError, lambda: lavdm.sample("sphere", 0)),
    (ValueError, lambda: lavdm.sample("sphere", 10, seed=-1)),
    (ValueError, lambda: lavdm.sample("sphere", 10, seed=2**64)),
    (ValueError, lambda: lavdm.sample("sphere", 10, density="none")),
    (ValueError, lambda: lavdm.sample("sphere", 10, noise=float("nan"))),
    (TypeError, lambda: lavdm.sample("sphere", 2.5)),
    (ValueError, lambda: lavdm.fit(POINTS, method="dm", components=3).ambient()),
    (KeyError, lambda: lavdm.fit(POINTS, **HOW)["eigenvalues\0"]),
    (KeyError, lambda: lavdm.fit(POINTS, **HOW)[0]),
])
def test_errors(kind, call):
    with pytest.raises(kind) as problem:
        call()
    assert type(problem.value) is kind or issubclass(kind, OSError)
    assert len(str(problem.value)) > 12 and "\n" not in str(problem.value)
