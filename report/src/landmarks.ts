// Landmarks as crosses: where they are in the data, and at the points that stand for them in the embedding.
import { h } from "./dom";
import type { Column, Page } from "./load";
import type { View } from "./view";

/* Rows of the page of the landmarks that are shown. */
async function shownRows(page: Page): Promise<number[]> {
  const index = await page.column("landmark_index", 0);
  if (!page.has("row")) return [...index].filter((i) => i >= 0 && i < page.rows);
  const place = new Map<number, number>();
  (await page.column("row", 0)).forEach((row, i) => place.set(row, i));
  return [...index].map((i) => place.get(i)).filter((i) => i !== undefined);
}

async function positions(page: Page, view: View): Promise<Float32Array | null> {
  const axes = view.chosen(), own: Column[] = [];
  for (const { key } of axes) {
    const [array, j] = key.split(":"), name = array === "data" ? "landmarks" : array === "principal" ? "landmarks_principal" : "";
    if (page.has(name) && Number(j) < page.shape(name)[1]!) own.push(await page.column(name, Number(j)));
  }
  const rows = own.length === axes.length ? null : page.has("landmark_index") ? await shownRows(page) : [];
  const columns = rows ? await Promise.all(axes.map((a) => a.values())) : own, n = rows ? rows.length : own[0]?.length ?? 0;
  const out = new Float32Array(3 * n);
  for (let i = 0; i < n; i++) columns.forEach((c, k) => (out[3 * i + k] = c[rows ? rows[i]! : i]!));
  return n ? out : null;
}

export function landmarks(page: Page, views: View[]): HTMLElement | null {
  if (!page.has("landmarks") && !page.has("landmark_index")) return null;
  const box = h("input", { type: "checkbox", onchange: () => views.forEach((v) => void show(v)) });
  const show = async (view: View) => view.scatter.setCrosses(box.checked ? await positions(page, view) : null);
  for (const view of views) view.onAxes.push(() => void show(view));
  return h("label", { class: "control check", title: "Crosses at the landmarks" }, box, h("span", {}, "Landmarks"));
}
