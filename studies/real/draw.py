"""The heat maps: shapes by (n, noise), what holds and what fails first, 0.1.0 beside now."""
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from shapes import SHAPES

KINDS = [("holds", "#3a7fb5", "holds"), ("gaps", "#b4d7ea", "ratios within 10 %, a gap is lost"),
         ("ratios", "#f7c87f", "ratios off"), ("d", "#cc5533", "d is wrong"), ("lost", "#333333", "failed, or over 60 s")]
CODE = {"holds": 0, "gaps": 1, "ratios": 2, "few": 2, "d": 3, "error": 4, "time": 4}
VERSIONS = (("0.1.0", "0.1.0"), ("now", "now"))


def panel(ax, results, names, columns):
    grid = np.full((len(names), len(columns)), np.nan)
    for r in results:
        y, x = names.index(r["shape"]), columns.index((r["n"], r["noise"]))
        grid[y, x] = CODE[r["verdict"]]
        if r["uneven"]:
            ax.plot(x + .3, y - .27, ".", ms=3, color="white" if CODE[r["verdict"]] in (0, 3, 4) else "black")
    ax.imshow(grid, cmap=ListedColormap([c for _, c, _ in KINDS]), vmin=-.5, vmax=len(KINDS) - .5, aspect="auto")
    ax.set_xticks(range(len(columns)), [f"{noise:g}".replace("0.", ".") for _, noise in columns], fontsize=8)
    ax.set_xticks(np.arange(.5, len(columns) - 1), minor=True)
    ax.set_yticks(np.arange(.5, len(names) - 1), minor=True)
    ax.grid(which="minor", color="white", lw=.9)
    ax.tick_params(which="both", length=0)
    ax.set_yticks(range(len(names)), [n + (" *" if SHAPES[n].half == "held" else "") for n in names], fontsize=8.5)
    for side in ax.spines.values():
        side.set_visible(False)
    for n in sorted({n for n, _ in columns}):
        at = [i for i, c in enumerate(columns) if c[0] == n]
        ax.text(np.mean(at), len(names) + .75, f"n = {n:,}", ha="center", va="top", fontsize=8.5)
        ax.axvline(at[0] - .5, color="white", lw=4) if at[0] else None
    ax.axhline(sum(SHAPES[n].half == "tune" for n in names) - .5, color="white", lw=4)


def figure(path, methods, kept):
    results = kept["cases", "now"] or kept["cases", "0.1.0"]
    names = [n for n in SHAPES if any(r["shape"] == n for r in results)]
    columns = sorted({(r["n"], r["noise"]) for r in results})
    fig, axes = plt.subplots(len(methods), 2, figsize=(10.4, 1.9 + len(methods) * (.85 + .175 * len(names))), squeeze=False, sharey=True)
    for row, method in enumerate(methods):
        for column, (version, title) in enumerate(VERSIONS):
            own = [r for r in kept["cases", version] if r["method"] == method]
            panel(axes[row, column], own, names, columns)
            held = [r for r in own if r["half"] == "held"]
            share = f": {sum(r['verdict'] == 'holds' for r in held)} of {len(held)} held-out cases hold" if held else ""
            axes[row, column].set_title(f"{method}, {title}{share}", fontsize=11, loc="left")
            if column == 0:
                axes[row, column].text(-.8, len(names) - .05, "noise", ha="right", va="top", fontsize=8)
    fig.legend(handles=[Patch(color=c, label=label) for _, c, label in KINDS], ncol=5, loc="lower center",
               bbox_to_anchor=(.5, .018), fontsize=9.5, frameon=False)
    fig.text(.5, .012, "dot: unevenly sampled     * and below the gap: held-out shapes, which no setting was chosen on", ha="center",
             fontsize=9.5, color="#444444")
    fig.tight_layout(rect=(0, .045, 1, 1))
    fig.savefig(path, dpi=120)
    plt.close(fig)


def figures(folder, kept):
    if kept["cases", "now"] or kept["cases", "0.1.0"]:
        figure(os.path.join(folder, "fields.png"), ("lavdm", "vdm"), kept)
        figure(os.path.join(folder, "functions.png"), ("roseland", "dm"), kept)
