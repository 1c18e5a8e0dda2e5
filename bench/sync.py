#!/usr/bin/python3
"""Times synchronisation of large graphs, stage by stage: the minimum of some runs.

usage: bench/sync.py [--runs 3] [--threads 2] [--only WORD] [--json FILE] [--scale 1.0]

Grids of half a million poses (a million edges) of SE(2) and SE(3), and random graphs of a hundred thousand nodes
and a million edges of SO(2) and SO(3), all made by `lavdm sample graph`. The last columns say what was found:
the cost, whether the fit converged, and its steps.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import measure

CASES = [('grid se2', ['--group', 'se2', '--layout', 'grid', '-n', '500000', '--noise', '0.02'], 'g2o'),
         ('grid se3', ['--group', 'se3', '--layout', 'grid', '-n', '500000', '--noise', '0.02'], 'g2o'),
         ('random so2', ['--group', 'so2', '--layout', 'random', '-n', '100000', '--degree', '20', '--noise', '0.1'], 'csv'),
         ('random so3', ['--group', 'so3', '--layout', 'random', '-n', '100000', '--degree', '20', '--noise', '0.1'], 'csv')]
STAGES = ['read', 'graph', 'eigenvectors', 'positions', 'refine', 'residuals', 'write', 'total']


def sample(words, scale, path):
    """Makes the graph, its number of nodes scaled."""
    words = list(words)
    at = words.index('-n') + 1
    words[at] = str(max(10, int(int(words[at]) * scale)))
    measure.command([measure.LAVDM, 'sample', 'graph', *words, '-o', path])


def solve(path, threads, folder):
    """What one run says of itself."""
    words = [measure.LAVDM, 'sync', path, '--threads', str(threads), '--json', '-o', os.path.join(folder, 'result.npz')]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout)


def best(runs):
    """The least time of each stage, and the rest as in the last run."""
    seconds = {stage: min(run['seconds'].get(stage, 0) for run in runs) for stage in STAGES}
    last = runs[-1]
    return dict(seconds=seconds, cost=last.get('cost'), converged=last.get('converged'), iterations=last.get('iterations'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--scale', type=float, default=1)
    parser.add_argument('--only', default='')
    parser.add_argument('--json')
    args = parser.parse_args()
    rows = {}
    print(f'{"":12}' + ''.join(f'{stage:>13}' for stage in STAGES) + f'{"cost":>14} converged  steps')
    with tempfile.TemporaryDirectory() as folder:
        for name, words, kind in CASES:
            if args.only not in name:
                continue
            path = os.path.join(folder, f'graph.{kind}')
            sample(words, args.scale, path)
            row = rows[name] = best([solve(path, args.threads, folder) for _ in range(args.runs)])
            cost = f'{row["cost"]:14.8g}' if row['cost'] is not None else f'{"":14}'
            print(f'{name:12}' + ''.join(f'{row["seconds"][stage]:13.2f}' for stage in STAGES) +
                  f'{cost} {row["converged"]!s:>9}  {row["iterations"]}', flush=True)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as file:
            json.dump(rows, file, indent=1)


if __name__ == '__main__':
    sys.exit(main())
