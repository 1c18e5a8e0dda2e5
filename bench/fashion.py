#!/usr/bin/python3
"""Fashion-MNIST, 70,000 pictures of 784 pixels, through the command, file to file.

usage: bench/fashion.py [--quick] [--peers]

The quality is the share of right labels by 10 nearest neighbours among the eigenvectors: the
first six sevenths of the pictures have labels, the rest are guessed. Normally roseland is set
beside the Nystroem peer on all the pictures (at the same bandwidth, with more landmarks
until it is as good within half a per cent), and dm and lavdm beside SpectralEmbedding on
every seventh; with --peers these too on all, which takes the peer a quarter of an hour.
The pictures come with Debian's package dataset-fashion-mnist.
"""
import argparse
import gzip
import os
import tempfile

import numpy as np

import measure
import table
from floor import floor

FOLDER = '/usr/share/datasets/fashion-mnist'
COMPONENTS, NEIGHBOURS = 50, 10
EMBEDDED = 20  # components of lavdm: its embedding has 20 * 21 / 2 columns


def pictures():
    """All pictures (70,000 x 784, from 0 to 1) and their labels, the training set first."""
    arrays = []
    for kind, header in (('images-idx3', 16), ('labels-idx1', 8)):
        parts = []
        for group in ('train', 't10k'):
            with gzip.open(f'{FOLDER}/{group}-{kind}-ubyte.gz') as file:
                parts.append(np.frombuffer(file.read(), np.uint8, offset=header))
        arrays.append(np.concatenate(parts))
    return arrays[0].reshape(-1, 784).astype(np.float32) / 255, arrays[1]


def labels_right(u, labels):
    from sklearn.neighbors import KNeighborsClassifier
    known = len(u) * 6 // 7
    classifier = KNeighborsClassifier(NEIGHBOURS, n_jobs=-1).fit(u[:known], labels[:known])
    return float(np.mean(classifier.predict(u[known:]) == labels[known:]))


def ours(folder, method, labels, options, precision, machine, most):
    output = f'{folder}/out.npz'
    row = measure.embed(f'{folder}/x.npy', output, dict(options, method=method), precision, most)
    with np.load(output) as result:
        u = result['embedding'] if 'embedding' in result else result['eigenvectors'].reshape(len(labels), -1)[:, 1:]
    case = 'fashion-mnist' + (f' {options["design"]}' if 'design' in options else '')
    return dict(row, case=case, accuracy=labels_right(u, labels), floor=floor(row, machine), peers=[])


def peer(folder, route, labels, once, size, epsilon=None):
    output = f'{folder}/u.npy'
    result = measure.sklearn_dm(route, f'{folder}/x.npy', output, COMPONENTS, size, epsilon, once)
    setting = f'm={size}, epsilon={epsilon:.3g}' if epsilon else f'k={size}'
    return dict(result, accuracy=labels_right(np.load(output), labels), setting=setting)


def matching_nystroem(folder, labels, once, row):
    for factor in (1, 2, 4):
        other = peer(folder, 'nystroem', labels, once, factor * row['m'], row['epsilon'])
        if other['accuracy'] >= row['accuracy'] - 0.005:
            break
    return other


def with_peer(rows, other):
    for row in rows:
        row['peers'] = [dict(other, ratio=other['seconds']['total'] / row['seconds']['total'])]
    return rows


def missing():
    """Why this cannot be run here, or None."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return 'skipped: needs the package python3-sklearn'
    return None if os.path.isdir(FOLDER) else 'skipped: needs the package dataset-fashion-mnist'


def groups(quick, full, precisions, machine):
    """Lists of rows with the same peers, as they are measured."""
    if missing():
        yield [dict(case='fashion-mnist', method='', n=0, note=missing(), peers=[])]
        return
    everything = [array[::10] if quick else array for array in pictures()]
    some = everything if full else [array[::7] for array in everything]
    with tempfile.TemporaryDirectory(dir=measure.BUILD) as folder:
        def rows(method, labels, **options):
            most = 1 if quick else 3
            return [ours(folder, method, labels, options, precision, machine, most) for precision in precisions]

        np.save(f'{folder}/x.npy', everything[0])
        fast = rows('roseland', everything[1], components=COMPONENTS)
        fast += rows('roseland', everything[1], components=COMPONENTS, design='random')
        yield with_peer(fast, matching_nystroem(folder, everything[1], quick, fast[0]))
        np.save(f'{folder}/x.npy', some[0])
        slow = rows('dm', some[1], components=COMPONENTS)
        yield with_peer(slow, peer(folder, 'spectral', some[1], quick, NEIGHBOURS))
        yield rows('lavdm', some[1], dim=5, components=EMBEDDED, embedding=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true', help='a tenth of the pictures')
    parser.add_argument('--peers', action='store_true', help='dm, lavdm and SpectralEmbedding on all of them')
    given = parser.parse_args()
    print(table.header(), flush=True)
    for rows in groups(given.quick, given.peers, measure.precisions()[0], measure.machine()):
        table.show(rows)


if __name__ == '__main__':
    main()
