// The order in which points are drawn, far ones first, so that round soft points cover each other rightly.
// Depths are sorted by counting in 4096 classes: one pass over the points, one over the classes, one over the points.
// Points that are marked come after all others, so that nothing covers them.

const CLASSES = 4096;

export class Order {
  private keys = new Uint16Array(0);
  private counts = new Uint32Array(CLASSES + 1);

  /** Sorts `rows` by r3.p into out, from the back to the front; those whose `top` is set last. */
  sort(positions: Float32Array, rows: Uint32Array, r: ArrayLike<number>, out: Uint32Array, top: Uint8Array | null = null): void {
    const n = rows.length, a = r[6]!, b = r[7]!, c = r[8]!, counts = this.counts;
    if (this.keys.length < n) this.keys = new Uint16Array(n);
    const keys = this.keys, classes = top ? CLASSES / 2 : CLASSES, f = (classes - 1) / 3.6;
    counts.fill(0);
    for (let k = 0; k < n; k++) {
      const p = 3 * rows[k]!;
      const key = ((a * positions[p]! + b * positions[p + 1]! + c * positions[p + 2]! + 1.8) * f) | 0;
      const inside = key < 0 ? 0 : key >= classes ? classes - 1 : key, kept = top && top[rows[k]!] ? inside + classes : inside;
      keys[k] = kept;
      counts[kept + 1]!++;
    }
    for (let k = 1; k <= CLASSES; k++) counts[k]! += counts[k - 1]!;
    for (let k = 0; k < n; k++) out[counts[keys[k]!]!++] = rows[k]!;
  }
}

let last = new Uint32Array(0);

/** 0..n-1 in an order by chance, the same each time: its first m are a fair sample. Shared: not to be written to. */
export function shuffled(n: number): Uint32Array {
  if (last.length === n) return last;
  const rows = new Uint32Array(n);
  let state = 0x9e3779b9;
  for (let i = 0; i < n; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const j = (state >>> 0) % (i + 1);
    rows[i] = rows[j]!;
    rows[j] = i;
  }
  return (last = rows);
}
