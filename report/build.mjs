// Makes page.html of index.html, the styles and src/main.ts: one file with no address in it. The policy of the page
// allows its own script and style by their hashes and nothing else. Equal sources give equal bytes:
// --check compares with the page that is there.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const limit = 500_000; // bytes of the page without data
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "iife",
    target: ["es2022", "chrome100", "firefox113", "safari16.4"],
    legalComments: "none",
    outdir: "out",
  });
  return { text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs) };
}

/* The licences of the packages that are in the bundle, as the text of a comment. */
function notices(inputs) {
  const names = new Set();
  for (const path of inputs) {
    const found = path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) names.add(found[1]);
  }
  return [...names].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((f) => join(folder, f)).find(existsSync);
    if (!file) throw new Error(`${name} has no licence file: its notice must be kept`);
    return `${name} ${version}\n\n${readFileSync(file, "utf8").trim()}`;
  }).join("\n\n").replaceAll("--", "- -");
}

const script = await bundle("src/main.ts");
const style = await bundle("src/style.css");
for (const [what, text] of [["script", script.text], ["style", style.text]])
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`the ${what} holds what would end its block`);

const policy = ["default-src 'none'", `script-src ${hash(script.text)}`, `style-src ${hash(style.text)}`,
  "img-src data: blob:", "base-uri 'none'", "form-action 'none'"].join("; ");
const parts = { policy, notices: notices(script.inputs), style: style.text, script: script.text };
const page = readFileSync(join(here, "index.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
const bytes = Buffer.byteLength(page, "utf8");
if (bytes > limit) throw new Error(`the page has ${bytes} bytes, more than ${limit}`);
if (page.split("<!-- data -->").length !== 2) throw new Error("the page must have one line for the data");
const path = join(here, "page.html");
if (process.argv.includes("--check")) {
  if (readFileSync(path, "utf8") !== page) throw new Error("report/page.html is not what report/src makes: make report");
} else writeFileSync(path, page);
console.log(`report/page.html: ${(bytes / 1000).toFixed(0)} KB`);
