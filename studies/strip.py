"""Pictures beside each other with their names in the picture: what the strips of docs/denoise and docs/average are.

Panels are grey and all of one size, in rows, GAP pixels apart. Names stand above the columns, the second line fainter, and
those of the rows to their left. `panels` takes a strip apart again, so that a name can change without an experiment.
"""
import numpy as np
from PIL import Image, ImageDraw, ImageFont

GAP, INK, FAINT = 4, 34, 108  # pixels; shades


def font(size, weight="Regular"):
    for name in (f"lato/Lato-{weight}.ttf", "dejavu/DejaVuSans.ttf"):
        try:
            return ImageFont.truetype(f"/usr/share/fonts/truetype/{name}", size)
        except OSError:
            continue
    return ImageFont.load_default()


def left_of(beside):
    return 14 + max(int(font(17, "Bold").getlength(line)) for text in beside for line in text.split("\n")) if beside else 0


def top_of(above):
    return 10 + 21 * max(text.count("\n") + 1 for text in above) if above else 0


def strip(rows, above=(), beside=(), best=()):
    """Rows of panels, 8 bits; names above the columns (those numbered in `best` stand out), and beside the rows."""
    high, wide = rows[0][0].shape
    left, top = left_of(beside), top_of(above)
    sheet = Image.new("L", (left + len(rows[0]) * (wide + GAP) - GAP, top + len(rows) * (high + GAP) - GAP), 255)
    draw = ImageDraw.Draw(sheet)
    for y, row in enumerate(rows):
        for x, panel in enumerate(row):
            sheet.paste(Image.fromarray(panel), (left + x * (wide + GAP), top + y * (high + GAP)))
    for x, text in enumerate(above):
        for k, line in enumerate(text.split("\n")):
            draw.text((left + x * (wide + GAP) + wide / 2, 4 + 21 * k), line, anchor="ma",
                      font=font(17, "Bold" if k == 0 or x in best else "Regular"), fill=INK if k == 0 or x in best else FAINT)
    for y, text in enumerate(beside):
        lines = text.split("\n")
        for k, line in enumerate(lines):
            draw.text((left - 10, top + y * (high + GAP) + high / 2 + 21 * (k - (len(lines) - 1) / 2)), line, anchor="rm",
                      font=font(17, "Bold" if k == 0 else "Regular"), fill=INK if k == 0 else FAINT)
    return sheet


def panels(path, down, across, side):
    """The panels of a strip, side by side pixels each: they end where the sheet ends."""
    with Image.open(path) as image:
        grey = np.asarray(image.convert("L"))
    top, left = (length - count * (side + GAP) + GAP for length, count in zip(grey.shape, (down, across)))
    if min(top, left) < 0:
        raise SystemExit(f"{path} has no {down} x {across} panels of {side} pixels")
    return [[grey[top + y * (side + GAP):, left + x * (side + GAP):][:side, :side] for x in range(across)] for y in range(down)]
