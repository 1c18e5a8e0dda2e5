"""The page: tables of PSNR and SSIM, what they say, and the crops. Its sentences are made from the numbers."""

HEAD = """# Denoising

`lavdm denoise` beside other programs. Made by `make study NAME=denoise`; nothing here is typed by hand.

Pictures of 256 x 256 pixels (coins: 303 x 384): photographs that scikit-image brings along, halved, and textures
made by `studies/denoise/textures.py`, in which the same shapes repeat turned. To each white Gaussian noise of standard
deviation {sigmas} is added, unclipped, from `RandomState(0)`; every program is told sigma.

- **nlm**, **nlem**: non-local means and non-local Euclidean median of `lavdm denoise`; patches of a window, not turned.
- **rid** (the default): adds turned patches from the whole picture, by rotation-invariant distance; two passes.
- **lavdm**: adds those that vector diffusion distance on the landmark graph of patches finds; two passes.
- **scikit-image** `denoise_nl_means`: the best of patches of 5 and 7 pixels and h on a grid of sigma/10, both modes.
- **OpenCV** `fastNlMeansDenoising`: the best of patches of 5 and 7 pixels, h from 0.5 to 1.2 sigma; of 8 bits.
- **bm3d**: ffmpeg's filter, basic and final estimate, the best of several strengths; of 8 bits. It is at its best with
  groups of one block: in a search on a part of camera larger groups gave less at every strength, so that these are not
  the numbers of the BM3D of the literature.

The other programs' settings are chosen with the clean picture at hand, ours are the defaults.
"""

LICENCES = """## Sources

camera: by Lav Varshney, CC0. brick, gravel: CC0Textures, CC0. grass: by linolafett (DeviantArt), CC0. coins: Brooklyn
Museum Collection, no known copyright restrictions. All as packaged by scikit-image. The textures are code of this project.
"""

COLUMNS = ["scikit", "opencv", "bm3d", "nlm", "nlem", "rid", "lavdm"]
TITLES = dict(scikit="scikit-image", opencv="OpenCV", bm3d="bm3d")


def table(found, names, sigma, what, form):
    lines = ["| picture | " + " | ".join(TITLES.get(c, c) for c in COLUMNS) + " |", "|---" + "|---:" * len(COLUMNS) + "|"]
    for name in names:
        row = [found[name, sigma, c][what] if (name, sigma, c) in found else None for c in COLUMNS]
        best = max(v for v in row if v is not None)
        cells = ["" if v is None else ("**%s**" if v == best else "%s") % (form % v) for v in row]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def lead(found, names, sigma, ahead, behind):
    """'disks +0.9, gratings +2.6': by how much one method is ahead of another, in dB."""
    return ", ".join(f"{n} {found[n, sigma, ahead]['psnr'] - found[n, sigma, behind]['psnr']:+.2f}"
                     for n in both(found, names, sigma, ahead, behind))


def both(found, names, sigma, one, other):
    """The pictures that both methods were run on."""
    return [n for n in names if (n, sigma, one) in found and (n, sigma, other) in found]


def verdict(found, names, photographs):
    """What was to be reached, and whether it was."""
    textures = [n for n in names if n not in photographs]
    lines = ["## What is reached\n"]
    for sigma in (25, 50):
        gap = {n: found[n, sigma, "rid"]["psnr"] - found[n, sigma, "scikit"]["psnr"]
               for n in both(found, names, sigma, "rid", "scikit")}
        missed = [f"{n} by {-gap[n]:.2f} dB" for n in gap if gap[n] < 0]
        missed += [f"{n} by {.5 - gap[n]:.2f} dB" for n in textures if 0 <= gap.get(n, 1) < .5]
        lines.append(f"- sigma {sigma}: the default against scikit-image at its best, in dB: "
                     f"{lead(found, names, sigma, 'rid', 'scikit')}. To reach: no less on any picture, 0.5 more where "
                     f"repeats are turned: " + ("missed on " + ", ".join(missed) if missed else "reached") + ".")
    return "\n".join(lines) + "\n"


def diffusion(found, names, sigmas):
    lines = ["## What diffusion adds\n",
             "lavdm and rid differ in one thing, who proposes the turned patches. In dB, lavdm over rid:\n"]
    lines += [f"- sigma {s}: {lead(found, names, s, 'lavdm', 'rid')}" for s in sigmas]
    over = {(n, s): found[n, s, "lavdm"]["psnr"] - found[n, s, "rid"]["psnr"]
            for s in sigmas for n in both(found, names, s, "lavdm", "rid")}
    gains = list(over.values())
    turned = [found[n, s, "rid"]["psnr"] - found[n, s, "nlm"]["psnr"] for s in sigmas for n in both(found, names, s, "rid", "nlm")]
    mean = {n: sum(v for (m, _), v in over.items() if m == n) for n in names}
    helps, hurts = [n for n in names if mean[n] > .03], [n for n in names if mean[n] < -.03]
    lines.append(f"\nThat is between {min(gains):+.2f} and {max(gains):+.2f} dB, {sum(gains) / len(gains):+.3f} on average. Diffusion "
                 f"helps on {', '.join(helps) or 'none of these pictures'} and costs on {', '.join(hurts) or 'none'}: proposing "
                 "turned patches by diffusion makes no difference that can be seen, and takes longer. So the default is rid. What rid gains over non-local means "
                 f"({min(turned):+.2f} to {max(turned):+.2f} dB) is due to turned patches, to the shrinkage of groups by their "
                 "covariance, and to the second pass.")
    return "\n".join(lines) + "\n"


def page(found, names, photographs, sigmas, quick=False):
    parts = [HEAD.format(sigmas=", ".join(map(str, sigmas)))]
    if quick:
        parts.append("**A quick run: squares of 96 x 96 pixels of two of them.**\n")
    for sigma in sigmas:
        parts.append(f"## Noise of {sigma}\n\nPSNR in dB:\n\n" + table(found, names, sigma, "psnr", "%.2f"))
        parts.append("SSIM:\n\n" + table(found, names, sigma, "ssim", "%.3f"))
    parts += [verdict(found, names, photographs), diffusion(found, names, sigmas)]
    parts.append("## To look at\n\nNoise of 25, pieces of 96 x 96 pixels; PSNR of the whole pictures. `studies/denoise/run --draw` labels them anew.\n\n" +
                 "\n\n".join(f"{n}\n\n![{n}](denoise/{n}.png)" for n in names) + "\n")
    parts.append(LICENCES)
    return "\n".join(parts)
