// How far two samples of the points agreed with each other: arrays trust_groups, trust_table and trust_facts.
import { h } from "./dom";
import type { Page } from "./load";
import { digits, plural } from "./scale";

export interface Trust {
  /** Group g has the eigenvalues first[g] .. first[g + 1] - 1. */
  first: number[];
  ratio: number[]; low: number[]; high: number[]; angle: number[]; agreement: number[];
  facts: { sample: number; reproduced: number; rows: number; neighbours: number; trustworthiness: number; continuity: number } | null;
}

export function readTrust(page: Page): Trust | null {
  if (!page.has("trust_groups") || !page.has("trust_table")) return null;
  const first = page.values("trust_groups"), g = first.length - 1, all = page.values("trust_table");
  if (g < 1 || all.length < 9 * g) return null;
  const row = (k: number): number[] => all.slice(k * g, (k + 1) * g);
  const f = page.has("trust_facts") ? page.values("trust_facts") : [];
  return { first, ratio: row(1), low: row(2), high: row(3), angle: row(7), agreement: row(8),
    facts: f.length < 11 ? null : { sample: f[0]!, reproduced: f[3]!, rows: f[4]!, neighbours: f[5]!, trustworthiness: f[6]!, continuity: f[7]! } };
}

export type Sureness = "agree" | "partly" | "differ" | "unknown";

/** An agreement of 1/2 counts as reproduced (src/trust/trust.c); of 0.9, with angles of about 18 degrees, as sure. */
export function sureness(trust: Trust, g: number): Sureness {
  const a = trust.agreement[g]!;
  return Number.isNaN(a) ? "unknown" : a >= 0.9 ? "agree" : a >= 0.5 ? "partly" : "differ";
}

const WORDS: Record<Sureness, string> = { agree: "samples agree", partly: "agree in part", differ: "do not agree", unknown: "not tested" };

export function trustWords(trust: Trust, g: number): string {
  const parts = [WORDS[sureness(trust, g)]];
  if (Number.isFinite(trust.angle[g]!)) parts.push(`to ${digits(trust.angle[g], 2)}°`);
  if (Number.isFinite(trust.low[g]!)) parts.push(`; ratio ${digits(trust.ratio[g])} (90%: ${digits(trust.low[g])} to ${digits(trust.high[g])})`);
  return parts.join(" ").replace(" ;", ";");
}

export function trustKey(trust: Trust): HTMLElement {
  const kinds = (["agree", "partly", "differ", "unknown"] as const).filter((k) => trust.agreement.some((_, g) => sureness(trust, g) === k));
  const of = trust.facts ? ` of ${plural(trust.facts.sample, "point")}` : "";
  return h("div", { class: "key" }, `Eigenvectors of two samples${of}:`, ...kinds.map((k) => h("span", { class: k }, WORDS[k])));
}
