// A histogram of angles, around a circle: 0 to the right, growing from columns to rows, as on the images.
import { h, svg } from "./dom";
import { plural } from "./scale";

export function rose(angles: number[], size = 150, parts = 24): HTMLElement {
  const counts = new Array<number>(parts).fill(0), step = (2 * Math.PI) / parts;
  for (const a of angles) if (Number.isFinite(a)) counts[(((Math.round(a / step) % parts) + parts) % parts)]! += 1;
  const most = Math.max(1, ...counts), r = size / 2 - 20, c = size / 2;
  const at = (angle: number, radius: number): string => `${(c + radius * Math.cos(angle)).toFixed(2)} ${(c + radius * Math.sin(angle)).toFixed(2)}`;
  const root = svg("svg", { class: "chart", role: "img", width: size, height: size, viewBox: `0 0 ${size} ${size}`,
    "aria-label": `Histogram of ${plural(angles.length, "angle")}` });
  for (const f of [0.5, 1]) root.append(svg("circle", { class: "spoke", cx: c, cy: c, r: r * f }));
  counts.forEach((n, k) => {
    if (!n) return;
    const radius = r * Math.sqrt(n / most), from = (k - 0.5) * step, to = (k + 0.5) * step; // areas are numbers
    root.append(svg("path", { class: "wedge", d: `M${c} ${c}L${at(from, radius)}A${radius} ${radius} 0 0 1 ${at(to, radius)}Z` },
      svg("title", {}, `${Math.round((k * 360) / parts)}°: ${n}`)));
  });
  for (const [text, angle] of [["0°", 0], ["90°", Math.PI / 2], ["180°", Math.PI], ["−90°", -Math.PI / 2]] as const) {
    const [x, y] = at(angle, r + 11).split(" ");
    root.append(svg("text", { x, y: Number(y) + 4, "text-anchor": "middle" }, text));
  }
  return h("figure", { class: "rose" }, root as unknown as Node);
}
