// What was run: how to run it again, what was warned of, every option and why, versions, time, memory.
import { adviceFor } from "./advice";
import { bars } from "./chart";
import { h, panel } from "./dom";
import type { Fact, Page } from "./load";
import { number } from "./numbers";
import { copyButton, pairs, table } from "./parts";
import { bytes, digits, plural, seconds } from "./scale";
import type { Store } from "./store";
import { readTrust } from "./trust";

export const list = (fact: Fact | undefined): string[] => (Array.isArray(fact) ? fact : typeof fact === "string" && fact ? fact.split("\n") : []);
const record = (fact: Fact | undefined): Record<string, Fact> => (fact && typeof fact === "object" && !Array.isArray(fact) ? fact : {});

/** Text in which `--option` becomes a link to the option's row, or code. */
function withOptions(text: string, known: (option: string) => boolean): (Node | string)[] {
  return text.split("`").map((part, i) => {
    if (i % 2 === 0) return part;
    const name = part.replace(/^--/, "").split(" ")[0]!.replaceAll("-", "_");
    return known(name) ? h("a", { href: `#option-${name}` }, h("code", {}, part)) : h("code", {}, part);
  });
}

export function warnings(page: Page): string[] {
  return list(page.facts.warnings);
}

function notices(page: Page, known: (option: string) => boolean): HTMLElement {
  const warned = warnings(page), notes = [...page.notes, ...list(page.facts.notes)];
  if (!warned.length && !notes.length) return h("p", { class: "say" }, "The run gave no warning.");
  return h("ul", { class: "notices" },
    ...warned.map((text) => {
      const advice = adviceFor(text);
      return h("li", { class: "warn" }, h("strong", {}, "Warning: "), text,
        advice ? h("p", { class: "advice" }, ...withOptions(advice, known)) : null);
    }),
    ...notes.map((text) => h("li", {}, text)));
}

function optionTable(page: Page): HTMLElement | null {
  const options = record(page.facts.options), names = Object.keys(options);
  if (!names.length) return null;
  const given = new Set(list(page.facts.given)), auto = new Set(list(page.facts.auto));
  const why = new Map(list(page.facts.reasons).map((line): [string, string] => {
    const cut = line.indexOf(": ");
    return cut < 0 ? [line, ""] : [line.slice(0, cut), line.slice(cut + 2)];
  }));
  const rank = (name: string): number => (given.has(name) ? 0 : why.has(name) ? 1 : auto.has(name) ? 2 : 3);
  const rows = names.map((name, i) => ({ name, i })).sort((a, b) => rank(a.name) - rank(b.name) || a.i - b.i).map(({ name }) => {
    const how = page.kind === "extend" ? "of the model" : given.has(name) ? "given" : auto.has(name) ? "automatic" : "default";
    const value = String(options[name]), reason = why.get(name) ?? "", short = /^-?[\d.]+(e[-+]?\d+)?$/.test(value) ? digits(Number(value), 5) : value;
    return [h("code", { id: `option-${name}` }, name), short, how === "given" ? how : h("span", { class: "option-auto" }, how),
      h("span", { class: "why" }, reason.startsWith(`${value}: `) ? reason.slice(value.length + 2) : reason)];
  });
  return table("Options of the run, and why", ["option", "value", "chosen", "why"], rows);
}

function facts(page: Page): [string, string][] {
  const f = page.facts, rows: [string, string][] = [];
  const add = (name: string, key: string, text: (v: number) => string = number): void => {
    const v = f[key];
    if (typeof v === "number" && !(v === 0 && page.kind === "extend")) rows.push([name, text(v)]);
    else if (typeof v === "string" && v) rows.push([name, v]);
  };
  add("input", "input");
  add("result", "output");
  add({ sync: "nodes", average: "images" }[page.kind as string] ?? "points", "n");
  add("coordinates", "p");
  if (f.method === "lavdm" || f.method === "roseland") add("landmarks", "m");
  if (f.q !== 1) add("vectors of dimension", "q");
  add("edges", "edges");
  add("pieces of the graph", "components_of_graph");
  add("isolated points", "isolated");
  add("edges badly aligned", "ill_aligned");
  add("group", "group");
  add("rounds", "rounds");
  add("lavdm", "version", String);
  add("engine", "engine");
  add("precision", "precision");
  add("threads", "threads");
  add("time in all", "seconds", seconds);
  add("memory at most", "peak_memory_bytes", bytes);
  const trust = readTrust(page)?.facts;
  if (trust && trust.rows > 0)
    rows.push(["trustworthiness", digits(trust.trustworthiness)], ["continuity", `${digits(trust.continuity)} (${trust.neighbours} nearest among ${plural(trust.rows, "point")})`]);
  return rows;
}

function stages(page: Page): HTMLElement | null {
  const rows = Object.entries(record(page.facts.timings)).filter((e): e is [string, number] => typeof e[1] === "number");
  return rows.length ? bars("Seconds by stage", rows.map(([name, value]) => ({ name: name.replaceAll("_", " "), value, text: seconds(value) }))) : null;
}

export function runPanel(page: Page, _store: Store): HTMLElement {
  const options = record(page.facts.options), command = page.facts.command, time = stages(page), all = optionTable(page), found = facts(page);
  return panel("The run", "run",
    notices(page, (name) => name in options),
    typeof command === "string" && command ? h("div", {}, h("h3", {}, "To run it again"),
      h("div", { class: "command" }, h("code", {}, command), copyButton(command))) : null,
    h("div", { class: "run-grid" },
      found.length > 0 && h("div", {}, h("h3", {}, "What was found and used"), pairs(found)),
      time && h("div", {}, h("h3", {}, "Time by stage"), time)),
    all && h("div", {}, h("h3", {}, "Options, and why"), all));
}
