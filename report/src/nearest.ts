// The point in focus and its nearest, by distance.
import type { Diffusion } from "./diffusion";
import { h, panel } from "./dom";
import type { Page } from "./load";
import { number } from "./numbers";
import type { Neighbour, Store } from "./store";
import { degrees, turnOf } from "./thumbs";
import { trueRow } from "./tooltip";

/* What the matrix that aligns a neighbour does, in the plane and on the line. */
function alignment(matrix: Float64Array): string {
  if (matrix.length === 1) return matrix[0]! < 0 ? "−" : "+";
  return matrix.length === 4 ? degrees(turnOf(matrix)) : "";
}

export function nearestPanel(page: Page, store: Store, diffusion: Diffusion): HTMLElement {
  const hint = h("p", { class: "muted" }, "Click a point to see its nearest here."), head = h("div", { class: "focus" });
  const list = h("tbody"), value = h("output", {}, store.get("k")), what = diffusion.functions ? "diffusion distance" : "vector diffusion distance";
  const slider = h("input", { type: "range", min: 1, max: Math.min(100, Math.max(1, page.rows - 1)), value: store.get("k"), "aria-label": "How many nearest",
    oninput: () => (value.textContent = slider.value, store.set("k", Number(slider.value))) });
  const table = h("table", { class: "nearest" }, h("thead", {}, h("tr", {}, h("th", {}), h("th", {}, page.has("ids") ? "id" : "row"),
    page.has("labels") && h("th", {}, String(page.facts.label_name ?? "label")), h("th", { class: "num", title: what }, "distance"),
    !diffusion.functions && h("th", { class: "num", title: "How the neighbour is turned to agree with the point in focus" }, "turned by"))), list);
  const body = h("div", { hidden: true }, head, h("label", { class: "control" }, h("span", {}, "nearest"), slider, value), h("div", { class: "scroll" }, table));

  const name = async (row: number) => (page.has("ids") ? (await page.texts("ids"))[row]! : number(await trueRow(page, row)));
  const label = async (row: number) => {
    const levels = page.has("label_levels") ? await page.texts("label_levels") : page.levels("labels");
    return levels[(await page.column("labels", 0))[row]!] ?? "";
  };
  const line = async ({ row, distance, matrix }: Neighbour, k: number) =>
    h("tr", { tabindex: 0, onmouseenter: () => store.set("hover", row), onmouseleave: () => store.set("hover", -1), onclick: () => store.set("focus", row),
      onkeydown: (e: KeyboardEvent) => e.key === "Enter" && store.set("focus", row) }, h("td", { class: "muted num" }, k + 1), h("td", {}, await name(row)),
      page.has("labels") && h("td", {}, await label(row)), h("td", { class: "num" }, number(distance)),
      !diffusion.functions && h("td", { class: "num" }, alignment(matrix)));
  store.on("neighbours", async (all) => {
    const focus = store.get("focus");
    body.hidden = focus < 0;
    hint.hidden = focus >= 0;
    if (focus < 0) return;
    const lines = await Promise.all(all.map(line)), title = await name(focus), own = page.has("labels") ? await label(focus) : "";
    if (store.get("neighbours") !== all) return;
    head.replaceChildren(h("strong", {}, `${page.has("ids") ? "" : "row "}${title}`), own ? h("span", { class: "muted" }, ` ${own}`) : "",
      h("button", { class: "quiet", onclick: () => { store.set("focus", -1); } }, "clear"));
    list.replaceChildren(...lines);
  });
  return panel("Nearest", "nearest", hint, body);
}
