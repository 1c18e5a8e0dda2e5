// Results that would do harm: their texts stay texts, nothing runs, nothing is asked for, and what is damaged is said.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { clouds, kinds, lavdm } from "./results.mjs";
import { close, folder, made, open } from "./support.mjs";

after(close);

const texts = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "<!--<script>", "]]><svg onload=alert(3)>", "javascript:alert(4)",
  "{{constructor.constructor('alert(5)')()}}", "\u2028\u2029\u202e", "&lt;b&gt;", "\"'><iframe src=http://127.0.0.1:1/>", "=1+1", "<style>*{display:none}</style>"];

test("a label that is a script stays a label", async () => {
  const page = await open(clouds((i) => texts[i % texts.length], "hostile"));
  assert.deepEqual([page.errors, page.requests], [[], []]);
  const shown = await page.evaluate(() => document.body.textContent);
  for (const text of ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "{{constructor"]) assert.ok(shown.includes(text), `${text} is not shown as it is`);
  assert.equal(await page.locator("img, iframe").count(), 0);
  assert.equal(await page.evaluate(() => document.scripts.length - document.querySelectorAll("script[type]").length), 1);
  await page.keyboard.press("/");
  await page.keyboard.type("<img");
  await page.locator("#found li").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(300);
  assert.deepEqual([page.errors, page.requests], [[], []]);
  await page.context().close();
});

test("a file name that is a script stays a name", async () => {
  const name = "a<img src=x onerror=alert(1)>'\"&;b.npz";
  made(name, ["sample", "circle", "-n", "200", "-o", "circle.npy", "-q"], ["embed", "circle.npy", "--method", "dm", "--components", "4", "-o", name, "-q"]);
  lavdm("report", name, "-o", "named.html", "-q");
  const page = await open(join(folder, "named.html"));
  assert.deepEqual([page.errors, page.requests], [[], []]);
  assert.equal(await page.locator("h1").textContent(), name);
  assert.equal(await page.locator("img").count(), 0);
  await page.context().close();
});

test("the policy of the page lets nothing in: no script, no style, no request", async () => {
  const path = clouds(), page = await open(path);
  const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.broken = true";
    document.body.append(script);
    const attempts = [fetch("http://127.0.0.1:9/"), fetch("data:text/plain,x"), new Promise((_, fail) => {
      const image = new Image();
      image.onerror = () => fail(new Error("no"));
      image.src = "http://127.0.0.1:9/x.png";
    })];
    const results = await Promise.allSettled(attempts);
    let evaluated = false;
    try {
      evaluated = new Function("return true")();
    } catch { /* as it should be */ }
    return { broken: window.broken === true, evaluated, through: results.filter((r) => r.status === "fulfilled").length };
  });
  assert.deepEqual(ran, { broken: false, evaluated: false, through: 0 });
  await page.context().close();
});

test("a page that is damaged says so, in words", async () => {
  const whole = readFileSync(kinds.sphere(), "utf8");
  const damaged = {
    "no data": whole.replace(/<script type="application\/json" id="page">.*?<\/script>/s, ""),
    "broken description": whole.replace('id="page">{', 'id="page">{{'),
    "another format": whole.replace('"format":1', '"format":7').replace('"format": 1', '"format": 7'),
    "broken block": whole.replace(/(<script type="text\/plain" id="b0">).{40}/, "$1" + "A".repeat(40)),
    "missing block": whole.replace(/<script type="text\/plain" id="b1">.*?<\/script>/s, ""),
  };
  for (const [what, text] of Object.entries(damaged)) {
    assert.notEqual(text, whole, what);
    writeFileSync(join(folder, "damaged.html"), text);
    const page = await open(join(folder, "damaged.html"), { ready: false });
    await page.locator("[role=alert]").first().waitFor({ timeout: 20_000 });
    const said = await page.locator("[role=alert]").first().textContent();
    assert.match(said, /no data|damaged|format 7|missing|cannot be read/, `${what}: ${said}`);
    assert.doesNotMatch(said, /undefined|TypeError|null/);
    await page.context().close();
  }
});
