// Leading principal axes of some rows, by iteration of a block of vectors with their covariance C:
//     V <- orthonormal(C V),  until the angles no longer change; then each axis on its own (Rayleigh-Ritz).
import { symmetricEigen } from "./linear";

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/* Gram-Schmidt, twice; a vector that vanishes stays zero. */
function orthonormalise(block: Float64Array[]): void {
  block.forEach((v, k) => {
    const before = Math.sqrt(dot(v, v));
    for (let pass = 0; pass < 2; pass++)
      for (let j = 0; j < k; j++) {
        const f = dot(v, block[j]!);
        for (let i = 0; i < v.length; i++) v[i]! -= f * block[j]![i]!;
      }
    const size = Math.sqrt(dot(v, v)), f = size > 1e-12 * before && size > 0 ? 1 / size : 0;
    for (let i = 0; i < v.length; i++) v[i]! *= f;
  });
}

/* C v of a symmetric matrix. */
const times = (c: Float64Array, v: Float64Array) => v.map((_, i) => dot(c.subarray(i * v.length, (i + 1) * v.length), v));

/** The first `count` axes (unit vectors), and the coordinate of the mean along each. Rows are centred in place. */
export function leading(rows: Float64Array[], count: number): { axes: Float64Array[]; mean: number[] } {
  const width = rows[0]?.length ?? 1, mean = new Float64Array(width), size = Math.min(width, count + 5), covariance = new Float64Array(width * width);
  for (const row of rows) for (let e = 0; e < width; e++) mean[e]! += row[e]! / rows.length;
  for (const row of rows) {
    for (let e = 0; e < width; e++) row[e]! -= mean[e]!;
    for (let d = 0; d < width; d++) {
      const f = row[d]!, at = d * width;
      for (let e = 0; e <= d; e++) covariance[at + e]! += f * row[e]!;
    }
  }
  for (let d = 0; d < width; d++) for (let e = 0; e < d; e++) covariance[e * width + d] = covariance[d * width + e]!;
  // Rows themselves are a start that has a share in every leading axis.
  const step = Math.max(1, Math.floor(rows.length / size));
  let block = Array.from({ length: size }, (_, k) => Float64Array.from(rows[k * step] ?? new Float64Array(width)));
  orthonormalise(block);
  for (let pass = 0; pass < 24; pass++) {
    block = block.map((v) => times(covariance, v));
    orthonormalise(block);
  }
  const image = block.map((v) => times(covariance, v)), gram = Float64Array.from({ length: size * size }, (_, e) => dot(block[Math.floor(e / size)]!, image[e % size]!));
  const { vectors } = symmetricEigen(gram, size);
  const axes = vectors.slice(0, Math.min(count, size)).map((c) => {
    const axis = new Float64Array(width);
    block.forEach((v, k) => {
      for (let e = 0; e < width; e++) axis[e]! += c[k]! * v[e]!;
    });
    return axis;
  });
  return { axes, mean: axes.map((a) => dot(a, mean)) };
}
