// Pages of kept results look as they did: pictures compared by tiles, so that another font or driver does no harm but a view
// that is lost, a panel that moved or a colour that changed is seen. RENEW=1 keeps what is drawn now.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { close, folder, lavdm, open, pixels } from "./support.mjs";

after(close);

const here = fileURLToPath(new URL(".", import.meta.url));
const kept = join(here, "kept"), tiles = 64;
test("what the page draws itself, where no graphics card helps, is what WebGL draws", async () => {
  for (const name of ["sphere", "clouds", "poses"]) { // segments above points, large points, segments below
    const path = join(folder, `kept-${name}.html`), pictures = [];
    lavdm("report", join(kept, `${name}.npz`), "-o", `kept-${name}.html`, "-q");
    for (const hash of ["", "#webgl"]) {
      const page = await open(path, { width: 1200, height: 800, hash });
      await page.mouse.move(1, 1);
      pictures.push((await pixels(await page.locator("main").screenshot(), 400)).data);
      await page.context().close();
    }
    const differ = pictures[0].map((v, i) => Math.abs(v - pictures[1][i])), mean = differ.reduce((a, b) => a + b, 0) / differ.length;
    assert.ok(mean < 0.5 && differ.filter((v) => v > 30).length < 5e-4 * differ.length, `${name} differs by ${mean} on average`);
  }
});

const more = { averages: ["--images", join(kept, "stack.mrcs"), "--averages", join(kept, "averages.mrcs")] };

for (const name of ["sphere", "clouds", "mobius", "poses", "surveyed", "averages"])
  for (const scheme of name === "sphere" ? ["light", "dark"] : ["light"])
    test(`${name}, ${scheme}`, async () => {
      lavdm("report", join(kept, `${name}.npz`), ...(more[name] ?? []), "-o", `kept-${name}.html`, "-q");
      const page = await open(join(folder, `kept-${name}.html`), { width: 1200, height: 800, scheme });
      await page.mouse.move(1, 1);
      const png = await page.locator("main").screenshot(), path = join(kept, `${name}-${scheme}.png`);
      await page.context().close();
      if (process.env.RENEW) writeFileSync(path, png);
      assert.ok(existsSync(path), `${path} is missing: RENEW=1 draws it`);
      const [now, was] = [await pixels(png, tiles), await pixels(readFileSync(path), tiles)];
      const differ = now.data.map((v, i) => Math.abs(v - (was.data[i] ?? 255))).sort((a, b) => a - b);
      const mean = differ.reduce((a, b) => a + b, 0) / differ.length, most = differ[Math.floor(0.995 * differ.length)];
      if (mean > 2 || most > 30 || Math.abs(now.height - was.height) > 3) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${name}-${scheme}-now.png`), png);
        assert.fail(`the page looks different: tiles differ by ${mean.toFixed(1)} on average and ${most.toFixed(0)} at most (of 255), ${now.height} rows of tiles against ${was.height}; see ${name}-${scheme}-now.png`);
      }
    });
