"""One process that goes on asking the library: a line of standard input names the step, a line of standard output has
what it gave (a checksum), the memory that is resident and the number of open descriptors."""
import gc
import hashlib
import os
import pickle
import sys
import tempfile
import warnings

import numpy as np

import lavdm

warnings.simplefilter("ignore")
PAGE = os.sysconf("SC_PAGESIZE")
SPHERE, KLEIN, NEW = lavdm.sample("sphere", 800), lavdm.sample("klein", 1500), lavdm.sample("klein", 200, seed=2)
IMAGES = lavdm.projections(40, size=16, snr=1.0)[0]
PICTURE = lavdm.example_picture(40, sigma=25)
FOLDER = tempfile.TemporaryDirectory(prefix="lavdm-soak-")
PATH = os.path.join(FOLDER.name, "model.h5")


def fitted(**options):
    return lavdm.fit(KLEIN, dim=2, components=8, landmarks=100, threads=1, **options)


KEPT = fitted()
KEPT.save(os.path.join(FOLDER.name, "kept.h5"))


def saved():
    model = fitted(precision="single")
    model.save(PATH)
    again = lavdm.load(PATH)
    return [again["eigenvectors"].copy(), again.extend(NEW)["eigenvectors"]]


def stopped():
    """A run that its caller stops half-way."""
    def stop(stage, share):
        raise KeyboardInterrupt

    try:
        fitted(progress=stop)
    except KeyboardInterrupt:
        return [np.zeros(1)]
    raise AssertionError("it went on")


def refused():
    """Mistakes of a caller."""
    for bad in (lambda: lavdm.fit(KLEIN, components=-1), lambda: lavdm.fit(np.full((50, 3), np.nan)),
                lambda: lavdm.load(os.path.join(FOLDER.name, "nowhere.h5")), lambda: lavdm.fit(KLEIN, no_option=1),
                lambda: KEPT.extend(np.zeros((3, 9)))):
        try:
            bad()
        except (ValueError, OSError, TypeError):
            continue
        raise AssertionError("it was accepted")
    return [np.zeros(1)]


def drawn():
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    lavdm.plot.spectrum(KEPT).figure.savefig(os.path.join(FOLDER.name, "picture.png"))
    plt.close("all")
    return [np.zeros(1)]


def synchronized():
    i, k = np.triu_indices(60, 1)
    angles = np.linspace(0, 3, 60)
    return [lavdm.synchronize(lavdm.Edges(i, k, angles[i] - angles[k]), threads=1).angle]


STEPS = {
    "fit lavdm": lambda: [fitted()["eigenvectors"]],
    "fit vdm": lambda: [lavdm.fit(SPHERE, method="vdm", components=6, threads=1)["eigenvectors"]],
    "fit dm": lambda: [lavdm.DiffusionMap(components=5, threads=1).fit_transform(SPHERE)],
    "fit roseland": lambda: [lavdm.Roseland(landmarks=80, components=5, threads=1).fit_transform(SPHERE)],
    "fit, streamed": lambda: [fitted(stream="yes")["eigenvectors"]],
    "extend": lambda: [KEPT.extend(NEW)["eigenvectors"]],
    "save, load, extend": saved,
    "load": lambda: [lavdm.load(os.path.join(FOLDER.name, "kept.h5"))["eigenvectors"].copy()],
    "pickle": lambda: [pickle.loads(pickle.dumps(KEPT))["eigenvectors"].copy()],
    "neighbours": lambda: list(KEPT.neighbours(5)),
    "embedding": lambda: [KEPT.embedding(time=2), KEPT.ambient()],
    "orientability": lambda: [np.asarray(lavdm.orientability(SPHERE, threads=1).signs)],
    "class averages": lambda: [lavdm.class_average(IMAGES, neighbours=4, threads=1).averages],
    "denoise": lambda: [lavdm.denoise(PICTURE, 25, threads=1)],
    "synchronize": synchronized,
    "plan": lambda: [np.array(lavdm.plan(KLEIN, method="vdm")["stream"] in ("no", "yes", False, True))],
    "stopped": stopped,
    "refused": refused,
    "plot": drawn,
}


def checksum(arrays):
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(str((array.dtype, array.shape)).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def main():
    print(*STEPS, sep="\t", flush=True)
    for line in sys.stdin:
        answer = checksum(STEPS[line.strip()]())
        gc.collect()
        with open("/proc/self/statm") as file:
            resident = int(file.read().split()[1]) * PAGE
        print(answer, resident, len(os.listdir("/proc/self/fd")), sep="\t", flush=True)


if __name__ == "__main__":
    main()
