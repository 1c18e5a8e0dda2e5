// What the hand does to views of points: hover, click, lasso, sliders, menus, keys, search, exports do what they say,
// checked against the command's own numbers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { clouds, images, lavdm, mobius, sphere } from "./results.mjs";
import { close, drawn, open, pixels } from "./support.mjs";

after(close);

const view = (page, name) => page.locator(`section[aria-label="${name}"] .scatter`);
const count = async (page) => Number(((await page.locator("[aria-label=Selection] .count").textContent()).match(/^[\d,]+(?= of .* selected)/)?.[0] ?? "0").replaceAll(",", ""));
const live = (page) => page.locator("[aria-live=polite]").first().textContent();

/* A place in the view where a point is found, by looking on a grid. */
async function findPoint(page, name, from = 0.5) {
  const box = await view(page, name).boundingBox();
  for (let k = 0; k < 900; k++) {
    const radius = (0.45 * Math.sqrt(k)) / 30, angle = 2.4 * k;
    const x = box.x + box.width * (from + radius * Math.cos(angle)), y = box.y + box.height * (0.5 + radius * Math.sin(angle));
    await page.mouse.move(x, y);
    if (await page.locator(".tooltip.shown").count()) return { x, y };
  }
  throw new Error(`no point under the pointer in ${name}`);
}

async function drag(page, name, places) {
  const box = await view(page, name).boundingBox(), at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
  await page.mouse.move(...at(places[0]));
  await page.mouse.down();
  for (const place of places.slice(1)) await page.mouse.move(...at(place), { steps: 6 });
  await page.mouse.up();
  await page.waitForTimeout(300);
}
const around = [[0.03, 0.03], [0.97, 0.03], [0.97, 0.97], [0.03, 0.97]];
const left = [[0.03, 0.03], [0.5, 0.03], [0.5, 0.97], [0.03, 0.97]];

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

test("hover tells the point, in its id, label and coordinates", async () => {
  const page = await open(clouds());
  await findPoint(page, "Data");
  await page.waitForTimeout(200);
  const text = await page.locator(".tooltip.shown").innerText();
  assert.match(text, /p\d+/);
  assert.match(text, /west|middle|east/);
  const id = text.match(/p(\d+)/)[1], place = ["west", "middle", "east"][Number(id) % 3];
  assert.ok(text.includes(place), `${id} is in ${place}: ${text}`);
  await page.mouse.move(2, 2);
  assert.equal(await page.locator(".tooltip.shown").count(), 0);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a click finds the nearest by vector diffusion distance, as the command does", async () => {
  const page = await open(sphere());
  const { x, y } = await findPoint(page, "Embedding");
  await page.mouse.click(x, y);
  await page.waitForTimeout(400);
  const row = Number((await page.locator("#nearest strong, .nearest strong").first().textContent()).match(/\d+/)[0]);
  const lines = (await page.locator("table.nearest tbody tr").allInnerTexts()).slice(0, 5).map((line) => line.trim().split(/\s+/));
  lavdm("embed", "sphere.npy", "--dim", "2", "--components", "12", "--landmarks", "150", "-o", "sphere.h5", "-q");
  const { index, distance, alignment } = JSON.parse(lavdm("distance", "sphere.h5", "--from", String(row), "-k", "5", "--json"));
  assert.deepEqual(lines.map((words) => Number(words[1])), index[0]);
  lines.forEach(([, , far, turned], k) => {
    assert.ok(Math.abs(Number(far) - distance[0][k]) < 2e-3 * distance[0][k], `${far} is not ${distance[0][k]}`);
    const [[a, b], [c, d]] = alignment[0][k], angle = (180 / Math.PI) * Math.atan2(c - b, a + d), said = Number(turned.replace("−", "-").replace("°", ""));
    assert.ok(Math.abs(((said - angle + 540) % 360) - 180) < 0.6, `${turned} is not ${angle}`);
  });
  await page.context().close();
});

test("a lasso in one view selects in both, and adds, takes away, inverts, clears", async () => {
  const page = await open(clouds());
  await page.keyboard.press("l");
  await drag(page, "Data", around);
  assert.equal(await count(page), 300);
  assert.match(await live(page), /300 of 300 points are selected/);
  await drag(page, "Data", left);
  const some = await count(page);
  assert.ok(some > 20 && some < 280, `${some} of 300`);
  const bright = await pixels(await view(page, "Embedding").screenshot(), 200);
  await page.getByLabel("Select what is not selected").click();
  assert.equal(await count(page), 300 - some);
  const other = await pixels(await view(page, "Embedding").screenshot(), 200);
  assert.ok(other.data.some((v, i) => Math.abs(v - bright.data[i]) > 30), "the other view did not follow");
  await page.keyboard.down("Control");
  await drag(page, "Embedding", around);
  await page.keyboard.up("Control");
  assert.equal(await count(page), 300);
  await page.keyboard.down("Alt");
  await drag(page, "Data", left);
  await page.keyboard.up("Alt");
  assert.equal(await count(page), 300 - some);
  await page.keyboard.press("Escape");
  assert.equal(await count(page), 0);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("what is selected is saved as it is in the result", async () => {
  const page = await open(clouds());
  await page.keyboard.press("b");
  await drag(page, "Data", [[0.02, 0.02], [0.98, 0.98]]);
  const { name, bytes } = await saved(page, page.getByLabel("Save the selected points as CSV"));
  assert.equal(name, "clouds-selection.csv");
  const [head, ...rows] = bytes.toString("utf8").trim().split(/\r?\n/).map((line) => line.split(","));
  assert.deepEqual(head.slice(0, 6), ["row", "id", "place", "length", "width", "height"]);
  assert.equal(rows.length, await count(page));
  const table = readFileSync(clouds().replace(/\.html$/, ".csv"), "utf8").trim().split("\n").slice(1).map((line) => line.split(","));
  // Coordinates have the names and the values that the command gives them.
  lavdm("embed", "clouds.csv", "--method", "dm", "--components", "8", "--embedding", "-o", "embedding.csv", "-q");
  const [titles, ...made] = readFileSync(clouds().replace("clouds.html", "embedding.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
  const named = head.filter((name) => name.startsWith("coordinate")), signs = {};
  assert.ok(named.length >= 2 && named.every((name) => titles.includes(name)), `${named} of ${titles}`);
  for (const row of rows)
    for (const name of named) {
      const a = Number(row[head.indexOf(name)]), b = Number(made[Number(row[0])][titles.indexOf(name)]);
      if (Math.abs(b) < 1e-3) continue;
      signs[name] ??= Math.sign(a / b);
      assert.ok(Math.abs(a - signs[name] * b) < 1e-5 * Math.abs(b), `${name} of row ${row[0]}: ${a}, not ${b}`);
    }
  for (const row of rows) {
    const [id, length, width, height, place] = table[Number(row[0])];
    assert.deepEqual([row[1], row[2]], [id, place.replaceAll('"', "")]);
    for (const [a, b] of [[row[3], length], [row[4], width], [row[5], height]]) assert.ok(Math.abs(a - b) < 1e-6 * (1 + Math.abs(b)), `${a} is not ${b}`);
  }
  await page.context().close();
});

test("a view is saved as PNG at twice its size, and as SVG that is well formed", async () => {
  const page = await open(sphere());
  for (const name of ["Data", "Embedding"]) {
    const box = await view(page, name).boundingBox(), section = page.locator(`section[aria-label="${name}"]`);
    const png = await saved(page, section.getByText("PNG", { exact: true }));
    assert.match(png.name, new RegExp(`^sphere-${name.toLowerCase()}.png$`));
    assert.equal(png.bytes.readUInt32BE(16), Math.round(2 * Math.round(box.width)));
    const svg = await saved(page, section.getByText("SVG", { exact: true }));
    const parsed = await page.evaluate((text) => {
      const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      return { name: root.localName, dots: root.querySelectorAll("circle, path, use").length, texts: [...root.querySelectorAll("text")].map((t) => t.textContent) };
    }, svg.bytes.toString("utf8"));
    assert.equal(parsed.name, "svg");
    assert.ok(parsed.dots > 10 && parsed.texts.length > 5, JSON.stringify(parsed));
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("time, axes, colours, range and the chosen eigenvector change what is seen", async () => {
  const page = await open(sphere());
  const picture = async () => (await pixels(await page.locator(".pair").screenshot(), 160)).data;
  let was = await picture();
  const changes = async (what, act) => {
    await act();
    await drawn(page);
    const now = await picture(), moved = Math.max(...now.map((v, i) => Math.abs(v - was[i])));
    assert.ok(moved > 20, `${what} changed nothing (${moved})`);
    was = now;
  };
  await changes("the diffusion time", () => page.getByLabel("Diffusion time").fill("1.2"));
  await changes("an axis", () => page.getByLabel("Embedding: axis 1").selectOption("axis:2"));
  await changes("no third axis", () => page.getByLabel("Data: axis 3").selectOption("none"));
  await changes("a third axis", () => page.getByLabel("Data: axis 3").selectOption({ index: 2 }));
  await changes("a colour", () => page.getByLabel("Colour by").selectOption("degrees"));
  const chart = page.locator("#spectrum [role=slider], .spectrum [role=slider]").first();
  await changes("another eigenvector", async () => {
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
  });
  assert.equal(await chart.getAttribute("aria-valuenow"), "2"); // two to the right of 0;
  await changes("no field", () => page.getByLabel(/^Field/).uncheck());
  await changes("a turn by keys", async () => {
    await view(page, "Data").focus();
    for (let k = 0; k < 6; k++) await page.keyboard.press("ArrowLeft");
  });
  await changes("the wheel", async () => {
    await view(page, "Data").hover();
    await page.mouse.wheel(0, -400);
  });
  await changes("the theme", () => page.locator("header button").first().click());
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("search finds by row, id and label, by keys alone", async () => {
  const page = await open(clouds());
  await page.keyboard.press("/");
  await page.keyboard.type("p123");
  await page.locator("#found li").first().waitFor();
  assert.match(await page.locator("#found li").first().innerText(), /p123/);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(300);
  assert.match(await page.locator("table.nearest").locator("xpath=../..").innerText(), /p123/);
  await page.getByRole("combobox", { name: /Find/ }).fill("nothing like this");
  await page.waitForTimeout(200);
  assert.match(await page.locator("#found").innerText(), /Nothing found/);
  await page.context().close();
});

test("hovering a point shows both its lifts on the double cover", async () => {
  const page = await open(mobius());
  const cover = page.locator(".scatter").last(), before = (await pixels(await cover.screenshot())).data;
  await view(page, "Data").scrollIntoViewIfNeeded();
  await findPoint(page, "Data");
  await page.waitForTimeout(200);
  const now = (await pixels(await cover.screenshot())).data;
  assert.ok(now.filter((v, i) => Math.abs(v - before[i]) > 40).length > 60, "no marks on the cover");
  await page.context().close();
});

test("images: a thumbnail on hover, neighbours turned as the command says", async () => {
  const page = await open(images());
  const { x, y } = await findPoint(page, "Embedding");
  assert.ok(await page.locator(".tooltip.shown canvas").count());
  await page.mouse.click(x, y);
  await page.waitForTimeout(500);
  assert.ok((await page.locator("table.nearest tbody tr").count()) >= 5);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});
