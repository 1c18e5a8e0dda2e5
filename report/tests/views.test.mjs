// What the views do without a screen: projecting, picking, lasso, drawing order, lines along a field.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Camera } = await load("camera.ts");
const { Picker } = await load("pick.ts");
const { Order, shuffled } = await load("order.ts");
const { Streams, reach } = await load("stream.ts");

let state = 11;
const chance = () => ((state = (state * 48271) % 2147483647) / 2147483647) * 2 - 1;
const cloud = (n) => Float32Array.from({ length: 3 * n }, chance);

function camera(dims = 3) {
  const c = new Camera(dims);
  c.width = 500;
  c.height = 400;
  return c;
}

test("turning keeps lengths, zooming keeps the place under the pointer, resetting undoes both", () => {
  const c = camera(), first = c.project(0.3, -0.2, 0.6);
  for (let k = 0; k < 2000; k++) c.turn(0.03, 0.01 * Math.sin(k));
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += c.r[3 * i + k] * c.r[3 * j + k];
      assert.ok(Math.abs(sum - (i === j ? 1 : 0)) < 1e-12);
    }
  const p = c.project(0.3, -0.2, 0.6);
  c.zoomAt(3, p[0], p[1]);
  c.project(0.3, -0.2, 0.6).slice(0, 2).forEach((v, k) => assert.ok(Math.abs(v - p[k]) < 1e-9));
  c.reset();
  c.project(0.3, -0.2, 0.6).forEach((v, k) => assert.ok(Math.abs(v - first[k]) < 1e-12));
  const flat = camera(2), [x, y] = flat.project(0.2, 0.7, 0);
  flat.unproject(x, y).forEach((v, k) => assert.ok(Math.abs(v - [0.2, 0.7][k]) < 1e-12));
});

test("the point under the pointer is the front one of those there, else the nearest, else none: as a search of all says", () => {
  const n = 3000, p = cloud(n), c = camera(), shown = Uint8Array.from({ length: n }, (_, i) => (i % 7 ? 1 : 0)), picker = new Picker(p, c, shown);
  for (let trial = 0; trial < 300; trial++) {
    const x = 250 + 260 * chance(), y = 200 + 210 * chance();
    let front = -1, depth = -Infinity, best = -1, least = 9;
    for (let i = 0; i < n; i++) {
      const [px, py, pz] = c.project(p[3 * i], p[3 * i + 1], p[3 * i + 2]), d = Math.hypot(px - x, py - y);
      if (!shown[i] || px < 0 || py < 0 || px >= c.width || py >= c.height) continue;
      if (d <= 3 && pz > depth) [front, depth] = [i, pz];
      if (d < least) [best, least] = [i, d];
    }
    assert.equal(picker.at(x, y, 3, 9), front >= 0 ? front : best);
  }
});

test("a lasso takes what is inside it, of any shape", () => {
  const p = cloud(2000), c = camera(), picker = new Picker(p, c, null), mask = new Uint8Array(2000);
  const hollow = [150, 100, 350, 100, 350, 300, 150, 300, 150, 250, 300, 250, 300, 150, 150, 150]; // a box open to the left
  const count = picker.inside(hollow, mask);
  for (let i = 0; i < 2000; i++) {
    const [x, y] = [picker.x[i], picker.y[i]], box = x > 150 && x < 350 && y > 100 && y < 300, hole = x < 300 && y > 150 && y < 250;
    assert.equal(mask[i], box && !hole ? 1 : 0);
  }
  assert.equal(count, mask.reduce((s, v) => s + v, 0));
  assert.ok(count > 20);
});

test("points are drawn from the back to the front, each once; the first of a fair order are a sample of all", () => {
  const n = 5000, p = cloud(n), c = camera(), rows = shuffled(n), out = new Uint32Array(n);
  new Order().sort(p, rows, c.r, out);
  const depth = (i) => c.project(p[3 * i], p[3 * i + 1], p[3 * i + 2])[2];
  for (let k = 1; k < n; k++) assert.ok(depth(out[k]) > depth(out[k - 1]) - 2e-3);
  for (const list of [rows, out]) assert.deepEqual([...list].sort((a, b) => a - b), Array.from({ length: n }, (_, i) => i));
  const mean = rows.subarray(0, 1000).reduce((s, v) => s + v, 0) / 1000;
  assert.ok(Math.abs(mean - n / 2) < 5 * (n / Math.sqrt(12 * 1000)));
});

/* The unit circle's field around the origin, on points of a disc; a second sheet of the opposite field, apart only in a hidden coordinate. */
function flow(n) {
  const f = { n, extra: 1, places: new Float32Array(3 * n), hidden: new Float32Array(n), field: new Float32Array(3 * n), size: new Float32Array(n) };
  for (let i = 0; i < n; i++) {
    const r = Math.sqrt(Math.abs(chance())), a = Math.PI * chance(), way = i % 2 ? 1 : -1;
    f.places.set([r * Math.cos(a), r * Math.sin(a), 0], 3 * i);
    f.field.set([-way * r * Math.sin(a), way * r * Math.cos(a), 0], 3 * i);
    f.hidden[i] = i % 2 ? 1 : -1;
    f.size[i] = r;
  }
  return f;
}

test("lines follow the field, keep their sheet, and stay apart", () => {
  const f = flow(8000), spacing = 0.1, lines = new Streams(f, reach(f), 1.2 * spacing).lines(Array.from({ length: f.n }, (_, i) => i), spacing, 16, 0.05, 1000);
  assert.ok(lines.length > 10);
  const seen = new Map();
  lines.forEach(({ places, size }, id) => {
    assert.equal(places.length, 3 * size.length);
    const radius = (k) => Math.hypot(places[3 * k], places[3 * k + 1]);
    for (let k = 0; k < size.length; k++) {
      if (radius(k) > 0.3 && radius(k) < 0.85) assert.ok(Math.abs(radius(k) - radius(size.length >> 1)) < 0.12, "a circle");
      const cell = `${Math.floor((places[3 * k] + 2) / (spacing / 4))} ${Math.floor((places[3 * k + 1] + 2) / (spacing / 4))}`;
      seen.set(cell, (seen.get(cell) ?? new Set()).add(id));
    }
  });
  const crowded = [...seen.values()].filter((s) => s.size > 2).length;
  assert.ok(crowded < 0.02 * seen.size, `${crowded} of ${seen.size} cells`);
});

test("points are drawn from the back to the front, those that are marked after all others", async () => {
  const { Order } = await load("order.ts"), n = 500, p = new Float32Array(3 * n).map((_, i) => Math.sin(12.9898 * i)), rows = Uint32Array.from({ length: n }, (_, i) => i);
  const top = Uint8Array.from(rows, (i) => (i % 7 === 0 ? 1 : 0)), out = new Uint32Array(n), r = [0, 0, 0, 0, 0, 0, 0.6, 0, 0.8];
  const depth = (i) => 0.6 * p[3 * i] + 0.8 * p[3 * i + 2];
  for (const mask of [null, top]) {
    new Order().sort(p, rows, r, out, mask);
    assert.deepEqual([...out].sort((a, b) => a - b), [...rows]);
    const first = mask ? mask.reduce((s, v) => s - v, n) : n;
    for (let k = 1; k < n; k++) {
      if (mask) assert.equal(mask[out[k]], k >= first ? 1 : 0);
      if (k !== first) assert.ok(depth(out[k]) > depth(out[k - 1]) - 0.004, `${k}: ${depth(out[k - 1])}, then ${depth(out[k])}`);
    }
  }
});

test("a point that the page draws has its colour in its middle and covers what is behind it", async () => {
  const { Splat } = await load("splat.ts"), { Camera } = await load("camera.ts"), camera = new Camera(2), splat = new Splat();
  camera.width = camera.height = 64;
  const draw = (...rows) => {
    splat.clear(64, 64);
    splat.points(new Float32Array(6), Uint8Array.of(10, 200, 30, 255, 250, 60, 90, 255), Uint32Array.from(rows), camera, { size: 9, opacity: 1, fog: 0, ground: [1, 1, 1] }, 1);
  };
  draw(0, 1);
  assert.deepEqual([...splat.bytes.subarray(4 * (64 * 32 + 32), 4 * (64 * 32 + 32) + 4)], [250, 60, 90, 255]);
  assert.deepEqual([...splat.bytes.subarray(4 * (64 * 32 + 40), 4 * (64 * 32 + 40) + 4)], [0, 0, 0, 0]);
  draw(0);
  const covered = splat.bytes.reduce((s, v, i) => s + (i % 4 === 3 ? v : 0), 0) / 255;
  assert.ok(Math.abs(covered - (Math.PI * 81) / 4) < 2, `${covered} pixels`);
});
