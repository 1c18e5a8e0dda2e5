#!/usr/bin/python3
"""What `lavdm denoise` does beside other programs: docs/denoise.md and the crops in docs/denoise/.

usage: bench/denoising/page.py [--only NAME] [--method NAME] [--kept]

Photographs of scikit-image, halved where they are 512 x 512, and textures whose repeats are turned
(textures.py); white noise of standard deviation 10, 25, 50 from RandomState(0). Every result is kept in
build/denoise/, so that a run that was stopped goes on; remove the folder to start anew. --only and --method do a
part of the work and write no page; --kept writes the page of what is there, other cells being empty.
"""
import argparse
import json
import os
import subprocess
import sys

import numpy as np
import skimage.data
import skimage.io
from skimage.metrics import structural_similarity

import peers
import textures

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
WORK = os.path.join(ROOT, "build", "denoise")
PAGE = os.path.join(ROOT, "docs", "denoise")
PROGRAM = os.environ.get("LAVDM", os.path.join(ROOT, "build", "lavdm"))
PHOTOGRAPHS = ["camera", "brick", "grass", "gravel", "coins"]
NAMES = list(textures.ALL) + PHOTOGRAPHS
SIGMAS = [10, 25, 50]
PEERS = ["scikit", "opencv", "bm3d"]
OURS = ["nlm", "nlem", "rid", "lavdm"]
CROPS = dict(disks=(60, 100), gratings=(60, 60), wallpaper=(60, 60), strokes=(20, 20), camera=(40, 80), brick=(60, 60),
             grass=(60, 60), gravel=(60, 60), coins=(40, 60))
CROP = 96


def picture(name):
    if name in textures.ALL:
        return textures.ALL[name]()
    a = getattr(skimage.data, name)().astype(float)
    return a if name == "coins" else (a[::2, ::2] + a[1::2, ::2] + a[::2, 1::2] + a[1::2, 1::2]) / 4


def noisy_of(clean, sigma):
    return clean + sigma * np.random.RandomState(0).standard_normal(clean.shape)


def ours(method, clean, noisy, sigma, base):
    """The command itself; the picture it wrote and what it says."""
    np.save(base + "-noisy.npy", noisy)
    run = subprocess.run([PROGRAM, "denoise", base + "-noisy.npy", "-o", base + ".npy", "--sigma", str(sigma), "--method",
                          method, "--json"], stdout=subprocess.PIPE, check=True, text=True)
    os.remove(base + "-noisy.npy")
    z, said = np.load(base + ".npy"), json.loads(run.stdout)
    return peers.psnr(clean, z), f"{said['turned'] / max(said['patches'], 1):.1f} turned", z, said["seconds"]


def case(name, sigma, method):
    """One picture, noise and method: from build/denoise/ if it is there."""
    base = os.path.join(WORK, f"{name}-{sigma}-{method}")
    if os.path.exists(base + ".json"):
        with open(base + ".json") as file:
            return json.load(file)
    clean = picture(name)
    noisy = noisy_of(clean, sigma)
    if method in OURS:
        found, settings, z, seconds = ours(method, clean, noisy, sigma, base)
    else:
        found, settings, z = getattr(peers, method)(clean, noisy, float(sigma))
        seconds = None
    np.save(base + ".npy", z)
    result = dict(psnr=found, ssim=structural_similarity(clean, z, data_range=255), settings=settings, seconds=seconds)
    with open(base + ".json", "w") as file:
        json.dump(result, file)
    print(f"{name} {sigma} {method}: {found:.2f} dB ({settings})", flush=True)
    return result


def crops(name, sigma=25):
    """One strip: clean, noisy, and the methods that the page names, pixels doubled."""
    y, x = CROPS[name]
    clean = picture(name)
    strip = [clean, noisy_of(clean, sigma)]
    for method in ("scikit", "bm3d", "rid", "lavdm"):
        path = os.path.join(WORK, f"{name}-{sigma}-{method}.npy")
        strip.append(np.load(path) if os.path.exists(path) else np.full(clean.shape, 255.))
    rows = [np.pad(np.kron(a[y:y + CROP, x:x + CROP], np.ones((2, 2))), ((0, 0), (0, 4)), constant_values=255) for a in strip]
    skimage.io.imsave(os.path.join(PAGE, f"{name}.png"), np.clip(np.rint(np.hstack(rows)[:, :-4]), 0, 255).astype(np.uint8),
                      check_contrast=False)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--only", choices=NAMES)
    parse.add_argument("--method", choices=PEERS + OURS)
    parse.add_argument("--kept", action="store_true")
    given = parse.parse_args()
    os.makedirs(WORK, exist_ok=True)
    os.makedirs(PAGE, exist_ok=True)
    found = {}
    for sigma in (25, 50, 10):
        for name in [given.only] if given.only else NAMES:
            for method in [given.method] if given.method else OURS + PEERS:
                if not given.kept or os.path.exists(os.path.join(WORK, f"{name}-{sigma}-{method}.json")):
                    found[name, sigma, method] = case(name, sigma, method)
    if given.only or given.method:
        return
    for name in NAMES:
        crops(name)
    import report
    with open(os.path.join(ROOT, "docs", "denoise.md"), "w") as file:
        file.write(report.page(found, NAMES, PHOTOGRAPHS, SIGMAS))


if __name__ == "__main__":
    sys.exit(main())
