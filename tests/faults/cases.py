"""Commands to be disturbed: every subcommand, every file format, on small inputs."""
import gzip
import os
import struct
import subprocess

import h5py
import numpy as np
import PIL.Image
import scipy.io
import scipy.sparse

# The inputs, made once in a folder `in` beside that of the runs.
INPUTS = [
    "sample sphere -n 60 --seed 3 --noise 0.01 -o points.npy",
    "sample sphere -n 60 --seed 3 --noise 0.01 -o points.npz",
    "sample sphere -n 60 --seed 3 --noise 0.01 -o points.h5",
    "sample sphere -n 60 --seed 3 --noise 0.01 -o points.mat",
    "sample sphere -n 60 --seed 3 --noise 0.01 -o points.csv",
    "sample sphere -n 20 --seed 4 -o new.npy",
    "sample mobius -n 150 -o mobius.npy",
    "sample graph --group so3 -n 30 --degree 6 --noise 0.1 -o edges.csv",
    "sample graph --group se2 --layout grid -n 25 --noise 0.02 -o poses.g2o",
    "sample projections -n 24 --size 12 --snr 1 -o stack.mrcs",
    "embed points.npy --dim 2 --components 6 -o model.h5",
    "embed points.npy --dim 2 --components 6 -o result.npz",
]

FIT = "--dim 2 --components 6 --landmarks 20"

# Arguments; files that appear, or are replaced.
CASES = [
    ("sample klein -n 50 --frames --parameters -o out.npy", ["out.npy", "out-frames.npy", "out-parameters.npy"]),
    ("sample klein -n 50 --frames -o out.npz", ["out.npz"]),
    ("sample klein -n 50 --frames -o out.h5", ["out.h5"]),
    ("sample klein -n 50 --frames -o out.mat", ["out.mat"]),
    ("sample klein -n 50 -o out.csv", ["out.csv"]),
    ("sample graph --group so3 -n 20 -o out.csv", ["out.csv", "out-truth.csv"]),
    ("sample graph --group se2 --layout grid -n 16 -o out.g2o", ["out.g2o", "out-truth.csv"]),
    ("sample projections -n 6 --size 12 --snr 1 --rotations true.npy --clean clean.npy -o out.mrcs",
     ["out.mrcs", "true.npy", "clean.npy"]),
    (f"embed ../in/points.npy {FIT} --embedding --ambient -o out.npz", ["out.npz"]),
    (f"embed ../in/points.npz {FIT} -o out.h5", ["out.h5"]),
    (f"embed ../in/points.h5:/points {FIT} -o out.mat", ["out.mat"]),
    (f"embed ../in/points.mat {FIT} --precision single -o out.csv", ["out.csv"]),
    (f"embed ../in/points.csv {FIT} --stream yes -o out.npy", ["out.npy"]),
    (f"embed ../in/points.npy {FIT} --json", []),
    (f"embed ../in/points.npy {FIT} --checkpoint run.h5 -o out.h5", ["out.h5"]),
    (f"embed ../in/points.npy {FIT} --checkpoint run.h5 --stream yes --compact -o out.h5", ["out.h5"]),
    ("embed ../in/points.npy --method vdm --components 5 -o out.npz", ["out.npz"]),
    ("embed ../in/points.ply --method roseland --components 5 -o out.npy", ["out.npy"]),
    ("embed ../in/points.obj --method nystrom --landmarks 20 --components 5 -o out.npy", ["out.npy"]),
    ("embed ../in/points.stl --method dm --components 5 --config ../in/options.toml -o out.npy", ["out.npy"]),
    ("embed ../in/points.pcd --method dm --components 5 --like ../in/result.npz -o out.npz", ["out.npz"]),
    ("embed ../in/points.las --method dm --components 5 -o out.npy", ["out.npy"]),
    ("embed ../in/points.off --method dm --components 5 -o out.npy", ["out.npy"]),
    ("embed ../in/points.xyz --method dm --components 5 -o out.npy", ["out.npy"]),
    ("embed ../in/pictures --bundle rotation --noise 0 --components 3 -o out.npz", ["out.npz"]),
    ("embed --graph ../in/edges.csv --method vdm --components 5 -o out.npz", ["out.npz"]),
    ("embed --graph ../in/weights.npy --method dm --components 5 -o out.npz", ["out.npz"]),
    ("embed --graph ../in/weights.npz --method roseland --landmarks 20 --components 5 -o out.npz", ["out.npz"]),
    ("embed --graph ../in/weights.mtx --method dm --components 5 -o out.csv", ["out.csv"]),
    ("embed --graph ../in/weights.mat --method dm --components 5 -o out.npy", ["out.npy"]),
    ("embed ../in/distances.npy --metric precomputed --method dm --components 5 -o out.npz", ["out.npz"]),
    ("embed ../in/lists.npz --metric precomputed --method dm --components 5 -o out.npz", ["out.npz"]),
    ("embed ../in/points.npy --metric cosine --method roseland --components 5 -o out.npz", ["out.npz"]),
    ("embed ../in/weights.npz --pca 5 --method dm --components 5 -o out.npz", ["out.npz"]),
    ("embed ../in/table.csv --missing median --standardise --method dm --components 5 -o out.csv", ["out.csv"]),
    ("embed ../in/table.tsv.gz --missing drop --method dm --components 5 -o out.npz", ["out.npz"]),
    ("embed ../in/cells.h5ad --labels kind --method dm --components 5 -o out.h5ad", ["out.h5ad"]),
    ("embed ../in/cells.h5ad:X --pca 5 --labels kind --method dm --components 5 -o out.csv", ["out.csv"]),
    ("embed ../in/stack.mrcs --bundle rotation --components 4 -o out.npz", ["out.npz"]),
    ("embed ../in/stack.tif --bundle rotation --components 4 --precision single -o out.h5", ["out.h5"]),
    ("orient ../in/mobius.npy --cover -o out.npz --plot out.png", ["out.npz", "out.png"]),
    ("orient ../in/points.npy --json", []),
    ("sync ../in/edges.csv --robust -o out.npz", ["out.npz"]),
    ("sync ../in/edges.csv -o out.h5", ["out.h5"]),
    ("sync ../in/edges.csv -o out.csv", ["out.csv"]),
    ("sync ../in/poses.g2o -o out.g2o", ["out.g2o"]),
    ("average ../in/stack.mrcs -k 3 --components 4 -o out.mrcs --table out.npz --montage out.png",
     ["out.mrcs", "out.npz", "out.png"]),
    ("average ../in/stack.mrcs --method rid -k 3 -o out.npy --table out.h5 --montage out.pgm",
     ["out.npy", "out.h5", "out.pgm"]),
    ("denoise ../in/noisy.png --sigma 25 -o out.png", ["out.png"]),
    ("denoise ../in/noisy.tif --sigma 25 --method nlm -o out.tif", ["out.tif"]),
    ("denoise ../in/noisy.pgm --sigma 25 --method nlm -o out.pgm", ["out.pgm"]),
    ("denoise ../in/noisy.npy --sigma 25 --method nlm --compare ../in/noisy.npy --json -o out.npy", ["out.npy"]),
    ("extend ../in/model.h5 ../in/new.npy -o out.npz", ["out.npz"]),
    ("extend ../in/model.h5 ../in/new.npy --ambient --stream yes -o out.h5", ["out.h5"]),
    ("distance ../in/model.h5 -k 3 -o out.npz", ["out.npz"]),
    ("distance ../in/model.h5 --from 0,5 -o out.csv", ["out.csv"]),
    ("distance ../in/model.h5 --from 0,5 -k 3 --json", []),
    ("info ../in/model.h5", []),
    ("info ../in/points.mat", []),
    ("info ../in/result.npz --json", []),
    ("info ../in/foreign.h5", []),
    ("info ../in/foreign.mat", []),
    ("info ../in/cells.h5ad", []),
    ("info ../in/noisy.png", []),
    ("info ../in/stack.tif", []),
    ("plot ../in/result.npz -o out.png", ["out.png"]),
    ("plot ../in/model.h5 -o out.svg", ["out.svg"]),
    ("plot ../in/result.npz --colour ../in/colours.csv -o out.png", ["out.png"]),
    ("report ../in/result.npz -o out.html", ["out.html"]),
    ("report ../in/model.h5 --colour ../in/colours.csv -o out.html", ["out.html"]),
    ("embed ../in/stack.mrcs --bundle rotation --components 4 --report out.html", ["out.html"]),
    ("orient ../in/mobius.npy --cover --report out.html", ["out.html"]),
    ("sync ../in/edges.csv --robust -o out.npz --report out.html", ["out.npz", "out.html"]),
    ("average ../in/stack.mrcs --method rid -k 3 -o out.npy --report out.html", ["out.npy", "out.html"]),
    ("extend ../in/model.h5 ../in/new.npy -o out.npz --report out.html", ["out.npz", "out.html"]),
    ("completion bash", []),
    ("help embed", []),
    ("options", []),
]


def mesh(folder, points):
    with open(os.path.join(folder, "points.ply"), "w") as file:
        file.write(f"ply\nformat ascii 1.0\nelement vertex {len(points)}\nproperty double x\nproperty double y\n"
                   "property double z\nend_header\n")
        np.savetxt(file, points)
    with open(os.path.join(folder, "points.obj"), "w") as file:
        file.writelines(f"v {x} {y} {z}\n" for x, y, z in points)
    corners = [f"vertex {x} {y} {z}\n" for x, y, z in points]
    with open(os.path.join(folder, "points.stl"), "w") as file:
        file.write("solid a\n" + "".join("outer loop\n" + "".join(corners[k:k + 3]) + "endloop\n"
                                         for k in range(len(corners) - 2)) + "endsolid a\n")
    with open(os.path.join(folder, "points.pcd"), "wb") as file:
        file.write(b"FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nWIDTH %d\nDATA binary\n" % len(points))
        file.write(np.ascontiguousarray(points[:, :3], "<f8").tobytes())
    with open(os.path.join(folder, "points.off"), "w") as file:
        file.write(f"OFF\n{len(points)} 0 0\n")
        np.savetxt(file, points)
    np.savetxt(os.path.join(folder, "points.xyz"), points)
    with open(os.path.join(folder, "points.las"), "wb") as file:
        file.write(struct.pack("<4s20xBB68xHII", b"LASF", 1, 2, 227, 227, 0)
                   + struct.pack("<BHI20x6d48x", 0, 20, len(points), 1e-4, 1e-4, 1e-4, 0, 0, 0))
        for row in points:
            file.write(np.rint(row * 1e4).astype("<i4").tobytes() + bytes(8))
    with open(os.path.join(folder, "options.toml"), "w") as file:
        file.write("# options\nknn = 12\n[embed]\nseed = 3\n")


def tables(folder, points):
    """A table with names, labels and a hole; the same packed; the same as cells, sparse and dense."""
    kinds = np.array(["a,b", "c"])[np.arange(len(points)) % 2]
    rows = [f'{i},{",".join(str(x) for x in row)},"{kind}"' for i, (row, kind) in enumerate(zip(points, kinds))]
    rows[7] = '7,,0.5,0.5,"c"'
    text = "\n".join(["id,x,y,z,kind", *rows, ""])
    with open(os.path.join(folder, "table.csv"), "w") as file:
        file.write(text)
    with gzip.open(os.path.join(folder, "table.tsv.gz"), "wt") as file:
        file.write(text)
    with open(os.path.join(folder, "colours.csv"), "w") as file:
        file.writelines(f"{kind}\n" for kind in ["kind", *np.char.replace(kinds, ",", "-")])
    with h5py.File(os.path.join(folder, "cells.h5ad"), "w") as file:
        file["obsm/X_pca"] = points
        file["obs/_index"], file["obs/kind/categories"] = [str(i) for i in range(len(points))], ["a,b", "c"]
        file["obs/kind/codes"] = np.arange(len(points), dtype="i1") % 2
        file["obs"].attrs["_index"] = "_index"
        counts = scipy.sparse.csr_matrix(np.where(points > 0, points, 0).repeat(5, axis=1))
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", counts.shape
        group["data"], group["indices"], group["indptr"] = counts.data, counts.indices, counts.indptr


def graphs(folder, points):
    """Distances of all points, lists of the nearest, weights in four formats."""
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = np.argsort(distances, axis=1)[:, :12]
    np.save(os.path.join(folder, "distances.npy"), distances)
    np.savez(os.path.join(folder, "lists.npz"), indices=near, distances=np.take_along_axis(distances, near, axis=1))
    weights = np.exp(-distances**2) * (distances < 1)
    np.save(os.path.join(folder, "weights.npy"), weights)
    scipy.sparse.save_npz(os.path.join(folder, "weights.npz"), scipy.sparse.csc_matrix(weights))
    scipy.io.mmwrite(os.path.join(folder, "weights.mtx"), scipy.sparse.coo_matrix(weights))
    scipy.io.savemat(os.path.join(folder, "weights.mat"), {"w": scipy.sparse.csc_matrix(weights)})


def prepare(program, folder):
    """All inputs, the same in every folder."""
    def run(words):
        done = subprocess.run([program, *words.split()], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        assert done.returncode == 0, f"{words}: {done.stdout}"

    for words in INPUTS:
        run(words)
    points = np.load(os.path.join(folder, "points.npy"))
    mesh(folder, points)
    tables(folder, points)
    graphs(folder, points)
    picture = 100 + 50 * np.random.default_rng(0).standard_normal((24, 24)).cumsum(0).cumsum(1) / 24
    np.save(os.path.join(folder, "noisy.npy"), picture)
    grey = np.clip(picture, 0, 255).astype(np.uint8)
    with open(os.path.join(folder, "noisy.pgm"), "wb") as file:
        file.write(b"P5\n24 24\n255\n" + grey.tobytes())
    for kind in "png", "tif":
        run(f"denoise noisy.pgm --sigma 0.001 --method nlm -o noisy.{kind}")
    run("sample projections -n 24 --size 12 --snr 1 -o stack.npy")
    pages = [PIL.Image.fromarray(page.astype(np.float32)) for page in np.load(os.path.join(folder, "stack.npy"))]
    pages[0].save(os.path.join(folder, "stack.tif"), save_all=True, append_images=pages[1:])
    os.mkdir(os.path.join(folder, "pictures"))
    for k, page in enumerate(pages[:12]):
        page.save(os.path.join(folder, "pictures", f"{k}.tif"))
    with h5py.File(os.path.join(folder, "foreign.h5"), "w") as file:
        file.create_dataset("points", data=points, chunks=(20, 3), compression="gzip")
        file["note"] = "from elsewhere"
    scipy.io.savemat(os.path.join(folder, "foreign.mat"), {"points": points}, do_compression=True)
