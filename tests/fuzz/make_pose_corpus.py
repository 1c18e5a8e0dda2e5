"""Writes the seeds of files of poses, tests/fuzz/corpus/poses/: a byte that says which format, and a small file of it."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
FORMATS = ("g2o", "toro", "kitti", "tum", "colmap", "1dsfm", "bal")  # in the order of pose_format
ONES = "1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1"


def seed(name, text):
    folder = os.path.join(HERE, "corpus", "poses")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(bytes([FORMATS.index(name.split("-")[0])]) + text.encode())


seed("g2o-plane", "PARAMS_SE2OFFSET 2 1 0 0.5\nVERTEX_SE2 0 0 0 0\nVERTEX_XY 9 1 1\nFIX 0 7\nEDGE_SE2 0 1 1 0 0.5 2 0 0 1 0 4\n"
     "EDGE_SE2_XY 0 9 1 2 1 0 1\nEDGE_SE2_POINTXY_OFFSET 1 9 2 1 2 1 0.5 1\nEDGE_PRIOR_SE2 3 1 2 0.5 1 0 0 1 0 1\n"
     "EDGE_PRIOR_SE2_XY 0 1 2 1 0 1\n")
seed("g2o-space", f"PARAMS_SE3OFFSET 1 0 0 1 0 0 0 1\nVERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\nVERTEX_TRACKXYZ 5 1 2 3\nFIX 0\n"
     f"EDGE_SE3:QUAT 0 1 1 0 0 0 0 0 1 {ONES}\nEDGE_SE3_TRACKXYZ 0 5 1 1 2 3 1 0 0 1 0 1\n"
     f"EDGE_SE3_PRIOR 0 1 1 2 3 0 0 0 1 {ONES}\nOTHER 1 2\n")
seed("toro-plane", "VERTEX2 0 0 0 0\nEDGE2 0 1 1 2 0.5 4 1 3 2 0.5 0.25\n")
seed("toro-space", f"VERTEX3 0 0 0 0 0 0 0\nEDGE3 0 1 1 2 3 0.1 0.2 0.3 {ONES}\n")
seed("kitti-two", "1 0 0 0 0 1 0 0 0 0 1 0\n0 -1 0 1.5 1 0 0 2 0 0 1 3e0\n")
seed("tum-two", "# time\n0.5 0 0 0 0 0 0 1\n1.5 1 2 3 0.5 0.5 -0.5 0.5\n")
seed("colmap-pairs", "a.jpg b.jpg 1 0 0 0 0 0 1\nb.jpg c 0.5 0.5 0.5 0.5 1 0 0\na.jpg c 0 1 0 0 1 0 0\n")
seed("1dsfm-pairs", "0 1 1 0 0 0 1 0 0 0 1 0 0 1\n1 2 0 -1 0 1 0 0 0 0 1 0 0 1\n")
seed("bal-shared", "2 10 20\n" + "".join(f"{c} {p} 1 -1\n" for p in range(10) for c in range(2)) + "0.1\n" * 18 + "1 2 3\n" * 10)
seed("bal-short", "2 10 20\n0 0 1 1\n")
