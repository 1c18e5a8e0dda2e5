"""The matrix of the page: shapes x n x noise for all methods, ambient dimension and density going round.

All of shapes x n x noise x ambient x density x method would be eleven thousand cases. Every shape has twelve columns
(n, noise), and every column all methods; the ambient dimension (least, 20, 100) goes round with shape and column, so
that each comes with each, and a third of the cells has an uneven density (for roseland, which keeps the density, it is
even there).
"""
from shapes import SHAPES

METHODS = ("lavdm", "vdm", "roseland", "dm")
COLUMNS = [(500, 0), (500, .05), (1000, 0), (1000, .01), (1000, .05), (1000, .1), (3000, 0), (3000, .01), (3000, .05),
           (3000, .1), (6000, 0), (6000, .05)]
AMBIENT = (0, 20, 100)
SEED = 101
SHOWN = ("shape", "half", "n", "noise", "p", "uneven", "method", "seed", "d", "verdict", "ratios", "truth", "error", "warnings",
         "seconds")


def matrix(quick=False):
    names = [s.name for s in SHAPES.values()]
    columns = COLUMNS
    if quick:
        names, columns = ["sphere", "klein", "roll", "torus", "scurve"], COLUMNS[:2] + COLUMNS[4:5]
    for row, name in enumerate(names):
        for column, (n, noise) in enumerate(columns):
            uneven = (row // 3 + column) % 3 == 1
            for method in METHODS:
                yield dict(shape=name, n=n, noise=noise, p=AMBIENT[(row + column) % 3],
                           uneven=uneven and method != "roseland", method=method, seed=SEED)


def short(result, seconds=True):
    """What is kept of a case."""
    kept = {k: result[k] for k in SHOWN}
    kept["ratios"] = [float(f"{x:.4g}") for x in result["ratios"]]
    kept["truth"] = [float(f"{x:.4g}") for x in result["truth"]]
    kept["error"] = float(f"{min(result['error'], 99):.3g}")
    kept["seconds"] = round(result["seconds"], 2)
    if not seconds:
        del kept["seconds"]
    kept["warnings"] = len(result["warnings"])
    return kept
