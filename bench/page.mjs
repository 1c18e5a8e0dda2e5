#!/usr/bin/env node
// The page of lavdm report in Chromium with software rendering: how long until points are seen, and how many frames a second
// while a view is turned, with how many points in each. The least (most) of three: other work on the machine makes it slower.
//
//     tools/install-dependencies page && make report && bench/page.mjs [build/lavdm]
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

if (process.argv[2]) process.env.LAVDM_COMMAND = process.argv[2];
const { browser, close, folder, lavdm } = await import("../tests/page/support.mjs");
mkdirSync(folder, { recursive: true });

function pageOf(n) {
  const name = `klein-${n}`, path = join(folder, `${name}.html`);
  if (!existsSync(join(folder, `${name}.npz`))) {
    lavdm("sample", "klein", "-n", String(n), "-o", `${name}.npy`, "-q");
    lavdm("embed", `${name}.npy`, "--dim", "2", "--components", "8", "--landmarks", "500", "--trust", "no", "-o", `${name}.npz`, "-q");
  }
  const began = performance.now();
  lavdm("report", `${name}.npz`, "-o", `${name}.html`, "-q");
  return { path, made: (performance.now() - began) / 1000 };
}

/* Seconds from the start of loading until the first view and the last were drawn, and frames while one is turned. */
async function measure(path) {
  const page = await (await browser()).newPage({ viewport: { width: 1400, height: 900 } });
  await page.addInitScript(() => {
    const seen = new Set();
    window.firsts = [];
    new MutationObserver((all) => all.forEach(({ target }) => {
      if (seen.has(target)) return;
      seen.add(target);
      window.firsts.push(performance.now() / 1000);
    })).observe(document, { subtree: true, attributeFilter: ["data-frames"] });
  });
  await page.goto(`file://${path}`);
  await page.waitForFunction(() => document.querySelectorAll(".scatter").length && !document.querySelector(".scatter:not([data-frames]), .busy"), null, { timeout: 300_000 });
  const firsts = await page.evaluate(() => window.firsts);
  await page.waitForTimeout(1500);
  const view = page.locator(".scatter").last(), box = await view.boundingBox(), turned = [];
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const began = performance.now(), frames = async () => Number(await view.getAttribute("data-frames"));
  let k = 0, first = 0, from = 0;
  while (performance.now() - began < 6000) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.3 * Math.sin(k / 15)), box.y + box.height * (0.5 + 0.1 * Math.cos(k / 11)));
    k++;
    if (!first && performance.now() - began > 3000) [first, from] = [await frames(), performance.now()]; // it has found its pace
    if (first) turned.push(Number(await view.getAttribute("data-points")));
  }
  const rate = ((await frames()) - first) / ((performance.now() - from) / 1000);
  await page.mouse.up();
  await page.close();
  return { first: firsts[0], all: Math.max(...firsts), rate, points: turned.reduce((a, b) => a + b, 0) / turned.length };
}

console.log("points     page       made    first view  all views  turning");
for (const n of [10_000, 100_000, 1_000_000]) {
  const { path, made } = pageOf(n), runs = [];
  for (let k = 0; k < 3; k++) runs.push(await measure(path));
  const least = (f) => Math.min(...runs.map(f)), best = runs.reduce((a, b) => (b.rate > a.rate ? b : a));
  console.log(`${String(n).padEnd(10)} ${(statSync(path).size / 1e6).toFixed(1).padStart(5)} MB  ${made.toFixed(1).padStart(6)} s  ${least((r) => r.first).toFixed(2).padStart(8)} s  ` +
    `${least((r) => r.all).toFixed(2).padStart(7)} s  ${best.rate.toFixed(0).padStart(3)} frames a second, ${Math.round(best.points)} points in each`);
}
await close();
