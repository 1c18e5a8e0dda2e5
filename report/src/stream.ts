// Evenly spaced lines along a vector field that is known at points near a surface. At a place x the field is the mean of
// that of the points around, with weights exp(-4 |x - x_j|^2 / h^2); distances are taken in all coordinates that are known
// (`hidden` ones too), so that sheets which only cross in the picture do not mix. A line steps along the mean field, is
// pulled to the points, and ends where another line is nearer than the spacing.

export interface Flow {
  n: number;
  /** x, y, z of each point; further coordinates, `extra` of them; the field in x, y, z; its size. */
  places: Float32Array; hidden: Float32Array; extra: number; field: Float32Array; size: Float32Array;
}
export interface Line { places: number[]; size: number[] }

class Cells {
  low = [0, 0, 0];
  count = [1, 1, 1];
  constructor(places: Float32Array, n: number, readonly side: number) {
    const high = [-Infinity, -Infinity, -Infinity];
    this.low = [Infinity, Infinity, Infinity];
    for (let i = 0; i < 3 * n; i++) {
      this.low[i % 3] = Math.min(this.low[i % 3]!, places[i]!);
      high[i % 3] = Math.max(high[i % 3]!, places[i]!);
    }
    this.count = this.low.map((l, k) => Math.max(1, Math.floor((high[k]! - l) / side) + 1));
  }
  get total(): number { return this.count[0]! * this.count[1]! * this.count[2]!; }
  axis(v: number, k: number): number { return Math.max(0, Math.min(this.count[k]! - 1, Math.floor((v - this.low[k]!) / this.side))); }
  at(x: number, y: number, z: number): number { return (this.axis(z, 2) * this.count[1]! + this.axis(y, 1)) * this.count[0]! + this.axis(x, 0); }
}

/** Median distance to the 12th nearest, from 40 points. */
export function reach(flow: Flow): number {
  const found: number[] = [], step = Math.max(1, Math.floor(flow.n / 40));
  for (let i = 0; i < flow.n; i += step) {
    const near = new Float64Array(13).fill(Infinity);
    for (let j = 0; j < flow.n; j++) {
      let d = distance2(flow, i, j);
      if (d >= near[12]!) continue;
      for (let k = 0; k < 13 && d < Infinity; k++) if (d < near[k]!) [near[k], d] = [d, near[k]!];
    }
    found.push(Math.sqrt(near[Math.min(12, flow.n - 1)]!));
  }
  return found.sort((a, b) => a - b)[found.length >> 1] ?? 1;
}

function distance2(flow: Flow, i: number, j: number): number {
  let d = 0;
  for (let k = 0; k < 3; k++) d += (flow.places[3 * i + k]! - flow.places[3 * j + k]!) ** 2;
  for (let k = 0; k < flow.extra; k++) d += (flow.hidden[flow.extra * i + k]! - flow.hidden[flow.extra * j + k]!) ** 2;
  return d;
}

export class Streams {
  private cells: Cells;
  private start: Uint32Array;
  private rows: Uint32Array;
  private h: number;
  private at: Float64Array; // mean place, mean hidden coordinates, mean field, mean size

  /** The field is smoothed over the distance to a few neighbours, and at least over `least`. */
  constructor(private flow: Flow, near: number, least: number) {
    this.h = Math.max(near, least, 1e-3);
    this.cells = new Cells(flow.places, flow.n, Math.max(this.h, 2 / 160));
    this.start = new Uint32Array(this.cells.total + 1);
    this.rows = new Uint32Array(flow.n);
    this.at = new Float64Array(7 + flow.extra);
    const cell = new Uint32Array(flow.n), p = flow.places;
    for (let i = 0; i < flow.n; i++) this.start[(cell[i] = this.cells.at(p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!)) + 1]!++;
    for (let k = 1; k < this.start.length; k++) this.start[k]! += this.start[k - 1]!;
    const next = this.start.slice();
    for (let i = 0; i < flow.n; i++) this.rows[next[cell[i]!]!++] = i;
  }

  /* Means around x (place, then hidden coordinates) into this.at; whether there are points. */
  private look(x: Float64Array): boolean {
    const { flow, cells, at } = this, { extra } = flow, h2 = this.h * this.h, f = 4 / h2;
    let sum = 0;
    at.fill(0);
    const [cx, cy, cz] = [cells.axis(x[0]!, 0), cells.axis(x[1]!, 1), cells.axis(x[2]!, 2)];
    for (let z = Math.max(0, cz - 1); z <= Math.min(cells.count[2]! - 1, cz + 1); z++)
      for (let y = Math.max(0, cy - 1); y <= Math.min(cells.count[1]! - 1, cy + 1); y++) {
        const row = (z * cells.count[1]! + y) * cells.count[0]!;
        const from = this.start[row + Math.max(0, cx - 1)]!, to = this.start[row + Math.min(cells.count[0]! - 1, cx + 1) + 1]!;
        for (let e = from; e < to; e++) {
          const j = this.rows[e]!;
          let d = 0;
          for (let k = 0; k < 3; k++) d += (x[k]! - flow.places[3 * j + k]!) ** 2;
          if (d > h2) continue;
          for (let k = 0; k < extra; k++) d += (x[3 + k]! - flow.hidden[extra * j + k]!) ** 2;
          if (d > h2) continue;
          const w = Math.exp(-f * d);
          sum += w;
          for (let k = 0; k < 3; k++) {
            at[k]! += w * flow.places[3 * j + k]!;
            at[3 + extra + k]! += w * flow.field[3 * j + k]!;
          }
          for (let k = 0; k < extra; k++) at[3 + k]! += w * flow.hidden[extra * j + k]!;
          at[6 + extra]! += w * flow.size[j]!;
        }
      }
    if (!(sum > 0)) return false;
    for (let k = 0; k < at.length; k++) at[k]! /= sum;
    return true;
  }

  /** Lines that are `spacing` apart, at most `longest` steps each way, from seeds in the order given. */
  lines(seeds: Iterable<number>, spacing: number, longest: number, weakest: number, most: number): Line[] {
    const { flow } = this, taken = new Cells(flow.places, flow.n, Math.max(spacing, 2 / 200)), owner = new Int32Array(taken.total).fill(-1);
    const out: Line[] = [];
    let id = 0;
    for (const seed of seeds) {
      const p = flow.places.subarray(3 * seed, 3 * seed + 3);
      if (owner[taken.at(p[0]!, p[1]!, p[2]!)]! >= 0 || !(flow.size[seed]! > weakest)) continue;
      id++;
      const back = this.trace(seed, -1, spacing, longest, weakest, taken, owner, id);
      const on = this.trace(seed, 1, spacing, longest, weakest, taken, owner, id);
      const line: Line = { places: [], size: [] };
      for (let k = back.size.length - 1; k > 0; k--) {
        line.places.push(back.places[3 * k]!, back.places[3 * k + 1]!, back.places[3 * k + 2]!);
        line.size.push(back.size[k]!);
      }
      line.places.push(...on.places);
      line.size.push(...on.size);
      if (line.size.length >= 4) out.push(line);
      if (out.length >= most) break;
    }
    return out;
  }

  private trace(seed: number, way: number, spacing: number, longest: number, weakest: number, taken: Cells, owner: Int32Array, id: number): Line {
    const { flow, at } = this, { extra } = flow, x = new Float64Array(3 + extra), line: Line = { places: [], size: [] }, step = 0.35 * spacing;
    for (let k = 0; k < 3; k++) x[k] = flow.places[3 * seed + k]!;
    for (let k = 0; k < extra; k++) x[3 + k] = flow.hidden[extra * seed + k]!;
    for (let s = 0; s <= longest; s++) {
      if (!this.look(x)) break;
      const cell = taken.at(x[0]!, x[1]!, x[2]!);
      if (owner[cell]! >= 0 && owner[cell] !== id) break;
      const v = [at[3 + extra]!, at[4 + extra]!, at[5 + extra]!] as const, l = Math.hypot(...v), size = at[6 + extra]!;
      if (!(size > weakest) || !(l > 0.15 * size)) break; // seen end on, or turning about a zero
      owner[cell] = id;
      line.places.push(x[0]!, x[1]!, x[2]!);
      line.size.push(size);
      // Across the field the place is drawn to the mean of the points; hidden coordinates follow it.
      const off = [0, 1, 2].map((k) => at[k]! - x[k]!), along = (off[0]! * v[0] + off[1]! * v[1] + off[2]! * v[2]) / (l * l);
      for (let k = 0; k < 3; k++) x[k]! += (way * step * v[k]!) / l + 0.3 * (off[k]! - along * v[k]!);
      for (let k = 0; k < extra; k++) x[3 + k] = at[3 + k]!;
    }
    return line;
  }
}
