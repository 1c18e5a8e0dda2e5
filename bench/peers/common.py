"""What the peers share: the rule of repetition, the clock, and what they print."""
import json
import time

ONCE_BEYOND = 8  # seconds: what takes longer is run once, the rest three times


class Clock:
    """Seconds per stage: lap(name) ends the stage of that name."""

    def __init__(self):
        self.seconds, self.began = {}, time.perf_counter()

    def lap(self, name):
        now = time.perf_counter()
        self.seconds[name] = now - self.began
        self.began = now

    def total(self):
        return sum(self.seconds.values())


def peak_memory(process='self'):
    """Bytes that a running process has held at most; getrusage would add what its parent held."""
    try:
        with open(f'/proc/{process}/status') as file:
            return next((1024 * int(line.split()[1]) for line in file if line.startswith('VmHWM')), 0)
    except OSError:
        return 0


def fastest(run, most=3):
    """run(clock) returns a result; gives (seconds, runs, peak memory of one run, result) of the fastest run."""
    best, result, peak, runs = None, None, None, 0
    while runs < most and (best is None or best.total() < ONCE_BEYOND):
        clock = Clock()
        value = run(clock)
        runs += 1
        peak = peak or peak_memory()
        if best is None or clock.total() < best.total():
            best, result = clock, value
    return dict(best.seconds, total=best.total()), runs, peak, result


def report(peer, seconds, runs, peak, **more):
    print(json.dumps(dict(peer=peer, seconds=seconds, runs=runs, peak_memory=peak, **more)))
