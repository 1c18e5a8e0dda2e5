// Class averages: all of them, and of the one in focus its members, each turned as it was averaged.
import { histogram } from "./chart";
import { h, panel } from "./dom";
import type { Page } from "./load";
import { number } from "./numbers";
import { choice, numbers, tools } from "./parts";
import { rose } from "./rose";
import { digits, plural } from "./scale";
import type { Store } from "./store";
import { mirrorNote, shortDegrees, thumbnail, type Turn } from "./thumbs";

const PAGE = matchMedia("(max-width: 560px)").matches ? 20 : 60; // averages shown at a time

interface Member { image: number; turn: Turn; distance: number }

/** Row i of a table [n, k] that is held by columns. */
async function row(page: Page, name: string, i: number): Promise<number[]> {
  if (!page.has(name)) return [];
  const k = page.shape(name)[1] ?? 1;
  return (await Promise.all(Array.from({ length: k }, (_, j) => page.column(name, j)))).map((c) => c[i]!);
}

async function members(page: Page, i: number): Promise<Member[]> {
  const [near, angles, reflected, distances] = await Promise.all(["neighbours", "angles", "reflected", "distances"].map((name) => row(page, name, i)));
  return near!.map((image, j) => ({ image, turn: { angle: angles![j] ?? 0, reflected: reflected![j] === 1 }, distance: distances![j] ?? NaN })).filter((m) => m.image >= 0);
}

export function averagesPanel(page: Page, store: Store): HTMLElement | null {
  if (page.kind !== "average" || !page.has("neighbours")) return null;
  const n = page.rows, k = page.shape("neighbours")[1] ?? 0, stack = page.has("averages") ? "averages" : "thumbs";
  const grid = h("div", { class: "strip gallery" }), where = h("span", { class: "say" });
  let from = 0;
  const image = async (i: number): Promise<number> => (page.has("images") ? (await page.column("images", 0))[i]! : i);
  const step = (by: number) => () => {
    from = Math.max(0, Math.min(Math.floor((n - 1) / PAGE) * PAGE, from + by));
    void show();
  };
  const back = h("button", { type: "button", onclick: step(-PAGE), "aria-label": "Averages before these" }, "‹");
  const on = h("button", { type: "button", onclick: step(PAGE), "aria-label": "Averages after these" }, "›");
  const show = async (): Promise<void> => {
    const to = Math.min(n, from + PAGE), cards: HTMLElement[] = [];
    for (let i = from; i < to; i++) {
      const at = stack === "averages" ? i : await image(i), picture = thumbnail(page, at, 64, null, stack);
      const button = h("button", { type: "button", "aria-label": `Average ${i}`, onclick: () => store.set("focus", i) }, picture ?? String(i));
      cards.push(h("div", { class: store.get("focus") === i ? "thumb chosen" : "thumb" }, button));
    }
    grid.replaceChildren(...cards);
    where.textContent = n > PAGE ? `${number(from)} to ${number(to - 1)} of ${number(n)}` : plural(n, "average");
    back.disabled = from === 0;
    on.disabled = to === n;
  };
  store.on("focus", (i) => {
    if (i >= 0 && (i < from || i >= from + PAGE)) from = Math.floor(i / PAGE) * PAGE;
    void show();
  });
  void show();
  if (store.get("focus") < 0) queueMicrotask(() => store.set("focus", 0));
  return panel(stack === "averages" ? "Averages" : "Images that were averaged", "averages", tools(where, back, on), grid,
    h("p", { class: "say" }, `Each is the mean of ${k + 1} images: its own and ${k} neighbours, turned to match. Click one to see what it is made of.`));
}

/** The average in focus: its image, the average and the members that made it. */
export function membersPanel(page: Page, store: Store): HTMLElement | null {
  if (page.kind !== "average" || !page.has("neighbours")) return null;
  const body = h("div", { class: "near" });
  let aligned = true;
  const figure = (picture: HTMLElement | null, words: string): HTMLElement | null =>
    picture && h("div", { class: "thumb" }, picture, h("span", {}, words));
  const show = async (): Promise<void> => {
    const i = store.get("focus");
    if (i < 0) return body.replaceChildren(h("p", { class: "say" }, "Click an average to see its members."));
    const list = await members(page, i), image = page.has("images") ? (await page.column("images", 0))[i]! : i;
    const angles = list.map((m) => m.turn.angle), mirrored = list.filter((m) => m.turn.reflected).length;
    body.replaceChildren(
      h("div", { class: "images-row" },
        h("div", { class: "strip" }, figure(thumbnail(page, image, 96), `image ${image}`), figure(thumbnail(page, i, 96, null, "averages"), `average of ${list.length + 1}`)),
        h("div", {}, rose(angles, 110))),
      h("h3", {}, `${plural(list.length, "neighbour")}${aligned ? ", turned to match" : ""}${mirrored ? `; ${mirrored} of them mirror images` : ""}`),
      h("div", { class: "strip even" }, ...list.map((m) => figure(thumbnail(page, m.image, 58, aligned ? m.turn : null), `${m.image} · ${shortDegrees(m.turn)}`))), mirrorNote(list.map((m) => m.turn)) ?? "");
  };
  store.on("focus", () => void show());
  store.on("theme", () => void show());
  void show();
  return panel("What it is made of", "members", tools(choice("Members", ["aligned", "as they are"] as const, "aligned", (w) => {
    aligned = w === "aligned";
    void show();
  })), body);
}

/** Angles and distances over all averages. */
export function averageChartsPanel(page: Page, _store: Store): HTMLElement | null {
  if (page.kind !== "average" || !page.has("distances")) return null;
  const body = h("div", { class: "split" });
  const fill = async (): Promise<void> => {
    const [distances, angles] = await Promise.all([numbers(page, "distances"), numbers(page, "angles")]);
    const finite = Float64Array.from(distances.filter(Number.isFinite)).sort();
    body.append(h("div", {}, histogram(finite, { label: `Histogram of ${finite.length} distances`, name: "distance of a member", unit: "members" }).element),
      h("div", { class: "images-row" }, rose(angles, 168), h("p", { class: "say" },
        "Angles of all members. Images in random positions fill the circle evenly; a lean to one side says that they were not.",
        h("br"), finite.length > 0 && `Distances are ${digits(finite[0])} to ${digits(finite[finite.length - 1])}, half of them below ${digits(finite[finite.length >> 1])}.`)));
  };
  void fill();
  return panel("All members", "all-members", body);
}
