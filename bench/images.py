"""Rotation-invariant distances: images by landmarks, beside a direct rotate-and-compare (bench/images.c)."""
import json
import os

import measure

PROGRAM = os.path.join(measure.BUILD, 'lavdm_bench_images')
CASES = [(20_000, 600, 64), (65_000, 1_000, 9)]
FULL = [(100_000, 600, 64), (65_000, 1_000, 9)]


def row(n, m, size, precision, noise, repeat):
    ran = measure.command([PROGRAM, str(n), str(m), str(size), f'precision={precision}', f'noise={noise}', f'repeat={repeat}'])
    found = json.loads(ran.output)
    floor, pairs = found['floor_products'] + found['floor_transforms'], n * m
    return dict(found, case=f'images {size}x{size}' + (' (pca)' if noise == 'auto' else ''), method='rid',
                seconds=dict(expansion=found['expansion'], pairs=found['match'], total=found['expansion'] + found['match']),
                over_floor=found['match'] / floor, peak_memory=ran.peak,
                peers=[dict(peer='direct', seconds=dict(total=pairs / found['direct_pairs_per_second']))])


def rows(quick, full):
    for n, m, size in FULL if full else CASES:
        for precision in ('double', 'single'):
            for noise in ('0', 'auto'):
                yield row(n // 10 if quick else n, m, size, precision, noise, 1 if full else 3)


def show(r):
    print(f"{r['case']}, {r['n']:,} by {r['m']:,}, {r['precision']}, {r['compared']} of {r['coefficients']} coefficients in "
          f"{r['bands']} bands: expansion {r['expansion']:.1f} s, pairs {r['match']:.2f} s ({r['match_cpu']:.1f} of all threads) "
          f"= {r['pairs_per_second'] / 1e6:.2f} million a second, {r['over_floor']:.1f} x floor; directly, at "
          f"{r['direct_angles']} angles, {r['direct_pairs_per_second'] / 1e6:.3f} million a second", flush=True)
