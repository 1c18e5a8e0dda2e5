// Turns from matrices, signals shifted by them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { shifted, turnOf } = await load("thumbs.ts");
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("a turn, and a turn of the mirror image, come back from their matrices, whatever the matrix is scaled by", () => {
  for (const angle of [-3, -1.2, 0, 0.4, 2.9])
    for (const scale of [1, 0.003]) {
      const c = scale * Math.cos(angle), s = scale * Math.sin(angle);
      near(turnOf([c, -s, s, c]).angle, angle);
      assert.equal(turnOf([c, -s, s, c]).reflected, false);
      near(turnOf([c, s, s, -c]).angle, angle); // R(angle) diag(1, -1)
      assert.equal(turnOf([c, s, s, -c]).reflected, true);
    }
});
test("a signal goes to the right by its angle, reversed first if it is a mirror image", () => {
  const image = { height: 1, width: 8, pixels: Uint8Array.of(80, 10, 20, 30, 0, 0, 0, 0) }, step = Math.PI / 4;
  assert.deepEqual([...shifted(image, null)], [80, 10, 20, 30, 0, 0, 0, 0]);
  assert.deepEqual([...shifted(image, { angle: 2 * step, reflected: false })].map(Math.round), [0, 0, 80, 10, 20, 30, 0, 0]);
  assert.deepEqual([...shifted(image, { angle: 2 * step, reflected: true })].map(Math.round), [20, 10, 80, 0, 0, 0, 0, 30]);
});
