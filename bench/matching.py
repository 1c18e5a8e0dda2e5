"""Settings of equal accuracy: the fewest landmarks, with any of some bandwidths, that do as well.

The same ladder is climbed for a peer and for ours. It uses the known eigenfunctions of the torus,
so that what it finds is the best of each, which no user could know beforehand.
"""
import numpy as np

import accuracy
import measure

SHARES = (0.125, 0.25, 0.5, 1, 2)  # of the landmarks of the row that is to be matched
FACTORS = (2, 4, 8, 16)            # of its bandwidth


def climb(row, attempt):
    """The (landmarks, epsilon, error) of fewest landmarks whose error is at most the row's, or the best."""
    best = None
    for share in SHARES:
        size = max(row['components'] + 1, round(share * row['m']))
        for factor in FACTORS:
            epsilon = factor * row['epsilon']
            error = attempt(size, epsilon)
            if best is None or error < best[2]:
                best = size, epsilon, error
        if best[2] <= row['error']:
            break
    return best


def nystroem(row, basis, dump):
    """The Nystroem peer that matches a row."""
    import sklearn_dm  # here, for scikit-learn is slow to start
    from common import Clock
    points = np.load(f'{dump}/points.npy')

    def attempt(size, epsilon):
        return accuracy.error(basis, sklearn_dm.nystroem(points, row['components'], size, epsilon, Clock()))

    size, epsilon, error = climb(row, attempt)
    peer = measure.sklearn_dm('nystroem', f'{dump}/points.npy', f'{dump}/u.npy', row['components'], size, epsilon)
    return dict(peer, error=error, setting=f'm={size}, epsilon={epsilon:.3g}')


def tuned_options(row, options, basis, dump):
    """The options of ours that match a row of ours."""
    def setting(size, epsilon):
        return dict(options, landmarks=size, epsilon=epsilon, cutoff=3)

    def attempt(size, epsilon):
        measure.ours(row['case'], row['n'], setting(size, epsilon), None, dump, repeat=1)
        return accuracy.error(basis, np.load(f'{dump}/eigenvectors.npy')[:, 1:])

    return setting(*climb(row, attempt)[:2])
