// Every kind of run opens without an error or a request, shows its panels, and reads well without a mouse.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { kinds } from "./results.mjs";
import { close, open, pixels } from "./support.mjs";

after(close);

const panels = {
  sphere: ["Data", "Embedding", "Spectrum", "Nearest", "The run"],
  clouds: ["Data", "Embedding", "Spectrum", "Nearest", "The run"],
  mobius: ["Data", "Embedding", "Orientation", "The double cover", "Spectrum", "The run"],
  images: ["Embedding", "Images", "Spectrum", "The run"],
  averages: ["Averages", "What it is made of", "All members", "The run"],
  poses: ["Optimum", "Poses", "Residuals", "Trust in edges", "Node", "Components", "The run"],
  surveyed: ["Optimum", "Poses", "Residuals", "Node", "Components", "The run"],
  turns: ["The graph", "Residuals", "Node", "Components", "The run"],
  extended: ["Data", "Embedding", "Spectrum", "The run"],
  signals: ["Embedding", "Signals", "Spectrum", "The run"],
};

for (const [kind, make] of Object.entries(kinds))
  describe(kind, () => {
    for (const scheme of ["light", "dark"])
      test(`opens, ${scheme}`, async () => {
        const page = await open(make(), { scheme });
        const titles = await page.locator("h2").allTextContents();
        for (const wanted of panels[kind]) assert.ok(titles.includes(wanted), `no "${wanted}" among ${titles}`);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), scheme);
        assert.equal(await page.locator("[role=alert]").count(), 0);
        assert.deepEqual([page.errors, page.requests], [[], []]);
        await page.context().close();
      });
    test("fits a phone, a laptop and a wall", async () => {
      for (const [width, height] of [[390, 844], [1366, 768], [2560, 1440]]) {
        const page = await open(make(), { width, height });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} pixels wide on a screen of ${width}`);
        assert.deepEqual(page.errors, []);
        await page.context().close();
      }
    });
    test("has a name for everything that can be used", async () => {
      const page = await open(make());
      const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, input, [tabindex='0'], canvas[role=img], svg[role]")]
        .filter((e) => !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.title || e.textContent.trim() || e.labels?.length
          || e.getAttribute("placeholder")))
        .map((e) => e.outerHTML.slice(0, 120)));
      assert.deepEqual(nameless, []);
      assert.equal(await page.locator("main").count(), 1);
      assert.ok((await page.locator("h1").count()) === 1);
      await page.context().close();
    });
  });

test("every view has points in it", async () => {
  for (const kind of ["sphere", "clouds", "mobius", "poses", "surveyed", "turns"]) {
    const page = await open(kinds[kind]());
    const views = await page.locator(".scatter").count();
    for (let k = 0; k < views; k++) {
      const { data } = await pixels(await page.locator(".scatter").nth(k).screenshot());
      let coloured = 0;
      for (let i = 0; i < data.length; i += 3)
        coloured += Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 24 ? 1 : 0;
      assert.ok(coloured > 0.002 * (data.length / 3), `view ${k} of ${kind} is empty`);
    }
    await page.context().close();
  }
});
