// Columns as places of the cube [-1, 1]^3, and the size and opacity that suit a number of points.
import type { Frame } from "./axes";

const LOST = 1e9; // where points are put that are not numbers

/** Middle and half width of each column. Axes share one scale unless their ranges are too far apart to be seen together. */
export function framesOf(columns: ArrayLike<number>[], names: string[]): Frame[] {
  const ranges = columns.map((c) => {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < c.length; i++) {
      const v = c[i]!;
      if (v < low && v > -Infinity) low = v;
      if (v > high && v < Infinity) high = v;
    }
    return low <= high ? { middle: (low + high) / 2, half: (high - low) / 2 } : { middle: 0, half: 0 };
  });
  const most = Math.max(...ranges.map((r) => r.half)) || 1, least = Math.min(...ranges.map((r) => r.half || most));
  return ranges.map(({ middle, half }, k) => {
    const kept = half || most * 0.05;
    return { name: names[k] ?? "", middle, half: kept, extent: most / least < 25 ? kept / most : 1 };
  });
}

/** x, y, z, ... of the points; what is not a number is put far away. */
export function inCube(columns: ArrayLike<number>[], frames: Frame[]): Float32Array {
  const n = columns[0]?.length ?? 0, p = new Float32Array(3 * n);
  frames.forEach(({ middle, half, extent }, k) => {
    const column = columns[k]!, f = extent / half;
    for (let i = 0; i < n; i++) p[3 * i + k] = (column[i]! - middle) * f;
  });
  for (let i = 0; i < 3 * n; i += 3) if (!Number.isFinite(p[i]! + p[i + 1]! + p[i + 2]!)) p.fill(LOST, i, i + 3);
  return p;
}

/**
 * Many points are not one blob and few are not dust: diameters fall as n^-0.28, and where points lie in several layers,
 * opacity falls as the root of their number.
 */
export function suitable(n: number, area: number, zoom: number): { size: number; opacity: number } {
  const count = Math.max(1, n), base = Math.max(1.1, 7 * Math.pow(500 / count, 0.28));
  const size = Math.min(14, base * Math.pow(area / 250_000, 0.25) * Math.pow(zoom, 0.4));
  const layers = (count * size * size * 0.8) / (area * 0.3 * zoom * zoom);
  return { size, opacity: Math.max(0.04, 0.92 / Math.sqrt(Math.max(1, layers))) };
}
