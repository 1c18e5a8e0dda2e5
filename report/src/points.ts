// The data and the embedding side by side, linked: what is pointed at, clicked, selected or coloured in one is so in both.
import { colour, columnName, sources, withSelection, type Colouring, type Source } from "./colours";
import { AXES, Diffusion } from "./diffusion";
import { h } from "./dom";
import { FieldLayer } from "./fields";
import type { How } from "./gestures";
import { landmarks } from "./landmarks";
import type { Page } from "./load";
import { number } from "./numbers";
import type { Mark } from "./scatter";
import type { Store } from "./store";
import { timeSlider } from "./time";
import { Tooltip } from "./tooltip";
import { selectionBar, toolbar } from "./toolbar";
import { View, type Axis } from "./view";

function dataAxes(page: Page): { axes: Axis[]; first: string[] } | null {
  const axes: Axis[] = [], principal = page.has("principal");
  if (principal)
    for (let j = 0; j < page.shape("principal")[1]!; j++)
      axes.push({ key: `principal:${j}`, name: `PC ${j + 1}`, long: `principal axis ${j + 1} of the data`, values: () => page.column("principal", j) });
  for (let j = 0; page.has("data") && j < page.shape("data")[1]!; j++)
    axes.push({ key: `data:${j}`, name: columnName(page, j), values: () => page.column("data", j) });
  return axes.length ? { axes, first: axes.slice(0, 3).map((a) => a.key) } : null;
}

function embeddingAxes(diffusion: Diffusion, store: Store): { axes: Axis[]; first: string[] } {
  const axes: Axis[] = [];
  if (diffusion.q === 1) {
    for (let l = 0; l < diffusion.r; l++)
      axes.push({ key: `u${l}`, name: `ψ${subscript(l)}`, long: `eigenvector ${l}`, values: () => diffusion.coordinate(l, store.get("time")) });
    return { axes, first: diffusion.lead().slice(0, 3).map((l) => `u${l}`) };
  }
  for (let k = 0; k < AXES; k++)
    axes.push({ key: `axis:${k}`, name: `axis ${k + 1}`, long: `principal axis ${k + 1} of the embedding`, values: () => diffusion.principal(store.get("time"), k) });
  return { axes, first: ["axis:0", "axis:1", "axis:2"] };
}

const subscript = (l: number) => [...String(l)].map((d) => "₀₁₂₃₄₅₆₇₈₉"[Number(d)]).join("");

/** Joins a new region with what is selected. */
function combine(was: Uint8Array, mask: Uint8Array, how: How): Uint8Array {
  if (how === "replace") return mask;
  return was.map((v, i) => (how === "add" ? v | mask[i]! : v & (1 - mask[i]!)));
}

export class Points {
  readonly element: HTMLElement;
  readonly views: View[] = [];
  colouring: Colouring;
  private all: Source[] = [];
  private distances: { row: number; time: number; values: Float32Array } | null = null;
  private turn = 0;

  constructor(readonly page: Page, readonly store: Store, readonly diffusion: Diffusion | null) {
    const data = dataAxes(page), legendHost = h("div", { class: "legend-host" });
    this.colouring = colour(null, null, page.rows, store.get("theme"));
    const field = FieldLayer.of(page, store, diffusion);
    if (data) this.views.push(new View(page, "Data", data.axes, data.first, field?.control ?? null));
    if (diffusion) {
      const { axes, first } = embeddingAxes(diffusion, store);
      this.views.push(new View(page, "Embedding", axes, first));
    }
    const pair = h("div", { class: `pair of-${this.views.length}` }, ...this.views.map((v) => v.element));
    this.element = h("div", { class: "points" }, toolbar(this, legendHost, diffusion && timeSlider(diffusion, store), landmarks(page, this.views)), pair, selectionBar(this));
    for (const view of this.views) this.link(view, new Tooltip(this, view));
    this.watch();
    const ready = this.begin();
    if (field && data) field.attach(this.views[0]!, ready);
  }

  sources(): Source[] { return this.all; }
  onSources: () => void = () => {};
  onColouring: () => void = () => {};

  private async begin(): Promise<void> {
    const [first, ...others] = this.views; // the first is seen before the others are computed
    await first!.update();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    this.all = await sources(this.page, this.diffusion, this.store, () => this.distances?.values ?? null);
    if (!this.store.get("colour")) this.store.set("colour", this.firstColour());
    this.onSources();
    await Promise.all(others.map((v) => v.update()));
  }
  private firstColour(): string {
    const keys = new Set(this.all.map((s) => s.key)), pieces = this.all.find((s) => s.key === "graph_component")?.levels?.length ?? 1;
    return ["colour", "labels", pieces > 1 ? "graph_component" : "", this.page.kind === "orient" ? "signs" : "", this.diffusion?.functions ? "component" : "axis:0", "component", "plain"].find((k) => keys.has(k))!;
  }

  private link(view: View, tooltip: Tooltip): void {
    const { scatter } = view, { store } = this;
    scatter.onHover = (row, x, y) => {
      store.set("hover", row);
      tooltip.show(row, x, y);
    };
    scatter.onClick = (row) => store.set("focus", row);
    scatter.onLasso = (mask, how) => store.select(combine(store.get("selected").mask, mask, how));
  }

  private watch(): void {
    const { store } = this, marks = () => {
      const list: Mark[] = store.get("neighbours").map(({ row }) => ({ row, kind: "neighbour" }));
      if (store.get("focus") >= 0) list.push({ row: store.get("focus"), kind: "focus" });
      if (store.get("hover") >= 0 && store.get("hover") !== store.get("focus")) list.push({ row: store.get("hover"), kind: "hover" });
      for (const view of this.views) view.scatter.setMarks(list);
    };
    for (const key of ["hover", "focus", "neighbours"] as const) store.on(key, marks);
    for (const key of ["colour", "theme"] as const) store.on(key, () => void this.recolour());
    store.on("component", () => store.get("colour") === "component" && void this.recolour());
    store.on("selected", ({ count }) => {
      this.paint();
      store.set("said", count ? `${number(count)} of ${number(this.page.rows)} points are selected.` : "Nothing is selected.");
    });
    for (const key of ["focus", "k", "time"] as const) store.on(key, () => void this.findNearest(key));
    store.on("time", () => void this.retime());
    store.on("range", (range) => {
      this.diffusion?.use(range);
      void this.findNearest("range");
      void this.retime();
    });
  }

  private async retime(): Promise<void> {
    await this.views.find((v) => v.title === "Embedding")?.update();
    if (this.store.get("colour").startsWith("axis:")) await this.recolour();
  }

  private async recolour(): Promise<void> {
    const mine = ++this.turn, source = this.all.find((s) => s.key === this.store.get("colour")) ?? null;
    const values = source ? await source.values() : null;
    if (mine !== this.turn) return;
    this.colouring = colour(source, values, this.page.rows, this.store.get("theme"));
    this.paint();
    this.onColouring();
  }
  private paint(): void {
    const { mask, count } = this.store.get("selected"), rgba = withSelection(this.colouring.rgba, mask, count, this.store.get("theme"));
    for (const { scatter } of this.views) {
      scatter.setColours(rgba);
      scatter.setTop(count && count < mask.length ? mask : null);
    }
  }

  /** Finds the nearest of the focus by (vector) diffusion distance. */
  private async findNearest(why: "focus" | "k" | "time" | "range"): Promise<void> {
    const { store, diffusion } = this, row = store.get("focus"), time = store.get("time"), range = store.get("range");
    if (row < 0 || !diffusion) {
      this.distances = null;
      store.set("neighbours", []);
    } else {
      const found = await diffusion.from(row, time);
      if (row !== store.get("focus") || time !== store.get("time") || range !== store.get("range")) return;
      this.distances = { row, time, values: found.distances };
      store.set("neighbours", diffusion.nearest(row, store.get("k"), found));
      if (why === "focus") store.set("said", `Row ${row} is in focus, with its ${store.get("neighbours").length} nearest.`);
    }
    if (store.get("colour") === "distance" && why !== "k") await this.recolour();
  }
}
