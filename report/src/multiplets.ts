// What a spectrum says: rates, eigenvalues that are one many times, gaps.

/** -log lambda, which is in the limit a multiple of the Laplacian's eigenvalue; 0 below 1e-9, as rounding makes it. */
export function rate(value: number): number {
  if (!(value > 0)) return Infinity;
  const r = -Math.log(value);
  return r > 1e-9 ? r : 0;
}

/** Eigenvalues first .. first + count - 1 are one, count times. */
export interface Multiplet { first: number; count: number }

const WIDTH = 0.12; // of the rate: beyond it the library itself sees a gap (src/spectrum/rates.c)

/**
 * Rates that are thrown at random have a group of `count` no wider than x times the gaps beside it with a chance of
 * (x / (x + 2))^(count - 1). A group is one eigenvalue if that is below 1/50, and its width at most half of the gaps.
 */
function apart(count: number): number {
  const p = 0.02 ** (1 / (count - 1));
  return Math.min(0.5, (2 * p) / (1 - p));
}
const SHARP = 0.02; // a group whose halves are this sharp, by the gap between them, is two

/** Whether rates a .. b are two sharp groups, parted at the widest gap within. */
function parted(rates: number[], a: number, b: number): boolean {
  if (b - a < 2) return false;
  let cut = a;
  for (let l = a; l < b; l++) if (rates[l + 1]! - rates[l]! > rates[cut + 1]! - rates[cut]!) cut = l;
  const gap = rates[cut + 1]! - rates[cut]!;
  return rates[cut]! - rates[a]! <= SHARP * gap && rates[b]! - rates[cut + 1]! <= SHARP * gap;
}

/**
 * Groups of rates that are equal to within their spread, the widest first: none narrower lies within. What the end of the
 * list cuts is no group, as more of it may follow.
 */
export function multiplets(rates: number[]): Multiplet[] {
  const found: Multiplet[] = [], n = rates.length;
  for (let a = 0; a < n - 1; ) {
    let best = 0;
    const before = a > 0 ? rates[a]! - rates[a - 1]! : Infinity;
    for (let b = a + 1; b < n - 1; b++) {
      const width = rates[b]! - rates[a]!, after = rates[b + 1]! - rates[b]!;
      if (!(width >= 0 && width <= WIDTH * rates[b]!)) break;
      const near = Math.min(before, after);
      if (width <= 0.5 * near && width <= apart(b - a + 1) * near && !parted(rates, a, b)) best = b - a + 1;
    }
    if (best) found.push({ first: a, count: best });
    a += Math.max(1, best);
  }
  return found;
}

/** After the first `after` eigenvalues rates grow from `from` to `to`. */
export interface Gap { after: number; from: number; to: number; growth: number }

/** The widest gaps: those where a rate grows most, by a third or more; from zero any growth is infinite. */
export function gaps(rates: number[], most = 3): Gap[] {
  const all: Gap[] = [];
  for (let l = 0; l + 1 < rates.length; l++) {
    const from = rates[l]!, to = rates[l + 1]!;
    if (!Number.isFinite(to)) break;
    const growth = from > 0 ? to / from : to > 0 ? Infinity : 1;
    if (growth >= 4 / 3) all.push({ after: l + 1, from, to, growth });
  }
  return all.sort((x, y) => y.growth - x.growth).slice(0, most);
}
