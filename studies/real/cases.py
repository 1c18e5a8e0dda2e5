#!/usr/bin/python3 -B
"""Cases of known spectrum, all options automatic: which hold?

    studies/real/cases.py --half tune --noise 0 .05 --n 1000 3000 --ambient 20 --methods lavdm dm
    studies/real/cases.py --shapes rp2 --seed 7 --lavdm-option epsilon=.03 --lavdm-option dim=2

A shape of shapes.py is turned at random into R^P (0: its least P) and moved by Gaussian noise, whose deviation per
coordinate is a share of the shape's smallest radius. A case holds when

  d    is right, where the method looks for one (and so q = d),
  the first three groups of eigenvalues, the group of zero included, have mu = -log lambda in the right ratios: the mean
       over each, by that of the first group that is not zero, within 10% (that of zero: below .1),
  the gaps stand: the mu of each of them, by the same unit, lie on the right side of the middle between the true values
       of neighbouring groups, that to the fourth group included.

Fields (vdm, lavdm) against the connection Laplacian, functions (dm, roseland) against the Laplacian. Groups closer than
15% are one. --nonzero asks for three groups beside that of zero. Every line has what makes it again.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):     # of numpy, and of the command
    os.environ[name] = "1"

import numpy as np

from shapes import SHAPES

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FIELDS = ("vdm", "lavdm")
WITHIN, MERGED = 0.10, 0.15
LIMIT = 60            # seconds of processor time, after which a case is lost
UNEVEN = 0.8          # the densest part of a circle then has ten times the density of the sparsest


def truth(shape, method, nonzero=False):
    """[(value by that of the first non-zero group, multiplicity, least, largest)]: the groups judged, and one more."""
    groups = []
    for x, count in shape.fields() if method in FIELDS else shape.scalar():
        if groups and x < (1 + MERGED) * groups[-1][-1][0]:
            groups[-1].append((x, count))
        else:
            groups.append([(x, count)])
    judged = 3 + (1 if nonzero and groups[0][0][0] == 0 else 0)
    out = []
    for g in groups[:judged + 1]:
        count = sum(c for _, c in g)
        out.append((sum(x * c for x, c in g) / count, count, g[0][0], g[-1][0]))
    unit = next(g[0] for g in out if g[0] > 0)
    return [(a / unit, c, low / unit, high / unit) for a, c, low, high in out]


def embed(shape, n, p, noise, seed, uneven):
    """(n, P) points, from the seed alone."""
    x = shape.sample(n, seed, UNEVEN if uneven else 0.0)
    random = np.random.default_rng([seed, n, 1])
    if x.shape[1] > shape.p:
        pilot = shape.points(1000, np.random.default_rng(0))
        x = (x - pilot.mean(0)) @ np.linalg.svd(pilot - pilot.mean(0), full_matrices=False)[2][:shape.p].T
    p = max(p, shape.p)
    turn = np.linalg.qr(random.standard_normal((p, shape.p)))[0]
    return x @ turn.T + noise * shape.radius * random.standard_normal((n, p))


def judge(groups, eigenvalues, d_right):
    """(verdict, ratios, worst error)."""
    mu = -np.log(np.clip(eigenvalues, 1e-300, None))
    need = sum(g[1] for g in groups[:-1])
    if len(mu) <= need:
        return "few", [], np.inf
    at, parts = 0, []
    for g in groups[:-1]:
        parts.append(mu[at:at + g[1]])
        at += g[1]
    parts.append(mu[at:at + 1])
    first = next(i for i, g in enumerate(groups) if g[0] > 0)
    unit = parts[first].mean()
    if not unit > 0:
        return "ratios", [], np.inf
    ratios = [float(x.mean() / unit) for x in parts[:-1]]
    worst = max(abs(r - g[0]) / max(g[0], 1) for r, g in zip(ratios, groups))
    middles = [(a[3] + b[2]) / 2 for a, b in zip(groups, groups[1:])]
    gaps = all(x.max() / unit < m < y.min() / unit for x, y, m in zip(parts, parts[1:], middles))
    verdict = "d" if not d_right else "ratios" if worst > WITHIN else "holds" if gaps else "gaps"
    return verdict, ratios, float(worst)


def call(words, path):
    """(what it printed, its status, seconds of processor time); what it says of errors if it printed nothing."""
    with open(path, "w") as out, open(path + ".err", "w") as err:
        process = subprocess.Popen(["/bin/sh", "-c", f'ulimit -t {LIMIT}; exec "$@"', "sh", *words], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    with open(path) as out, open(path + ".err") as err:
        said = out.read() or err.read().strip()
    return said, status, usage.ru_utime + usage.ru_stime


def run(case, file, points, program, options, true_dim, nonzero):
    """One method on the points of a file."""
    shape, method = SHAPES[case["shape"]], case["method"]
    groups = truth(shape, method, nonzero)
    words = [program, "embed", file, "--json", "--method", method, "--components", sum(g[1] for g in groups[:-1]) + 4]
    words += [w for name, value in options for w in ("--" + name.replace("_", "-"), value)]
    if true_dim and method in FIELDS:
        words += ["--dim", shape.d]
    said, status, seconds = call([str(w) for w in words], file + ".out")
    result = lost(case, points, "time" if os.WIFSIGNALED(status) and seconds >= LIMIT - 1 else "error", [said[-200:]])
    result["seconds"] = seconds
    if not said.startswith("{"):
        return result
    found = json.loads(said)
    d = found["dim"] if method in FIELDS else None
    verdict, ratios, worst = judge(groups, np.array(found["eigenvalues"]), d in (None, shape.d))
    keep = {k: found.get(k) for k in ("epsilon", "landmarks", "knn", "frame_knn", "pca", "cutoff", "edges_rule")}
    result.update(d=d, verdict=verdict, ratios=ratios, truth=[g[0] for g in groups[:-1]], error=worst,
                  warnings=found["warnings"], chosen={k: v for k, v in keep.items() if v is not None})
    return result


def lost(case, points, verdict, warnings=(), d=None):
    return dict(case, p=points.shape[1], half=SHAPES[case["shape"]].half, d=d, seconds=0.0, verdict=verdict, error=np.inf,
                ratios=[], truth=[], warnings=list(warnings))


def together(group, program, options, true_dim, nonzero, folder, skip):
    """Cases that differ in the method alone; with `skip`, vdm is not run where lavdm has found another d than is true."""
    case = group[0]
    points = embed(SHAPES[case["shape"]], case["n"], case["p"], case["noise"], case["seed"], case["uneven"])
    file = os.path.join(folder, "-".join(str(v) for v in case.values()) + ".npy")
    np.save(file, points)
    results = []
    for case in group:
        first = results[0] if results else None
        if skip and case["method"] == "vdm" and first and first["method"] == "lavdm" and first["verdict"] == "d":
            results.append(lost(case, points, "d", d=first["d"]))
        else:
            results.append(run(case, file, points, program, options, true_dim, nonzero))
    os.remove(file)
    return results


def line(r):
    head = (f"{r['shape']:15} {r['half']} n={r['n']} noise={r['noise']:g} p={r['p']} {'uneven ' if r['uneven'] else ''}"
            f"{r['method']} seed={r['seed']}")
    ratios = " ".join(f"{x:.3g}/{t:.3g}" for x, t in zip(r["ratios"], r["truth"]))
    chosen = " ".join(f"{k}={v:.3g}" if isinstance(v, float) else f"{k}={v}" for k, v in r.get("chosen", {}).items())
    return (f"{head}: {r['verdict'].upper() if r['verdict'] != 'holds' else 'holds'} d={r['d']} {ratios} [{chosen}] "
            f"{r['seconds']:.1f}s{''.join(' ! ' + w for w in r['warnings'])}")


def cases(given):
    """Roseland keeps the density (alpha = 0), so uneven cases are not its own."""
    names = given.shapes or [s.name for s in SHAPES.values() if given.half in (None, s.half)]
    for name in names:
        for n in given.n:
            for noise in given.noise:
                for p in given.ambient:
                    for uneven in {"even": [False], "uneven": [True], "both": [False, True]}[given.density]:
                        for seed in given.seed:
                            for method in given.methods:
                                if not (uneven and method == "roseland"):
                                    yield dict(shape=name, n=n, noise=noise, p=p, uneven=uneven, method=method, seed=seed)


def execute(todo, program, options=(), true_dim=False, nonzero=False, jobs=2, say=print, skip=False):
    """The results of cases, in order; say(line) as they come."""
    groups, results = {}, []
    for case in todo:
        groups.setdefault(tuple(v for k, v in case.items() if k != "method"), []).append(case)
        truth(SHAPES[case["shape"]], case["method"], nonzero)          # computed once, before there are threads
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        for several in pool.map(lambda g: together(g, program, options, true_dim, nonzero, folder, skip), groups.values()):
            for r in several:
                results.append(r)
                say(line(r))
    return results


def totals(results):
    """Lines: cases that hold by noise, half and method, and those with d right."""
    count = defaultdict(lambda: [0, 0, 0, 0.0])
    for r in results:
        for half in (r["half"], "both"):
            c = count[r["noise"], half, r["method"]]
            c[0] += 1
            c[1] += r["verdict"] == "holds"
            c[2] += r["verdict"] not in ("d", "error", "time")
            c[3] += r["seconds"]
    for (noise, half, method), (total, holds, right, seconds) in sorted(count.items()):
        if half != "both" or len({r["half"] for r in results}) > 1:
            yield (f"noise {noise:<5g} {half} {method:8}: {holds:3} of {total:3} hold ({100 * holds / total:.0f}%), "
                   f"d right {right}, {seconds / total:.2f} s each")


def arguments():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--half", choices=["tune", "held"])
    parse.add_argument("--shapes", nargs="+", choices=sorted(SHAPES))
    parse.add_argument("--n", nargs="+", type=int, default=[3000])
    parse.add_argument("--noise", nargs="+", type=float, default=[0, .01, .05])
    parse.add_argument("--ambient", nargs="+", type=int, default=[20], help="0: the least that holds the shape")
    parse.add_argument("--density", choices=["even", "uneven", "both"], default="even")
    parse.add_argument("--methods", nargs="+", choices=["dm", "roseland", "vdm", "lavdm"], default=["lavdm"])
    parse.add_argument("--seed", nargs="+", type=int, default=[1])
    parse.add_argument("--lavdm-option", action="append", default=[], metavar="NAME=VALUE")
    parse.add_argument("--true-dim", action="store_true", help="gives vdm and lavdm the true d")
    parse.add_argument("--nonzero", action="store_true")
    parse.add_argument("--program", default=os.path.join(ROOT, "build", "lavdm"))
    parse.add_argument("--jobs", type=int, default=2)
    parse.add_argument("--json", metavar="FILE")
    return parse.parse_args()


def main():
    given = arguments()
    options = [o.split("=", 1) for o in given.lavdm_option]
    results = execute(list(cases(given)), given.program, options, given.true_dim, given.nonzero, given.jobs,
                      lambda text: print(text, flush=True))
    print(*totals(results), sep="\n")
    if given.json:
        with open(given.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
