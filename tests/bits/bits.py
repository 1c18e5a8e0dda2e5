#!/usr/bin/python3
"""Checksums of every array of some twenty runs of the command, so that a change
which must not change a bit can be shown not to:

    bits.py LAVDM [LAVDM]     run with each command; tell where they differ
    bits.py LAVDM --write F   keep the checksums in F, with what they depend on
    bits.py LAVDM --check F   compare with F where processor, compiler flags and BLAS are the same

Bits depend on the processor (-march=native, the kernels of BLAS) and on the number of
threads, which is 2 here.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

import numpy

SAMPLES = {
    "klein": ["klein", "-n", "10000"],
    "new": ["klein", "-n", "3000", "--seed", "7"],
    "few": ["sphere", "-n", "1500", "--noise", "0.01"],
    "sphere": ["sphere", "-n", "7000"],
    "s3": ["sphere", "-d", "3", "-n", "4000"],
    "mobius": ["mobius", "-n", "2000"],
}

# name: arguments of embed, but for the output; FILE.npy of SAMPLES or of prepare()
RUNS = {
    "lavdm": ["klein.npy"],
    "lavdm_single": ["klein.npy", "--precision", "single", "--hood", "radius"],
    "lavdm_streamed": ["klein.npy", "--stream", "yes", "--dim", "2"],
    "lavdm_s3": ["s3.npy", "--design", "farthest", "--components", "30"],
    "lavdm_random": ["few.npy", "--design", "random", "--landmarks", "120", "--kernel", "epanechnikov"],
    "lavdm_given": ["klein.npy", "--design", "chosen.npy", "--dim", "2"],
    "lavdm_places": ["few.npy", "--design", "places.npy", "--dim", "2"],
    "lavdm_pca": ["wide.npy", "--pca", "4"],
    "lavdm_far": ["few.npy", "--epsilon", "0.002", "--cutoff", "2", "--dim", "2"],
    "roseland_wide": ["wide.npy", "--method", "roseland"],
    "orientation": ["mobius.npy", "--bundle", "orientation"],
    "nystrom": ["few.npy", "--method", "nystrom", "--landmarks", "300"],
    "vdm_ball": ["few.npy", "--method", "vdm"],
    "vdm_knn": ["sphere.npy", "--method", "vdm", "--dim", "2"],
    "vdm_single": ["few.npy", "--method", "vdm", "--precision", "single", "--edges", "knn"],
    "dm": ["sphere.npy", "--method", "dm", "--edges", "knn"],
    "dm_complete": ["mobius.npy", "--method", "dm", "--edges", "complete"],
    "graph": ["--graph", "edges.csv", "--method", "vdm"],
    "graph_landmarks": ["--graph", "joined.csv", "--method", "lavdm"],
    "images": ["images.mrcs", "--bundle", "rotation"],
    "images_vdm": ["images.mrcs", "--bundle", "rotation", "--method", "vdm", "--noise", "0"],
    "signals": ["signals.npy", "--bundle", "shift", "--precision", "single"],
}

# of the machine, not of the result
FACTS = ("seconds", "timings", "peak_memory_bytes", "points_per_second", "memory_needed")

# model to be made, and arguments of extend
EXTENSIONS = {
    "extend_lavdm": (["klein.npy", "--dim", "2"], ["new.npy"]),
    "extend_vdm": (["few.npy", "--method", "vdm", "--edges", "knn"], ["few.npy"]),
    "extend_single": (["klein.npy", "--precision", "single"], ["new.npy"]),
    "extend_images": (["images.mrcs", "--bundle", "rotation"], ["images.mrcs"]),
    "extend_nystrom": (["few.npy", "--method", "nystrom"], ["few.npy"]),
}


def run(command, arguments, folder):
    environment = dict(os.environ, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
    done = subprocess.run([command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")


def prepare(command, folder):
    """Samples, and what no sample has: many coordinates, landmarks, edges, images, signals."""
    for name, arguments in SAMPLES.items():
        run(command, ["sample", *arguments, "-o", f"{name}.npy"], folder)
    run(command, ["sample", "graph", "--group", "so3", "-n", "400", "--noise", "0.1", "-o", "edges.csv"], folder)
    run(command, ["sample", "projections", "-n", "600", "--size", "24", "--snr", "1/2", "-o", "images.mrcs"], folder)
    random = numpy.random.default_rng(5)
    sphere = numpy.load(f"{folder}/few.npy")
    axes, _ = numpy.linalg.qr(random.normal(size=(60, 3)))
    numpy.save(f"{folder}/wide.npy", sphere @ axes.T)
    numpy.save(f"{folder}/chosen.npy", random.permutation(10000)[:150])
    numpy.save(f"{folder}/places.npy", sphere[:200] * 1.01)
    phase = 2 * numpy.pi * numpy.arange(32) / 32
    shape = numpy.exp(2 * numpy.cos(phase[None] - random.uniform(0, 6.28, (500, 1))))
    numpy.save(f"{folder}/signals.npy", shape + 0.1 * random.normal(size=shape.shape))
    angles = random.uniform(-3, 3, 4000)
    edges = [random.integers(0, 500, 4000), random.integers(0, 60, 4000), random.uniform(0.5, 1, 4000), angles]
    numpy.savetxt(f"{folder}/joined.csv", numpy.array(edges).T, delimiter=",", fmt=["%d", "%d", "%.17g", "%.17g"])


def checksums(path):
    arrays = numpy.load(path)
    hashed = {}
    for name in arrays.files:
        array = arrays[name]
        if name not in FACTS and array.dtype.kind in "fi":
            hashed[name] = hashlib.sha256(str((array.dtype, array.shape)).encode() + array.tobytes()).hexdigest()[:16]
    return hashed


def all_checksums(command):
    command = os.path.abspath(command)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        prepare(command, folder)
        for name, arguments in RUNS.items():
            run(command, ["embed", *arguments, "-q", "-o", f"{name}.npz"], folder)
            found[name] = checksums(f"{folder}/{name}.npz")
        for name, (model, arguments) in EXTENSIONS.items():
            run(command, ["embed", *model, "-q", "-o", "model.h5"], folder)
            run(command, ["extend", "model.h5", *arguments, "-q", "-o", f"{name}.npz"], folder)
            found[name] = checksums(f"{folder}/{name}.npz")
    return found


def machine():
    """What bits depend on besides the source."""
    facts = {}
    for line in open("/proc/cpuinfo"):
        if line.startswith(("model name", "flags")):
            key, _, value = line.partition(":")
            facts[key.strip()] = value.strip()
    facts["flags"] = hashlib.sha256(facts.get("flags", "").encode()).hexdigest()[:16]
    for name, command in (("cc", ["cc", "--version"]), ("blas", ["pkg-config", "--modversion", "openblas"])):
        facts[name] = subprocess.run(command, capture_output=True, text=True).stdout.split("\n")[0]
    return facts


def differences(a, b):
    for run_name in sorted(set(a) | set(b)):
        arrays = sorted(set(a.get(run_name, {})) | set(b.get(run_name, {})))
        changed = [n for n in arrays if a.get(run_name, {}).get(n) != b.get(run_name, {}).get(n)]
        if changed:
            yield f"{run_name}: {', '.join(changed)}"


def main():
    words = sys.argv[1:]
    if len(words) == 3 and words[1] == "--write":
        with open(words[2], "w") as file:
            json.dump({"machine": machine(), "runs": all_checksums(words[0])}, file, indent=1, sort_keys=True)
            file.write("\n")
        return
    if len(words) == 3 and words[1] == "--check":
        kept = json.load(open(words[2]))
        first = all_checksums(words[0])
        same_machine = kept["machine"] == machine()
        second = kept["runs"] if same_machine else all_checksums(words[0])
        print("compared with those kept" if same_machine else "kept on another machine: compared with a second time")
    elif len(words) == 2:
        first, second = all_checksums(words[0]), all_checksums(words[1])
    else:
        sys.exit(__doc__)
    changed = list(differences(first, second))
    print("\n".join(changed) if changed else f"{len(first)} runs, {sum(map(len, first.values()))} arrays: the same bits")
    sys.exit(bool(changed))


main()
