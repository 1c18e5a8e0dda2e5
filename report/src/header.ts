// The head of the page: what this is, whether to trust it, search, theme and help.
import { h } from "./dom";
import { helpButton } from "./help";
import type { Page } from "./load";
import { number } from "./numbers";
import { outcome } from "./optimum";
import { warnings } from "./run";
import { digits, plural } from "./scale";
import { searchBox } from "./search";
import type { Store } from "./store";

const KINDS = { embed: "Embedding", orient: "Orientation", extend: "New points", sync: "Synchronisation", average: "Class averages" };

/** The few facts by which a run is known. */
function facts(page: Page): (Node | string)[] {
  const f = page.facts, items: string[][] = [[KINDS[page.kind] ?? page.kind]];
  const unit = page.kind === "sync" ? "node" : page.has("thumbs") && page.shape("thumbs")[1] === 1 ? "signal" : page.kind === "average" || page.has("thumbs") ? "image" : "point";
  items.push([page.rows === page.of ? plural(page.of, unit) : `${number(page.rows)} of ${plural(page.of, unit)}`]);
  if (typeof f.method === "string") items.push(["method ", f.method]);
  if (typeof f.bundle === "string" && f.q !== 1) items.push(["bundle ", f.bundle]);
  if (typeof f.dim === "number" && page.has("frames")) items.push(["dimension ", String(f.dim)]);
  if (typeof f.m === "number" && f.m > 0 && f.method !== "dm" && f.method !== "vdm") items.push([plural(f.m, "landmark")]);
  if (typeof f.group === "string") items.push(["group ", f.group]);
  return items.map(([a, b]) => h("span", {}, b === undefined ? a : h("span", {}, a, h("b", {}, b))));
}

function verdict(page: Page): HTMLElement {
  const count = warnings(page).length, f = page.facts;
  const proof = outcome(page), judged = page.kind === "orient" && typeof f.verdict === "string";
  const answer = proof ? proof.word : judged ? `${f.verdict}${typeof f.confidence === "number" ? ` (${digits(f.confidence, 2)})` : ""}` : "";
  const text = [answer, count ? plural(count, "warning") : answer ? "" : "No warnings"].filter(Boolean).join(" · ");
  return h("a", { class: count || (proof && !proof.certified) ? "verdict warn" : "verdict", href: proof ? "#optimum" : answer ? "#orientation" : "#run" }, text);
}

export function headerBar(page: Page, store: Store): HTMLElement {
  const theme = h("button", { type: "button", onclick: () => store.set("theme", store.get("theme") === "dark" ? "light" : "dark") });
  const name = (): void => {
    const other = store.get("theme") === "dark" ? "light" : "dark";
    theme.textContent = other === "dark" ? "☾" : "☀";
    theme.setAttribute("aria-label", `Change to the ${other} theme`);
    theme.setAttribute("title", `${other === "dark" ? "Dark" : "Light"} theme`);
  };
  store.on("theme", name);
  name();
  return h("header", { class: "top" }, h("h1", { title: page.title }, page.title), h("div", { class: "top-facts" }, ...facts(page)),
    verdict(page), h("div", { class: "top-tools" }, searchBox(page, store), theme, helpButton()));
}
