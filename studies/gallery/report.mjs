// The pictures of a report in the README: digits by a diffusion map, one of them in focus, as Chromium shows it.
//
//     node studies/gallery/report.mjs build/lavdm FOLDER     (after tools/install-dependencies page and make report)
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import process from "node:process";

process.env.LAVDM_COMMAND = process.argv[2];
const { close, drawn, folder, lavdm, open } = await import("../../tests/page/support.mjs");
const out = resolve(process.argv[3]);

execFileSync("/usr/bin/python3", ["-c", `
import numpy, sklearn.datasets
digits = sklearn.datasets.load_digits(as_frame=True)
digits.data.assign(digit=[f"digit {k}" for k in digits.target]).to_csv("digits.csv")
numpy.save("pictures.npy", digits.images)
`], { cwd: folder });
lavdm("embed", "digits.csv", "--method", "dm", "--edges", "knn", "-o", "digits.npz", "-q");
lavdm("report", "digits.npz", "--images", "pictures.npy", "-o", "digits.html", "-q");
for (const scheme of ["light", "dark"]) {
  const page = await open(join(folder, "digits.html"), { width: 1500, height: 860, scheme });
  await page.getByRole("combobox", { name: /Find/ }).fill("700");
  await page.locator("#found li").first().waitFor();
  await page.keyboard.press("Enter");
  await drawn(page);
  await page.mouse.move(1, 1);
  await page.screenshot({ path: join(out, `report-${scheme}.png`) });
  await page.context().close();
}
await close();
