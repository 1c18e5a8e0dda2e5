// What is known of the point under the pointer.
import { h } from "./dom";
import type { Page } from "./load";
import { number } from "./numbers";
import type { Points } from "./points";
import { thumbnail } from "./thumbs";
import type { View } from "./view";

/** Lines of a name and a value about a point: row or id, label, the colour's value, coordinates. */
export async function describe(points: Points, row: number): Promise<[string, string][]> {
  const { page, colouring, views } = points, out: [string, string][] = [["row", number(await trueRow(page, row))]];
  if (page.has("ids")) out.unshift(["id", (await page.texts("ids"))[row]!]);
  if (page.has("labels")) {
    const levels = page.has("label_levels") ? await page.texts("label_levels") : page.levels("labels");
    out.push([String(page.facts.label_name ?? "label"), levels[(await page.column("labels", 0))[row]!] ?? "none"]);
  }
  const { source, values } = colouring;
  if (source && values && source.key !== "labels") {
    const v = values[row]!;
    out.push([source.name, source.levels ? source.levels[v] ?? "none" : number(v)]);
  }
  for (const view of views)
    for (const axis of view.chosen()) out.push([axis.name, number((await axis.values())[row]!)]);
  return out;
}

/** Row in the result of a row of the page. */
export async function trueRow(page: Page, row: number): Promise<number> {
  return page.has("row") ? (await page.column("row", 0))[row]! : row;
}

export class Tooltip {
  private box = h("div", { class: "tooltip", role: "tooltip" });
  private row = -1;
  constructor(private points: Points, private view: View) {
    view.scatter.element.append(this.box);
  }
  show(row: number, x: number, y: number): void {
    this.box.classList.toggle("shown", row >= 0);
    if (row < 0) return void (this.row = -1);
    const { clientWidth, clientHeight } = this.view.scatter.element;
    this.box.style.left = x > clientWidth / 2 ? "" : `${x + 16}px`;
    this.box.style.right = x > clientWidth / 2 ? `${clientWidth - x + 16}px` : "";
    this.box.style.top = y > clientHeight / 2 ? "" : `${y + 12}px`;
    this.box.style.bottom = y > clientHeight / 2 ? `${clientHeight - y + 12}px` : "";
    if (row !== this.row) void this.fill(row);
  }
  private async fill(row: number): Promise<void> {
    this.row = row;
    const lines = await describe(this.points, row);
    if (row !== this.row) return;
    const picture = thumbnail(this.points.page, row, 96), pairs = lines.flatMap(([name, value], k) => [h("dt", {}, name), h("dd", { class: k ? "" : "first" }, value)]);
    this.box.replaceChildren(...(picture ? [picture] : []), h("dl", {}, ...pairs));
  }
}
