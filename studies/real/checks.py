#!/usr/bin/python3 -B
"""What the tests of pyDiffMap assert of diffusion maps, asked of `lavdm --method dm` with an automatic epsilon.

    studies/real/checks.py [--program PATH] [--json FILE] [--epsilon published]

Nine checks on four sets of points: eigenvalues and eigenvectors of an interval with 81 points, even and uneven, of a
rectangle of 61 x 31 and of a sphere by its grid of angles (where every point comes twice, and a pole 60 times), and the
extension of a rectangle's first coordinate to new points. Each is asked on both graphs, ball and knn. Data and bounds are
those of tests/test_diffusionmap.py of pyDiffMap 0.2; with --epsilon published so is epsilon (4 times its own: the kernel
there is exp(-r^2 / 4 epsilon)). The eigenvalue of the Laplacian is -2d log(lambda) / (epsilon E|t|^2), the mean being that
of the kernel exp(-t^2) in R^d up to the cut-off that was chosen: d/2 without one.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PUBLISHED = {"interval": .002, "uneven": .005, "rectangle": .0025, "sphere": .015, "extension": .01}
KNN = {"interval": 20, "uneven": 40, "rectangle": 100, "sphere": 400, "extension": 100}


def line(power):
    return (2 * np.pi * np.linspace(0, 1, 81) ** power)[:, None]


def rectangle(across, up):
    return np.stack(np.meshgrid(np.linspace(0, 2 * np.pi, across), np.linspace(0, np.pi, up)), -1).reshape(-1, 2)


def sphere():
    longitude, latitude = np.meshgrid(np.pi * np.linspace(-1, 1, 61)[1:], np.pi * np.linspace(-1, 1, 33)[1:-1])
    longitude, latitude = longitude.ravel(), latitude.ravel()
    return np.column_stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])


def moment(cutoff, points):
    """E|t|^2 / 2d of the kernel exp(-t^2) on |t| <= cutoff (none: 1/4), in the dimension of these shapes."""
    d = min(2, points.shape[1])
    t = np.linspace(0, 12, 120001)
    weight = t ** (d - 1) * np.exp(-t * t) * (t <= (cutoff or np.inf))
    return float(np.average(t * t, weights=weight)) / (2 * d)


class Maps:
    def __init__(self, program, published, folder):
        self.program, self.published, self.folder, self.kept = program, published, folder, {}

    def call(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        if done.returncode < 0 or (words[-1] == "--json" and not done.stdout.startswith("{")):
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def fit(self, name, points, edges):
        """(the Laplacian's eigenvalues, eigenvectors), those of the constant left out, epsilon, the words that asked."""
        if (name, edges) not in self.kept:
            np.save(os.path.join(self.folder, "x.npy"), points)
            words = ["--epsilon", 4 * PUBLISHED[name]] if self.published else []
            words += ["--knn", KNN[name]] if self.published and edges == "knn" else []
            words += ["--method", "dm", "--edges", edges, "--components", 6]
            found = json.loads(self.call("embed", "x.npy", "-o", "fit.npz", *words, "--json"))
            with np.load(os.path.join(self.folder, "fit.npz")) as arrays:
                vectors = arrays["eigenvectors"].reshape(len(points), -1)[:, 1:5]
            values = -np.log(np.array(found["eigenvalues"][1:5])) / (found["epsilon"] * moment(found["cutoff"], points))
            self.kept[name, edges] = values, vectors, found["epsilon"], words
        return self.kept[name, edges]

    def extend(self, words, points, new):
        """The first coordinate that is not constant, at new points; the fit is made once more, to keep."""
        np.save(os.path.join(self.folder, "x.npy"), points)
        np.save(os.path.join(self.folder, "new.npy"), new)
        self.call("embed", "x.npy", "-o", "model.h5", "-q", *words)
        self.call("extend", "model.h5", "new.npy", "-o", "new.npz", "-q")
        with np.load(os.path.join(self.folder, "new.npz")) as arrays:
            return arrays["eigenvectors"].reshape(len(new), -1)[:, 1]


def off(values, truth):
    return float(np.max(np.abs(values - truth) / truth))


def unlike(vectors, truth):
    return float(1 - min(abs(np.corrcoef(t, v)[0, 1]) for t, v in zip(truth, vectors.T)))


def checks(maps, edges):
    """(name, error, bound, epsilon)."""
    quarter = np.array([1, 4, 9, 16]) / 4
    for name, power, bounds in (("interval", 1, (.05, .003)), ("uneven", 2, (.1, .01))):
        x = line(power)
        values, vectors, epsilon, _ = maps.fit(name, x, edges)
        yield name + ", eigenvalues", off(values, quarter), bounds[0], epsilon
        yield name + ", eigenvectors", unlike(vectors, [np.cos(k * x[:, 0] / 2) for k in range(1, 5)]), bounds[1], epsilon
    x = rectangle(61, 31)
    values, vectors, epsilon, _ = maps.fit("rectangle", x, edges)
    a, b = np.cos(x[:, 0] / 2), np.cos(x[:, 1])
    yield "rectangle, eigenvalues", off(values, np.array([1, 4, 4, 5]) / 4), .2, epsilon
    yield "rectangle, eigenvectors", unlike(vectors, [a, b, np.cos(x[:, 0]), a * b]), .01, epsilon
    x = sphere()
    values, vectors, epsilon, _ = maps.fit("sphere", x, edges)
    yield "sphere, eigenvalues", off(values, np.array([2, 2, 2, 6])), .1, epsilon
    yield "sphere, eigenvectors", unlike(vectors[:, :1], [x @ x[np.argmax(vectors[:, 0])]]), .001, epsilon
    epsilon, words = maps.fit("extension", rectangle(61, 31), edges)[2:]
    x = rectangle(80, 40)
    v, truth = maps.extend(words, rectangle(61, 31), x), np.cos(x[:, 0] / 2)
    v, truth = v / np.linalg.norm(v), truth / np.linalg.norm(truth)
    yield "rectangle, extension", float(min(np.linalg.norm(v - truth), np.linalg.norm(v + truth))), .01, epsilon


def execute(program, published=False, say=print):
    results = []
    with tempfile.TemporaryDirectory() as folder:
        maps = Maps(program, published, folder)
        for edges in ("ball", "knn"):
            for name, error, bound, epsilon in checks(maps, edges):
                results.append(dict(check=name, edges=edges, error=error, bound=bound, epsilon=epsilon, passes=bool(error < bound)))
                say(f"{name:24} {edges:5} error {error:.4f} bound {bound:g} epsilon {epsilon:.4g}: "
                    f"{'passes' if error < bound else 'FAILS'}")
    say(f"{sum(r['passes'] for r in results)} of {len(results)} pass")
    return results


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--program", default=os.path.join(ROOT, "build", "lavdm"))
    parse.add_argument("--epsilon", choices=["auto", "published"], default="auto")
    parse.add_argument("--json", metavar="FILE")
    given = parse.parse_args()
    results = execute(given.program, given.epsilon == "published")
    if given.json:
        with open(given.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
