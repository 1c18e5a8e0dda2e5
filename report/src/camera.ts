// An orthographic camera around the unit cube [-1, 1]^3. Screen: x to the right and y down in CSS pixels,
//     (x, y) = (w, h)/2 + pan + s zoom (r1.p, -r2.p),   s such that at first the box of the points fits with its labels,
// depth = r3.p towards the reader. R = (r1, r2, r3) is a rotation; in the plane it is the identity.

export type Matrix3 = Float64Array; // row by row

const identity = () => Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);

/* From the front, a little from the right and from above; the third axis points up. */
const first = () => multiply(rotation(1, 0, 0, -1.12), rotation(0, 0, 1, -0.6));

export function multiply(a: Matrix3, b: Matrix3): Matrix3 {
  const c = new Float64Array(9);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++)
      c[3 * i + j] = a[3 * i]! * b[j]! + a[3 * i + 1]! * b[3 + j]! + a[3 * i + 2]! * b[6 + j]!;
  return c;
}

/** Rotation by `angle` about the unit vector (x, y, z) of the screen. */
export function rotation(x: number, y: number, z: number, angle: number): Matrix3 {
  const c = Math.cos(angle), s = Math.sin(angle), t = 1 - c;
  return Float64Array.of(t * x * x + c, t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c,
    t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, t * z * z + c);
}

/* Rows made orthonormal again, so that small errors of many turns do not add up. */
function orthonormal(m: Matrix3): Matrix3 {
  let l = Math.hypot(m[0]!, m[1]!, m[2]!);
  const a = [m[0]! / l, m[1]! / l, m[2]! / l] as const;
  const d = a[0] * m[3]! + a[1] * m[4]! + a[2] * m[5]!;
  const v = [m[3]! - d * a[0], m[4]! - d * a[1], m[5]! - d * a[2]] as const;
  l = Math.hypot(...v);
  const b = [v[0] / l, v[1] / l, v[2] / l] as const;
  return Float64Array.of(...a, ...b, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

export class Camera {
  r: Matrix3 = identity();
  zoom = 1;
  panX = 0;
  panY = 0;
  width = 1;
  height = 1;
  /** Half widths of the box of the points. */
  extents = [1, 1, 1];
  private fitted = { width: 0, height: 0, dims: 0, extents: [] as number[], scale: 1 };
  constructor(public dims: 2 | 3) { this.reset(); }

  reset(): void {
    this.zoom = 1;
    this.panX = this.panY = 0;
    this.r = this.dims === 2 ? identity() : first();
  }
  /** CSS pixels of one unit. */
  get scale(): number {
    const f = this.fitted;
    if (f.width !== this.width || f.height !== this.height || f.dims !== this.dims || f.extents !== this.extents)
      this.fitted = { width: this.width, height: this.height, dims: this.dims, extents: this.extents, scale: this.fit() };
    return this.fitted.scale * this.zoom;
  }
  private fit(): number {
    const r = this.dims === 2 ? identity() : first(), across = (k: number) => this.extents.reduce((s, e, j) => s + Math.abs(r[3 * k + j]!) * e, 0);
    const [x, y] = this.dims === 2 ? [66, 50] : [100, 84]; // room for texts
    return Math.max(20, Math.min((this.width - x) / across(0), (this.height - y) / across(1)) / 2);
  }
  turn(dx: number, dy: number): void {
    const angle = Math.hypot(dx, dy);
    if (this.dims === 2 || angle === 0) return;
    this.r = orthonormal(multiply(rotation(dy / angle, dx / angle, 0, angle), this.r));
  }
  roll(angle: number): void {
    if (this.dims === 3) this.r = orthonormal(multiply(rotation(0, 0, 1, angle), this.r));
  }
  pan(dx: number, dy: number): void {
    this.panX += dx;
    this.panY += dy;
  }
  /** Zooms by a factor and leaves the place (x, y) of the screen where it is. */
  zoomAt(factor: number, x = this.width / 2, y = this.height / 2): void {
    const next = Math.min(500, Math.max(0.2, this.zoom * factor)), f = next / this.zoom;
    this.panX = (x - this.width / 2) * (1 - f) + this.panX * f;
    this.panY = (y - this.height / 2) * (1 - f) + this.panY * f;
    this.zoom = next;
  }
  /** Screen place and depth of a point of the cube. */
  project(x: number, y: number, z: number): [number, number, number] {
    const r = this.r, s = this.scale;
    return [this.width / 2 + this.panX + s * (r[0]! * x + r[1]! * y + r[2]! * z),
      this.height / 2 + this.panY - s * (r[3]! * x + r[4]! * y + r[5]! * z), r[6]! * x + r[7]! * y + r[8]! * z];
  }
  /** The place of the plane under a place of the screen, for two dimensions. */
  unproject(x: number, y: number): [number, number] {
    const s = this.scale;
    return [(x - this.width / 2 - this.panX) / s, -(y - this.height / 2 - this.panY) / s];
  }
}
