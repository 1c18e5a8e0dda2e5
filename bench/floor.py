"""The floor of a row: seconds that no program for the same stages could go below here.

A stage is bound by the bytes it must move or by the operations it must do, whichever takes
longer at the rates that `lavdm_bench machine` measured in the same run; a row's floor is the
sum over its stages. Counted are, for n points of p coordinates, m references, fibre q,
k neighbours, r components and e edges:

  order         points read and written
  landmarks     kmeans: one assignment, 2 n m p operations
  frames        3p operations for each of 4k candidates a point, k p (p+1) for its covariance
  graph         dm and vdm: the same candidates; a weight and an alignment an edge, e q^2 numbers written
  degrees       a weight an edge: 3p for its distance and 16 for the rest, 25 where p = 3
  operator      a weight and an alignment (2 p q^2 and 20) an edge; the Gram matrix, q^3 e^2/n at least
  spectrum      4/3 (mq)^3 up to mq = 1000, two products with each of r vectors beyond;
                dm and vdm: one product with each, 2 e q^2 r
  eigenvectors  a weight and an alignment an edge, 2 e q^2 r for the fields, n q r numbers written

Every pass reads the points and frames. What a stage repeats to save memory is counted in each.
"""


def counts(row):
    """{stage: (bytes, operations)}"""
    n, p, m, q, k, r, e = (row[name] for name in ('n', 'p', 'm', 'q', 'knn', 'components', 'edges'))
    word = 4 if row['precision'] == 'single' else 8
    tangent, square = row['method'] in ('lavdm', 'vdm'), row['method'] in ('dm', 'vdm')
    k = k or 0  # not known where a run had no use for it
    weight, align = 3 * p + 16, 2 * p * q * q + 20 if tangent else 0
    points, frames, fields = n * p * word, n * p * q * word if tangent else 0, n * q * r * word
    candidates = n * 4 * k * 3 * p
    stages = {'order': (2 * points, 0)}
    if tangent:
        stages['frames'] = points + frames, candidates + n * k * p * (p + 1)
    if square:
        operator = e * (q * q * word + 4)
        stages['graph'] = points + frames + operator, candidates + e * (weight + align)
        stages['spectrum'] = operator, 2 * e * q * q * r
        stages['eigenvectors'] = fields, 0
    else:
        size = m * q
        if row.get('design') == 'kmeans':
            stages['landmarks'] = points, 2 * n * m * p
        stages['degrees'] = points, e * weight
        stages['operator'] = points + frames, e * (weight + align) + q**3 * e * e / n
        stages['spectrum'] = size * size * word, 4 / 3 * size**3 if size <= 1000 else 4 * size * size * r
        stages['eigenvectors'] = points + frames + fields, e * (weight + align + 2 * q * q * r)
    return stages


def floor(row, machine):
    """{stage: seconds}, and their total."""
    seconds = {stage: max(moved / machine['bandwidth'], done / machine[row['precision']])
               for stage, (moved, done) in counts(row).items()}
    return dict(seconds, total=sum(seconds.values()))
