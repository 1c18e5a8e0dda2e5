#!/usr/bin/python3 -B
"""Can `lavdm orient` be believed? Shapes of sides.py with everything automatic.

    studies/real/orient.py --half tune -o build/orient-tune.csv     # cases to choose constants on
    studies/real/orient.py --fit build/orient-tune.csv              # the constants of src/orient/evidence.c
    studies/real/orient.py --half held -o build/orient-held.csv     # cases that no constant has seen
    studies/real/orient.py --report build/orient-held.csv           # docs/orient.md and docs/orient-reliability.png
    studies/real/orient.py --draw                                   # the picture again, from the page's table

A shape is turned at random into R^P and moved by Gaussian noise, whose deviation per coordinate is a share of its smallest
radius. Shapes, seeds and most sizes of the held half are others than those of the tuned one.
"""
import argparse
import csv
import os
import sys
import time
import warnings
from multiprocessing import Pool

import numpy as np

from sides import SHAPES, cloud

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOUND = ["orientable", "verdict", "confidence", "ratio", "mean_magnitude", "doubt", "odd", "spread", "frustrated", "turn",
         "gap", "margin", "frame_knn", "growth"]
COLUMNS = ["shape", "n", "noise", "ambient", "seed", "truth", "dim", *FOUND, "seconds"]
LOWER = ((0, 0), (.01, 0), (.05, 0), (.05, 10), (.05, 50))     # noise, ambient dimension (0: the shape's own)
HIGHER = ((.1, 0), (.2, 0), (.1, 20))


def cases(half):
    names = [name for name, shape in SHAPES.items() if shape[0] == half]
    if half == "tune":
        sets = [((500, 1500), LOWER, (0,)), ((150, 250, 400, 1000), ((0, 0), (.05, 0)) + HIGHER, (1, 2))]
    else:
        sets = [((500, 1000, 3000), LOWER, (31,)), ((250, 1200), ((.05, 0),) + HIGHER, (32,))]
    return [(name, n, *where, seed) for ns, conditions, seeds in sets for name in names for n in ns
            for where in conditions for seed in seeds]


def judge(case):
    import lavdm
    warnings.simplefilter("ignore")
    name, n, noise, ambient, seed = case
    began = time.time()
    found = lavdm.orientability(cloud(name, n, noise, ambient, seed), threads=1)
    return [*case, int(SHAPES[name][1]), found.model.options["dim"], *[round(float(getattr(found, f)), 5) for f in FOUND],
            round(time.time() - began, 2)]


def collect(half, path, processes):
    with Pool(processes) as pool, open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS)
        for row in pool.imap(judge, cases(half)):
            out.writerow(row)
            file.flush()


def load(path):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    table = {name: np.array([float(row[name]) for row in rows]) for name in COLUMNS if name != "shape"}
    table["shape"] = np.array([row["shape"] for row in rows])
    return table


# --------------------------------------------------------------------- constants

def odds(t, turning, for_it, against, by_triangles, by_spread):
    """As evidence_odds of src/orient/evidence.c."""
    below = for_it * (1 - t["odd"] / turning) / (1 + by_spread * t["spread"])
    above = against * (turning - t["odd"]) / (1 - turning) / (1 + by_triangles * t["frustrated"])
    return np.where(t["odd"] < turning, below, above)


def fit(path):
    """Logistic regression; one label in a hundred is taken to be wrong, so that no constant grows without bound."""
    from scipy.optimize import minimize
    t = load(path)
    judged = t["gap"] != 0
    t = {name: column[judged] for name, column in t.items()}
    label = .01 + .98 * t["truth"]

    def loss(x):
        if not .5 < x[0] < .97:
            return 1e3
        chance = np.clip(1 / (1 + np.exp(-np.clip(odds(t, x[0], *np.exp(x[1:])), -30, 30))), 1e-9, 1 - 1e-9)
        return -np.mean(label * np.log(chance) + (1 - label) * np.log(1 - chance)) + 1e-4 * np.sum(x[1:] ** 2)

    best = min((minimize(loss, [c, 1.5, 1.5, 3, b], method="Nelder-Mead", options=dict(maxiter=9000, maxfev=9000))
                for c in (.75, .82, .88) for b in (-1, 1)), key=lambda r: r.fun)
    found = [best.x[0], *np.exp(best.x[1:])]
    print(f"{len(label)} cases, loss {best.fun:.4f}")
    print("turning %.2f, for_it %.1f, against %.1f, by_triangles %.0f, by_spread %.2f" % tuple(found))


# ------------------------------------------------------------------------- report

def counts(t, use):
    """Cases, right, cannot tell, wrong, wrong with .95 and more, of guesses wrong."""
    told = t["verdict"] >= 0
    right = t["orientable"] == t["truth"]
    wrong = use & told & ~right
    return [int(np.sum(x)) for x in (use, use & told & right, use & ~told, wrong, wrong & (t["confidence"] >= .95),
                                     use & ~right)]


def reliability(t):
    edges = [.5, .6, .7, .8, .9, .95, .98, 1.0001]
    right = t["orientable"] == t["truth"]
    rows = []
    for low, high in zip(edges, edges[1:]):
        use = (t["confidence"] >= low) & (t["confidence"] < high)
        if use.any():
            rows.append((low, min(high, 1), int(use.sum()), float(t["confidence"][use].mean()), float(right[use].mean())))
    return rows


def draw(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(6.6, 4.8), dpi=130)
    axes.plot([.5, 1], [.5, 1], color="#8c959f", lw=1.2, ls=(0, (4, 3)), zorder=1)
    axes.annotate("as said", (.735, .735), (0, 3), textcoords="offset points", rotation=32, rotation_mode="anchor", ha="center",
                  color="#656d76")
    for _, _, count, said, seen in rows:
        low, high = interval(seen, count)
        axes.plot([said, said], [low, high], color="#0072b2", lw=1.6, alpha=.55, solid_capstyle="butt", zorder=2)
        # The area of a mark is the number of cases, which stands below the interval.
        axes.scatter(said, seen, s=18 + 1.6 * count, color="#0072b2", edgecolor="white", lw=1, zorder=3)
        axes.annotate(f"{count}", (said, low), (0, -4), textcoords="offset points", ha="center", va="top", fontsize=9,
                      color="#0072b2")
    axes.annotate("cases", (rows[0][3], interval(rows[0][4], rows[0][2])[0]), (11, -4), textcoords="offset points", va="top",
                  fontsize=9, color="#0072b2")
    axes.set(xlabel="confidence that was told", xlim=(.48, 1.03), ylim=(.1, 1.06))
    axes.set_title("share of right answers; bars: 90 % intervals", loc="left", fontsize=11)
    axes.grid(axis="y", color="#d8dee4", lw=.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path)


def draw_again(docs):
    """The picture of the page that is there, from its table."""
    with open(os.path.join(docs, "orient.md")) as file:
        part = file.read().split("| confidence | cases |")[1].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines()[2:]]
    draw([(*map(float, cells[0].split(" to ")), int(cells[1]), float(cells[2]), float(cells[3])) for cells in rows],
         os.path.join(docs, "orient-reliability.png"))


def interval(share, count, z=1.645):
    """Wilson's."""
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return middle - half, middle + half


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
                     + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def report(path, docs):
    t = load(path)
    rows = reliability(t)
    draw(rows, os.path.join(docs, "orient-reliability.png"))
    lower, many = t["noise"] <= .05, t["n"] >= 500
    head = ["", "cases", "right", "cannot tell", "wrong", "wrong with .95", "wrong if guesses count"]
    groups = [("noise <= .05, n >= 500", lower & many), ("noise <= .05, n < 500", lower & ~many),
              ("noise .1", t["noise"] == .1), ("noise .2", t["noise"] == .2)]
    shapes = sorted(set(t["shape"]), key=list(SHAPES).index)
    missed = [i for i in np.flatnonzero(t["verdict"] >= 0) if t["verdict"][i] != t["truth"][i]]
    text = [
        "# Can `lavdm orient` be believed?\n",
        "Made by `studies/real/orient.py`. Everything is automatic, the dimension too. The constants of the confidence were",
        "chosen on other shapes and seeds (`--half tune`) than the ones below. Reports on two earlier sets of shapes (`seen` in",
        "`studies/real/sides.py`) were the reason for the rules on the dimension, and are not shown. Noise is the deviation in",
        "each coordinate as a share of the smallest radius of the shape; shapes lie in their own space, or turned at random in",
        "one of 10, 20 or 50 dimensions.\n",
        table(head, [[name, *counts(t, use)] for name, use in groups if use.any()]),
        "![Share of right answers over confidence](orient-reliability.png)\n",
        "Of all these cases, with the guesses where it cannot tell:\n",
        table(["confidence", "cases", "mean confidence", "share right"],
              [[f"{a:g} to {b:g}", count, f"{said:.3f}", f"{seen:.3f}"] for a, b, count, said, seen in rows]),
        "Shapes, noise <= .05 and n >= 500:\n",
        table(["shape", "orientable", "d", *head[1:]],
              [[name, "yes" if SHAPES[name][1] else "no", SHAPES[name][2], *counts(t, lower & many & (t["shape"] == name))]
               for name in shapes]),
        "Wrong verdicts, all of them:\n",
        table(["shape", "n", "noise", "ambient", "d found", "confidence"],
              [[t["shape"][i], int(t["n"][i]), f"{t['noise'][i]:g}", int(t["ambient"][i]), int(t["dim"][i]),
                f"{t['confidence'][i]:.2f}"] for i in missed]) if missed else "There are none.\n",
    ]
    with open(os.path.join(docs, "orient.md"), "w") as file:
        file.write("\n".join(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("tune", "seen", "held"))
    parser.add_argument("-o", "--output", default="build/orient.csv")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--package", default=os.path.join(ROOT, "build", "python"), help="where lavdm for Python lies")
    parser.add_argument("--fit", metavar="CSV")
    parser.add_argument("--report", metavar="CSV")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--docs", default=os.path.join(ROOT, "docs"))
    a = parser.parse_args()
    sys.path.insert(0, a.package)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if a.half:
        collect(a.half, a.output, a.processes)
    if a.fit:
        fit(a.fit)
    if a.report:
        report(a.report, a.docs)
    if a.draw:
        draw_again(a.docs)


if __name__ == "__main__":
    main()
