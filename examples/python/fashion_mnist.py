"""Fashion-MNIST: are pictures with the same label neighbours, and still so if every picture is turned?

usage: fashion_mnist.py [picture.png] [--quick]

Training pictures are embedded through landmarks, test pictures by the model of these, and the label of a test
picture is guessed from its 10 nearest training pictures. ROSELAND takes distances between pixels, or, with
bundle='rotation', distances after the best turn; LA-VDM also carries the turns along.
"""
import argparse
import gzip
import pathlib
import sys
import time

import matplotlib
import numpy as np
from scipy.ndimage import rotate
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

import lavdm

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path("/usr/share/datasets/fashion-mnist")
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("picture", nargs="?", default=ROOT / "docs" / "gallery" / "fashion_mnist.png")
parser.add_argument("--quick", action="store_true", help="fewer pictures")
given = parser.parse_args()
if not FOLDER.exists():
    sys.exit(f"{FOLDER} is not there: apt install dataset-fashion-mnist")
train, test, landmarks = (1500, 500, 200) if given.quick else (10000, 2500, 500)
generator = np.random.default_rng(1)


def read(group, count):
    """Pictures (count, 32, 32) from 0 to 1, with a margin, and their labels."""
    with gzip.open(FOLDER / f"{group}-images-idx3-ubyte.gz") as images, \
            gzip.open(FOLDER / f"{group}-labels-idx1-ubyte.gz") as labels:
        pixels = np.frombuffer(images.read(16 + count * 784), np.uint8, offset=16).reshape(count, 28, 28)
        known = np.frombuffer(labels.read(8 + count), np.uint8, offset=8)
    return np.pad(pixels.astype(np.float32) / 255, ((0, 0), (2, 2), (2, 2))), known


def turned(images):
    angles = generator.uniform(0, 360, len(images))
    return np.stack([rotate(image, angle, reshape=False, order=1) for image, angle in zip(images, angles)])


def by_distance(images, others):
    """Right guesses by the 10 nearest in the distance after the best turn itself: every pair is compared."""
    near = lavdm.Stack(np.concatenate([images, others]), noise=0).neighbours(
        10, np.arange(train, train + test), np.arange(train))[0]
    return np.mean([np.bincount(some).argmax() for some in labels[near]] == truth)


(images, labels), (others, truth) = read("train", train), read("t10k", test)
flat = FunctionTransformer(lambda stack: stack.reshape(len(stack), -1))
how = dict(landmarks=landmarks, time=0, trust="no")  # ten kinds of clothes are no manifold
wide = float(np.median(((images[::2] - images[1::2]) ** 2).sum((1, 2))))  # in so many dimensions no kernel is local
pixels = lavdm.Roseland(50, epsilon=wide, **how)
turn = dict(bundle="rotation", edges="complete", epsilon=wide, **how)
methods = {  # what stands before the nearest neighbours
    "pixels": [flat],
    "PCA, 50 columns": [flat, PCA(50, random_state=0)],
    "ROSELAND, 50 columns": [flat, pixels],
    "ROSELAND after the best turn, 50 columns": [lavdm.Roseland(50, **turn)],
    "LA-VDM after the best turn, 1275 columns": [lavdm.LandmarkVectorDiffusionMap(components=50, **turn), Normalizer()],
    "every pair after the best turn": None,
}
print(f"{train} training and {test} test pictures, {landmarks} landmarks; standard error of a share of 0.8: "
      f"{np.sqrt(0.8 * 0.2 / test):.3f}")
score, kinds = {}, {"upright": (images, others), "turned": (turned(images), turned(others))}
for kind, (a, b) in kinds.items():
    for name, steps in methods.items():
        begin = time.perf_counter()
        score[name, kind] = by_distance(a, b) if steps is None else make_pipeline(
            *steps, KNeighborsClassifier(10)).fit(a, labels).score(b, truth)
        print(f"{kind:8} {name:41} {score[name, kind]:.3f} right, {time.perf_counter() - begin:.1f} s", flush=True)

figure = plt.figure(figsize=(12, 5.6))
# A picture for every cell of a grid that has one: the first that falls there.
ax = figure.add_axes([0.01, 0.02, 0.47, 0.9])
place = pixels.fit(flat.transform(images)).embedding_[:, :2].argsort(0).argsort(0)  # ranks fill the square evenly
taken = set()
for (x, y), image in zip(place, images):
    cell = 20 * x // train, 20 * y // train
    if cell not in taken:
        taken.add(cell)
        ax.imshow(-image[2:-2, 2:-2], cmap="gray", extent=(cell[0], cell[0] + 1, cell[1], cell[1] + 1))
ax.set(xlim=(0, 20), ylim=(0, 20), xticks=[], yticks=[], title="ROSELAND of the pixels: ranks in coordinates 1 and 2")

ax = figure.add_axes([0.745, 0.1, 0.235, 0.68])
for row, name in enumerate(reversed(list(methods))):
    ends = [score[name, kind] for kind in kinds]
    ax.plot(ends, [row, row], color="#bbbbbb", linewidth=3, zorder=1)
    for value, mark, colour, up in zip(ends, "os", ("#0072b2", "#d55e00"), (9, -16)):
        ax.plot(value, row, mark, color=colour, markersize=8)
        ax.annotate(f"{value:.2f}", (value, row), (0, up), textcoords="offset points", ha="center", color=colour)
ax.set(yticks=range(len(methods)), yticklabels=reversed(list(methods)), ylim=(-0.5, len(methods) - 0.5),
       xlabel="right labels by 10 nearest neighbours")
ax.margins(x=0.1)
for side in ("top", "right"):
    ax.spines[side].set_visible(False)
for row, (kind, mark, colour) in enumerate((("upright", "●", "#0072b2"), ("turned", "■", "#d55e00"))):
    strip = figure.add_axes([0.6, 0.9 - 0.08 * row, 0.385, 0.075])
    strip.imshow(-np.concatenate(kinds[kind][0][:10], 1), cmap="gray")
    strip.set_axis_off()
    figure.text(0.595, 0.9375 - 0.08 * row, f"{mark} {kind}", color=colour, ha="right", va="center")
figure.savefig(given.picture, dpi=95)
