// What can colour the points, and the colours that come of it.
import type { Diffusion } from "./diffusion";
import type { Column, Page } from "./load";
import { number, quantiles } from "./numbers";
import { diverging, level, missing, sequential, type Ramp } from "./palette";
import type { Store, Theme } from "./store";

export interface Source {
  key: string; name: string; group: string;
  levels?: string[];
  signed?: boolean;
  values(): Promise<Column>;
}

/** Colours of the points and what the legend needs. */
export interface Colouring {
  source: Source | null;
  values: Column | null;
  rgba: Uint8Array;
  scale: { low: number; high: number; ramp: Ramp; cut: boolean } | null;
}

const readable = new Map(Object.entries({
  degrees: "degree", densities: "density", graph_component: "piece of the graph", signs: "side", leading: "leading eigenvector",
  alignment: "alignment with those around", isolated_points: "isolated", component: "component",
}));
const categorical = new Set(["graph_component", "signs", "isolated_points", "component"]);
const taken = /^(plain|distance|component|(axis|data|principal|array):.*)$/s; // keys of other colours
const never = new Set(["row", "ids", "labels", "label_levels", "nodes", "images", "eigenvalues", "residuals"]);

export async function sources(page: Page, diffusion: Diffusion | null, store: Store, distances: () => Float32Array | null): Promise<Source[]> {
  const out: Source[] = [];
  if (page.has("labels")) {
    const levels = page.has("label_levels") ? await page.texts("label_levels") : page.levels("labels");
    out.push({ key: "labels", name: String(page.facts.label_name ?? "label"), group: "Points", levels, values: () => page.column("labels", 0) });
  }
  out.push({ key: "plain", name: "one colour", group: "Points", values: () => Promise.resolve(new Float32Array(page.rows)) });
  for (const name of page.arrays()) {
    const shape = page.shape(name);
    if (never.has(name) || shape.length !== 1 || shape[0] !== page.rows || page.levels(name).length) continue;
    const values = () => page.column(name, 0), key = taken.test(name) ? `array:${name}` : name;
    const shown = name === "colour" ? String(page.facts.colour_name ?? name) : readable.get(name) ?? name.replaceAll("_", " ");
    const found = categorical.has(name) ? await few(await values()) : null;
    out.push(found ? { key, name: shown, group: "Points", levels: found.names, values: () => Promise.resolve(found.codes) }
      : { key, name: shown, group: "Points", signed: name === "leading", values });
  }
  if (diffusion) {
    const q = diffusion.q;
    out.push({ key: "distance", name: "distance from the focus", group: "Embedding", values: async () => distances() ?? new Float32Array(page.rows).fill(NaN) });
    out.push({ key: "component", name: q === 1 ? "chosen eigenvector" : "size of the chosen field", group: "Embedding", signed: q === 1,
      values: () => strengthOf(diffusion, store.get("component")) });
    if (q > 1)
      for (let k = 0; k < 3; k++) out.push({ key: `axis:${k}`, name: `embedding axis ${k + 1}`, group: "Embedding", values: () => diffusion.principal(store.get("time"), k) });
  }
  if (page.has("data"))
    for (let j = 0; j < page.shape("data")[1]!; j++)
      out.push({ key: `data:${j}`, name: columnName(page, j), group: "Columns of the data", values: () => page.column("data", j) });
  if (page.has("principal"))
    for (let j = 0; j < page.shape("principal")[1]!; j++)
      out.push({ key: `principal:${j}`, name: `principal axis ${j + 1}`, group: "Columns of the data", values: () => page.column("principal", j) });
  return out;
}

export const columnName = (page: Page, j: number) => page.names("data")?.[j] ?? `x${j + 1}`;

async function strengthOf(diffusion: Diffusion, l: number): Promise<Column> {
  if (diffusion.q === 1) return diffusion.column(l);
  const out = new Float32Array(diffusion.page.rows);
  for (let c = 0; c < diffusion.q; c++) {
    const u = await diffusion.column(l, c);
    for (let i = 0; i < out.length; i++) out[i]! += u[i]! * u[i]!;
  }
  return out.map(Math.sqrt);
}

/* Numbers that are few as levels, or null if there are more than 24. */
async function few(values: Column): Promise<{ codes: Int32Array; names: string[] } | null> {
  const seen = new Map<number, number>();
  for (const v of values) {
    if (!seen.has(v)) seen.set(v, 0);
    if (seen.size > 24) return null;
  }
  const sorted = [...seen.keys()].filter((v) => !Number.isNaN(v)).sort((a, b) => a - b);
  sorted.forEach((v, k) => seen.set(v, k));
  return { codes: Int32Array.from(values, (v) => (Number.isNaN(v) ? -1 : seen.get(v)!)), names: sorted.map(number) };
}

/** Colours by a source: levels by the list, numbers by a scale over the middle 98 per cent. */
export function colour(source: Source | null, values: Column | null, n: number, theme: Theme): Colouring {
  const rgba = new Uint8Array(4 * n).fill(255), [mr, mg, mb] = missing(theme);
  const put = (i: number, r: number, g: number, b: number) => {
    rgba[4 * i] = r;
    rgba[4 * i + 1] = g;
    rgba[4 * i + 2] = b;
  };
  if (!source || !values || source.key === "plain") {
    const [r, g, b] = level(0, theme);
    for (let i = 0; i < n; i++) put(i, r, g, b);
    return { source, values: null, rgba, scale: null };
  }
  if (source.levels) {
    const count = source.levels.length, table = Array.from({ length: Math.min(count, 24) }, (_, k) => level(k, theme));
    for (let i = 0; i < n; i++) {
      const k = values[i]!;
      if (k >= 0 && k < count) put(i, ...table[k % 24]!);
      else put(i, mr, mg, mb);
    }
    return { source, values, rgba, scale: null };
  }
  let [low = 0, high = 1, least = 0, most = 1] = quantiles(values, [0.01, 0.99, 0, 1]) ?? [0, 1, 0, 1];
  if (!(high > low)) [low, high] = least < most ? [least, most] : [low - 0.5, low + 0.5];
  const signed = source.signed === true && low < 0 && high > 0;
  if (signed) low = -(high = Math.max(high, -low));
  const ramp = signed ? diverging(theme) : sequential(theme), f = 1 / (high - low);
  for (let i = 0; i < n; i++) {
    const v = values[i]!;
    if (Number.isNaN(v)) put(i, mr, mg, mb);
    else put(i, ...ramp((v - low) * f));
  }
  return { source, values, rgba, scale: { low, high, ramp, cut: least < low || most > high } };
}

/** The colours with what is not selected, or hidden by the legend, taken back. */
export function withSelection(rgba: Uint8Array, mask: Uint8Array, count: number, theme: Theme): Uint8Array {
  if (!count) return rgba;
  const out = rgba.slice(), ground = theme === "light" ? 225 : 58;
  for (let i = 0; i < mask.length; i++)
    if (!mask[i]) {
      out[4 * i] = (out[4 * i]! + 4 * ground) / 5;
      out[4 * i + 1] = (out[4 * i + 1]! + 4 * ground) / 5;
      out[4 * i + 2] = (out[4 * i + 2]! + 4 * ground) / 5;
      out[4 * i + 3] = 110;
    }
  return out;
}
