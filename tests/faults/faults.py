#!/usr/bin/python3 -B
"""Fails allocations and system calls of whole commands, one at a time or from one on.

usage: faults.py [--number N] [--only WORD] [--kind CLASS] [--seed S] LAVDM TOOLS

TOOLS is the folder of `calls` and `libfaults.so`. Every command of cases.py is run once and its calls are counted, by
class. N faults are then shared out evenly: over commands, classes and ways to fail, and along the run. Whatever fails:

- the command ends by itself, with exit code 0 and the result of a run left alone, or with the code that the man page
  gives for it and one sentence on stderr;
- each file that it writes is the old one or the new one, byte for byte;
- no other file is left, nor a process.

Ctrl-C ends it, with what was found so far.
"""
import argparse
import errno
import os
import random
import re
import sys
import tempfile
import time

from cases import CASES, prepare
from runs import Bench, content, said

# What fails, how, and the exit codes that are right if the command does not live with it: 2 where memory, processes or
# the disk give out, and 1 too where it is the input that cannot be read. A library that reads, in its child with
# little memory, does not say whether that or a damaged file is the reason. `+`: all calls from that one on.
NO_SPACE, INPUT_OUTPUT, FEW_FILES = errno.ENOSPC, errno.EIO, errno.EMFILE
KINDS = {
    "memory": (1, 2), "memory+": (1, 2),
    f"write:{NO_SPACE}": (1, 2), f"write+:{NO_SPACE}": (1, 2), f"write:{INPUT_OUTPUT}": (1, 2), "write:short": (),
    "write+:short": (),
    f"sync:{INPUT_OUTPUT}": (2,), f"name:{INPUT_OUTPUT}": (2,), f"size:{NO_SPACE}": (2,),
    f"read:{INPUT_OUTPUT}": (1, 2), f"read+:{INPUT_OUTPUT}": (1, 2), f"read:{errno.EINTR}": (1, 2), "read:short": (),
    f"open:{FEW_FILES}": (1, 2), f"open+:{FEW_FILES}": (1, 2), f"open:{errno.EACCES}": (1, 2),
    f"map:{errno.ENOMEM}": (1, 2), f"map+:{errno.ENOMEM}": (1, 2),
    f"start:{errno.EAGAIN}": (1, 2), f"pipe:{FEW_FILES}": (1, 2),
    f"close:{INPUT_OUTPUT}": (1, 2), f"seek:{INPUT_OUTPUT}": (1, 2), f"stat:{INPUT_OUTPUT}": (1, 2),
}
CHECKPOINT = "run.h5"  # stays if the run does not come to its end
EXPECTED = r"\A(  (note|table)  .*\n)*(  memory  .*\n)?(lavdm: warning: .*\n)*(\nlibgomp: .*\n)?lavdm: error: (?!something went wrong).+\n\Z"


def share(counts, number, chance):
    """How many faults each of these gets: all it has, or as many as the others that have more, which adds up to about
    the number."""
    left, rest = number, sorted(counts.values())
    while rest and rest[0] * len(rest) <= left:
        left -= rest.pop(0)
    level = left / len(rest) if rest else number
    return {key: min(count, int(level + chance.random())) for key, count in counts.items()}


class Faults:
    def __init__(self, bench, given):
        self.bench, self.given = bench, given
        self.reference, self.counts = {}, {}
        self.tally = {}

    def undisturbed(self):
        for words, outputs in CASES:
            if self.given.only and self.given.only not in words:
                continue
            self.bench.lay_out(outputs)
            (code, out, err, left), counts = self.bench.counted(words)
            assert (code, left) == (0, 0), f"{words}: {err}"
            assert self.bench.files() == sorted(outputs), f"{words}: {self.bench.files()}"
            new = {name: content(os.path.join(self.bench.work, name)) for name in outputs}
            self.reference[words] = said(words, out), new
            for kind in KINDS:
                name = re.match("[a-z]+", kind)[0]
                if counts.get(name) and self.given.kind in (None, name):
                    self.counts[words, kind] = counts[name]

    def sites(self):
        """(command, kind, number of the call), spread along each run, in random order: a part is a fair sample too."""
        chance, found = random.Random(self.given.seed), []
        for (words, kind), few in share(self.counts, self.given.number, chance).items():
            count = self.counts[words, kind]
            for i in range(few):
                low, high = i * count // few, (i + 1) * count // few - 1
                found.append((words, kind, 1 + chance.randint(low, high)))
        chance.shuffle(found)
        return found

    def problem(self, words, kind, end):
        """What is wrong with the end of a run, or None."""
        code, out, err, left = end
        printed, new = self.reference[words]
        if code is None or code not in (0, *KINDS[kind]):
            return f"ended with {code}"
        if code == 1 and kind.startswith("memory") and "(damaged?)" not in err:
            return f"ended with {code}"
        if left:
            return "left a process"
        if code and not re.match(EXPECTED, err):
            return "said something else"
        if code == 0 and said(words, out) != printed:
            return "printed something else"
        wrong = self.bench.files_wrong(new, code == 0, CHECKPOINT if code else None)
        if not wrong and CHECKPOINT in self.bench.files():
            wrong = self.resumed_wrong(words)
        return wrong

    def resumed_wrong(self, words):
        """The same command goes on from a checkpoint, to the same end."""
        code, _, err, _ = self.bench.finish(self.bench.start([self.bench.program, *words.split()]))
        if code:
            return f"could not be resumed: {err}"
        return self.bench.files_wrong(self.reference[words][1], True)

    def one(self, words, kind, number):
        """One fault, counted and judged."""
        self.bench.lay_out(self.reference[words][1])
        stays = "+" in kind
        end = self.bench.disturbed(words, kind.replace("+", ""), number, 1 << 60 if stays else number)
        problem = self.problem(words, kind, end)
        row = self.tally.setdefault(re.match("[a-z]+", kind)[0], [0, 0, 0])
        row[0] += 1
        row[1] += end[0] == 0
        row[2] += problem is not None
        if problem:
            print(f"{problem}: {kind} {number} of {self.counts[words, kind]}: lavdm {words}\n"
                  f"    {end[2][-400:].strip()}", flush=True)

    def total(self):
        """Faults, those that were lived with, those with a wrong end."""
        return [sum(column) for column in zip(*self.tally.values())] or [0, 0, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--only")
    parser.add_argument("--kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("program")
    parser.add_argument("tools")
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lavdm-faults-") as folder:
        os.mkdir(os.path.join(folder, "in"))
        prepare(os.path.abspath(given.program), os.path.join(folder, "in"))
        faults = Faults(Bench(folder, os.path.abspath(given.program), os.path.abspath(given.tools)), given)
        faults.undisturbed()
        try:
            for site in faults.sites():
                faults.one(*site)
        except KeyboardInterrupt:
            print("interrupted")
    print(f"{'class':8} {'faults':>7} {'lived with':>11} {'wrong':>6}")
    for name, row in faults.tally.items():
        print(f"{name:8} {row[0]:7} {row[1]:11} {row[2]:6}")
    count, _, wrong = faults.total()
    print(f"{count} faults in {len(faults.reference)} commands, {time.monotonic() - began:.0f} s: {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
