// Numbers in words, ticks, bins.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { bytes, digits, logTicks, scale, seconds } = await load("scale.ts");
const { bins } = await load("chart.ts");

test("numbers as they are read", () => {
  assert.deepEqual([0, 0.018432, -2.5, 4.7e-16, 1e-5, 12300, NaN, null, Infinity].map((v) => digits(v)),
    ["0", "0.0184", "−2.5", "4.7×10⁻¹⁶", "10⁻⁵", "12,300", "–", "–", "∞"]);
  assert.deepEqual([0.0042, 0.31, 75, 7300].map(seconds), ["4.2 ms", "0.31 s", "1 min 15 s", "2 h 2 min"]);
  assert.deepEqual([12, 40476672, 3.2e9].map(bytes), ["12 bytes", "40.5 MB", "3.2 GB"]);
});
test("a scale and its inverse, and powers of ten that are not too many", () => {
  const s = scale([1e-6, 10], [0, 700], true);
  assert.ok(Math.abs(s(1e-3) - 300) < 1e-9 && Math.abs(s.invert(300) - 1e-3) < 1e-12);
  for (const n of [1, 2, 3, 5, 8]) assert.ok(logTicks(1e-16, 1e3, n).length <= n);
});
test("bins hold every finite value once, of their logarithms where they span decades", () => {
  const values = Array.from({ length: 1000 }, (_, i) => 10 ** (-4 + (i % 100) / 20)).concat(NaN, Infinity), b = bins(values);
  assert.equal(b.log, true);
  assert.equal(b.counts.reduce((a, n) => a + n), 1000);
  assert.equal(bins([3, 3, 3]).counts.reduce((a, n) => a + n), 3);
  assert.equal(bins([-1, 5, 1e9]).log, false);
  assert.equal(bins([]).counts[0], 0);
});
