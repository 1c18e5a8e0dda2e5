// One view of the points: a heading, menus for its axes, buttons, and the scatter plot.
import { h } from "./dom";
import { saveButtons } from "./exports";
import { iconButton } from "./icons";
import type { Column, Page } from "./load";
import { Scatter } from "./scatter";

export interface Axis { key: string; name: string; long?: string; values(): Promise<Column> }

const none = "none";

export class View {
  readonly element: HTMLElement;
  readonly scatter: Scatter;
  /** Called after new positions are drawn. */
  onAxes: (() => void)[] = [];
  private selects: HTMLSelectElement[];
  private turn = 0;

  constructor(page: Page, readonly title: string, private axes: Axis[], first: string[], ...more: (HTMLElement | null)[]) {
    const host = h("div", { class: "host" });
    this.scatter = new Scatter(host, { dims: 3, label: `${title}, ${page.rows} points` });
    this.selects = [0, 1, 2].map((k) => {
      const choices = [...axes.map((a) => h("option", { value: a.key, title: a.long ?? a.name }, a.name)), k >= Math.min(2, axes.length) && h("option", { value: none }, "none")];
      const select = h("select", { "aria-label": `${title}: axis ${k + 1}`, title: `Axis ${k + 1}`, onchange: () => void this.update() }, ...choices);
      select.value = first[k] ?? none;
      return select;
    });
    const spin = iconButton("spin", "Turn by itself", () => {
      const on = spin.getAttribute("aria-pressed") !== "true";
      spin.setAttribute("aria-pressed", String(on));
      this.scatter.spin(on);
    });
    spin.setAttribute("aria-pressed", "false");
    host.addEventListener("pointerdown", () => spin.getAttribute("aria-pressed") === "true" && spin.click());
    this.element = h("section", { class: "view", "aria-label": title },
      h("div", { class: "view-head" }, h("h2", {}, title), h("div", { class: "axes" }, ...this.selects), ...more,
        h("div", { class: "tools" }, spin, iconButton("reset", "Show all, as at first (0)", () => this.scatter.fit()),
          ...saveButtons(this, page.title))),
      host);
  }

  /** Axes that are drawn. */
  chosen(): Axis[] {
    return this.selects.map((s) => this.axes.find((a) => a.key === s.value)).filter((a) => a !== undefined);
  }

  /** Takes the columns of the axes and draws them; the last call wins. */
  async update(): Promise<void> {
    const mine = ++this.turn, chosen = this.chosen();
    this.element.classList.add("busy");
    try {
      const [x, y, z] = await Promise.all(chosen.map((a) => a.values()));
      if (mine !== this.turn || !x) return;
      this.scatter.setDims(z ? 3 : 2);
      this.scatter.setAxes(chosen.map((a) => a.name));
      this.scatter.setPositions(x, y ?? new Float32Array(x.length), z ?? null);
      for (const f of this.onAxes) f();
    } finally {
      if (mine === this.turn) this.element.classList.remove("busy");
    }
  }
}
