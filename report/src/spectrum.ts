// The spectrum: eigenvalues, their rates or residuals; what is equal, where gaps are, and how far samples agree.
import { chart, textWidth, type Frame } from "./chart";
import { h, panel, svg } from "./dom";
import { term } from "./help";
import type { Page } from "./load";
import { gaps, multiplets, rate } from "./multiplets";
import { choice, table, tools } from "./parts";
import { digits, plural, scale } from "./scale";
import type { Store } from "./store";
import { readTrust, sureness, trustKey, trustWords, type Trust } from "./trust";

type Quantity = "eigenvalues" | "rates" | "residuals";

/** Values that a logarithmic axis can show, with the others put at its foot. */
function range(values: number[], log: boolean): [number, number] {
  const shown = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  if (!shown.length) return log ? [0.1, 1] : [0, 1];
  const low = Math.min(...shown), high = Math.max(...shown);
  if (log) return [low / (high / low || 1) ** 0.06 / 1.05, high * (high / low || 1) ** 0.06 * 1.05];
  const room = (high - low || Math.abs(high) || 1) * 0.07;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}

function drawGroups(f: Frame, rates: number[], trust: Trust | null): void {
  const wide = f.x(2) - f.x(1), at = f.top - 8;
  let free = -Infinity; // where the last label ends
  for (const { first, count } of multiplets(rates)) {
    const from = f.x(first) - Math.min(3, wide / 4), to = f.x(first + count - 1) + Math.min(3, wide / 4), text = `×${count}`;
    f.root.append(svg("path", { class: "bracket", d: `M${from} ${at + 4}V${at}H${to}V${at + 4}` }));
    const middle = (from + to) / 2, half = textWidth(text) / 2;
    if (middle - half < free + 4) continue;
    f.root.append(svg("text", { class: "times", x: middle, y: at - 5, "text-anchor": "middle" }, text));
    free = middle + half;
  }
  trust?.first.slice(0, -1).forEach((first, g) => {
    const from = f.x(first) - wide / 2 + 1, to = f.x(trust.first[g + 1]! - 1) + wide / 2 - 1;
    f.root.append(svg("rect", { class: sureness(trust, g), x: Math.max(from, f.left), y: f.bottom - 4,
      width: Math.max(1, Math.min(to, f.right) - Math.max(from, f.left)), height: 4 },
      svg("title", {}, trustWords(trust, g))));
  });
}

function drawGaps(f: Frame, rates: number[]): void {
  gaps(rates).forEach((gap, k) => {
    const from = f.x(gap.after - 1), to = f.x(gap.after);
    f.root.append(svg("rect", { class: "gap", x: from, y: f.top, width: to - from, height: f.bottom - f.top }));
    // Left of its band and low, where no dot is; in it where there is no room.
    const before = from - f.left > 34 && to - from < 34;
    if (k === 0)
      f.root.append(svg("text", { class: "gap-text", x: before ? from - 4 : from + 4, y: f.bottom - 10, "text-anchor": before ? "end" : "start" }, "gap"));
  });
}

/** What the gaps say, in a sentence. */
function told(rates: number[]): string {
  const list = gaps(rates), zeros = rates.filter((r) => r === 0).length, first = list[0];
  if (!first) return "No gap stands out: no rate is a third larger than the one before.";
  const one = (g: (typeof list)[number]): string =>
    g.growth === Infinity ? `after the first ${g.after} (before it the rates are zero)` : `after the first ${g.after} (rates grow ${digits(g.growth, 2)}‑fold)`;
  const others = list.slice(1).map(one).join(" and ");
  return `The widest gap is ${one(first)}${others ? `, then ${others}` : ""}.` +
    (zeros > 1 ? ` The eigenvalue 1 comes ${zeros} times: the graph has that many pieces, or fields that nothing turns.` : "");
}

/** Which eigenvectors count for the embedding and the distances, as two numbers. */
function rangeRow(held: number, store: Store, change: (first: number, last: number) => void): HTMLElement {
  const field = (name: string): HTMLInputElement => h("input", { type: "number", min: 0, max: held - 1, "aria-label": `${name} eigenvector that counts`,
    onchange: () => change(Number(first.value), Number(last.value)) });
  const first = field("First"), last = field("Last"), all = h("button", { type: "button", class: "quiet", onclick: () => change(0, held - 1) }, "All");
  const show = (): void => {
    const [a, b] = store.get("range") ?? [0, held - 1];
    first.value = String(a);
    last.value = String(b);
    all.hidden = !store.get("range");
  };
  store.on("range", show);
  show();
  return h("div", { class: "slider" }, h("span", {}, "Eigenvectors that count"), first, "to", last, all);
}

export function spectrumPanel(page: Page, store: Store): HTMLElement | null {
  if (page.kind === "sync" || !page.has("eigenvalues")) return null;
  const lambda = page.values("eigenvalues"), r = lambda.length;
  if (!r) return null;
  const rates = lambda.map(rate), residuals = page.has("residuals") ? page.values("residuals") : null;
  const trust = readTrust(page), held = page.has("eigenvectors") ? page.shape("eigenvectors")[2] ?? 0 : 0;
  let quantity: Quantity = "eigenvalues", log = false;
  const shown = (): number[] => (quantity === "eigenvalues" ? lambda : quantity === "rates" ? rates : residuals!);

  const drawing = chart({
    label: `Spectrum of ${r} eigenvalues from ${digits(lambda[0], 6)} to ${digits(lambda[r - 1], 6)}. ${told(rates)}`,
    height: 236,
    top: 46,
    axes: () => ({
      x: { label: "number of the eigenvalue, from 0", domain: [-0.6, r - 0.4], whole: true },
      y: { label: quantity === "rates" ? "rate −log λ" : quantity === "residuals" ? "residual ‖Mv − λv‖" : "λ", domain: range(shown(), log), log },
    }),
    draw: (f) => {
      const y = shown(), foot = (v: number): number => (log && !(v > 0) ? f.bottom : f.y(v)), size = r > 120 ? 2 : r > 50 ? 3 : 4;
      const range = store.get("range");
      if (range) f.root.append(svg("rect", { class: "kept", x: f.x(range[0] - 0.5), y: f.top, width: f.x(range[1] + 0.5) - f.x(range[0] - 0.5), height: f.bottom - f.top }));
      if (quantity !== "residuals") drawGaps(f, rates);
      drawGroups(f, rates, trust);
      const dots = y.map((v, l) => [f.x(l), foot(v)] as const).filter(([, b]) => Number.isFinite(b));
      if (dots.length) f.root.append(svg("path", { class: "thread", d: `M${dots.map((d) => d.join(" ")).join("L")}` }));
      y.forEach((v, l) => {
        if (!Number.isFinite(foot(v))) return;
        f.root.append(svg("circle", { class: l >= held ? "dot out" : "dot", cx: f.x(l), cy: foot(v), r: size },
          svg("title", {}, `${l}: ${digits(lambda[l], 6)}, rate ${digits(rates[l])}${l >= held ? ", not in this page" : ""}`)));
      });
      const l = Math.min(store.get("component"), r - 1), cx = f.x(l), cy = foot(y[l]!);
      if (Number.isFinite(cy)) f.root.append(svg("circle", { class: "dot picked", cx, cy, r: size + 0.5 }), svg("circle", { class: "ring", cx, cy, r: size + 4 }));
      f.root.append(svg("text", { class: "value", x: f.right, y: 11, "text-anchor": "end" }, `${l}: ${digits(y[l], 6)}`));
    },
  });
  const root = drawing.root, pick = (l: number): void => store.set("component", Math.max(0, Math.min((held || r) - 1, l)));
  const at = (e: PointerEvent): number => {
    const box = root.getBoundingClientRect(), left = parseFloat(root.querySelector(".base")!.getAttribute("x1")!);
    return Math.round(scale([-0.6, r - 0.4], [left, box.width - 8]).invert(e.clientX - box.left));
  };
  root.classList.add("pickable");
  let from = 0; // where a range was begun, with Shift
  root.addEventListener("pointerdown", (e) => (e.shiftKey && held ? extend(from, at(e)) : pick((from = at(e)))));
  root.addEventListener("pointermove", (e) => e.buttons & 1 && (e.shiftKey && held ? extend(from, at(e)) : pick(at(e))));
  const extend = (a: number, b: number): void => {
    const inside = (l: number): number => Math.max(0, Math.min(held - 1, l)), first = inside(Math.min(a, b)), last = inside(Math.max(a, b));
    store.set("range", first === 0 && last === held - 1 ? null : [first, last]);
  };
  root.setAttribute("role", "slider");
  root.setAttribute("tabindex", "0");
  root.setAttribute("aria-valuemin", "0");
  root.setAttribute("aria-valuemax", String((held || r) - 1));
  root.addEventListener("keydown", (e) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -r, End: r };
    const by = steps[e.key];
    if (by === undefined) return;
    e.preventDefault();
    if (!e.shiftKey) from = store.get("component") + by;
    pick(store.get("component") + by);
    if (e.shiftKey && held) extend(from, store.get("component"));
  });
  const mark = (): void => {
    const l = store.get("component");
    root.setAttribute("aria-valuenow", String(l));
    root.setAttribute("aria-valuetext", `eigenvalue ${l}: ${digits(lambda[l], 6)}, rate ${digits(rates[l])}`);
    drawing.redraw();
  };
  store.on("component", mark);
  store.on("range", () => drawing.redraw());
  store.on("theme", () => drawing.redraw());
  mark();

  const kinds: Quantity[] = residuals ? ["eigenvalues", "rates", "residuals"] : ["eigenvalues", "rates"];
  const form = choice("Axis", ["linear", "log"] as const, "linear", (word) => {
    log = word === "log";
    drawing.redraw();
  });
  const what = choice("Show", kinds, "eigenvalues", (word) => {
    quantity = word;
    if (word === "residuals" && !log) (form.lastElementChild as HTMLButtonElement).click();
    drawing.redraw();
  });
  const group = (l: number): string => {
    const m = multiplets(rates).find((g) => l >= g.first && l < g.first + g.count);
    return m ? `×${m.count}` : "";
  };
  const agree = (l: number): string => {
    const g = trust ? trust.first.findIndex((first, k) => l >= first && l < (trust.first[k + 1] ?? first)) : -1;
    return g < 0 ? "" : trustWords(trust!, g);
  };
  const rows = lambda.map((v, l) => [String(l), digits(v, 6), digits(rates[l]), residuals ? digits(residuals[l], 2) : "", group(l), agree(l)]);
  return panel("Spectrum", "spectrum", tools(what, form), drawing.element,
    trust && trustKey(trust),
    h("p", { class: "say" }, told(rates), held && held < r ? ` Eigenvectors of the first ${held} are in this page.` : "",
      " ", term("gap", "What is a gap?")),
    held > 1 && rangeRow(held, store, extend),
    h("details", {}, h("summary", {}, `All ${plural(r, "eigenvalue")} as a table`),
      table("Table of eigenvalues", ["number", "λ", "rate", "residual", "equal", "do samples agree?"], rows, [0, 1, 2, 3])));
}
