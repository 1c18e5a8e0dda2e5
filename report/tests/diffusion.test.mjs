// Distances, alignments and principal axes of the page, against the formulas as they read, over the whole embedding.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Diffusion } = await load("diffusion.ts");

/* Numbers by chance, the same each time. */
let state = 7;
const chance = () => ((state = (state * 48271) % 2147483647) / 2147483647) * 2 - 1;

function page(n, q, r, more = {}) {
  const u = Array.from({ length: q * r }, () => Float32Array.from({ length: n }, chance));
  const eigenvalues = Array.from({ length: r }, (_, l) => 0.95 - 0.1 * l);
  return { u, eigenvalues, rows: n, facts: more.facts ?? {}, has: (name) => name in { eigenvectors: 1, eigenvalues: 1, ...more.arrays },
    shape: () => [n, q, r], values: (name) => (name === "eigenvalues" ? eigenvalues : more.arrays[name]), column: async (_, j) => u[j] };
}

/* The embedding of a point: (lambda_l lambda_s)^t <u_l, u_s>, times sqrt 2 if l < s. */
function embedding({ u, eigenvalues }, q, i, t, r = eigenvalues.length) {
  const out = [], f = (l) => Math.max(0, eigenvalues[l]) ** t;
  for (let l = 0; l < r; l++)
    for (let s = l; s < r; s++) {
      let sum = 0;
      for (let c = 0; c < q; c++) sum += u[c * eigenvalues.length + l][i] * u[c * eigenvalues.length + s][i];
      out.push(f(l) * f(s) * sum * (l < s ? Math.SQRT2 : 1));
    }
  return out;
}
const distance = (a, b) => Math.hypot(...a.map((v, k) => v - b[k]));
const near = (a, b, e) => assert.ok(Math.abs(a - b) <= e, `${a} is not ${b}`);

for (const q of [1, 2, 3])
  for (const t of [0, 0.5, 3])
    test(`vector diffusion distances are distances in the embedding: q = ${q}, t = ${t}`, async () => {
      const p = page(60, q, 5), d = Diffusion.of(p), found = await d.from(7, t), own = embedding(p, q, 7, t);
      const all = Array.from({ length: 60 }, (_, j) => distance(own, embedding(p, q, j, t)));
      all.forEach((v, j) => near(found.distances[j], v, 1e-3));
      const order = all.map((_, j) => j).filter((j) => j !== 7).sort((a, b) => all[a] - all[b]).slice(0, 10);
      assert.deepEqual(d.nearest(7, 10, found).map((x) => x.row), order);
    });

test("functions have diffusion distances", async () => {
  const p = page(40, 1, 4, { arrays: { coordinate_index: [0, 1] } }), d = Diffusion.of(p), { distances } = await d.from(3, 2);
  for (let j = 0; j < 40; j++) near(distances[j], Math.hypot(...p.eigenvalues.map((v, l) => v ** 2 * (p.u[l][3] - p.u[l][j]))), 1e-5);
});

test("an eigenvalue below zero counts as zero, and points that are not numbers are nobody's neighbours", async () => {
  const p = page(30, 2, 3);
  p.eigenvalues[2] = -0.4;
  for (const column of p.u) column[5] = NaN;
  const d = Diffusion.of(p), found = await d.from(0, 1.5), rows = d.nearest(0, 29, found).map((x) => x.row);
  assert.equal(rows.length, 28);
  assert.ok(!rows.includes(5) && !rows.includes(0));
  near(found.distances[9], distance(embedding(p, 2, 0, 1.5), embedding(p, 2, 9, 1.5)), 1e-4);
});

test("a neighbour that is the focus turned is aligned by that turn", async () => {
  const p = page(10, 2, 4), c = Math.cos(0.7), s = Math.sin(0.7), r = 4;
  for (let l = 0; l < r; l++) { // u[1] = R' u[0], so that R takes what is at 1 to 0
    p.u[l][1] = c * p.u[l][0] + s * p.u[r + l][0];
    p.u[r + l][1] = -s * p.u[l][0] + c * p.u[r + l][0];
  }
  const d = Diffusion.of(p), first = d.nearest(0, 1, await d.from(0, 1))[0];
  assert.equal(first.row, 1);
  [c, -s, s, c].forEach((v, k) => near(first.matrix[k], v, 1e-6));
});

test("principal axes: as much variance as the best directions have, in order, and distances along all of them are kept", async () => {
  const n = 300, p = page(n, 2, 2), d = Diffusion.of(p), t = 1; // the embedding has 3 entries, so 3 axes are all of it
  const axes = await Promise.all([0, 1, 2].map((k) => d.principal(t, k)));
  for (const [i, j] of [[0, 1], [5, 200], [17, 299]])
    near(Math.hypot(...axes.map((a) => a[i] - a[j])), distance(embedding(p, 2, i, t), embedding(p, 2, j, t)), 1e-4);
  const variance = axes.map((a) => a.reduce((s, v) => s + v * v, 0) / n), mean = axes.map((a) => a.reduce((s, v) => s + v, 0) / n);
  assert.ok(variance[0] >= variance[1] && variance[1] >= variance[2]);
  mean.forEach((m) => near(m, 0, 1e-5));
  for (const [a, b] of [[0, 1], [0, 2], [1, 2]]) near(axes[a].reduce((s, v, i) => s + v * axes[b][i], 0) / n, 0, 1e-4 * variance[0]);
});
