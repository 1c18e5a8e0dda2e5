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
train, test, landmarks = (1500, 500, 200) if given.quick else (6000, 2000, 500)


def read(group, count):
    """Pictures (count, 32, 32) from 0 to 1, with a margin, and their labels."""
    with gzip.open(FOLDER / f"{group}-images-idx3-ubyte.gz") as images, \
            gzip.open(FOLDER / f"{group}-labels-idx1-ubyte.gz") as labels:
        pixels = np.frombuffer(images.read(16 + count * 784), np.uint8, offset=16).reshape(count, 28, 28)
        known = np.frombuffer(labels.read(8 + count), np.uint8, offset=8)
    return np.pad(pixels.astype(np.float32) / 255, ((0, 0), (2, 2), (2, 2))), known


def turned(images):
    angles = np.random.default_rng(1).uniform(0, 360, len(images))
    return np.stack([rotate(image, angle, reshape=False, order=1) for image, angle in zip(images, angles)])


def by_distance(images, others):
    """Right guesses by the 10 nearest in the distance after the best turn itself: every pair is compared."""
    near = lavdm.Stack(np.concatenate([images, others]), noise=0).neighbours(
        10, np.arange(train, train + test), np.arange(train))[0]
    return np.mean([np.bincount(some).argmax() for some in labels[near]] == truth)


flat = FunctionTransformer(lambda images: images.reshape(len(images), -1))
through = dict(landmarks=landmarks, time=0)
methods = {  # what stands before the nearest neighbours
    "pixels": [flat],
    "PCA, 50": [flat, PCA(50, random_state=0)],
    "ROSELAND, 50": [flat, lavdm.Roseland(components=50, **through)],
    "ROSELAND of turned distances, 50": [lavdm.Roseland(components=50, bundle="rotation", **through)],
    "LA-VDM of turned distances, 50": [
        lavdm.LandmarkVectorDiffusionMap(components=50, bundle="rotation", **through), Normalizer()],
}
(images, labels), (others, truth) = read("train", train), read("t10k", test)
score = {}
for kind, change in (("upright", lambda x: x), ("turned", turned)):
    a, b = change(images), change(others)
    for name, steps in methods.items():
        begin = time.perf_counter()
        score[name, kind] = make_pipeline(*steps, KNeighborsClassifier(10)).fit(a, labels).score(b, truth)
        print(f"{kind:8} {name:34} {score[name, kind]:.3f} right, {time.perf_counter() - begin:.1f} s", flush=True)
    begin = time.perf_counter()
    score["no embedding: every pair compared", kind] = by_distance(a, b)
    print(f"{kind:8} {'no embedding: every pair compared':34} {by_distance(a, b):.3f} right, {time.perf_counter() - begin:.1f} s", flush=True)
