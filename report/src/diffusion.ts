// The embedding and its distances from the eigenvectors u_l[i] in R^q of the page. With y_l[i] = lambda_l^t u_l[i]
// (an eigenvalue below zero counts as zero):
//     q = 1     coordinate l of i is y_l[i]
//     q > 1     the embedding of i has the entries <y_l, y_s> for l <= s, times sqrt 2 if l < s; a direction in it is
//               a symmetric matrix W: coordinate = sum_ls W_ls <y_l, y_s>
//     M_ij = sum_l y_l[i] y_l[j]',   a_ij = |M_ij|^2,   distance^2 = a_ii + a_jj - 2 a_ij
// and for functions (q = 1 without signs to choose) distance^2 = sum_l (y_l[i] - y_l[j])^2.
import { polar } from "./linear";
import type { Column, Page } from "./load";
import { leading } from "./principal";
import type { Neighbour } from "./store";

const SAMPLE = 4000; // points that determine the principal axes
const PAIRED = 24; // eigenvectors that the axes are made of
const PIECE = 100_000; // points between two breaths of the page
const DRAWN = 3; // of these, in one pass
export const AXES = 6; // principal axes of the embedding that can be drawn

/** Columns u_l[c] at [c r + l], and for each axis the weights of the products u_l u_s, l <= s, in its coordinate. */
interface Axes { columns: Column[]; r: number; weights: Float64Array[]; mean: number[] }

/** Lets the page breathe between two pieces of a long computation. */
const breathe = () => new Promise<void>((done) => setTimeout(done));

export class Diffusion {
  readonly q: number;
  /** Eigenvectors that the page has. */
  readonly r: number;
  readonly eigenvalues: number[];
  /** Whether eigenvectors are functions, compared by diffusion distance. */
  readonly functions: boolean;
  private counted: number[] = [];
  private own: { time: number; values: Float32Array } | null = null;
  private axes: { time: number; found: Promise<Axes>; columns: Map<number, Promise<Float32Array>> } | null = null;
  private last = new Map<number, Float32Array>();

  private constructor(readonly page: Page) {
    const [, q = 1, r = 1] = page.shape("eigenvectors");
    this.q = q;
    this.r = r;
    this.eigenvalues = page.values("eigenvalues");
    this.use(null);
    this.functions = q === 1 && (page.has("coordinate_index") || page.facts.bundle === "trivial");
  }
  /** Lets eigenvectors first .. last alone count for principal axes, distances and alignments; null: all of them. */
  use(range: readonly [number, number] | null): void {
    this.counted = this.eigenvalues.slice(0, this.r).map((_, l) => l).filter((l) => !range || (l >= range[0] && l <= range[1]));
    this.own = this.axes = null;
  }
  static of(page: Page): Diffusion | null {
    return page.has("eigenvectors") && page.has("eigenvalues") && page.rows > 0 ? new Diffusion(page) : null;
  }

  damping(l: number, t: number): number { return Math.pow(Math.max(0, this.eigenvalues[l]!), t); }

  /** Entry c of eigenvector l at every point. */
  column(l: number, c = 0): Promise<Column> { return this.page.column("eigenvectors", c * this.r + l); }

  /** Eigenvectors that are drawn first, where they are coordinates: those named, else those that are not constant. */
  lead(): number[] {
    if (this.page.has("coordinate_index")) {
      const named = this.page.values("coordinate_index").filter((l) => Number.isInteger(l) && l >= 0 && l < this.r);
      if (named.length) return named;
    }
    const all = this.eigenvalues.slice(0, this.r).map((_, l) => l), moving = all.filter((l) => this.eigenvalues[l]! < 1 - 1e-9);
    return this.q === 1 && moving.length >= 2 ? moving : all;
  }

  /** Coordinate l at time t, for q = 1. */
  async coordinate(l: number, t: number): Promise<Float32Array> {
    const u = await this.column(l), f = this.damping(l, t);
    return Float32Array.from(u, (v) => f * v);
  }

  /** Coordinate along principal axis k of the embedding at time t. */
  principal(t: number, k: number): Promise<Float32Array> {
    if (this.axes?.time !== t) this.axes = { time: t, found: this.findAxes(t), columns: new Map() };
    const { found, columns } = this.axes, together = k < DRAWN ? DRAWN : 1, first = k < DRAWN ? 0 : k;
    if (!columns.has(k)) {
      const all = found.then((f) => this.along(f, first, together));
      for (let j = 0; j < together; j++) columns.set(first + j, all.then((list) => list[j]!));
    }
    return columns.get(k)!;
  }

  private async findAxes(t: number): Promise<Axes> {
    const n = this.page.rows, q = this.q, list = this.counted.slice(0, PAIRED), r = list.length, features = (r * (r + 1)) / 2;
    const columns = await Promise.all(Array.from({ length: q * r }, (_, e) => this.column(list[e % r]!, Math.floor(e / r))));
    const step = Math.max(1, Math.floor(n / SAMPLE)), rows: Float64Array[] = [], scales = new Float64Array(features);
    for (let l = 0, e = 0; l < r; l++)
      for (let s = l; s < r; s++) scales[e++] = (l < s ? Math.SQRT2 : 1) * this.damping(list[l]!, t) * this.damping(list[s]!, t);
    for (let i = 0; i < n; i += step) {
      const row = new Float64Array(features);
      for (let c = 0; c < q; c++)
        for (let l = 0, e = 0; l < r; l++)
          for (let s = l; s < r; s++, e++) row[e]! += scales[e]! * columns[c * r + l]![i]! * columns[c * r + s]![i]!;
      if (row.every(Number.isFinite)) rows.push(row);
    }
    const { axes, mean } = leading(rows, AXES);
    return { columns, r, mean, weights: axes.map((axis) => axis.map((w, e) => w * scales[e]!)) };
  }

  /* Coordinates along axes first .. first + count - 1, at most three, in one pass over the points. */
  private async along({ columns, r, weights, mean }: Axes, first: number, count: number): Promise<Float32Array[]> {
    const n = this.page.rows, q = this.q, own = new Float64Array(r), nothing = new Float64Array((r * (r + 1)) / 2);
    const out = Array.from({ length: count }, () => new Float32Array(n)), [a, b, c] = [0, 1, 2].map((k) => weights[first + k] ?? nothing) as [Float64Array, Float64Array, Float64Array];
    const [x, y, z] = [out[0]!, out[1] ?? out[0]!, out[2] ?? out[0]!], [mx, my, mz] = [0, 1, 2].map((k) => mean[first + k] ?? 0) as [number, number, number];
    for (let from = 0; from < n; from += PIECE) {
      for (let i = from; i < Math.min(n, from + PIECE); i++) {
        let sx = 0, sy = 0, sz = 0;
        for (let d = 0; d < q; d++) {
          for (let l = 0; l < r; l++) own[l] = columns[d * r + l]![i]!;
          for (let l = 0, e = 0; l < r; l++) {
            let tx = 0, ty = 0, tz = 0;
            for (let s = l; s < r; s++, e++) {
              const v = own[s]!;
              tx += a[e]! * v;
              ty += b[e]! * v;
              tz += c[e]! * v;
            }
            const u = own[l]!;
            sx += u * tx;
            sy += u * ty;
            sz += u * tz;
          }
        }
        if (count > 1) {
          z[i] = sz - mz;
          y[i] = sy - my;
        }
        x[i] = sx - mx;
      }
      await breathe();
    }
    out.forEach((column, k) => this.keepSign(column, first + k));
    return out;
  }

  /* An axis keeps its direction when the time changes a little. */
  private keepSign(now: Float32Array, k: number): void {
    const before = this.last.get(k);
    let sum = 0;
    for (let i = 0; before && i < now.length; i++) if (!Number.isNaN(now[i]! * before[i]!)) sum += now[i]! * before[i]!;
    if (sum < 0) for (let i = 0; i < now.length; i++) now[i]! *= -1;
    this.last.set(k, now);
  }

  /* a_jj of every point. */
  private async self(t: number): Promise<Float32Array> {
    if (this.own?.time === t) return this.own.values;
    const n = this.page.rows, q = this.q, values = new Float32Array(n), counted = this.counted;
    for (let a = 0; a < q; a++)
      for (let b = a; b < q; b++) {
        const sum = new Float32Array(n);
        for (const l of counted) {
          const ua = await this.column(l, a), ub = await this.column(l, b), f = this.damping(l, 2 * t);
          for (let j = 0; j < n; j++) sum[j]! += f * ua[j]! * ub[j]!;
        }
        for (let j = 0; j < n; j++) values[j]! += (a === b ? 1 : 2) * sum[j]! * sum[j]!;
        await breathe();
      }
    if (counted === this.counted) this.own = { time: t, values };
    return values;
  }

  /** Distances from point i, and the matrices M that compare it with every other: entry (c, d) at [c q + d]. */
  async from(i: number, t: number): Promise<{ distances: Float32Array; products: Float32Array[] }> {
    const n = this.page.rows, q = this.q, distances = new Float32Array(n);
    const products = Array.from({ length: q * q }, () => new Float32Array(n));
    for (const l of this.counted)
      for (let d = 0; d < q; d++) {
        const u = await this.column(l, d), f = this.damping(l, 2 * t);
        for (let c = 0; c < q; c++) {
          const own = f * (await this.column(l, c))[i]!, m = products[c * q + d]!;
          for (let j = 0; j < n; j++) m[j]! += own * u[j]!;
        }
        if (!this.functions) continue;
        for (let j = 0; j < n; j++) distances[j]! += f * (u[i]! - u[j]!) ** 2;
      }
    if (!this.functions) {
      const own = await this.self(t);
      for (let j = 0; j < n; j++) {
        let both = 0;
        for (const m of products) both += m[j]! * m[j]!;
        distances[j] = Math.max(0, own[i]! + own[j]! - 2 * both);
      }
    }
    for (let j = 0; j < n; j++) distances[j] = Math.sqrt(distances[j]!);
    distances[i] = 0;
    return { distances, products };
  }

  /** The k nearest of i among those that have a distance, nearest first, and the matrices that align them with i. */
  nearest(i: number, k: number, { distances, products }: { distances: Float32Array; products: Float32Array[] }): Neighbour[] {
    const best: number[] = [];
    let worst = Infinity;
    for (let j = 0; j < distances.length; j++) {
      const d = distances[j]!;
      if (j === i || !(d < worst)) continue;
      let at = best.length;
      while (at > 0 && distances[best[at - 1]!]! > d) at--;
      best.splice(at, 0, j);
      if (best.length > k) best.pop();
      if (best.length === k) worst = distances[best[k - 1]!]!;
    }
    return best.map((row) => ({ row, distance: distances[row]!, matrix: polar(products.map((m) => m[row]!), this.q) }));
  }
}
