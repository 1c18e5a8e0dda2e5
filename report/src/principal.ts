// Leading principal axes of some rows, by iteration of a block of vectors with the centred rows F:
//     V <- orthonormal(F'(F V)),  until the angles no longer change; then each axis on its own (Rayleigh-Ritz in F V).
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

/** The first `count` axes (unit vectors), and the coordinate of the mean along each. Rows are centred in place. */
export function leading(rows: Float64Array[], count: number): { axes: Float64Array[]; mean: number[] } {
  const width = rows[0]?.length ?? 1, mean = new Float64Array(width), size = Math.min(width, count + 5);
  for (const row of rows) for (let e = 0; e < width; e++) mean[e]! += row[e]! / rows.length;
  for (const row of rows) for (let e = 0; e < width; e++) row[e]! -= mean[e]!;
  // The widest rows are a start that has a share in every leading axis.
  const step = Math.max(1, Math.floor(rows.length / size));
  let block = Array.from({ length: size }, (_, k) => Float64Array.from(rows[k * step] ?? new Float64Array(width)));
  orthonormalise(block);
  for (let pass = 0; pass < 24; pass++) {
    const next = block.map(() => new Float64Array(width));
    for (const row of rows)
      block.forEach((v, k) => {
        const f = dot(row, v), w = next[k]!;
        for (let e = 0; e < width; e++) w[e]! += f * row[e]!;
      });
    block = next;
    orthonormalise(block);
  }
  const gram = new Float64Array(size * size);
  for (const row of rows) {
    const y = block.map((v) => dot(row, v));
    for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) gram[a * size + b]! += y[a]! * y[b]!;
  }
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
