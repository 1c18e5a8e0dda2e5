// The legend of the colours: levels that select their points, or a bar with round ticks.
import type { Colouring } from "./colours";
import { h } from "./dom";
import { niceTicks, number } from "./numbers";
import { level } from "./palette";
import type { Store } from "./store";

const SHOWN = 24; // levels with a chip

export function legend(colouring: Colouring, store: Store): HTMLElement {
  const { source, scale, values } = colouring;
  if (source?.levels && values) return levels(source.levels, values, store);
  if (scale) return bar(colouring, scale);
  return h("div", { class: "legend" });
}

function levels(names: string[], values: ArrayLike<number>, store: Store): HTMLElement {
  const counts = new Uint32Array(names.length);
  for (let i = 0; i < values.length; i++) if (values[i]! >= 0) counts[values[i]!]!++;
  const order = names.map((_, k) => k);
  if (names.length > SHOWN) order.sort((a, b) => counts[b]! - counts[a]!);
  const chips = order.slice(0, SHOWN).map((k) => {
    const swatch = h("i", { class: "swatch" });
    swatch.style.background = `rgb(${level(k, store.get("theme")).join(",")})`;
    return h("button", { class: "chip", title: `${names[k]}: ${number(counts[k]!)} points. Click to select them, with Ctrl to add them.`,
      onclick: (e: MouseEvent) => pick(k, e.ctrlKey || e.metaKey || e.shiftKey) }, swatch, h("span", {}, names[k]!));
  });
  const pick = (k: number, add: boolean) => {
    const mask = add ? store.get("selected").mask.slice() : new Uint8Array(values.length);
    for (let i = 0; i < values.length; i++) if (values[i] === k) mask[i] = 1;
    store.select(mask);
  };
  const more = names.length - SHOWN;
  return h("div", { class: "legend levels", role: "group", "aria-label": "Levels" }, ...chips,
    more > 0 && h("span", { class: "muted" }, `and ${number(more)} more, with the same colours again`));
}

function bar({ source }: Colouring, { low, high, ramp, cut }: NonNullable<Colouring["scale"]>): HTMLElement {
  const canvas = h("canvas", { width: 256, height: 1, class: "ramp-bar", "aria-hidden": "true" }), context = canvas.getContext("2d")!;
  const image = context.createImageData(256, 1);
  for (let i = 0; i < 256; i++) image.data.set([...ramp(i / 255), 255], 4 * i);
  context.putImageData(image, 0, 0);
  let free = -Infinity; // where the last text ends, in pixels of a bar of 170
  const apart = niceTicks(low, high, 4).filter(({ value, text }) => {
    const middle = (170 * (value - low)) / (high - low), half = 3.2 * text.length;
    if (middle - half < free + 4) return false;
    free = middle + half;
    return true;
  });
  const labels = apart.map(({ value, text }) => {
    const label = h("span", { class: "tick" }, text);
    label.style.left = `${(100 * (value - low)) / (high - low)}%`;
    return label;
  });
  return h("div", { class: "legend bar", role: "img", "aria-label": `${source!.name}: from ${number(low)} to ${number(high)}`,
    title: cut ? "The scale covers the middle 98 per cent; what is beyond has the colour of its end." : "" },
    canvas, h("div", { class: "ticks" }, ...labels));
}
