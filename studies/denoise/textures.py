"""Pictures of n x n pixels, values 0..255, in which the same shapes repeat turned: nothing but a seed decides."""
import numpy as np


def smaller(a, k):
    """Means of k x k pixels."""
    n = a.shape[0] // k
    return a.reshape(n, k, n, k).mean((1, 3))


def disks(n=256, seed=1, k=4):
    """Overlapping disks of several sizes and two greys: every piece of edge is another one's, turned."""
    random, size = np.random.RandomState(seed), n * k
    a = np.full((size, size), 60.)
    y, x = np.mgrid[:size, :size]
    for _ in range(n * n // 250):
        cy, cx = random.rand(2) * size
        radius = (6 + 4 * random.rand() * (random.rand() < .5)) * k
        grey = random.choice([140., 200.])
        rows = slice(int(max(cy - radius - 1, 0)), int(min(cy + radius + 2, size)))
        columns = slice(int(max(cx - radius - 1, 0)), int(min(cx + radius + 2, size)))
        a[rows, columns][(y[rows, columns] - cy) ** 2 + (x[rows, columns] - cx) ** 2 < radius ** 2] = grey
    return smaller(a, k)


def gratings(n=256, seed=2, cell=32):
    """Cells of one grating, each turned its own way."""
    random = np.random.RandomState(seed)
    y, x = np.mgrid[:n, :n].astype(float)
    middle = random.rand((n // cell) ** 2, 2) * n
    angle, phase = random.rand(len(middle)) * np.pi, random.rand(len(middle)) * 2 * np.pi
    own = np.argmin((y[..., None] - middle[:, 0]) ** 2 + (x[..., None] - middle[:, 1]) ** 2, axis=-1)
    return 128 + 70 * np.sin(2 * np.pi * (np.cos(angle[own]) * x + np.sin(angle[own]) * y) / 7 + phase[own])


def wallpaper(n=256, cell=32, angle=.31, k=3):
    """A letter and a dot, turned by quarters from cell to cell, the whole turned by `angle`."""
    y, x = np.mgrid[:n * k, :n * k] / float(k)
    u, v = np.cos(angle) * x + np.sin(angle) * y, np.cos(angle) * y - np.sin(angle) * x
    column, row = np.floor(u / cell).astype(int), np.floor(v / cell).astype(int)
    u, v = u / cell - column - .5, v / cell - row - .5
    quarters = (column + 2 * (row % 2) + column * row) % 4
    for quarter in range(1, 4):
        here = quarters == quarter
        for _ in range(quarter):
            u[here], v[here] = -v[here], u[here].copy()
    a = np.full(u.shape, 90.)
    a[(np.abs(u + .15) < .07) & (np.abs(v) < .36)] = 210
    a[(np.abs(v + .3) < .06) & (u > -.2) & (u < .3)] = 210
    a[(np.abs(v) < .06) & (u > -.2) & (u < .15)] = 210
    a[(u - .2) ** 2 + (v - .22) ** 2 < .012] = 30
    return smaller(a, k)


def strokes(n=256, seed=4, k=3):
    """Lines of a pen that bends as it goes, like handwriting."""
    random, size, reach = np.random.RandomState(seed), n * k, 8
    a = np.zeros((size, size))
    y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1]
    pen = y ** 2 + x ** 2 <= (1.3 * k) ** 2
    for _ in range(n * n // 500):
        place, direction, bend = random.rand(2) * size, random.rand() * 2 * np.pi, random.randn() * .02
        for _ in range(int(40 * k * (.5 + random.rand()))):
            row, column = int(place[0]), int(place[1])
            if reach <= row < size - reach and reach <= column < size - reach:
                a[row - reach:row + reach + 1, column - reach:column + reach + 1][pen] = 1
            place = place + [np.sin(direction), np.cos(direction)]
            direction += bend
            bend += random.randn() * .004 - .001 * bend
    return 220 - 180 * smaller(a, k)


ALL = dict(disks=disks, gratings=gratings, wallpaper=wallpaper, strokes=strokes)
