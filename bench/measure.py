"""Runs the library, the command and the peers, and says what each took."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from types import SimpleNamespace

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(HERE, 'peers')
BUILD = os.path.normpath(os.path.join(HERE, '..', 'build'))
BENCH = os.path.join(BUILD, 'lavdm_bench')
LAVDM = os.path.join(BUILD, 'lavdm')

sys.path.insert(0, PEERS)
from common import ONCE_BEYOND, peak_memory  # noqa: E402


class Failed(Exception):
    """A program that ended with an error; the text is its last line of complaint."""


def wait(process):
    """The peak memory in bytes of a child, when it has ended.

    What getrusage says is at least what this program held when it started the child; where it is no
    more than that, the child's own account, last read some milliseconds before its end, is better.
    """
    seen = 0
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        seen = max(seen, peak_memory(process.pid))
        time.sleep(0.02)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    exact = usage.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return usage.ru_maxrss * 1024 if exact or not seen else seen


def command(words):
    """Runs a program to its end: what it printed, and its peak memory in bytes."""
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as complaints:
        process = subprocess.Popen(words, stdout=out, stderr=complaints)
        peak = wait(process)
        out.seek(0), complaints.seek(0)
        if process.returncode:
            lines = [line for line in complaints.read().splitlines() if 'rror' in line or 'lavdm_bench:' in line]
            raise Failed(lines[-1] if lines else f'{os.path.basename(words[0])} ended with {process.returncode}')
        return SimpleNamespace(output=out.read(), peak=peak)


def machine():
    """Bandwidth in bytes a second, and operations a second in double and in single."""
    return json.loads(command([BENCH, 'machine']).output)


def precisions():
    """['double', 'single'] with an option `precision`; without, [None] for the only one, and why."""
    try:
        command([BENCH, 'klein', '1000', 'repeat=1', 'precision=single'])
        return ['double', 'single'], None
    except Failed as failed:
        return [None], f'Rows in single precision are left out: {failed}'


def ours(case, n, options, precision, dump=None, repeat=3, new=0):
    """A case of bench.c as a row of the table, applied to `new` further points."""
    words = [BENCH, case, str(n), f'repeat={repeat}', f'new={new}'] + [f'{name}={value}' for name, value in options.items()]
    if precision:
        words.append(f'precision={precision}')
    row = json.loads(command(words + ([f'dump={dump}'] if dump else [])).output)
    return dict(row, method=options.get('method', 'lavdm'), design=options.get('design', 'random'), runs=repeat,
                precision=precision or 'double', components=len(row['eigenvalues']))


def scipy_lavdm(row, route, dump):
    """The SciPy LA-VDM on the points and landmarks of one of our rows."""
    words = [sys.executable, os.path.join(PEERS, 'scipy_lavdm.py'), f'{dump}/points.npy',
             f'{dump}/landmarks.npy', repr(row['epsilon']), str(row['cutoff']), str(row['q']), str(row['knn']), '0.5',
             '0', str(row['components']), route]
    return json.loads(command(words).output)


def sklearn_dm(route, points, output, r, size, epsilon=None, once=False):
    """A scikit-learn peer on a file of points; leaves its eigenvectors in `output`."""
    words = [sys.executable, os.path.join(PEERS, 'sklearn_dm.py'), route, points, output, str(r), str(size)]
    words += [repr(float(epsilon))] if epsilon else []
    return json.loads(command(words + (['once'] if once else [])).output)


def embed(points, output, options, precision, most=3):
    """The command on a file of points as a row of the table, repeated as the peers are.

    Reading and writing are not in its seconds, as they are not in the peers', but in `file_seconds`.
    """
    words = [LAVDM, 'embed', points, '-o', output, '--json']
    for name, value in options.items():
        words += [f'--{name}'] + ([] if value is True else [str(value)])
    if precision:
        words += ['--precision', precision]
    best, runs = None, 0
    while runs < most and (best is None or best['seconds']['total'] < ONCE_BEYOND):
        done = command(words)
        row = dict(json.loads(done.output), peak_memory=done.peak)
        row['file_seconds'] = row['seconds'].pop('read', 0) + row['seconds'].pop('write', 0)
        row['seconds']['total'] -= row['file_seconds']
        runs += 1
        if best is None or row['seconds']['total'] < best['seconds']['total']:
            best = row
    return dict(best, runs=runs, precision=precision or 'double')


def streamed_case(n):
    """The Klein bottle through the command, points streamed from a file and never all in memory."""
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        points, output = os.path.join(folder, 'klein.npy'), os.path.join(folder, 'out.npy')
        command([LAVDM, 'sample', 'klein', '-n', str(n), '-q', '-o', points])
        done = command([LAVDM, 'embed', points, '--stream', 'yes', '--max-memory', '4G', '--precision', 'single',
                        '--components', '4', '--dim', '2', '--design', 'random', '--landmarks', str(int(n**0.5)),
                        '--epsilon', repr(0.025 * (1e6 / n)**0.263), '--cutoff', '5', '--knn', '50',
                        '--hood', 'radius', '--beta', '0.5', '--alpha', '0', '--json', '-o', output])
    row = json.loads(done.output)
    return dict(row, case='klein (streamed)', n=n, peak_memory=done.peak, runs=1, precision='single')
