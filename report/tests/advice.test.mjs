// Every warning of the library has its advice, and no advice is for a warning that is gone.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "./load.mjs";

const { TABLE, adviceFor } = await load("advice.ts");
const source = join(dirname(fileURLToPath(import.meta.url)), "../../src");

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? files(join(folder, e.name)) : e.name.endsWith(".c") ? [join(folder, e.name)] : []);
}

/* The format of each run_warn(run, "..." PRId64 "...", ...), with numbers and words in place of what it prints. */
function warnings() {
  const out = [];
  for (const file of files(source))
    for (const [, format] of readFileSync(file, "utf8").matchAll(/run_warn\(\s*[\w>.-]+,\s*((?:"(?:[^"\\]|\\.)*"|\s|PRId64)+)/g)) {
      const text = [...format.matchAll(/"((?:[^"\\]|\\.)*)"|(PRId64)/g)].map((m) => m[1] ?? "d").join("");
      out.push({ file, text: text.replace(/%[-.*\d]*(?:d|[efg]|s|%)/g, (m) => (m.endsWith("s") ? "" : m === "%%" ? "%" : "12")) });
    }
  return out;
}

test("every warning has advice", () => {
  const all = warnings();
  assert.ok(all.length >= 20, `${all.length} warnings were found in the sources`);
  for (const { file, text } of all) assert.ok(adviceFor(text), `no advice for "${text}" of ${file}: add a row to src/advice.ts`);
});
test("every advice has its warning", () => {
  const all = warnings();
  for (const [words] of TABLE) assert.ok(all.some(({ text }) => words.test(text)), `no warning has the words ${words}`);
});
