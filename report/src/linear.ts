// Small dense matrices, row by row.

/** Eigenvalues, largest first, and eigenvectors of a symmetric matrix, by Jacobi's rotations. */
export function symmetricEigen(matrix: ArrayLike<number>, n: number): { values: number[]; vectors: number[][] } {
  const a = Float64Array.from(matrix), v = new Float64Array(n * n);
  for (let i = 0; i < n; i++) v[i * n + i] = 1;
  for (let sweep = 0; sweep < 50; sweep++) {
    let off = 0, all = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) (all += a[i * n + j]! ** 2), i !== j && (off += a[i * n + j]! ** 2);
    if (off <= 1e-28 * all) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = a[p * n + q]!;
        if (apq === 0) continue;
        const theta = (a[q * n + q]! - a[p * n + p]!) / (2 * apq), t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1), s = t * c;
        for (let k = 0; k < n; k++) {
          const x = a[k * n + p]!, y = a[k * n + q]!;
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (let k = 0; k < n; k++) {
          const x = a[p * n + k]!, y = a[q * n + k]!;
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
          const vx = v[k * n + p]!, vy = v[k * n + q]!;
          v[k * n + p] = c * vx - s * vy;
          v[k * n + q] = s * vx + c * vy;
        }
      }
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[j * n + j]! - a[i * n + i]!);
  return { values: order.map((i) => a[i * n + i]!), vectors: order.map((i) => Array.from({ length: n }, (_, k) => v[k * n + i]!)) };
}

/** The orthogonal matrix nearest to m: m (m'm)^(-1/2); the identity where m is singular. */
export function polar(m: number[], n: number): Float64Array {
  const out = new Float64Array(n * n);
  if (n === 1) return Float64Array.of(m[0]! < 0 ? -1 : 1);
  const gram = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) gram[i * n + j]! += m[k * n + i]! * m[k * n + j]!;
  const { values, vectors } = symmetricEigen(gram, n);
  if (!(values[0]! > 0) || !(values[n - 1]! > 1e-20 * values[0]!)) {
    for (let i = 0; i < n; i++) out[i * n + i] = 1;
    return out;
  }
  for (let e = 0; e < n; e++) {
    const v = vectors[e]!, f = 1 / Math.sqrt(values[e]!);
    for (let i = 0; i < n; i++) {
      let mv = 0;
      for (let k = 0; k < n; k++) mv += m[i * n + k]! * v[k]!;
      for (let j = 0; j < n; j++) out[i * n + j]! += f * mv * v[j]!;
    }
  }
  return out;
}
