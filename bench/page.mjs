#!/usr/bin/env node
// The page of lavdm report in Chromium with software rendering: how long until points are seen, and how many frames a second
// while a view turns, with how many points in each; and the processor's time of the page for either, which other work on the
// machine changes less. The least (most) of three.
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

const thread = async (cdp) => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "ThreadTime").value;

/* Seconds from the start of loading until the first view and the last were drawn, and frames while one turns by itself; of
   both the seconds of the processor that the page's own thread took. */
async function measure(path) {
  const page = await (await browser()).newPage({ viewport: { width: 1400, height: 900 } }), cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
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
  const firsts = await page.evaluate(() => window.firsts), opened = await thread(cdp);
  await page.waitForTimeout(1500);
  await page.getByLabel("Turn by itself").last().click();
  await page.waitForTimeout(3000); // it finds its pace
  const before = await thread(cdp), turned = await page.locator(".scatter").last().evaluate((view) => new Promise((done) => {
    const from = performance.now(), first = Number(view.dataset.frames), points = [];
    const watch = setInterval(() => points.push(Number(view.dataset.points)), 50);
    setTimeout(() => {
      clearInterval(watch);
      const frames = Number(view.dataset.frames) - first;
      done({ frames, rate: (1000 * frames) / (performance.now() - from), points: points.reduce((a, b) => a + b, 0) / points.length });
    }, 3000);
  }));
  const busy = (1000 * ((await thread(cdp)) - before)) / turned.frames;
  await page.close();
  return { first: firsts[0], all: Math.max(...firsts), opened, busy, ...turned };
}

console.log("points     page       made    first view  all views  processor  turning");
for (const n of [10_000, 100_000, 1_000_000]) {
  const { path, made } = pageOf(n), runs = [];
  for (let k = 0; k < 3; k++) runs.push(await measure(path));
  const least = (f) => Math.min(...runs.map(f)), best = runs.reduce((a, b) => (b.rate > a.rate ? b : a));
  console.log(`${String(n).padEnd(10)} ${(statSync(path).size / 1e6).toFixed(1).padStart(5)} MB  ${made.toFixed(1).padStart(6)} s  ${least((r) => r.first).toFixed(2).padStart(8)} s  ` +
    `${least((r) => r.all).toFixed(2).padStart(7)} s  ${least((r) => r.opened).toFixed(2).padStart(7)} s  ${best.rate.toFixed(0).padStart(3)} frames a second, ${Math.round(best.points)} points in each, ${best.busy.toFixed(0)} ms of the processor`);
}
await close();
