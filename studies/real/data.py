#!/usr/bin/python3 -B
"""Data that people have: rolls whose arclength is known, digits, clothes, tables; beside scikit-learn and UMAP.

    studies/real/data.py [--program PATH] [--quick] [--only rolls|tables] [--json FILE] [--peers]

Ours are automatic but for `--components 11`; a peer takes the best of several numbers of neighbours, by the measure that is
told. Rolls: |correlation| (Pearson) and |rank correlation| (Spearman) of the first coordinate with the arclength along the
roll, means and the least over seeds. Tables: trustworthiness (scikit-learn's, five neighbours) of two and of ten
coordinates, and how often a point has the label of its five nearest by ten coordinates (five-fold).
"""
import argparse
import gzip
import json
import os
import subprocess
import tempfile
import time
import warnings

import numpy as np
from scipy.stats import spearmanr
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.manifold import SpectralEmbedding, trustworthiness
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
CLOTHES = "/usr/share/datasets/fashion-mnist/t10k-"          # Debian: dataset-fashion-mnist
OURS = {"dm": ["--method", "dm"], "dm, k-NN edges": ["--method", "dm", "--edges", "knn"], "roseland": ["--method", "roseland"],
        "lavdm, trivial bundle": ["--bundle", "trivial"], "vdm": ["--method", "vdm"], "lavdm": []}
NEIGHBOURS = {"SpectralEmbedding": (5, 10, 15, 30), "UMAP": (5, 15, 30)}
SEEDS = {"SpectralEmbedding": 5, "UMAP": 2}          # of the rolls
COSTLY = ("Fashion-MNIST",)          # vdm of 2,000 pictures of 784 pixels takes minutes: left out


def ours(program, name, x):
    """Diffusion coordinates lambda u without the constant; of fields the principal coordinates of their embedding."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "x.npy"), x)
        done = subprocess.run([program, "embed", "x.npy", "-o", "r.npz", "--json", "--components", "11", "--embedding",
                               *OURS[name]], cwd=folder, capture_output=True, text=True)
        if not done.stdout.startswith("{"):
            raise RuntimeError(f"{name}: {done.stderr.strip()}")
        with np.load(os.path.join(folder, "r.npz")) as arrays:
            if name in ("vdm", "lavdm"):
                return PCA(10, random_state=0).fit_transform(arrays["embedding"]), json.loads(done.stdout)
            return (arrays["eigenvectors"][:, 0] * arrays["eigenvalues"])[:, 1:], json.loads(done.stdout)


def spectral(x, k, width):
    return SpectralEmbedding(width, affinity="nearest_neighbors", n_neighbors=k, random_state=0).fit_transform(x)


def umap(x, k, width):
    from umap import UMAP
    return UMAP(n_components=width, n_neighbors=k, random_state=0).fit_transform(x)


def peers():
    found = {"SpectralEmbedding": spectral}
    try:
        import umap as _                                       # Debian: umap-learn
        found["UMAP"] = umap
    except ImportError:
        pass
    return found


# ------------------------------------------------------------------ rolls

def swiss_roll(n, seed):
    x, t = datasets.make_swiss_roll(n, random_state=seed)
    return x, (t * np.sqrt(1 + t * t) + np.arcsinh(t)) / 2


def s_curve(n, seed):
    return datasets.make_s_curve(n, random_state=seed)         # its parameter is the arclength


def along(coordinate, s):
    return float(abs(np.corrcoef(coordinate, s)[0, 1])), float(abs(spearmanr(coordinate, s)[0]))


def rolls(program, seeds, n, rivals, say):
    """Ours, or rivals where they are given."""
    for name, make in (("Swiss roll", swiss_roll), ("S-curve", s_curve)):
        made = [make(n, seed) for seed in range(seeds)]
        for method in [m for m in OURS if m not in ("vdm", "lavdm") and not rivals]:
            yield report(say, name, method, "automatic", [along(ours(program, method, x)[0][:, 0], s) for x, s in made])
        for method, embed in rivals.items():
            own = made[:SEEDS[method]]
            best = max(([along(embed(x, k, 2)[:, 0], s) for x, s in own], k) for k in NEIGHBOURS[method])
            yield report(say, name, method, f"{best[1]} neighbours", best[0])


def report(say, data, method, how, values):
    pearson, rank = np.array(values).T
    say(f"{data:11} {method:22} {how:14} |correlation| {pearson.mean():.3f} least {pearson.min():.3f}, "
        f"|rank correlation| {rank.mean():.3f} least {rank.min():.3f}")
    return dict(data=data, method=method, how=how, pearson=float(pearson.mean()), pearson_least=float(pearson.min()),
                rank=float(rank.mean()), rank_least=float(rank.min()))


# ------------------------------------------------------------------ tables

def clothes(n):
    with gzip.open(CLOTHES + "images-idx3-ubyte.gz") as file:
        x = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)[:n] / 255.0
    with gzip.open(CLOTHES + "labels-idx1-ubyte.gz") as file:
        return x, np.frombuffer(file.read(), np.uint8, offset=8)[:n]


def standard(load):
    x, y = load(return_X_y=True)
    return scale(x), y


def tables(quick):
    if not quick:
        yield ("digits", *datasets.load_digits(return_X_y=True))
        if os.path.exists(CLOTHES + "images-idx3-ubyte.gz"):
            yield ("Fashion-MNIST", *clothes(2000))
        yield ("breast cancer", *standard(datasets.load_breast_cancer))
        yield ("wine", *standard(datasets.load_wine))
    yield ("iris", *standard(datasets.load_iris))


def measures(x, y, two, ten):
    guess = cross_val_score(KNeighborsClassifier(5), ten, y, cv=5)
    return dict(two=float(trustworthiness(x, two)), ten=float(trustworthiness(x, ten)), labels=float(guess.mean()))


def judged(program, rivals, quick, say):
    for name, x, y in tables(quick):
        for method in [m for m in OURS if not rivals and (m != "vdm" or name not in COSTLY)]:
            began = time.time()
            z, found = ours(program, method, x)
            yield told(say, dict(data=name, method=method, how="automatic", d=found["dim"], seconds=time.time() - began,
                                 **measures(x, y, z[:, :2], z)))
        for method, embed in rivals.items():
            began = time.time()
            each = [(measures(x, y, embed(x, k, 2), embed(x, k, 10)), k) for k in NEIGHBOURS[method]]
            best = {m: max((one[m], k) for one, k in each) for m in ("two", "ten", "labels")}
            yield told(say, dict(data=name, method=method, how="/".join(str(best[m][1]) for m in best) + " neighbours", d=None,
                                 seconds=(time.time() - began) / len(each), **{m: best[m][0] for m in best}))


def told(say, r):
    say(f"{r['data']:14} {r['method']:22} {r['how']:20} trustworthiness {r['two']:.3f} of two, {r['ten']:.3f} of ten; "
        f"labels {r['labels']:.3f}; {r['seconds']:.1f} s")
    return r


def execute(program, quick=False, only=None, rivals=None, say=print):
    """Ours by a program, or rivals (`peers()`) alone."""
    warnings.simplefilter("ignore")
    found = {}
    if only in (None, "rolls"):
        found["rolls"] = list(rolls(program, 1 if quick else 5, 500 if quick else 2000, rivals or {}, say))
    if only in (None, "tables"):
        found["tables"] = list(judged(program, rivals or {}, quick, say))
    return found


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--program", default=os.path.join(ROOT, "build", "lavdm"))
    parse.add_argument("--quick", action="store_true")
    parse.add_argument("--only", choices=["rolls", "tables"])
    parse.add_argument("--peers", action="store_true", help="the peers instead of ours")
    parse.add_argument("--json", metavar="FILE")
    given = parse.parse_args()
    found = execute(given.program, given.quick, given.only, peers() if given.peers else None)
    if given.json:
        with open(given.json, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
