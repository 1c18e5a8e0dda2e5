// What leaves the page, as files: a view as PNG or SVG, the selected points as CSV.
import { columnName } from "./colours";
import type { Diffusion } from "./diffusion";
import { h, save } from "./dom";
import type { Column, Page } from "./load";
import type { Scatter } from "./scatter";
import type { Store } from "./store";

/** A name for a file: the title without its suffix and without what file systems refuse. */
export const fileName = (title: string, part: string, suffix: string) =>
  `${title.replace(/\.\w{1,5}$/, "").replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 60) || "lavdm"}-${part}.${suffix}`;

/** What can be saved: a plot and what it is called. */
export interface Saved { title: string; scatter: Scatter }

export const saveButtons = (view: Saved, title: string): HTMLElement[] =>
  (["png", "svg"] as const).map((type) => h("button", { class: "tool with-text", type: "button", title: `Save the view as ${type.toUpperCase()}`,
    onclick: () => void saveView(view, title, type) }, type.toUpperCase()));

async function saveView(view: Saved, title: string, type: "png" | "svg"): Promise<void> {
  const name = fileName(title, view.title.toLowerCase().replaceAll(" ", "-"), type);
  if (type === "png") save(name, await view.scatter.toPNG(2));
  else save(name, view.scatter.toSVG(), "image/svg+xml");
}

/* A field of a CSV file; a text that a spreadsheet would compute is made plain by a quote in front. */
function field(value: string | number): string {
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  const plain = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Row, id, label, columns of the data and coordinates of every selected point. */
export async function selectionCSV(page: Page, store: Store, diffusion: Diffusion | null): Promise<string> {
  const names: string[] = ["row"], columns: ((i: number) => string | number)[] = [];
  const numbers = (name: string, values: Column) => {
    names.push(name);
    columns.push((i) => (values instanceof Float32Array ? Number(values[i]!.toPrecision(7)) : values[i]!));
  };
  const row = page.has("row") ? await page.column("row", 0) : null;
  columns.push((i) => row?.[i] ?? i);
  if (page.has("ids")) {
    const ids = await page.texts("ids");
    names.push("id");
    columns.push((i) => ids[i]!);
  }
  if (page.has("labels")) {
    const codes = await page.column("labels", 0), levels = page.has("label_levels") ? await page.texts("label_levels") : page.levels("labels");
    names.push(String(page.facts.label_name ?? "label"));
    columns.push((i) => levels[codes[i]!] ?? "");
  }
  for (let j = 0; page.has("data") && j < page.shape("data")[1]!; j++) numbers(columnName(page, j), await page.column("data", j));
  if (diffusion) {
    const t = store.get("time");
    if (diffusion.q === 1) for (const l of diffusion.lead().slice(0, 10)) numbers(`coordinate${l}`, await diffusion.coordinate(l, t));
    else for (let k = 0; k < 3; k++) numbers(`embedding_axis_${k + 1}`, await diffusion.principal(t, k));
  }
  const { mask } = store.get("selected"), lines = [names.map(field).join(",")];
  for (let i = 0; i < mask.length; i++) if (mask[i]) lines.push(columns.map((c) => field(c(i))).join(","));
  return lines.join("\r\n") + "\r\n";
}
