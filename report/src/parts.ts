// Pieces that panels are made of.
import { h } from "./dom";
import type { Page } from "./load";

/** What stands at the right of a panel's heading. */
export const tools = (...children: (Node | string)[]): HTMLElement => h("div", { class: "tools" }, ...children);

/** One of a few words, as a row of buttons of which one is pressed. */
export function choice<T extends string>(label: string, words: readonly T[], first: T, change: (word: T) => void): HTMLElement {
  const press = (word: T): void => {
    words.forEach((w, i) => buttons[i]!.setAttribute("aria-pressed", String(w === word)));
    change(word);
  };
  const buttons = words.map((word) =>
    h("button", { type: "button", "aria-pressed": String(word === first), onclick: () => press(word) }, word));
  return h("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
}

/** An array of any size and shape, row by row; empty where the page has none. */
export async function numbers(page: Page, name: string): Promise<number[]> {
  if (!page.has(name)) return [];
  const [n = 0, ...rest] = page.shape(name), wide = rest.reduce((a, b) => a * b, 1), out = new Array<number>(n * wide);
  for (let j = 0; j < wide; j++) (await page.column(name, j)).forEach((v, i) => (out[i * wide + j] = v));
  return out;
}

/** A table whose cells are texts; `numeric` names the columns that are numbers. */
export function table(caption: string, head: string[], rows: (string | Node)[][], numeric: number[] = []): HTMLElement {
  const cell = (tag: "td" | "th", text: string | Node, j: number): HTMLElement =>
    h(tag, { class: numeric.includes(j) ? "num" : undefined, scope: tag === "th" ? "col" : undefined }, text);
  return h("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "hidden" }, caption),
      h("thead", {}, h("tr", {}, ...head.map((s, j) => cell("th", s, j)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((s, j) => cell("td", s, j)))))));
}

/** Names and values, one beside the other. */
export function pairs(rows: [string | Node, string | Node][]): HTMLElement {
  return h("dl", { class: "pairs" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** Calls draw with the width of the element, now and whenever that changes. */
export function onWidth(element: Element, draw: (width: number) => void): void {
  let last = 0;
  new ResizeObserver((entries) => {
    const width = Math.floor(entries[entries.length - 1]!.contentRect.width);
    if (width <= 0 || width === last) return;
    last = width;
    requestAnimationFrame(() => draw(last)); // not within the notice: drawing may change widths again
  }).observe(element);
}

/** Copies a text; the button says so for a moment. */
export function copyButton(text: string): HTMLElement {
  const button = h("button", { type: "button", class: "quiet", onclick: () => void copy() }, "Copy");
  const copy = async (): Promise<void> => {
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch { /* not allowed for a file on some browsers: the text is selected instead */ }
    button.textContent = done ? "Copied" : "Select and copy";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  };
  return button;
}
