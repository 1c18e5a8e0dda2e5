// What is proved of a synchronisation: whether anything could fit better, what it costs, what was done against wrong edges.
import { histogram } from "./chart";
import { h, panel } from "./dom";
import { term } from "./help";
import type { Page } from "./load";
import { pairs } from "./parts";
import { digits, plural } from "./scale";
import type { Store } from "./store";

export interface Outcome { certified: boolean; converged: boolean; word: string; text: string }

/** The verdict of a result that has one. */
export function outcome(page: Page): Outcome | null {
  const f = page.facts;
  if (page.kind !== "sync" || typeof f.verdict !== "string" || !f.verdict) return null;
  const certified = f.certified === 1, converged = f.converged === 1;
  return { certified, converged, word: certified ? "Globally optimal" : "Not certified", text: sentence(f.verdict, certified) };
}

/** Without the words that the heading says already. */
export function sentence(verdict: string, certified: boolean): string {
  const rest = verdict.replace(certified ? /^globally optimal: */ : /^not certified: */, "");
  return rest ? rest[0]!.toUpperCase() + rest.slice(1) + (/[.!?]$/.test(rest) ? "" : ".") : "";
}

const ROBUST: Record<string, string> = { no: "nothing", weights: "re-weighting by residuals", cycles: "cycles that close, then truncated least squares",
  gradual: "truncated least squares, by degrees", auto: "chosen by edges that were held back" };

export function optimumPanel(page: Page, _store: Store): HTMLElement | null {
  const found = outcome(page), f = page.facts;
  if (!found) return null;
  const rows: [string | Node, string | Node][] = [], has = (name: string): boolean => typeof f[name] === "number";
  const add = (name: string | Node, key: string, count = 7): void => void (has(key) && rows.push([name, digits(f[key] as number, count)]));
  add(term("cost"), "cost");
  add(term("bound"), "bound");
  add("gap, of the cost", "relative_gap", 2);
  add("rank", "rank");
  add("iterations", "iterations");
  if (!found.converged) rows.push(["converged", "no: the cost may still fall"]);
  add("χ², by least squares", "chi2");
  if (typeof f.robust === "string") rows.push(["against wrong edges", ROBUST[f.robust] ?? f.robust]);
  if (typeof f.robust_reason === "string" && f.robust_reason) rows.push(["why", f.robust_reason]);
  return panel("Optimum", "optimum", h("div", { class: "answer" }, h("b", {}, found.word)),
    h("p", { class: "say" }, found.text, " ", term("certificate", "What is proved?")), pairs(rows));
}

/** How far edges are believed, where some are not. */
export function edgeTrustPanel(page: Page, _store: Store): HTMLElement | null {
  if (page.kind !== "sync" || !page.has("trust") || f0(page)) return null;
  const body = h("div", { class: "near" }), whole = panel("Trust in edges", "edge-trust", body);
  void page.column("trust", 0).then((all) => {
    const sorted = Float64Array.from(all).filter(Number.isFinite).sort(), m = sorted.length, low = sorted.filter((t) => t < 0.25).length;
    if (!m || sorted[0]! > 1 - 1e-9) return whole.remove();
    // nothing just above 0, so that the axis is a plain one
    body.append(histogram(sorted.map((t) => (t < 0.011 ? 0 : t)), { label: `Histogram of the trust of ${plural(m, "edge")}: ${low} below a quarter`, name: "trust", unit: "edges" }).element,
      h("p", { class: "say" }, `${plural(low, "edge")} of ${m} (${digits((100 * low) / m, 2)}%) below a quarter. `, term("trust", "What is trust?")));
  });
  return whole;
}

/** Nothing was done against wrong edges. */
const f0 = (page: Page): boolean => page.facts.robust === "no" && !page.facts.rounds;
