// Images and signals of an embedding: what is under the pointer, and the neighbours of the focus brought to match it.
import { h, panel, svg } from "./dom";
import { term } from "./help";
import type { Page } from "./load";
import { choice, onWidth, tools } from "./parts";
import { rose } from "./rose";
import { digits } from "./scale";
import type { Neighbour, Store } from "./store";
import { curve, mirrorNote, shifted, shortDegrees, thumbnail, turnOf, type Turn } from "./thumbs";

/** A thumbnail with its words below, which focuses its row. */
export function card(page: Page, store: Store, row: number, turn: Turn | null, words: (Node | string)[], size: number, name = "thumbs"): HTMLElement | null {
  const picture = thumbnail(page, row, size, turn, name);
  if (!picture) return null;
  const button = h("button", { type: "button", "aria-label": `Go to image ${row}`, onclick: () => store.set("focus", row),
    onpointerenter: () => store.set("hover", row), onpointerleave: () => store.set("hover", -1) }, picture);
  return h("div", { class: store.get("focus") === row ? "thumb chosen" : "thumb" }, button, ...words);
}

/** The turn of a neighbour; null where its vectors have no plane. */
const turned = (n: Neighbour): Turn | null => (n.matrix.length === 4 ? turnOf(n.matrix) : null);

/** Signals on one another: the focus in front, its neighbours behind it, shifted to match. */
function waves(page: Page, focus: number, near: Neighbour[], aligned: boolean): HTMLElement {
  const box = h("div", { class: "wave" }), height = 150;
  onWidth(box, (width) => {
    const root = svg("svg", { class: "chart", role: "img", width, height, viewBox: `0 0 ${width} ${height}`,
      "aria-label": `Signal ${focus} and its ${near.length} nearest${aligned ? ", shifted to match" : ""}` });
    box.replaceChildren(root as unknown as Node);
    const held = page.shape("thumbs")[0]!;
    void Promise.all([...near.filter((n) => n.row < held).map(async (n) => curve(shifted(await page.image("thumbs", n.row), aligned ? turned(n) : null), width, height, "curve other")),
      page.image("thumbs", focus).then((image) => curve(shifted(image, null), width, height, "curve"))]).then((paths) => root.replaceChildren(...paths));
  });
  return box;
}

export function imagesPanel(page: Page, store: Store): HTMLElement | null {
  if (page.kind === "average" || !page.has("thumbs")) return null;
  const [held = 0, high = 1] = page.shape("thumbs"), signals = high === 1, word = signals ? "signal" : "image";
  const now = h("div", { class: "now" }), near = h("div", { class: "near" });
  let aligned = true;

  const showNow = (): void => {
    const row = store.get("hover") >= 0 ? store.get("hover") : store.get("focus");
    if (row < 0) return now.replaceChildren(h("p", { class: "say" }, `Point at a point to see its ${word}; click it for its neighbours.`));
    const shown = card(page, store, row, null, [h("b", {}, `${word} ${row}`)], signals ? 180 : 112);
    now.replaceChildren(shown ?? h("p", { class: "say" }, `The first ${held.toLocaleString("en")} ${word}s are in this page; this is none of them.`));
  };
  const showNear = (): void => {
    const focus = store.get("focus"), list = store.get("neighbours");
    if (focus < 0 || !list.length) return near.replaceChildren();
    const turns = list.map(turned), angles = turns.flatMap((t) => (t ? [t.angle] : []));
    const cards = list.slice(0, 24).map((n, k) => card(page, store, n.row, aligned ? turns[k]! : null,
      [h("span", {}, `${n.row}`), h("span", {}, turns[k] ? shortDegrees(turns[k]!) : digits(n.distance, 2))], signals ? 84 : 58));
    near.replaceChildren(h("h3", {}, `Nearest to ${word} ${focus}${aligned && angles.length ? `, ${signals ? "shifted" : "turned"} to match it` : ""}`),
      ...(signals && focus < held ? [waves(page, focus, list, aligned)] : []),
      h("div", { class: "strip even" }, ...cards), mirrorNote(turns) ?? "",
      ...(angles.length > 3 && !signals ? [h("div", { class: "images-row" }, rose(angles, 132),
        h("p", { class: "say" }, "Angles by which the neighbours are turned. They come from the ", term("alignment", "alignments"), " of the eigenvectors, not from the images."))] : []));
  };
  store.on("hover", showNow);
  store.on("focus", () => (showNow(), showNear()));
  store.on("neighbours", showNear);
  store.on("theme", () => (showNow(), showNear()));
  showNow();
  return panel(signals ? "Signals" : "Images", "images",
    tools(choice("Neighbours", ["aligned", "as they are"] as const, "aligned", (w) => {
      aligned = w === "aligned";
      showNear();
    })), now, near);
}
