#!/usr/bin/python3
"""Times the k-NN graph by metric beside scikit-learn's NearestNeighbors, on the same points in the same run.

usage: bench/metrics.py [--points N] [--coordinates P] [--neighbours K] [--metrics NAME,NAME]

Prints a line for each metric, in seconds of the processor, which other programs on the machine hardly change:
all of ours (lavdm embed --method dm --edges knn --components 2), fit and kneighbors of scikit-learn, their
ratio, and ours by that of the Euclidean metric. Numbers are Gaussian, for hamming and jaccard 0 or 1.
"""
import argparse
import os
import resource
import subprocess
import tempfile
import time

import numpy as np

import measure


def ours(path, metric, k):
    words = [measure.LAVDM, 'embed', path, '--method', 'dm', '--metric', metric, '--edges', 'knn', '--knn', str(k),
             '--epsilon', '1e4', '--pca', '0', '--components', '2', '--tolerance', '1', '--trust', 'no', '--json']
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(points, metric, k):
    from sklearn.neighbors import NearestNeighbors
    values = points.astype(bool) if metric == 'jaccard' else points
    began = time.process_time()
    NearestNeighbors(n_neighbors=k + 1, metric=metric, n_jobs=1).fit(values).kneighbors(values)
    return time.process_time() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--points', type=int, default=50000)
    parser.add_argument('--coordinates', type=int, default=50)
    parser.add_argument('--neighbours', type=int, default=15)
    parser.add_argument('--metrics', default='euclidean,cosine,manhattan,hamming')
    how = parser.parse_args()
    draw = np.random.default_rng(1)
    gaussian = draw.normal(size=(how.points, how.coordinates))
    print(f'{"metric":12} {"ours":>8} {"sklearn":>8} {"ratio":>7} {"by euclidean":>13}')
    with tempfile.TemporaryDirectory() as folder:
        path, base = os.path.join(folder, 'x.npy'), None
        for metric in how.metrics.split(','):
            points = (gaussian > 0.5).astype(float) if metric in ('hamming', 'jaccard') else gaussian
            np.save(path, points)
            mine, other = ours(path, metric, how.neighbours), theirs(points, metric, how.neighbours)
            base = mine if metric == 'euclidean' else base
            share = f'{mine / base:13.2f}' if base else f'{"":13}'
            print(f'{metric:12} {mine:8.2f} {other:8.2f} {other / mine:7.2f} {share}', flush=True)


main()
