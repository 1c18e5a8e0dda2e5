// Which point is under the pointer, and which are inside a polygon: every point is projected as the shaders do it, and
// a grid of the screen lists the points of each cell. Made anew when the camera has moved and somebody asks.
import type { Camera } from "./camera";

const CELL = 12; // CSS pixels

export class Picker {
  x = new Float32Array(0);
  y = new Float32Array(0);
  depth = new Float32Array(0);
  private start = new Uint32Array(1);
  private rows = new Uint32Array(0);
  private across = 0;
  private down = 0;

  /** Positions are x, y, z of each point; `shown` leaves out those that are 0. */
  constructor(positions: Float32Array, camera: Camera, shown: Uint8Array | null) {
    const n = positions.length / 3, r = camera.r, s = camera.scale;
    const x = (this.x = new Float32Array(n)), y = (this.y = new Float32Array(n)), depth = (this.depth = new Float32Array(n));
    const cx = camera.width / 2 + camera.panX, cy = camera.height / 2 + camera.panY;
    const [a, b, c, d, e, f, g, h, i] = [...r].map((v, k) => (k < 3 ? v * s : k < 6 ? -v * s : v)) as
      [number, number, number, number, number, number, number, number, number];
    this.across = Math.ceil(camera.width / CELL);
    this.down = Math.ceil(camera.height / CELL);
    const start = (this.start = new Uint32Array(this.across * this.down + 1)), cells = new Int32Array(n);
    for (let k = 0; k < n; k++) {
      const p = positions[3 * k]!, q = positions[3 * k + 1]!, t = positions[3 * k + 2]!;
      x[k] = cx + a * p + b * q + c * t;
      y[k] = cy + d * p + e * q + f * t;
      depth[k] = g * p + h * q + i * t;
      cells[k] = shown && !shown[k] ? -1 : this.cell(x[k]!, y[k]!);
      if (cells[k]! >= 0) start[cells[k]! + 1]!++;
    }
    for (let k = 1; k < start.length; k++) start[k]! += start[k - 1]!;
    const next = start.slice(), rows = (this.rows = new Uint32Array(start[start.length - 1]!));
    for (let k = 0; k < n; k++) if (cells[k]! >= 0) rows[next[cells[k]!]!++] = k;
  }

  /** The front one of the points that cover the place, else the nearest within `reach`; -1 if there is none. */
  at(px: number, py: number, radius: number, reach: number): number {
    let best = -1, bestDistance = reach, front = -1, frontDepth = -Infinity;
    const c0 = Math.floor((px - reach) / CELL), c1 = Math.floor((px + reach) / CELL);
    const r0 = Math.floor((py - reach) / CELL), r1 = Math.floor((py + reach) / CELL);
    for (let r = Math.max(0, r0); r <= Math.min(this.down - 1, r1); r++)
      for (let c = Math.max(0, c0); c <= Math.min(this.across - 1, c1); c++)
        for (let k = this.start[r * this.across + c]!; k < this.start[r * this.across + c + 1]!; k++) {
          const row = this.rows[k]!, distance = Math.hypot(this.x[row]! - px, this.y[row]! - py);
          if (distance <= radius && this.depth[row]! > frontDepth) {
            front = row;
            frontDepth = this.depth[row]!;
          }
          if (distance < bestDistance) {
            best = row;
            bestDistance = distance;
          }
        }
    return front >= 0 ? front : best;
  }

  /** 1 for the points inside the polygon x0, y0, x1, y1, ... (odd crossings). */
  inside(polygon: number[], mask: Uint8Array): number {
    let low = Infinity, high = -Infinity, left = Infinity, right = -Infinity, count = 0;
    for (let k = 0; k < polygon.length; k += 2) {
      left = Math.min(left, polygon[k]!);
      right = Math.max(right, polygon[k]!);
      low = Math.min(low, polygon[k + 1]!);
      high = Math.max(high, polygon[k + 1]!);
    }
    for (const row of this.rows) {
      const px = this.x[row]!, py = this.y[row]!;
      if (px < left || px > right || py < low || py > high) continue;
      let odd = false;
      for (let k = 0, l = polygon.length - 2; k < polygon.length; l = k, k += 2) {
        const yk = polygon[k + 1]!, yl = polygon[l + 1]!;
        if (yk > py !== yl > py && px < ((polygon[l]! - polygon[k]!) * (py - yk)) / (yl - yk) + polygon[k]!) odd = !odd;
      }
      if (odd) {
        mask[row] = 1;
        count++;
      }
    }
    return count;
  }

  private cell(x: number, y: number): number {
    const c = Math.floor(x / CELL), r = Math.floor(y / CELL);
    return c >= 0 && r >= 0 && c < this.across && r < this.down ? r * this.across + c : -1;
  }
}
