// Results that no run gives, or hardly one: few points, equal ones, none that is a number, one eigenvector or very many,
// arrays that are called as the page calls its own. Each opens, and stays whole while everything in it is clicked.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { lavdm } from "./results.mjs";
import { close, drawn, folder, open } from "./support.mjs";

after(close);

/* Results as .npz, by what stands for their arrays in Python. */
const cases = {
  one: "result(1)", two: "result(2, 2, d=2)", equal: "result(40, points=np.ones((40, 3)), eigenvectors=np.ones((40, 1, 4)))",
  nothing: "result(40, points=np.full((40, 3), np.nan), eigenvectors=np.full((40, 1, 4), np.nan), eigenvalues=np.full(4, np.nan))",
  single: "result(40, 2, r=1, d=2)", many: "result(12, r=4500, residuals=np.zeros(4500))", wide: "result(40, 3, p=50, d=3)",
  own: "result(40, component=np.arange(40.0), distance=np.arange(40.0), plain=np.ones(40), row=np.ones(40), thumbs=np.ones(40), label_levels=np.ones(40), toString=np.ones(40))",
  texts: "result(40, labels=np.array(['y' * 5000 + str(i % 15) for i in range(40)]), ids=np.array(['\\u202e', '', ' ', '<b>'] * 10), warnings=np.array('w' * 5000))",
  facts: "result(40, coordinate_index=np.array([-1, 9, 1.5, np.nan]), warnings=np.array(1), options=np.array(2), timings=np.array(3), reasons=np.array(4), given=np.array(5))",
  verdict: "result(40, verdict=np.array('odd'), signs=np.full(40, np.nan), leading=np.full(40, np.nan), cover=np.full((80, 4), np.nan), cover_parity=np.array([9]))",
  nodes: "graph(9, residuals=np.full(9, np.nan), trust=np.full(9, np.nan), component=np.array([-5, 10**9, 0, 0, 1, 2, 3, 4, 4.5]))",
  places: "graph(9, positions=np.full((9, 2), np.nan), nodes=10**10 + np.arange(9), edges=10**10 + np.zeros((9, 2)))",
  table: "dict(images=np.array([-1, 99, 2**33]), neighbours=np.full((3, 2), 2**40), angles=np.full((3, 2), np.nan), distances=np.full((3, 2), np.inf))",
};
const script = `
import sys, numpy as np
rng = np.random.default_rng(0)
def result(n, q=1, r=4, p=3, d=0, **more):
    a = dict(eigenvalues=np.linspace(1, 0.2, r), eigenvectors=rng.normal(size=(n, q, r)), points=rng.normal(size=(n, p)))
    if d: a["frames"] = np.linalg.qr(rng.normal(size=(n, p, d)))[0]
    return a | more
def graph(n, **more):
    edges = np.array([[i, (i + 1) % n] for i in range(n)])
    return dict(nodes=np.arange(n), elements=np.ones((n, 4)), edges=edges, residuals=np.ones(n), gaps=np.ones(1)) | more
for name, text in zip(sys.argv[1::2], sys.argv[2::2]):
    np.savez(f"odd-{name}.npz", **eval(text))
`;
execFileSync("/usr/bin/python3", ["-c", script, ...Object.entries(cases).flat()], { cwd: folder });

for (const name of Object.keys(cases))
  test(`an odd result: ${name}`, async () => {
    lavdm("report", `odd-${name}.npz`, "-o", `odd-${name}.html`, "-q");
    const page = await open(join(folder, `odd-${name}.html`));
    const whole = async (when) => {
      assert.deepEqual([page.errors, page.requests, await page.locator("[role=alert]").allTextContents()], [[], [], []], when);
      assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /undefined|NaN|\[object|Infinity/, when);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${when}: wider than the window`);
    };
    await whole("opened");
    const empty = await page.locator(".scatter[data-empty]").count();
    assert.equal(empty > 0, ["nothing", "places", "verdict"].includes(name));
    for (const menu of await page.locator("select:visible").all())
      for (const value of (await menu.locator("option").evaluateAll((all) => all.map((o) => o.value))).slice(0, 5)) await menu.selectOption(value);
    await drawn(page);
    await whole("after the menus");
    await page.emulateMedia({ colorScheme: "dark" });
    for (const canvas of await page.locator(".scatter:visible").all()) await canvas.click();
    for (const button of await page.locator("button[aria-pressed]:visible, summary:visible").all()) await button.click({ force: true });
    await drawn(page);
    await whole("after clicks");
    await page.context().close();
  });

test("a browser that cannot unpack the data says so", async () => {
  const page = await open(join(folder, "odd-two.html"), { ready: false, before: () => Reflect.deleteProperty(window, "DecompressionStream") });
  await page.locator("[role=alert]").first().waitFor();
  assert.match(await page.locator("[role=alert]").first().textContent(), /too old/);
  await page.context().close();
});
