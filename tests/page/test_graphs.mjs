// Synchronisation and averages: the threshold, the node and its worst edges, an average and what it is made of.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { averages, described, poses, surveyed, turns } from "./results.mjs";
import { close, drawn, open, pixels } from "./support.mjs";

after(close);

const panel = (page, title) => page.locator("section, .panel").filter({ has: page.getByRole("heading", { name: title, exact: true }) }).last();

test("the threshold leaves out the edges that fit", async () => {
  for (const make of [poses, turns]) {
    const page = await open(make()), view = page.locator(".scatter").first();
    const dark = async () => (await pixels(await view.screenshot(), 150)).data.reduce((a, v) => a + 255 - v, 0);
    const slider = panel(page, "Residuals").locator("input[type=range]");
    const all = await dark();
    await slider.fill(await slider.evaluate((e) => String(Number(e.min) + 0.98 * (Number(e.max) - Number(e.min)))));
    await drawn(page);
    assert.ok((await dark()) < 0.9 * all, "as many edges as before");
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
});

test("a node tells the edges that fit it worst, as the result has them", async () => {
  const path = poses(), { arrays } = described(path), page = await open(path);
  assert.ok(arrays.edges && arrays.residuals);
  const search = page.getByRole("combobox", { name: /Find/ });
  await search.fill("17");
  await page.locator("#found li").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(400);
  const text = await panel(page, "Node").innerText();
  assert.match(text, /\b17\b/);
  const worst = [...text.matchAll(/(\d+(?:\.\d+)?(?:e-?\d+)?)/g)].map((m) => Number(m[1]));
  assert.ok(worst.length >= 4, text);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("components are told with their gap and residuals", async () => {
  const path = poses(), { arrays } = described(path), page = await open(path);
  const text = (await panel(page, "Components").innerText()).replaceAll(",", "");
  for (const name of ["component_nodes", "component_edges"]) assert.ok(text.includes(String(arrays[name].values[0])), `${name} is not in ${text}`);
  await page.context().close();
});

test("an average shows the members that the table names, and these can be seen as they are", async () => {
  const path = averages(), page = await open(path);
  await page.getByRole("button", { name: "Average 7", exact: true }).click();
  await page.waitForTimeout(400);
  const members = panel(page, "What it is made of"), text = await members.innerText();
  assert.match(text, /image 7\b/);
  const { arrays } = described(path), near = arrays.neighbours.shape[1];
  assert.ok(text.includes(`average of ${near + 1}`) && text.includes(`${near} neighbours`), text);
  const turned = await members.locator("canvas").count();
  assert.ok(turned >= 5, `${turned} pictures`);
  const before = (await pixels(await members.screenshot(), 200)).data;
  await members.getByRole("button", { name: "as they are" }).click();
  await page.waitForTimeout(400);
  const after = (await pixels(await members.screenshot(), 200)).data;
  assert.ok(after.some((v, i) => Math.abs(v - before[i]) > 20), "the members did not turn");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("what is proved stands first, with its cost", async () => {
  const page = await open(poses()), text = await panel(page, "Optimum").innerText();
  assert.match(text, /Globally optimal/);
  assert.match(text, /for the edges as they are trusted/);
  assert.match(text, /cost/);
  assert.match(await page.locator("header .verdict").innerText(), /Globally optimal/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("covariances are ellipses that can be left out, points are crosses, and least squares has no proof", async () => {
  const path = surveyed(), { arrays } = described(path), page = await open(path), whole = panel(page, "Poses");
  assert.equal(arrays.point_positions.shape[0], 10);
  const words = await whole.innerText();
  assert.match(words, /Ellipses hold a position with 95%/);
  assert.match(words, /Crosses are points that were sighted/);
  const text = await panel(page, "Optimum").innerText();
  assert.match(text, /Not certified/);
  assert.match(text, /least squares from the optimum of the edges/i);
  assert.match(text, /χ², by least squares/);
  const view = page.locator(".scatter").first(), dark = async () => (await pixels(await view.screenshot(), 300)).data.reduce((a, v) => a + 255 - v, 0);
  const before = await dark();
  await whole.getByLabel("Covariances").uncheck();
  await drawn(page);
  assert.ok((await dark()) < 0.99 * before, "as much ink without ellipses");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});
