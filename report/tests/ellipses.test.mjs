// Covariances as ellipses; verdicts in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { root, ellipses, magnified } = await load("ellipses.ts"), { sentence } = await load("optimum.ts");

test("the root of a covariance, of full rank and not", () => {
  for (const [half, q] of [[[4, 1, 3], 2], [[2, 0.5, -0.3, 1.5, 0.2, 1], 3], [[1, 2, 4], 2], [[0, 0, 0], 2], [[0, 0, 0, 1, 0, 2], 3]]) {
    const l = root(half, q);
    let at = 0;
    for (let a = 0; a < q; a++)
      for (let b = a; b < q; b++) {
        let sum = 0;
        for (let k = 0; k < q; k++) sum += l[a * q + k] * l[b * q + k];
        assert.ok(Math.abs(sum - half[at]) < 1e-12, `${half}: ${a} ${b} ${sum}`);
        at++;
      }
  }
});

test("every point of an ellipse is at the distance that holds 95%", () => {
  const places = [[1, 5], [2, -3], null], spread = [[4, 0.5], [1, 0.1], [3, 0.7]];
  const { segments, factor, shown } = ellipses(places, spread, 10);
  assert.equal(shown, 2);
  assert.equal(factor, 1);
  for (let s = 0; s < segments.length; s += 3) {
    const i = s < segments.length / 2 ? 0 : 1, x = segments[s] - places[0][i], y = segments[s + 1] - places[1][i];
    const [a, b, c] = spread.map((column) => column[i]), d = a * c - b * b;
    assert.ok(Math.abs((c * x * x - 2 * b * x * y + a * y * y) / d - 5.991) < 1e-3);
    assert.equal(segments[s + 2], 0);
  }
});

test("ellipses too small to be seen are drawn larger, by a power of ten that is told", () => {
  assert.equal(magnified(1, 10), 1);
  assert.equal(magnified(0.001, 10), 100);
  assert.equal(magnified(0, 10), 1);
  assert.equal(magnified(1, 0), 1);
});

test("nodes without spread have no ellipse; of many nodes some have", () => {
  assert.equal(ellipses([[0], [0], [0]], [[0], [0], [0], [0], [0], [0]], 1).segments.length, 0);
  const n = 3000, ones = new Array(n).fill(1), none = new Array(n).fill(0);
  const { shown, segments } = ellipses([ones, ones, ones], [ones, none, none, ones, none, ones], 10);
  assert.ok(shown <= 400 && shown > 300);
  assert.equal(segments.length, shown * 3 * 28 * 6);
});

test("the verdict does not say twice what the heading says", () => {
  assert.equal(sentence("globally optimal: cost 3 is within 1e-9 of the bound", true), "Cost 3 is within 1e-9 of the bound.");
  assert.equal(sentence("not certified: too large", false), "Too large.");
  assert.equal(sentence("2 of 3 components certified; component 1 is not certified: x", false), "2 of 3 components certified; component 1 is not certified: x.");
});
