// Synchronisation: the graph in space with its edges by trust or residual, a threshold, and the edges of a node.
import { histogram, type Chart } from "./chart";
import { h, menu, panel } from "./dom";
import { ellipses, told, type Ellipses } from "./ellipses";
import { saveButtons } from "./exports";
import { term } from "./help";
import type { Page } from "./load";
import { number, quantiles } from "./numbers";
import { mix, theme } from "./paint";
import { level, sequential } from "./palette";
import { choice, numbers, pairs, table, tools } from "./parts";
import { Scatter } from "./scatter";
import { digits, plural, scale } from "./scale";
import type { Store, Theme } from "./store";
import { readGraph, worst, type Graph } from "./syncgraph";

type Shade = "trust" | "residual";
const unitOf = (page: Page): string => (typeof page.facts.residual_unit === "string" ? page.facts.residual_unit : "");

/** How bad an edge is, 0 to 1: what trust it lost, or where its residual stands between the median and the largest. */
function badness(g: Graph, shade: Shade): (e: number) => number {
  if (shade === "trust" && g.trust) return (e) => (1 - Math.max(0, Math.min(1, g.trust![e]!))) ** 2;
  const sorted = Float64Array.from(g.residuals as ArrayLike<number>).filter(Number.isFinite).sort();
  const low = sorted[Math.floor(sorted.length / 2)] ?? 0, high = sorted[sorted.length - 1] ?? 1;
  const log = low > 0 && high / low >= 100, place = scale([low, high > low ? high : low + 1], [0, 1], log);
  return (e) => Math.max(0, Math.min(1, place(Math.max(log ? low : -Infinity, g.residuals[e]!)) || 0));
}

/** Edges as segments, the worst drawn last; those at or below the threshold are left out. */
function drawEdges(view: Scatter, g: Graph, shade: Shade, threshold: number, rings: Float32Array): void {
  const rule = badness(g, shade), bad = Float32Array.from({ length: g.residuals.length }, (_, e) => rule(e)), kept: number[] = [];
  for (let e = 0; e < bad.length; e++) if (!(g.residuals[e]! <= threshold)) kept.push(e);
  kept.sort((a, b) => bad[a]! - bad[b]!);
  const all = kept.length + rings.length / 6, at = new Float32Array(6 * all), colours = new Uint8Array(4 * all), widths = new Float32Array(2 * all).fill(1);
  at.set(rings, 6 * kept.length);
  for (let k = kept.length; k < all; k++) colours.set([...theme("--accent"), 200], 4 * k);
  const calm = theme("--edge"), wild = theme("--accent-2"), soft = Math.max(30, Math.min(150, 150 * Math.sqrt(700 / Math.max(1, kept.length))));
  const many = kept.reduce((s, e) => s + bad[e]!, 0), loud = Math.max(soft, Math.min(235, 235 * (700 / Math.max(1, many)) ** 0.75));
  kept.forEach((e, k) => {
    const t = bad[e]!;
    [g.from[e]!, g.to[e]!].forEach((node, end) => g.places.forEach((c, axis) => (at[6 * k + 3 * end + axis] = c ? c[node]! : 0)));
    colours.set([...mix(calm, wild, t), Math.round(soft + (loud - soft) * t)], 4 * k);
    widths.fill(1 + (0.8 * t * loud) / 235, 2 * k, 2 * k + 2);
  });
  view.setSegments(at, colours, { widths, under: true });
}

type Paint = "order" | "worst edge" | "component" | "one colour";

/** Nodes by their order (a trajectory shows where it goes), by the residual of their worst edge, or by component. */
function drawNodes(view: Scatter, g: Graph, how: Paint, mode: Theme): void {
  const n = g.nodes.length, rgba = new Uint8Array(4 * n).fill(255), ramp = sequential(mode), plain = theme("--accent");
  const high = how === "worst edge" ? Math.max(Number.MIN_VALUE, ...(quantiles(g.residuals, [0.98]) ?? [])) : 1;
  for (let i = 0; i < n; i++) {
    const at = how === "order" ? i / Math.max(1, n - 1) : (g.residuals[worst(g, i, 1)[0] ?? -1] ?? 0) / high;
    rgba.set(how === "one colour" ? plain : how === "component" ? level(Math.max(0, g.component?.[i] ?? 0), mode) : ramp(at), 4 * i);
  }
  view.setColours(rgba);
}

export function syncPanel(page: Page, store: Store): HTMLElement | null {
  if (page.kind !== "sync" || !page.has("edges")) return null;
  const poses = page.has("positions"), name = poses ? "positions" : "layout", flat = page.has(name) && page.shape(name)[1] === 2;
  if (!page.has(name)) return null;
  const host = h("div", { class: "view-box tall" }), view = new Scatter(host, { dims: flat ? 2 : 3, label: "The graph" });
  view.sizeFactor = Math.max(0.4, Math.min(0.75, 0.75 * (2000 / Math.max(1, page.rows)) ** 0.25)); // edges are seen between nodes
  const about = h("span", {});
  let rings: Ellipses | null = null, sure = true;
  let graph: Graph | null = null, shade: Shade = page.has("trust") ? "trust" : "residual", nodes: Paint = poses ? "order" : "one colour";
  const paint = (): void => {
    if (!graph) return;
    drawNodes(view, graph, nodes, store.get("theme"));
    drawEdges(view, graph, shade, store.get("threshold"), rings && sure ? rings.segments : new Float32Array(0));
  };
  const mark = (): void => {
    const focus = store.get("focus"), hover = store.get("hover"), near = graph && focus >= 0 ? worst(graph, focus, 5) : [];
    view.setMarks([...near.map((e) => ({ row: graph!.from[e] === focus ? graph!.to[e]! : graph!.from[e]!, kind: "neighbour" as const })),
      ...(focus >= 0 ? [{ row: focus, kind: "focus" as const }] : []), ...(hover >= 0 ? [{ row: hover, kind: "hover" as const }] : [])]);
  };
  view.onHover = (row) => store.set("hover", row);
  view.onClick = (row) => store.set("focus", row);
  host.addEventListener("keydown", (e) => e.key === "Escape" && store.set("focus", -1));
  store.on("hover", mark);
  store.on("focus", mark);
  store.on("theme", paint);
  store.on("threshold", paint);
  void readGraph(page).then((g) => {
    graph = g;
    view.setAxes(poses ? ["x", "y", "z"] : ["φ₁", "φ₂", "φ₃"]);
    view.setPositions(g.places[0]!, g.places[1]!, g.places[2] ?? null);
    paint();
    if (page.has("point_positions")) void sighted(page).then((at) => view.setCrosses(at));
    if (poses && page.has("spread")) void rounds(page, g).then((e) => {
      rings = e;
      about.textContent = told(e, g.nodes.length);
      paint();
    });
  });
  const shades = choice("Edges by", page.has("trust") ? (["trust", "residual"] as const) : (["residual"] as const), shade, (w) => {
    shade = w;
    paint();
  });
  const paints: Paint[] = ["one colour", "order", "worst edge", ...(page.has("gaps") && page.shape("gaps")[0]! > 1 ? ["component" as const] : [])];
  const colours = menu("Nodes by", paints.map((p) => [p, p]), nodes, (v) => {
    nodes = v as Paint;
    paint();
  });
  const ringed = h("input", { type: "checkbox", checked: true, onchange: () => {
    sure = ringed.checked;
    paint();
  } });
  const spread = poses && page.has("spread") ? [h("label", { class: "control" }, ringed, "Covariances")] : [];
  return panel(poses ? "Poses" : "The graph", "graph", tools(...spread, colours, h("span", { class: "control" }, "Edges by"), shades,
    ...saveButtons({ title: poses ? "poses" : "graph", scatter: view }, page.title)), host,
    h("p", { class: "say" }, poses ? "Positions that were found; in the order of their nodes they go from dark to bright. " : "Nodes lie where diffusion over the graph puts them. ",
      "Edges in orange ", page.has("trust") ? h("span", {}, "have lost ", term("trust"), " or fit badly.") : "fit badly.", " ", about,
      page.has("point_positions") ? "Crosses are points that were sighted." : ""));
}

/** Ellipses of all nodes, for the size of the whole. */
async function rounds(page: Page, g: Graph): Promise<Ellipses> {
  const wide = page.shape("spread")[1] ?? 0, columns = await Promise.all(Array.from({ length: wide }, (_, j) => page.column("spread", j)));
  const extent = Math.max(...g.places.filter((c) => c !== null).map((c) => {
    const [low = 0, high = 0] = quantiles(c, [0.01, 0.99]) ?? [];
    return high - low;
  }));
  return ellipses(g.places, columns, extent);
}

/** x, y, z, ... of the points. */
async function sighted(page: Page): Promise<Float32Array> {
  const [n = 0, q = 0] = page.shape("point_positions"), out = new Float32Array(3 * n);
  for (let j = 0; j < Math.min(3, q); j++) (await page.column("point_positions", j)).forEach((v, i) => (out[3 * i + j] = v));
  return out;
}

/** Residuals of all edges, with a slider that leaves those below it out of the view. */
export function residualsPanel(page: Page, store: Store): HTMLElement | null {
  if (page.kind !== "sync" || !page.has("residuals")) return null;
  const body = h("div", { class: "near" });
  void page.column("residuals", 0).then((all) => body.append(...residuals(Float64Array.from(all).filter(Number.isFinite).sort(), unitOf(page), store)));
  return panel("Residuals", "residuals", body);
}

function residuals(sorted: Float64Array, unit: string, store: Store): HTMLElement[] {
  const m = sorted.length;
  if (!m) return [];
  const input = h("input", { type: "range", min: 0, max: 1000, value: 0, "aria-label": "Show edges with a residual above" }), out = h("output", {}, "all");
  let line: number | null = null;
  const drawing: Chart = histogram(sorted, { label: `Histogram of ${plural(m, "residual")}: median ${digits(sorted[m >> 1])}, largest ${digits(sorted[m - 1])} ${unit}`,
    name: `residual${unit ? ` in ${unit}` : ""}`, unit: "edges", line: () => line });
  const high = sorted[m - 1]!, low = Math.max(sorted[0]!, high * 1e-6), place = scale([low, high > low ? high : low + 1], [1, 1000], sorted[0]! > 0 && high / low >= 100);
  input.addEventListener("input", () => {
    const at = Number(input.value);
    line = at ? place.invert(at) : null;
    out.textContent = line === null ? "all" : `${digits(line, 2)}: ${plural(sorted.filter((v) => v > line!).length, "edge")}`;
    input.setAttribute("aria-valuetext", out.textContent);
    drawing.redraw();
    store.set("threshold", line ?? -Infinity);
  });
  return [drawing.element, h("label", { class: "slider" }, "Show edges above", input, out)];
}

/** The node under the pointer or in focus, with its worst edges. */
export function nodePanel(page: Page, store: Store): HTMLElement | null {
  if (page.kind !== "sync" || !page.has("edges")) return null;
  const body = h("div", { class: "near" }), unit = unitOf(page);
  let graph: Graph | null = null;
  const show = async (): Promise<void> => {
    graph ??= await readGraph(page);
    const g = graph, i = store.get("hover") >= 0 ? store.get("hover") : store.get("focus");
    if (i < 0) return body.replaceChildren(h("p", { class: "say" }, "Point at a node to see it and the edges that fit it worst."));
    const wide = page.has("elements") ? page.shape("elements").slice(1).reduce((a, b) => a * b, 1) : 0;
    const element = await Promise.all(Array.from({ length: Math.min(wide, 9) }, (_, j) => page.column("elements", j)));
    const edges = worst(g, i, 8), other = (e: number): number => (g.from[e] === i ? g.to[e]! : g.from[e]!);
    body.replaceChildren(pairs([["node", number(g.nodes[i]!)], ["edges", number(g.start[i + 1]! - g.start[i]!)],
      ...(element.length ? [["element", element.map((c) => digits(c[i]!, 3)).join("  ")] as [string, string]] : []),
      ...(g.places.some(Boolean) && page.has("positions") ? [["position", g.places.filter((c) => c !== null).map((c) => digits(c[i]!)).join("  ")] as [string, string]] : [])]),
      table("Worst edges of the node", ["edge to", `residual${unit ? ` (${unit})` : ""}`, ...(g.trust ? ["trust"] : [])],
        edges.map((e) => [h("button", { type: "button", class: "term", onclick: () => store.set("focus", other(e)) }, `node ${g.nodes[other(e)]!}`),
          digits(g.residuals[e]!), ...(g.trust ? [digits(g.trust[e]!, 2)] : [])]), [1, 2]));
  };
  store.on("hover", () => void show());
  store.on("focus", () => void show());
  void show();
  return panel("Node", "node", body);
}

const MOST = 500; // components that are listed

/** Components with their gap and residuals. */
export function componentsPanel(page: Page, _store: Store): HTMLElement | null {
  if (page.kind !== "sync" || !page.has("gaps")) return null;
  const body = h("div", { class: "near" });
  void components(page).then((parts) => body.append(...parts));
  return panel("Components", "components", body);
}

async function components(page: Page): Promise<HTMLElement[]> {
  const names = ["gaps", "component_nodes", "component_edges", "component_median", "component_95", "eigenvalues", "component_cost", "component_certified"];
  const [gaps = [], sizes = [], edges = [], median = [], most = [], values = [], cost = [], proved = []] = await Promise.all(names.map((name) => numbers(page, name)));
  const k = gaps.length ? values.length / gaps.length : 0, unit = unitOf(page), least = Math.min(...gaps.slice(0, MOST).filter(Number.isFinite));
  const rows = gaps.slice(0, MOST).map((gap, c) => [String(c), number(sizes[c] ?? NaN), number(edges[c] ?? NaN), digits(gap), digits(median[c]), digits(most[c]),
    ...(proved.length ? [digits(cost[c]), proved[c] ? "yes" : "no"] : []), values.slice(c * k, (c + 1) * k).map((v) => digits(v, 3)).join("  ")]);
  return [h("p", { class: "say" }, least < 0.01 ? "A gap near zero says that the answer is hardly determined: by noise, or because the graph is a long chain or a large grid. "
    : "A gap well above zero says that the answer is determined. ", `Residuals are in ${unit || "the unit of the group"}. `,
    gaps.length > MOST ? `The ${MOST} largest of ${plural(gaps.length, "component")} are listed. ` : "", term("residual", "What is a residual?")),
    table("Table of components", ["component", "nodes", "edges", "gap", "median residual", "95% below", ...(proved.length ? ["cost", "certified"] : []), "eigenvalues"], rows, [0, 1, 2, 3, 4, 5])];
}
