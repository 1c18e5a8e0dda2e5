// Multiplicities and gaps, on spectra that are known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { gaps, multiplets, rate } = await load("multiplets.ts");
/* Rates near those given, each as often as said, moved by up to `spread` of themselves; the same every time. */
function spectrum(levels, spread) {
  let seed = 1;
  const chance = () => ((seed = (seed * 16807) % 2147483647) / 2147483647) * 2 - 1;
  return levels.flatMap(([r, times]) => Array.from({ length: times }, () => r * (1 + spread * chance()))).sort((a, b) => a - b);
}
const counts = (rates) => multiplets(rates).map((m) => [m.first, m.count]);

test("fields on the sphere: 6, 10, and 14 that the end cuts", () => {
  const rates = spectrum([[1, 6], [5, 10], [11, 9]], 0.02);
  assert.deepEqual(counts(rates), [[0, 6], [6, 10]]);
});
test("pairs that are equal to rounding stay pairs, also where two pairs are near", () => {
  const rates = [1, 1, 1.05, 1.05, 3, 3, 9];
  assert.deepEqual(counts(rates), [[0, 2], [2, 2], [4, 2]]);
});
test("rates that grow evenly are no multiplets, and have no gap", () => {
  const rates = Array.from({ length: 30 }, (_, l) => 10 + l);
  assert.deepEqual(counts(rates), []);
  assert.deepEqual(gaps(rates), []);
});
test("the widest gap comes first, and from zero it is infinite", () => {
  assert.deepEqual(gaps([0, 1, 1.1, 4, 4.1]).map((g) => [g.after, g.growth]), [[1, Infinity], [3, 4 / 1.1]]);
});
test("what is no eigenvalue of a diffusion does no harm", () => {
  for (const list of [[], [1], [NaN, 1, -0.5, 0], [1, 1, 1, 1]]) {
    const rates = list.map(rate);
    for (const m of multiplets(rates)) assert.ok(m.count >= 2 && m.first + m.count <= list.length);
    for (const g of gaps(rates)) assert.ok(g.growth >= 4 / 3);
  }
  assert.equal(rate(1), 0);
  assert.equal(rate(-0.1), Infinity);
});
