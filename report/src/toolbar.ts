// What holds for all views: colour and its legend, tools of the pointer, size and opacity, the selection.
import { h, save } from "./dom";
import { fileName, selectionCSV } from "./exports";
import type { Tool } from "./gestures";
import { iconButton } from "./icons";
import { legend } from "./legend";
import { number } from "./numbers";
import type { Points } from "./points";

function colourMenu(points: Points): HTMLElement {
  const { store } = points, select = h("select", { "aria-label": "Colour by", onchange: () => store.set("colour", select.value) });
  points.onSources = () => {
    const groups = new Map<string, HTMLOptGroupElement>();
    for (const { key, name, group } of points.sources()) {
      if (!groups.has(group)) groups.set(group, h("optgroup", { label: group }));
      groups.get(group)!.append(h("option", { value: key }, name));
    }
    select.replaceChildren(...groups.values());
    select.value = store.get("colour");
  };
  store.on("colour", (key) => (select.value = key));
  return h("label", { class: "control" }, h("span", {}, "Colour"), select);
}

function slider(label: string, change: (factor: number) => void): HTMLElement {
  const input = h("input", { type: "range", min: -2, max: 2, step: 0.05, value: 0, "aria-label": label, oninput: () => change(2 ** Number(input.value)) });
  return h("label", { class: "control narrow" }, h("span", {}, label), input);
}

function tools(points: Points): HTMLElement {
  const buttons: [Tool, HTMLButtonElement][] = (["turn", "lasso", "box"] as const).map((tool) => [tool, iconButton(tool,
    { turn: "Turn and move (drag)", lasso: "Select by a lasso (or Shift and drag)", box: "Select by a box" }[tool], () => choose(tool))]);
  const choose = (tool: Tool) => {
    for (const view of points.views) {
      view.scatter.tool = tool;
      view.scatter.element.dataset.tool = tool;
    }
    for (const [name, button] of buttons) button.setAttribute("aria-pressed", String(name === tool));
  };
  choose("turn");
  document.addEventListener("keydown", (e) => {
    if (e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement || e.ctrlKey || e.metaKey || e.altKey) return;
    const tool = ({ t: "turn", l: "lasso", b: "box" } as const)[e.key];
    if (tool) choose(tool);
    else if (e.key === "Escape") {
      choose("turn");
      points.store.set("focus", -1);
      points.store.select(new Uint8Array(points.page.rows));
    }
  });
  return h("div", { class: "tools", role: "group", "aria-label": "What dragging does" }, ...buttons.map(([, b]) => b));
}

/** Over the views while something is selected: how many, and what to do with them. */
export function selectionBar(points: Points): HTMLElement {
  const { page, store } = points, text = h("span", { class: "count" }), invert = () => store.select(store.get("selected").mask.map((v) => 1 - v));
  const clear = () => store.select(new Uint8Array(page.rows));
  const csv = async () => save(fileName(page.title, "selection", "csv"), await selectionCSV(page, store, points.diffusion), "text/csv");
  const buttons = [iconButton("clear", "Clear the selection (Esc)", clear), iconButton("invert", "Select what is not selected", invert),
    iconButton("save", "Save the selected points as CSV", () => void csv(), "CSV")];
  const show = ({ count }: { count: number }) => {
    text.textContent = `${number(count)} of ${number(page.rows)} selected`;
    bar.hidden = !count;
  };
  const bar = h("div", { class: "selection", role: "group", "aria-label": "Selection", hidden: true }, text, ...buttons);
  store.on("selected", show);
  return bar;
}

export function toolbar(points: Points, legendHost: HTMLElement, time: HTMLElement | null, landmarks: HTMLElement | null): HTMLElement {
  const each = (f: (s: Points["views"][number]["scatter"]) => void) => points.views.forEach((v) => (f(v.scatter), v.scatter.redraw()));
  points.onColouring = () => legendHost.replaceChildren(legend(points.colouring, points.store));
  return h("div", { class: "toolbar", role: "toolbar", "aria-label": "Views" }, tools(points), colourMenu(points), legendHost,
    h("div", { class: "grow" }), time, h("details", { class: "drop" }, h("summary", {}, "Display"), h("div", { class: "drop-box" },
      slider("Size", (f) => each((s) => (s.sizeFactor = f))), slider("Opacity", (f) => each((s) => (s.opacityFactor = f))), landmarks)));
}
