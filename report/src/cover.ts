// The orientable double cover in three dimensions: two points for each point, marked together.
import { h, panel, menu } from "./dom";
import { saveButtons } from "./exports";
import { term } from "./help";
import type { Page } from "./load";
import { quantiles } from "./numbers";
import { diverging } from "./palette";
import { tools } from "./parts";
import { Scatter } from "./scatter";
import type { Store } from "./store";

/** Which coordinate of the cover a column of the page is, from 0: its name says so, "cover 3". */
function coordinate(page: Page, column: number): number {
  const found = page.names("cover")?.[column]?.match(/(\d+)$/);
  return found ? Number(found[1]) : column;
}

/** Columns that vary: coordinates whose eigenvalue is 1 only tell pieces of the cover apart. */
function varying(page: Page): number[] {
  const held = page.shape("cover")[1] ?? 0, values = page.has("cover_eigenvalues") ? page.values("cover_eigenvalues") : [];
  const all = Array.from({ length: held }, (_, j) => j), moving = all.filter((j) => !(values[coordinate(page, j)]! > 1 - 1e-9));
  return moving.length >= 2 ? moving : all;
}

export function coverPanel(page: Page, store: Store): HTMLElement | null {
  if (!page.has("cover") || (page.shape("cover")[1] ?? 0) < 2) return null;
  const n = page.rows, parities = page.has("cover_parity") ? page.values("cover_parity") : [], axes = varying(page);
  const parity = (j: number): number => parities[coordinate(page, j)] ?? 0;
  const name = (j: number): string => `cover ${coordinate(page, j)}${parity(j) === 1 ? " (even)" : parity(j) === -1 ? " (odd)" : ""}`;
  const host = h("div", { class: "view-box" }), view = new Scatter(host, { dims: axes.length > 2 ? 3 : 2, label: "The double cover" });
  const chosen = axes.slice(0, 3), odd = axes.find((j) => parity(j) === -1);
  if (odd !== undefined && !chosen.includes(odd)) chosen[chosen.length - 1] = odd; // only odd ones tell the two apart
  let colour = odd ?? axes[0]!;

  const place = async (): Promise<void> => {
    const [x, y, z] = await Promise.all(chosen.map((l) => page.column("cover", l)));
    view.setAxes(chosen.map(name));
    view.setPositions(x!, y!, z ?? null);
    view.fit();
  };
  const paint = async (): Promise<void> => {
    const values = await page.column("cover", colour), ends = quantiles(values, [0.02, 0.98]) ?? [-1, 1];
    const most = Math.max(Math.abs(ends[0]!), Math.abs(ends[1]!)) || 1, rgba = new Uint8Array(8 * n);
    const ramp = diverging(store.get("theme"));
    for (let i = 0; i < 2 * n; i++) rgba.set([...ramp((1 + values[i]! / most) / 2), 255], 4 * i);
    view.setColours(rgba);
  };
  const mark = (): void => {
    const lifts = (row: number, kind: "hover" | "focus") => (row < 0 ? [] : [{ row, kind }, { row: n + row, kind }] as const);
    view.setMarks([...lifts(store.get("focus"), "focus"), ...lifts(store.get("hover"), "hover")]);
  };
  view.onHover = (row) => store.set("hover", row < 0 ? -1 : row % n);
  view.onClick = (row) => store.set("focus", row < 0 ? -1 : row % n);
  store.on("hover", mark);
  store.on("focus", mark);
  store.on("theme", () => void paint());
  void place();
  void paint();
  const choices = axes.map((l): [string, string] => [String(l), name(l)]);
  const pick = (k: number, label: string) => menu(label, choices, String(chosen[k]), (v) => {
    chosen[k] = Number(v);
    void place();
  });
  return panel("The double cover", "cover",
    tools(...chosen.map((_, k) => pick(k, "xyz"[k]!)), menu("colour", choices, String(colour), (v) => {
      colour = Number(v);
      void paint();
    }), ...saveButtons({ title: "double cover", scatter: view }, page.title)),
    host,
    h("p", { class: "say" }, "Each point is here twice, once for either ", term("double cover", "orientation"),
      ". Hover over one to see both. Even coordinates are equal at the two, odd ones opposite."));
}
