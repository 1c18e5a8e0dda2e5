// Is the shape orientable: the verdict with its doubt, the numbers behind it, the pieces.
import { h, panel } from "./dom";
import { term } from "./help";
import type { Page } from "./load";
import { number } from "./numbers";
import { numbers, table } from "./parts";
import { digits, plural } from "./scale";
import type { Store } from "./store";

const fact = (page: Page, name: string): number => {
  const v = page.facts[name];
  return typeof v === "number" ? v : NaN;
};

/** The verdict in words, and what its confidence means. */
function answer(page: Page): [string, string] {
  const verdict = String(page.facts.verdict ?? ""), sure = fact(page, "confidence"), guess = fact(page, "orientable");
  const right = `about ${Math.round(100 * sure)} of 100 such answers were right on shapes that are known`;
  if (verdict === "cannot tell")
    return ["Cannot tell", `The better guess is ${guess ? "orientable" : "not orientable"}, with a confidence of ${digits(sure, 2)}; below 0.8 it is no answer.`];
  const doubt = sure >= 0.95 ? "" : "Probably ", text = verdict || (guess ? "orientable" : "not orientable");
  return [doubt ? doubt + text : text[0]!.toUpperCase() + text.slice(1), Number.isNaN(sure) ? "How sure this is, the result does not say." : `Confidence ${digits(sure, 2)}: ${right}.`];
}

/** What the planes of neighbours say about the doubt. */
function doubtWords(doubt: number): string {
  if (Number.isNaN(doubt)) return "";
  if (doubt < 0.05) return "Neighbouring tangent planes agree: the signs behind the verdict are sure.";
  if (doubt < 0.25) return "Most neighbouring tangent planes agree; some stand nearly at right angles, from noise or sharp bends.";
  return "Many neighbouring tangent planes stand nearly at right angles: noise, a wrong dimension or too few points. Take the verdict with care.";
}

const NUMBERS: [string, string, string][] = [
  ["odd", "strength of odd cycles", "0 if signs agree around every cycle (orientable), 1 if not"],
  ["spread", "spread of five looks", "at three scales and in each half of the points; small is good"],
  ["frustrated", "frustrated triangles", "share of triangles of neighbours whose signs disagree: noise, or few points"],
  ["doubt", "doubt of planes", "0: neighbouring planes agree, 1: as little as planes at random"],
  ["ratio", "ratio of rates", "first rate with signs by the first without; 0 if orientable, 1/4 on a Möbius band, 1/3 on the projective plane"],
  ["mean_magnitude", "mean magnitude", "of the leading eigenvector; 1 if orientable"],
  ["eigenvalue", "top eigenvalue", "with signs; 1 if orientable"],
  ["trivial_eigenvalue", "second eigenvalue", "without signs, to compare with"],
  ["growth", "dimension by growth", "by which the number of neighbours grows with the radius; compare with dim"],
];

const MOST = 200; // pieces that are listed
const PIECE: Record<string, string> = { "1": "orientable", "0": "not orientable", "-1": "not judged" };

/** A row for each piece of the graph, with its size where the points say which they belong to. */
async function pieces(page: Page, host: HTMLElement): Promise<void> {
  const verdicts = await numbers(page, "component_orientable"), sure = await numbers(page, "component_confidence");
  const sizes = new Array<number>(verdicts.length).fill(0);
  if (page.has("graph_component")) for (const c of await page.column("graph_component", 0)) if (c >= 0 && c < sizes.length) sizes[c]! += 1;
  const rows = verdicts.slice(0, MOST).map((v, c) => [String(c), sizes[c] ? number(sizes[c]) : "–", PIECE[String(v)] ?? "–", v >= 0 ? digits(sure[c], 2) : "–"]);
  host.append(h("h3", {}, `${plural(verdicts.length, "piece")} of the graph`),
    h("p", { class: "say", hidden: verdicts.length <= MOST }, `The ${MOST} largest are listed.`),
    table("Verdict on each piece", ["piece", "points", "verdict", "confidence"], rows, [0, 1, 3]));
}

export function orientPanel(page: Page, store: Store): HTMLElement | null {
  if (page.kind !== "orient") return null;
  const [word, what] = answer(page), sure = fact(page, "confidence"), fill = h("span", {});
  fill.style.width = `${Math.max(0, Math.min(100, 200 * (sure - 0.5)))}%`;
  const sides = page.has("signs") && store.get("colour") !== undefined
    ? h("button", { type: "button", onclick: () => store.set("colour", "signs") }, "Colour by side") : null;
  const behind = NUMBERS.filter(([key]) => typeof page.facts[key] === "number")
    .map(([key, name, meaning]) => [name, digits(fact(page, key)), h("span", { class: "why" }, meaning)]);
  const many = h("div", { class: "stack" });
  if (page.has("component_orientable") && page.shape("component_orientable")[0]! > 1) void pieces(page, many);
  return panel("Orientation", "orientation",
    h("div", { class: "answer" }, h("b", {}, word)),
    h("div", { class: "meter", role: "img", "aria-label": `Confidence ${digits(sure, 2)} between 0.5, a guess, and 1` }, fill),
    h("p", { class: "say" }, `${what} ${doubtWords(fact(page, "doubt"))} `, term("double cover", "What is a double cover?")),
    sides && h("div", {}, sides),
    many,
    h("details", {}, h("summary", {}, "The numbers behind it"), table("Numbers behind the verdict", ["number", "value", "meaning"], behind, [1])));
}
