#!/usr/bin/python3 -B
"""Pose graphs: `lavdm sync` beside Ceres, in one run.

usage: bench/sync_peers.py [--quick] [--threads N] [--repeats N] [--only WORD] [--json FILE] [FILE.g2o ...]

Graphs are files given, or of the kinds of studies/certify/kinds.py. Ceres (libceres-dev) solves the same chordal cost
from odometry, its own start, and from the poses that `lavdm sync --spectral` writes; and the problem of its pose-graph
examples, with whole information matrices, beside `lavdm sync --weights full`. Costs are those of the poses that were
written, computed here (studies/certify/poses.py); chi2 is that of g2o and of Ceres (in 3-D they differ: one has the vector
part of a quaternion where the other has twice it). Seconds are the least of the repeats, without reading and writing files.
ratio: seconds of Ceres over ours; `no` stands where it stopped at a cost more than 0.1 % above the least that was seen.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "studies", "certify"))
import kinds  # noqa: E402
import poses  # noqa: E402

LAVDM = os.environ.get("LAVDM", os.path.join(ROOT, "build", "lavdm"))
CERES = os.path.join(ROOT, "build", "ceres_poses")
PATIENCE = 120  # seconds for the repeats of one way of Ceres, or one run of ours
KINDS = ("loops 2-D", "manhattan", "city", "seven decades", "sphere", "torus", "garage", "cubicle", "rim", "bad start")


def build():
    source = os.path.join(HERE, "peers", "ceres_poses.cc")
    if os.path.exists(CERES) and os.path.getmtime(CERES) > os.path.getmtime(source):
        return
    subprocess.run(["g++", "-O2", "-std=c++17", "-I/usr/include/eigen3", source, "-o", CERES, "-lceres", "-lglog"], check=True)


def told(*words):
    try:
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        raise RuntimeError(f"more than {PATIENCE} s") from late
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


def lavdm(path, out, given, *words):
    """Seconds of solving: the least of several, less files; and what it said of the last."""
    least = float("inf")
    for _ in range(given.repeats):
        said = told(LAVDM, "sync", path, "-o", out, "--json", "--threads", given.threads, *words)
        seconds = said["seconds"]
        least = min(least, seconds["total"] - seconds.get("read", 0) - seconds.get("write", 0))
    return dict(seconds=least, certified=said.get("certified"), converged=said.get("converged"))


def ceres(path, out, given, cost, start):
    return told(CERES, path, out, cost, start, given.threads, given.repeats)


def costs(graph, out):
    found = poses.read(out)
    return dict(cost=poses.cost(graph, found.turns, found.places), chi2=poses.chi2(graph, found.turns, found.places),
                ceres_chi2=poses.chi2(graph, found.turns, found.places, ceres=True))


def start_of(path, spectral, out):
    """The file with the poses of another as its vertices."""
    with open(out, "w") as file:
        for name, tag in ((spectral, "VERTEX_SE"), (path, "EDGE_SE")):
            with open(name) as lines:
                file.writelines(line for line in lines if line.startswith(tag))


def runs(folder, path, given):
    out, spectral, started = (os.path.join(folder, f"{name}.g2o") for name in ("out", "spectral", "started"))
    ways = {"lavdm": lambda: lavdm(path, out, given), "lavdm --certify": lambda: lavdm(path, out, given, "--certify"),
            "lavdm --weights full": lambda: lavdm(path, out, given, "--weights", "full"),
            "Ceres": lambda: ceres(path, out, given, "chordal", "odometry"),
            "Ceres, our start": lambda: ceres(started, out, given, "chordal", "file"),
            "Ceres, full": lambda: ceres(path, out, given, "full", "odometry"),
            "Ceres, full, our start": lambda: ceres(started, out, given, "full", "file")}
    told(LAVDM, "sync", path, "-o", spectral, "--json", "--spectral")
    start_of(path, spectral, started)
    graph, found = poses.read(path), {}
    for way, act in ways.items():
        try:
            found[way] = act()
            found[way].update(costs(graph, out))
        except (RuntimeError, ValueError) as failed:
            found[way] = dict(note=str(failed))
    return found


def show(name, found):
    """One line for each way; full ways are measured by Ceres' chi2, others by the cost."""
    for full in (False, True):
        ways = {way: row for way, row in found.items() if ("full" in way) == full}
        key = "ceres_chi2" if full else "cost"
        least = min((row[key] for row in ways.values() if key in row), default=float("nan"))
        ours = ways["lavdm --weights full" if full else "lavdm"].get("seconds")
        for way, row in ways.items():
            if "note" in row:
                print(f"{name:17}{way:24}{row['note']}")
                continue
            there = row[key] <= 1.001 * least
            ratio = "" if way.startswith("lavdm") or not ours else f"{row['seconds'] / ours:.2f}" if there else "no"
            said = {True: "certified", False: "not certified", None: ""}[row.get("certified")]
            print(f"{name:17}{way:24}{row['seconds']:9.3f}{row[key]:15.6g}{row[key] / least:11.5f}{ratio:>8}  {said}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    given = parser.parse_args()
    build()
    every = {}
    print(f"{'graph':17}{'solver':24}{'seconds':>9}{'cost or chi2':>15}{'x least':>11}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        files = {os.path.basename(path): path for path in given.files}
        for name in () if files else (k for k in KINDS if given.only in k):
            path = os.path.join(folder, "graph.g2o")
            poses.write(path, kinds.make(name, given.seed, 200 if given.quick else None)[0])
            every[name] = runs(folder, path, given)
            show(name, every[name])
        for name, path in files.items():
            every[name] = runs(folder, path, given)
            show(name, every[name])
    if given.json:
        with open(given.json, "w") as file:
            json.dump(every, file, indent=1)


main()
