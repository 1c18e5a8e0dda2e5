"""Graphs some of whose edges are wrong, and what `lavdm sync --robust` makes of them, way by way."""
import csv
import json
import os
import subprocess
import tempfile

import numpy as np

GROUPS = {"z2": 1, "so2": 2, "so3": 3, "se2": 2, "se3": 3}
KINDS = ("random", "dense", "grid", "chords")
CASES = [("even", 0), ("even", 0.1), ("even", 0.3), ("even", 0.5), ("even", 0.7), ("agree", 0.4), ("nodes", 0.15)]
MPLS = [("local", 0.75), ("other", 0.75), ("even", 0.8)]  # of kind "mpls", SO(3)
HEAD = ["group", "kind", "noise", "how", "share", "weights", "auto", "weights_away", "auto_away", "picked", "weights_mean",
        "auto_mean"]
BLUR = 4  # of all numbers of a matrix, before it is taken to the nearest rotation
SEEDS = range(41, 44)  # nothing was chosen by them
SIGNS = 0.1  # noise of signs: this many are turned round


def quaternions(r):
    """Rotations (m,3,3) as quaternions w x y z, by the largest of the four."""
    k = np.empty((len(r), 4, 4))
    k[:, 0, 0] = r[:, 0, 0] + r[:, 1, 1] + r[:, 2, 2]
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        k[:, 0, a + 1] = k[:, a + 1, 0] = r[:, c, b] - r[:, b, c]
        k[:, a + 1, a + 1] = r[:, a, a] - r[:, b, b] - r[:, c, c]
        k[:, a + 1, b + 1] = k[:, b + 1, a + 1] = r[:, a, b] + r[:, b, a]
    return np.linalg.eigh(k)[1][:, :, -1]


def from_quaternions(x):
    w, x, y, z = x.T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1).reshape(-1, 3, 3)


def plane(t):
    c, s = np.cos(t), np.sin(t)
    return np.stack([c, -s, s, c], -1).reshape(-1, 2, 2)


def draw(rng, q, count, noise=None):
    """Elements drawn evenly, or near the identity by Gaussian angles."""
    if q == 1:
        return np.where(rng.random(count) < 0.5, -1.0, 1.0).reshape(-1, 1, 1) if noise is None else np.ones((count, 1, 1))
    if q == 2:
        return plane(rng.uniform(-np.pi, np.pi, count) if noise is None else noise * rng.normal(size=count))
    if noise is None:
        x = rng.normal(size=(count, 4))
        return from_quaternions(x / np.linalg.norm(x, axis=1, keepdims=True))
    v = noise * rng.normal(size=(count, 3))
    t = np.linalg.norm(v, axis=1, keepdims=True)
    return from_quaternions(np.hstack([np.cos(t / 2), v * np.sinc(t / 2 / np.pi) / 2]))


def pairs(rng, kind, n):
    if kind == "grid":
        side = int(np.sqrt(n))
        at = np.arange(side * side).reshape(side, side)
        return side * side, np.vstack([np.c_[at[:, :-1].ravel(), at[:, 1:].ravel()], np.c_[at[:-1].ravel(), at[1:].ravel()]])
    if kind == "chords":
        ring = np.vstack([np.c_[np.arange(n), (np.arange(n) + step) % n] for step in (1, 2)])
        return n, np.vstack([ring, [rng.choice(n, 2, replace=False) for _ in range(n)]])
    if kind in ("dense", "mpls"):
        n //= 2 if kind == "dense" else 1
        i, k = np.triu_indices(n, 1)
        pick = rng.random(len(i)) < (0.4 if kind == "dense" else 0.5)
        return n, np.c_[i[pick], k[pick]]
    tree = [(i, rng.integers(i)) for i in range(1, n)]
    more = rng.integers(n, size=(9 * n, 2))
    return n, np.vstack([tree, more[more[:, 0] != more[:, 1]]])


def nearest(x):
    """Rotations nearest to matrices."""
    u, _, v = np.linalg.svd(x)
    u[:, :, -1] *= np.linalg.det(u @ v)[:, None]
    return u @ v


def local(rng, e, n, share):
    """Half of the nodes, and a share of the edges at each: which edges are wrong, and at which of their ends."""
    wrong, end = np.zeros(len(e), bool), np.zeros(len(e), int)
    for node in rng.permutation(n)[:n // 2]:
        at = np.flatnonzero((e == node).any(1))
        at = rng.permutation(at)[:int(share * len(at))]
        wrong[at], end[at] = True, np.where(e[at, 0] == node, 0, 1)
    return wrong, end


def graph(seed, group, kind, noise, how, share, n=200):
    """how: what wrong edges say. 'even': anything; 'agree': what another solution would; 'nodes': that, and they are nine
    of ten edges at a share of the nodes; 'local': a share of the edges at half of the nodes, as if that node were somewhere
    else, the same place for all, but blurred; 'other': these edges say what another solution would, blurred; 'sharp': the same,
    not blurred."""
    rng, q = np.random.default_rng(seed), GROUPS[group]
    n, e = pairs(rng, kind, n)
    m = len(e)
    truth, other = draw(rng, q, n), draw(rng, q, n)
    product = lambda r, x: np.einsum("mab,mbc,mdc->mad", r[e[:, 0]], x, r[e[:, 1]])
    right = product(truth, draw(rng, q, m, noise))
    if group == "z2":
        right *= np.where(rng.random(m) < noise, -1, 1).reshape(-1, 1, 1)
    wrong = rng.random(m) < share
    if how == "nodes":
        bad = rng.random(n) < share
        wrong = (bad[e[:, 0]] | bad[e[:, 1]]) & (rng.random(m) < 0.9)
    false = draw(rng, q, m) if how == "even" or (how == "nodes" and group == "z2") else product(other, draw(rng, q, m, noise))
    if how in ("local", "other", "sharp"):
        wrong, end = local(rng, e, n, share)
        ends = [np.where((how != "local") | (end == side), 1, 0)[:, None, None] for side in (0, 1)]
        ends = [np.where(pick, other[e[:, side]], truth[e[:, side]]) for side, pick in enumerate(ends)]
        false = np.einsum("mab,mcb->mac", *ends)
        if how != "sharp":
            false = nearest(false + BLUR * rng.normal(size=false.shape))
    o = np.where(wrong[:, None, None], false, right)
    result = dict(group=group, q=q, n=n, edges=e, o=o, truth=truth, wrong=wrong)
    if group.startswith("se"):
        p = np.zeros((n, q))
        side = int(np.ceil(np.sqrt(n)))
        p[:, 0], p[:, 1] = np.arange(n) % side, np.arange(n) // side
        shift = np.einsum("mab,mb->ma", truth[e[:, 0]], p[e[:, 1]] - p[e[:, 0]]) + noise * rng.normal(size=(m, q))
        shift[wrong] = rng.uniform(-side / 2, side / 2, (m, q))[wrong]
        result.update(position=p, shift=shift)
    return result


def write(g, path, noise):
    e, o = g["edges"], g["o"]
    if g["group"].startswith("se"):
        with open(path, "w") as file:
            info = 1 / max(noise, 1e-6) ** 2
            for (i, k), r, s in zip(e, o, g["shift"]):
                if g["q"] == 2:
                    numbers = [*s, np.arctan2(r[1, 0], r[0, 0]), info, 0, 0, info, 0, info]
                    file.write(f"EDGE_SE2 {i} {k} " + " ".join(map(repr, map(float, numbers))) + "\n")
                else:
                    w, x, y, z = quaternions(r[None])[0]
                    upper = [(info if a < 3 else 4 * info) if a == b else 0 for a in range(6) for b in range(a, 6)]
                    file.write(f"EDGE_SE3:QUAT {i} {k} " + " ".join(map(repr, map(float, [*s, x, y, z, w, *upper]))) + "\n")
        return
    element = o.reshape(-1, 1) if g["q"] == 1 else np.arctan2(o[:, 1, 0], o[:, 0, 0])[:, None] if g["q"] == 2 else quaternions(o)
    np.save(path, np.hstack([e, np.ones((len(e), 1)), element]))


def align(r, t):
    """The turn common to all nodes but those that are far off, and how far each is from it, in radians (signs: 0 or 1)."""
    q, weight = r.shape[1], np.ones(len(r))
    for _ in range(30):
        u, _, v = np.linalg.svd(np.einsum("n,nki,nkj->ij", weight, r, t))
        turn = u @ np.diag([1.0] * (q - 1) + [np.linalg.det(u @ v)]) @ v if q > 1 else u @ v
        size = np.linalg.norm(np.einsum("nab,bc,ndc->nad", r, turn, t) - np.eye(q), axis=(1, 2)) / (2 if q == 1 else np.sqrt(8))
        weight = 1 / (size + 1e-3)
    return turn, size if q == 1 else 2 * np.arcsin(np.minimum(size, 1))


def solve(command, folder, g, path, words):
    """The median error in degrees (signs: wrong ones in percent) and the mean, that of positions, what was picked, seconds."""
    q, poses = g["q"], g["group"].startswith("se")
    name = os.path.join(folder, "r.npz")
    done = subprocess.run([command, "sync", path, *([] if poses else ["--group", g["group"]]), "--json", "-o", name, *words],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    told, result = json.loads(done.stdout), np.load(name)
    found, t = result["elements"], g["truth"]
    r = found.reshape(-1, 1, 1) if q == 1 else plane(found.ravel()) if q == 2 else from_quaternions(found)
    if poses:  # they are written as files of poses have them
        r = r.transpose(0, 2, 1)
    turn, size = align(r, t)
    error = 100 * np.mean(size > 0.5) if q == 1 else np.degrees(np.median(size))
    away = np.nan
    if poses:
        p = result["positions"] @ turn
        away = np.sqrt(np.mean(np.sum((p - p.mean(0) - g["position"] + g["position"].mean(0)) ** 2, 1)))
    mean = error if q == 1 else np.degrees(np.mean(size))
    return dict(error=float(error), mean=float(mean), away=float(away), picked=told.get("robust", ""), seconds=told["seconds"]["total"])


def cell(command, folder, group, kind, noise, how, share, seeds):
    """Means over the graphs of each seed: today's re-weighting (of signs: nothing) beside what auto makes of them."""
    found, ways = {"weights": [], "auto": []}, {"weights": "no" if group == "z2" else "weights", "auto": "auto"}
    path = os.path.join(folder, "e.g2o" if group.startswith("se") else "e.npy")
    for seed in seeds:
        g = graph(seed, group, kind, noise, how, share)
        write(g, path, noise)
        for way, word in ways.items():
            found[way].append(solve(command, folder, g, path, ["--robust", word]))
    picked = [one["picked"] for one in found["auto"]]
    mean = lambda what: [f"{np.mean([one[what] for one in found[way]]):.5g}" for way in ("weights", "auto")]
    return [group, kind, f"{noise:g}", how, f"{share:g}", *mean("error"), *mean("away"),
            " ".join(f"{picked.count(word)}x{word}" for word in sorted(set(picked))), *mean("mean")]


def cells(groups, quick):
    for group in groups:
        for kind in KINDS[1:2] if quick else KINDS:
            for noise in (0, SIGNS) if group == "z2" else (0.02, 0.4):
                yield from ((group, kind, noise, how, share) for how, share in CASES)
        if group == "so3":
            yield from ((group, "mpls", noise, how, share) for noise in (0, 0.02) for how, share in MPLS)


def measure(command, path, groups, seeds, quick):
    """Rows of `path` for these groups anew, one by one; others are kept."""
    rows = {}
    if os.path.exists(path):
        with open(path) as file:
            rows = {tuple(row[:5]): row for row in list(csv.reader(file))[1:]}
    with tempfile.TemporaryDirectory() as folder:
        for one in cells(groups, quick):
            row = cell(command, folder, *one, seeds)
            rows[tuple(row[:5])] = row
            print(*row, flush=True)
            with open(path, "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([HEAD, *rows.values()])


TEXT = """Graphs of {n} nodes (*dense*: half as many, two of five pairs joined; *random*: 20 edges a node; *grid*; *chords*: a ring
with neighbours of neighbours, and as many chords as nodes), means over as many graphs as there are letters, drawn from
seeds {first} to {last}. The scores and thresholds were made with other seeds, and corrected five times after a look at seeds 11 to 13 and 21 to
23 (when nothing is done at all, nodes with many edges, shifts that leave by degrees, noise as wide as the group, the density of wide
noise); nothing was changed after a look at these. *Even*: a share of the edges says anything;
*agree*: it says what another solution would, the same for all;
*nodes*: nine of ten edges at 15 % of the nodes are wrong so. Numbers are errors of the nodes in degrees, each the median over
the nodes of a graph, which says nothing of a few that are far off, after the turn common to all nodes is taken out by weights
1/(error + 0.001), so that those which are far off do not count; of signs, the
percentage that is wrong: re-weighting as `--robust weights` does it (signs: none at all) → `--robust auto`, with letters for
what it picked in each graph (n none, w weights, g gradual, c cycles). Numbers in bold are better by a tenth or more, those
in italics worse by 2 % or more. Shifts of poses are wrong together with their rotations, and both ways then weigh shifts
by their residuals alike. Means over the nodes, and errors of positions, are in
[robust.csv](sync/robust.csv).

{tables}

{summary}

### Most edges wrong

{mpls}"""
MPLS_TEXT = """SO(3), 200 nodes, half of all pairs joined, in brackets the means over the nodes. *Even 80 %*: four of five edges say anything.
*Local*: as in the demonstration of MPLS (Shi and Lerman 2020), at half of the nodes three of four edges say where that node is not, the
same wrong place for all of them, but blurred by Gaussian numbers of deviation 4 on each entry of the matrix; *other*: the same edges say what
another solution would, blurred so. In all, three of five edges are then wrong. Were they not blurred, the other solution would explain more edges than the truth, which nothing
could tell from it: then all ways are right as long as less than half of all edges are wrong, and none is beyond.

| noise | wrong edges | `--robust weights` | `--robust auto` | picked |
|---|---|---|---|---|
{rows}"""
NAMES = {"z2": "Z₂", "so2": "U(1) = SO(2)", "so3": "SO(3)", "se2": "SE(2)", "se3": "SE(3)"}


def verdict(before, after):
    return 1 if after < 0.9 * before else -1 if after > 1.02 * before + 0.005 else 0


def letters(row):
    return "".join(word[0] * int(times) for times, word in (x.split("x", 1) for x in row["picked"].split()))


def number(text):
    return "< 0.001" if float(text) < 0.001 else f"{float(text):.3g}"


def most_wrong(rows):
    lines = [f"| {r['noise']} | {r['how']} {100 * float(r['share']):g} % | {number(r['weights'])} ({number(r['weights_mean'])}) | "
             f"{number(r['auto'])} ({number(r['auto_mean'])}) | {letters(r)} |" for r in rows]
    return MPLS_TEXT.format(rows="\n".join(lines)) if lines else "Not measured yet."


def entry(row, count):
    before, after = float(row["weights"]), float(row["auto"])
    count[verdict(before, after)] += 1
    mark = {1: "**", 0: "", -1: "*"}[verdict(before, after)]
    return f"{before:.3g} → {mark}{after:.3g}{mark} {letters(row)}"


def page(path):
    """Tables of what `measure` left, cell by cell."""
    if not os.path.exists(path):
        return "Not measured yet."
    with open(path) as file:
        rows = list(csv.DictReader(file))
    grid = [r for r in rows if r["kind"] != "mpls"]
    tables, count = [], {1: 0, 0: 0, -1: 0}
    for group in [g for g in GROUPS if any(r["group"] == g for r in grid)]:
        lines = ["| | noise | " + " | ".join(f"{how} {100 * share:g} %" for how, share in CASES) + " |", "|---" * (2 + len(CASES)) + "|"]
        mine = [r for r in grid if r["group"] == group]
        for kind, noise in dict.fromkeys((r["kind"], r["noise"]) for r in mine):
            at = {(r["how"], float(r["share"])): r for r in mine if (r["kind"], r["noise"]) == (kind, noise)}
            cells = [entry(at[case], count) if case in at else "" for case in CASES]
            lines.append(f"| {kind} | {noise} | " + " | ".join(cells) + " |")
        tables.append(f"### {NAMES[group]}\n\n" + "\n".join(lines))
    summary = (f"Of {sum(count.values())} cells {count[1]} are better by a tenth or more, {count[-1]} worse by 2 % or more, "
               f"{count[0]} are neither.")
    return TEXT.format(n=200, first=SEEDS[0], last=SEEDS[-1], tables="\n\n".join(tables), summary=summary,
                       mpls=most_wrong([r for r in rows if r["kind"] == "mpls"]))
