#!/usr/bin/python3 -B
"""Power lost after each system call of a command that writes: what the disk may hold then.

usage: power.py [--only WORD] LAVDM TOOLS

A run is traced (`calls log`), and the disk is rebuilt after each call, as POSIX allows it to be:

- a file holds what it held when it was last synced, and of what was done to it since: a part, from the beginning on, the
  last write of it whole, torn or as zeros; or all but one write;
- a name of a folder leads where it led when the folder was last synced, or anywhere it has led since, whatever else
  came to the disk.

In every such state each result is the old file or the new one, byte for byte; every other name is that of a temporary
file, which the next run removes. When the command has ended each result is the new one, and a checkpoint is gone from
the disk only when the result is there.
"""
import argparse
import os
import re
import sys
import tempfile

from cases import CASES, prepare
from runs import OLD, Bench

CHECKPOINT = "run.h5"
TEMPORARY = re.compile(r"\.lavdm-[0-9a-f]{16}-\d+-[0-9a-f]+-\d+\.tmp(\.\w+)?\Z")
SECTOR = 512


def applied(data, operation):
    """The content of a file after a write (at, bytes) or a change of size (size, None)."""
    at, piece = operation
    if piece is None:
        return data[:at].ljust(at, b"\0")
    return data.ljust(at, b"\0")[:at] + piece + data[at + len(piece):]


class File:
    """What a file held at its last sync, and what was done to it since; it goes by its number, for an inode may be
    that of another later."""

    def __init__(self, number, data=b""):
        self.number, self.synced, self.since = number, data, []

    def now(self):
        data = self.synced
        for operation in self.since:
            data = applied(data, operation)
        return data

    def sync(self):
        self.synced, self.since = self.now(), []

    def states(self):
        yield self.synced
        data = self.synced
        for i, (at, piece) in enumerate(self.since):
            if piece is not None and len(piece) > 1:
                middle = len(piece) // 2 // SECTOR * SECTOR or len(piece) // 2
                yield applied(data, (at, piece[:middle]))
                yield applied(data, (at, bytes(len(piece))))
            data = applied(data, (at, piece))
            yield data
            if i + 1 < len(self.since):  # all but the next one
                rest = data
                for operation in self.since[i + 2:]:
                    rest = applied(rest, operation)
                yield rest


class Disk:
    """Files by inode; for each name of the folder the files it may lead to, None for none, the present one last."""

    def __init__(self, folder, inode, nodes):
        self.folder, self.inode = os.path.realpath(folder), inode
        self.files, self.names, self.count = {}, {}, 0
        for name, node in nodes.items():
            self.names[name] = [self.make(node, OLD)]

    def make(self, node, data=b""):
        self.files[node] = File(self.count, data)
        self.count += 1
        return self.files[node]

    def own(self, text):
        """The name of a file of the folder, or None for one elsewhere."""
        path = os.path.realpath(os.path.dirname(bytes.fromhex(text).decode()))
        return os.path.basename(bytes.fromhex(text).decode()) if path == self.folder else None

    def lead(self, name, file):
        self.names.setdefault(name, [None]).append(file)

    def do(self, line):
        """One line of the log; whether it concerned the folder."""
        what, *words = line.split()
        if what == "create":
            name, node = self.own(words[1]), int(words[0])
            if name is None:
                return False
            present = self.names.get(name, [None])[-1]
            if present is None or present is not self.files.get(node):
                self.lead(name, self.make(node))
        elif what == "rename":
            old, new = map(self.own, words)
            assert (old is None) == (new is None), line
            if old is None:
                return False
            self.lead(new, self.names[old][-1])
            self.lead(old, None)
        elif what == "unlink":
            name = self.own(words[0])
            if name is None:
                return False
            self.lead(name, None)
        elif what == "sync" and int(words[0]) == self.inode:
            self.names = {name: led[-1:] for name, led in self.names.items() if led[-1] is not None}
        else:
            return self.change(what, words)
        return True

    def change(self, what, words):
        node = int(words[1 if what == "other" else 0])
        if node not in self.files:
            return False
        assert what != "other", f"a call that is not understood: {words}"
        file = self.files[node]
        if what == "write":
            file.since.append((int(words[1]), b"" if words[2] == "-" else bytes.fromhex(words[2])))
        elif what == "size":
            file.since.append((int(words[1]), None))
        elif what == "sync":
            file.sync()
        return True


class Judge:
    """Goes through the states of one run."""

    def __init__(self, outputs, checkpoint):
        self.outputs, self.checkpoint, self.states, self.wrong = outputs, checkpoint, 0, None

    def look(self, disk, final, where):
        """All states after one call; final is what each file holds in the end."""
        for name, led in disk.names.items():
            target = name in self.outputs or name == self.checkpoint
            if not target and not TEMPORARY.match(name):
                self.blame(f"{where}: the name {name} is taken")
            for file in led if target else ():
                for data in file.states() if file else (None,):
                    self.states += 1
                    good = data in (OLD, final[file.number]) if file else name == self.checkpoint
                    if not good:
                        self.blame(f"{where}: {name} is neither the old one nor the new one")
        there = None not in disk.names.get(self.checkpoint, [None])
        if self.made and not there:
            for name in self.outputs:
                if len(disk.names[name]) > 1 or disk.names[name][0].now() == OLD:
                    self.blame(f"{where}: neither the checkpoint nor the result is there for certain")
        self.made = self.made or there

    def blame(self, words):
        self.wrong = self.wrong or words

    made = False  # whether there is a checkpoint for certain


def traced(bench, words, outputs, command):
    """Runs; returns what makes the disk as it was before, and the log."""
    bench.lay_out(outputs)
    nodes = {name: os.stat(os.path.join(bench.work, name)).st_ino for name in outputs}
    inode = os.stat(bench.work).st_ino
    run = bench.start([bench.calls, "log", bench.report, *command], FAULTS_LIBRARY=bench.preload)
    code, _, err, _ = bench.finish(run)
    assert code == 0, f"{words}: {err}"
    with open(bench.report) as file:
        return lambda: Disk(bench.work, inode, nodes), file.read().splitlines()


def last(bench, words, disk, lines):
    """What each file holds in the end; those that are there have been rebuilt rightly."""
    seen = {}
    for line in lines:
        disk.do(line)
        seen.update((file.number, file) for file in disk.files.values())
    for name in bench.files():
        with open(os.path.join(bench.work, name), "rb") as file:
            assert file.read() == disk.names[name][-1].now(), f"{words}: {name} was rebuilt wrongly"
    return {number: file.now() for number, file in seen.items()}


def replay(bench, words, outputs, command):
    """(calls, states, what is wrong)"""
    fresh, lines = traced(bench, words, outputs, command)
    final, disk = last(bench, words, fresh(), lines), fresh()
    judge, calls = Judge(outputs, CHECKPOINT if CHECKPOINT in words else None), 0
    for number, line in enumerate(lines):
        if disk.do(line):
            calls += 1
            judge.look(disk, final, f"after call {number} ({line[:20]})")
    for name in outputs:
        file = disk.names[name][0]
        if len(disk.names[name]) > 1 or file.since or file.synced == OLD:
            judge.blame(f"{name} is not on the disk for certain when the command has ended")
    return calls, judge.states, judge.wrong


def careless(bench):
    """Writers that power would hurt must be found out: in place, and renamed before it is on the disk."""
    ways = {"in place": "echo a new file > out.csv; sync out.csv .",
            "not synced": "echo a new file > .lavdm-0123456789abcdef-1-1-0.tmp; mv .lavdm-0123456789abcdef-1-1-0.tmp out.csv; sync .",
            "folder not synced": "echo a new file > .lavdm-0123456789abcdef-1-1-0.tmp; sync .lavdm-0123456789abcdef-1-1-0.tmp; mv .lavdm-0123456789abcdef-1-1-0.tmp out.csv",
            "another name": "echo a new file > out.new; sync out.new; mv out.new out.csv; sync ."}
    for way, script in ways.items():
        assert replay(bench, way, ["out.csv"], ["sh", "-c", script])[2], f"{way}: nothing was found"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("program")
    parser.add_argument("tools")
    given = parser.parse_args()
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory(prefix="lavdm-power-") as folder:
        bench = Bench(folder, os.path.abspath(given.program), os.path.abspath(given.tools))
        os.mkdir(os.path.join(folder, "in"))
        careless(bench)
        prepare(bench.program, os.path.join(folder, "in"))
        for words, outputs in CASES:
            if outputs and (not given.only or given.only in words):
                calls, states, problem = replay(bench, words, outputs, [bench.program, *words.split()])
                rows.append((calls, states))
                if problem:
                    wrong += 1
                    print(f"{problem}: lavdm {words}", flush=True)
    print(f"{len(rows)} commands, {sum(row[0] for row in rows)} calls that change the disk, "
          f"{sum(row[1] for row in rows)} states of results: {wrong} wrong")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
