#!/usr/bin/python3 -B
"""How far what a run says of itself (the option trust) is true, on shapes of known spectrum.

    studies/real/trust.py --half held --n 1000 3000 --seed 101 102        the intervals of 90 %: how many cover the truth
    studies/real/trust.py --time 3000 10000 100000 --methods lavdm dm     time with trust by that without
    studies/real/trust.py --embedding                                     trustworthiness beside scikit-learn's

An interval is that of a group of eigenvalues as the run has found it: the truth is the mean of the Laplacian's (fields:
the connection Laplacian's) eigenvalues of the same numbers, by that over the group that the run calls its unit. Groups
without an interval are counted apart: the run says that it cannot tell. An interval where the unit is zero in truth is
a miss. All options are automatic. The constants of src/trust/groups.c were chosen on the half "tune".
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from cases import FIELDS, ROOT, embed
from shapes import SHAPES, flat


def command(words, threads=1):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)})
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def judged(found, truth):
    """[(ratio, low, high, true ratio)] of the groups after the unit; low is None where nothing is said."""
    trust, out = found["trust"], []
    if trust is None or trust["unit"] < 0:
        return []
    first, unit = trust["first"], trust["unit"]
    base = np.mean(truth[first[unit]:first[unit + 1]])
    for g in range(unit + 1, len(first) - 1):
        if first[g + 1] <= len(truth):
            true = np.mean(truth[first[g]:first[g + 1]]) / base if base > 1e-9 else np.inf
            out.append((trust["ratio"][g], trust["low"][g], trust["high"][g], true))
    return out


def one(case, program, folder):
    shape = SHAPES[case["shape"]]
    points = embed(shape, case["n"], case["p"] if case["noise"] else 0, case["noise"], case["seed"], False)
    file = os.path.join(folder, "-".join(str(v) for v in case.values()) + ".npy")
    np.save(file, points)
    found = command([program, "embed", file, "--json", "--method", case["method"]])
    os.remove(file)
    fields = case["method"] in FIELDS
    truth = np.sort(flat(shape.fields() if fields else shape.scalar()))
    wrong = found is not None and fields and found["dim"] != shape.d
    return dict(case, groups=[] if found is None or wrong else judged(found, truth), wrong=wrong,
                warnings=[] if found is None else found["warnings"])


def covered(results, leading):
    """Lines: intervals, how many hold the truth, their median half width, and groups without one."""
    count = defaultdict(lambda: [0, 0, [], 0])
    for r in results:
        for key in ((r["method"], r["noise"]), (r["method"], "all"), ("all", r["noise"]), ("all", "all")):
            c = count[key]
            for ratio, low, high, true in r["groups"][:leading]:
                if low is None:
                    c[3] += 1
                    continue
                c[0] += 1
                c[1] += low <= true <= high
                c[2].append((high - low) / 2 / ratio)
    for (method, noise), (total, inside, widths, silent) in sorted(count.items(), key=str):
        if total:
            yield (f"{method:9} noise {noise!s:5}: {inside:4} of {total:4} intervals hold the truth ({100 * inside / total:.0f}%), "
                   f"half width {100 * np.median(widths):.1f}% (median), {silent} groups without")


def coverage(given, program):
    names = given.shapes or [s.name for s in SHAPES.values() if given.half in (None, s.half)]
    todo = [dict(shape=s, n=n, noise=noise, p=given.ambient, method=m, seed=seed) for s in names for n in given.n
            for noise in given.noise for m in given.methods for seed in given.seed]
    results = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        for r in pool.map(lambda c: one(c, program, folder), todo):
            results.append(r)
            text = "  ".join(f"{true:.3g} in {low:.3g}..{high:.3g}{'' if low <= true <= high else ' MISSED'}"
                             if low is not None else f"{true:.3g} ?" for _, low, high, true in r["groups"][:given.leading])
            print(f"{r['shape']:15} n={r['n']} noise={r['noise']:g} {r['method']} seed={r['seed']}: "
                  f"{'d is wrong' if r['wrong'] else text}{''.join(' ! ' + w for w in r['warnings'])}", flush=True)
    print(*covered(results, given.leading), sep="\n")
    print(f"{sum(r['wrong'] for r in results)} of {len(results)} runs with another d, left out")


def times(given, program):
    """The least of five runs each, alternating."""
    with tempfile.TemporaryDirectory() as folder:
        for n in given.time:
            file = os.path.join(folder, "klein.npy")
            command([program, "sample", "klein", "-n", n, "-o", file, "--json"])
            for method in given.methods:
                least = {"no": np.inf, "yes": np.inf}
                for trust in 5 * ["no", "yes"]:
                    found = command([program, "embed", file, "--json", "--method", method, "--trust", trust], given.jobs)
                    least[trust] = min(least[trust], found["seconds"]["total"] - found["seconds"]["read"])
                print(f"n={n} {method}: {least['no']:.3f} s, with trust {least['yes']:.3f} s: "
                      f"{least['yes'] / least['no']:.2f} times", flush=True)


def embedding(given, program):
    """On samples of their own, so that they are alike and not equal; the formula itself is tested in tests/unit."""
    from sklearn.manifold import trustworthiness
    with tempfile.TemporaryDirectory() as folder:
        for name in given.shapes or ["sphere", "roll", "klein"]:
            x = embed(SHAPES[name], 2000, 0, 0, 1, False)
            file, result = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npz")
            np.save(file, x)
            for method in given.methods:
                trust = command([program, "embed", file, "-o", result, "--embedding", "--json", "--method", method])["trust"]
                with np.load(result) as arrays:
                    y = arrays["coordinates" if "coordinates" in arrays else "embedding"]
                some = np.random.default_rng(1).choice(len(x), trust["rows"], replace=False)
                there = trustworthiness(x[some], y[some], n_neighbors=trust["neighbours"])
                back = trustworthiness(y[some], x[some], n_neighbors=trust["neighbours"])
                print(f"{name} {method}: trustworthiness {trust['trustworthiness']:.4f}, scikit-learn {there:.4f}; "
                      f"continuity {trust['continuity']:.4f}, {back:.4f}")


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--half", choices=["tune", "held"])
    parse.add_argument("--shapes", nargs="+", choices=sorted(SHAPES))
    parse.add_argument("--n", nargs="+", type=int, default=[1000, 3000])
    parse.add_argument("--noise", nargs="+", type=float, default=[0, .02, .05])
    parse.add_argument("--ambient", type=int, default=20, help="dimension of the space, with noise")
    parse.add_argument("--methods", nargs="+", choices=["dm", "roseland", "vdm", "lavdm"],
                       default=["lavdm", "vdm", "dm", "roseland"])
    parse.add_argument("--seed", nargs="+", type=int, default=[101])
    parse.add_argument("--leading", type=int, default=5, help="groups after the unit that are judged, at most")
    parse.add_argument("--time", nargs="+", type=int, metavar="N")
    parse.add_argument("--embedding", action="store_true")
    parse.add_argument("--program", default=os.path.join(ROOT, "build", "lavdm"))
    parse.add_argument("--jobs", type=int, default=2)
    given = parse.parse_args()
    (times if given.time else embedding if given.embedding else coverage)(given, given.program)


if __name__ == "__main__":
    sys.exit(main())
