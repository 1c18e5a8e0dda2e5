// Covariances of positions as ellipses, and in space as three ellipses on the ellipsoid, made of segments.
import { digits } from "./scale";

/** Radius of the ball that holds 95% of a normal distribution, in 2 and 3 dimensions. */
const REACH = [0, 0, Math.sqrt(5.991), Math.sqrt(7.815)];
const SIDES = 28, MOST = 400;

/** L of C = L L', lower, of q x q numbers; C is given by its upper half, row by row. Pivots below zero are taken as zero. */
export function root(half: ArrayLike<number>, q: number): number[] {
  const c = (a: number, b: number): number => half[a * q - (a * (a - 1)) / 2 + b - a]!, l = new Array<number>(q * q).fill(0);
  for (let j = 0; j < q; j++)
    for (let i = j; i < q; i++) {
      let sum = c(j, i);
      for (let k = 0; k < j; k++) sum -= l[i * q + k]! * l[j * q + k]!;
      l[i * q + j] = i === j ? Math.sqrt(Math.max(0, sum)) : l[j * q + j] ? sum / l[j * q + j]! : 0;
    }
  return l;
}

export interface Ellipses { segments: Float32Array; factor: number; shown: number }

/** Ellipses about up to 400 nodes, as segments x y z x y z; all are drawn `factor` times as large if they would not be seen. */
export function ellipses(places: (ArrayLike<number> | null)[], spread: ArrayLike<number>[], extent: number): Ellipses {
  const q = spread.length === 3 ? 2 : 3, n = spread[0]?.length ?? 0, step = Math.max(1, Math.ceil(n / MOST)), rows: number[] = [], sizes: number[] = [];
  for (let i = 0; i < n; i += step) {
    const trace = (spread[0]![i]! + spread[q]![i]! + (q === 3 ? spread[5]![i]! : 0)) / q;
    if (!(trace > 0)) continue;
    rows.push(i);
    sizes.push(REACH[q]! * Math.sqrt(trace));
  }
  const middle = [...sizes].sort((a, b) => a - b)[sizes.length >> 1] ?? 0, factor = magnified(middle, extent);
  const planes = q === 2 ? [[0, 1]] : [[0, 1], [1, 2], [2, 0]], out = new Float32Array(rows.length * planes.length * SIDES * 6);
  let at = 0;
  for (const i of rows) {
    const l = root(spread.map((column) => column[i]!), q), r = REACH[q]! * factor;
    for (const [a, b] of planes)
      for (let s = 0; s < SIDES; s++)
        for (const t of [s, s + 1]) {
          const u = [0, 0, 0], angle = (2 * Math.PI * t) / SIDES;
          u[a!] = r * Math.cos(angle);
          u[b!] = r * Math.sin(angle);
          for (let axis = 0; axis < 3; axis++) {
            let x = places[axis]?.[i] ?? 0;
            for (let k = 0; axis < q && k <= axis; k++) x += l[axis * q + k]! * u[k]!;
            out[at++] = x;
          }
        }
  }
  return { segments: out, factor, shown: rows.length };
}

/** 1 where a radius is seen, 2% of the extent; else the power of 10 that makes it so. */
export function magnified(radius: number, extent: number): number {
  if (!(radius > 0) || !(extent > 0) || radius >= 0.004 * extent) return 1;
  return 10 ** Math.min(12, Math.ceil(Math.log10((0.004 * extent) / radius)));
}

export const told = (e: Ellipses, n: number): string => !e.shown ? "" :
  `Ellipses hold a position with 95%${e.factor > 1 ? `, drawn ${digits(e.factor)} times as large` : ""}${e.shown < n / 2 ? `, of ${e.shown} nodes` : ""}. `;
