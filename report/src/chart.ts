// Small charts in SVG, drawn anew for every width so that texts keep their size. A chart has a frame of axes whose
// ticks are thinned until their labels stand apart, and a sentence for those who do not see it.
import { h, svg } from "./dom";
import { onWidth } from "./parts";
import { digits, logTicks, plainTicks, scale, type Scale } from "./scale";

export interface Axis {
  label: string;
  domain: [number, number];
  log?: boolean;
  whole?: boolean;
  format?: (v: number) => string;
}
interface Box { left: number; right: number; top: number; bottom: number }
export interface Frame extends Box { root: SVGSVGElement; x: Scale; y: Scale }
export interface ChartOptions {
  label: string;
  height: number;
  /** Room above the plot, for its marks. */
  top?: number;
  axes: () => { x: Axis; y: Axis };
  draw: (frame: Frame) => void;
}
export interface Chart { element: HTMLElement; root: SVGSVGElement; redraw: () => void }

const LETTER = 6.2; // pixels of a character of a label at 11 px
export const textWidth = (s: string): number => LETTER * s.length;

/** As many digits as tell the ticks apart. */
function tickText(values: number[], log = false): (v: number) => string {
  if (log || values.length < 2) return digits;
  const most = Math.max(...values.map(Math.abs)), places = Math.ceil(Math.log10(most / Math.abs(values[1]! - values[0]!))) + 1;
  return (v) => digits(v, Math.max(3, Math.min(12, places)));
}

/** The most ticks whose labels, each `width` long, are `gap` apart or more along `length` pixels. */
function spaced(axis: Axis, place: Scale, length: number, width: (s: string) => number, gap: number): [number, string][] {
  for (let n = Math.max(2, Math.min(8, Math.floor(length / 26))); n >= 1; n--) {
    const values = axis.log ? logTicks(...axis.domain, n) : plainTicks(...axis.domain, n, axis.whole);
    const text = axis.format ?? tickText(values, axis.log), labels = values.map((v): [number, string] => [v, text(v)]);
    const apart = labels.every(([v, s], i) => {
      const next = labels[i + 1];
      return !next || Math.abs(place(next[0]) - place(v)) >= (width(s) + width(next[1])) / 2 + gap;
    });
    if (apart) return labels;
  }
  return [];
}

function axes(root: SVGSVGElement, x: Axis, y: Axis, box: Box): [Scale, Scale] {
  const sy = scale(y.domain, [box.bottom, box.top], y.log);
  const left = spaced(y, sy, box.bottom - box.top, () => 11, 6);
  box.left = 12 + Math.max(0, ...left.map(([, s]) => textWidth(s)));
  const sx = scale(x.domain, [box.left, box.right], x.log);
  const g = svg("g", { class: "axes", "aria-hidden": "true" });
  for (const [v, s] of left)
    g.append(svg("line", { class: "rule", x1: box.left, x2: box.right, y1: sy(v), y2: sy(v) }),
      svg("text", { x: box.left - 6, y: sy(v) + 3.5, "text-anchor": "end" }, s));
  for (const [v, s] of spaced(x, sx, box.right - box.left, textWidth, 12))
    g.append(svg("line", { class: "tick", x1: sx(v), x2: sx(v), y1: box.bottom, y2: box.bottom + 4 }),
      svg("text", { x: Math.min(sx(v), box.right + 8 - textWidth(s) / 2), y: box.bottom + 16, "text-anchor": "middle" }, s));
  g.append(svg("line", { class: "base", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
    svg("text", { class: "name", x: box.right, y: box.bottom + 32, "text-anchor": "end" }, x.label),
    svg("text", { class: "name", x: 0, y: 11 }, y.label));
  root.append(g);
  return [sx, sy];
}

/** A chart that fills the width of its place; `redraw` draws it again after what it shows has changed. */
export function chart(options: ChartOptions): Chart {
  const root = svg("svg", { class: "chart", role: "img", "aria-label": options.label });
  const element = h("div", { class: "chart-box" });
  element.append(root);
  let width = 0;
  const redraw = (): void => {
    if (!width) return;
    root.replaceChildren();
    root.setAttribute("viewBox", `0 0 ${width} ${options.height}`);
    root.setAttribute("width", String(width));
    root.setAttribute("height", String(options.height));
    const { x, y } = options.axes();
    const box = { left: 0, right: width - 8, top: options.top ?? 24, bottom: options.height - (x.label ? 38 : 22) };
    const [sx, sy] = axes(root, x, y, box);
    options.draw({ root, x: sx, y: sy, ...box });
  };
  onWidth(element, (w) => {
    width = w;
    redraw();
  });
  return { element, root, redraw };
}

export interface Bins { edges: number[]; counts: number[]; log: boolean }

/** Counts of the finite values in equal bins; of their logarithms if they are positive and span two decades or more, six at most. */
export function bins(values: ArrayLike<number>, most = 48): Bins {
  let low = Infinity, high = -Infinity, n = 0;
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    if (!Number.isFinite(v)) continue;
    n++;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (!n) return { edges: [0, 1], counts: [0], log: false };
  const log = low > 0 && high / low >= 100;
  if (log) low = Math.max(low, high * 1e-6); // what is smaller is counted with the smallest
  if (!(high > low)) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const k = Math.max(4, Math.min(most, Math.ceil(2 * Math.cbrt(n)))), place = scale([low, high], [0, k], log);
  const counts = new Array<number>(k).fill(0);
  for (let i = 0; i < values.length; i++)
    if (Number.isFinite(values[i]!)) counts[Math.max(0, Math.min(k - 1, Math.floor(place(values[i]!))))]! += 1;
  return { edges: Array.from({ length: k + 1 }, (_, i) => place.invert(i)), counts, log };
}

/** A histogram; bars beyond `line()` are told apart by their colour. */
export function histogram(values: ArrayLike<number>, options: {
  label: string; name: string; unit: string; height?: number; line?: () => number | null }): Chart {
  const { edges, counts, log } = bins(values), most = Math.max(1, ...counts);
  return chart({
    label: options.label,
    height: options.height ?? 168,
    axes: () => ({
      x: { label: options.name, domain: [edges[0]!, edges[edges.length - 1]!], log },
      y: { label: options.unit, domain: [0, most], whole: true },
    }),
    draw: ({ root, x, y, top, bottom }) => {
      const line = options.line?.() ?? null;
      counts.forEach((n, i) => {
        if (!n) return;
        const from = x(edges[i]!), to = x(edges[i + 1]!), height = Math.max(1.5, bottom - y(n)); // a single one is seen
        const beyond = line !== null && edges[i]! >= line;
        root.append(svg("rect", { class: beyond ? "bar beyond" : "bar", x: from + 0.5, y: bottom - height,
          width: Math.max(1, to - from - 1), height },
          svg("title", {}, `${i || !log ? `${digits(edges[i])} to` : "up to"} ${digits(edges[i + 1])}: ${n.toLocaleString("en")}`)));
      });
      if (line !== null && line >= x.domain[0] && line <= x.domain[1])
        root.append(svg("line", { class: "threshold", x1: x(line), x2: x(line), y1: top - 6, y2: bottom }));
    },
  });
}

/** Horizontal bars of named amounts, the longest filling the width. */
export function bars(label: string, rows: { name: string; value: number; text: string }[]): HTMLElement {
  const most = Math.max(Number.MIN_VALUE, ...rows.map((r) => r.value));
  return h("dl", { class: "bars", "aria-label": label }, ...rows.flatMap((row) => {
    const fill = h("span", { class: "bar-fill" });
    fill.style.width = `${Math.max(0.5, (100 * row.value) / most)}%`;
    return [h("dt", {}, row.name),
      h("dd", {}, h("span", { class: "bar-track", "aria-hidden": "true" }, fill), h("span", { class: "bar-text" }, row.text))];
  }));
}
