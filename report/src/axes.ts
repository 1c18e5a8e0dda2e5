// Axes as lines and texts, which a canvas or an SVG then draws: in space a box with ticks on its outline and a small
// cross that tells the directions; in the plane a scale below and on the left.
import type { Camera } from "./camera";
import { niceTicks } from "./numbers";

export type Item =
  | { line: [number, number, number, number]; colour: string; width: number }
  | { text: string; x: number; y: number; anchor: "start" | "middle" | "end"; colour: string; size: number; bold?: boolean };

export interface Frame {
  /** Name, middle and half width in the unit of the data, half width in the cube, of each axis. */
  name: string; middle: number; half: number; extent: number;
}
export interface Ink { ink: string; muted: string; line: string }

type Point = [number, number, number];
const signs = [-1, 1] as const;

function corner(axes: Frame[], sx: number, sy: number, sz: number): Point {
  return [sx * axes[0]!.extent, sy * axes[1]!.extent, sz * axes[2]!.extent];
}

/* Value v of axis k at the cube. */
const cube = (axis: Frame, v: number) => ((v - axis.middle) / axis.half) * axis.extent;

function box(camera: Camera, axes: Frame[], ink: Ink, items: Item[]): void {
  const r = camera.r, centre = camera.project(0, 0, 0);
  const front = (k: number, s: number) => r[6 + k]! * s > 0; // whether the face at s of axis k is in front
  for (let k = 0; k < 3; k++) {
    const [u, v] = [(k + 1) % 3, (k + 2) % 3] as [number, number];
    let best: { at: number[]; score: number } | null = null;
    for (const su of signs)
      for (const sv of signs) {
        const at = [0, 0, 0];
        at[u] = su;
        at[v] = sv;
        const ends = signs.map((s) => {
          at[k] = s;
          return camera.project(...corner(axes, at[0]!, at[1]!, at[2]!));
        }) as [Point, Point];
        const fronts = Number(front(u, su)) + Number(front(v, sv));
        if (fronts < 2) items.push({ line: [ends[0][0], ends[0][1], ends[1][0], ends[1][1]], colour: ink.line, width: 1 });
        // Ticks stand on an edge of the outline: below for the axes that lie, on the left for the one that stands.
        const mid = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2] as const;
        const steep = Math.abs(ends[1][1] - ends[0][1]) > 1.6 * Math.abs(ends[1][0] - ends[0][0]);
        const score = fronts !== 1 ? -Infinity : steep ? -mid[0] : mid[1];
        if (score > (best?.score ?? -Infinity)) best = { at: at.slice(), score };
      }
    if (best) edgeTicks(camera, axes, k, best.at, centre, ink, items);
  }
}

function edgeTicks(camera: Camera, axes: Frame[], k: number, at: number[], centre: Point, ink: Ink, items: Item[]): void {
  const axis = axes[k]!, place = (c: number): Point => {
    const p = corner(axes, at[0]!, at[1]!, at[2]!);
    p[k] = c;
    return camera.project(...p);
  };
  const a = place(-axis.extent), b = place(axis.extent), length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  // Outwards: across the edge, away from the middle of the box.
  let nx = -(b[1] - a[1]) / (length || 1), ny = (b[0] - a[0]) / (length || 1);
  if (nx * ((a[0] + b[0]) / 2 - centre[0]) + ny * ((a[1] + b[1]) / 2 - centre[1]) < 0) [nx, ny] = [-nx, -ny];
  const anchor = nx > 0.35 ? "start" : nx < -0.35 ? "end" : "middle";
  const put = (x: number, y: number, text: string, far: number, bold: boolean) => items.push({ text, anchor, bold, size: bold ? 11.5 : 10,
    x: x + nx * far, y: y + ny * far + 3.5 + (Math.abs(nx) < 0.35 ? ny * 4 : 0), colour: bold ? ink.ink : ink.muted });
  const wanted = Math.floor(length / 55);
  for (const { value, text } of wanted > 0 ? niceTicks(axis.middle - axis.half, axis.middle + axis.half, Math.min(5, wanted)) : []) {
    const [x, y] = place(cube(axis, value));
    items.push({ line: [x, y, x + nx * 4, y + ny * 4], colour: ink.muted, width: 1 });
    put(x, y, text, 8, false);
  }
  if (length < 30) return;
  // The name of an axis that stands is above its end; of one that lies, below its middle.
  const high = a[1] < b[1] ? a : b, steep = Math.abs(b[1] - a[1]) > 1.6 * Math.abs(b[0] - a[0]);
  if (steep) items.push({ text: axis.name, x: high[0], y: high[1] - 9, anchor: "middle", bold: true, size: 11.5, colour: ink.ink });
  else put((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, axis.name, anchor === "middle" ? 31 : 38, true);
}

function gizmo(camera: Camera, axes: Frame[], ink: Ink, items: Item[]): void {
  const x = 34, y = camera.height - 34, r = camera.r;
  const order = [0, 1, 2].sort((a, b) => r[6 + a]! - r[6 + b]!);
  for (const k of order) {
    const dx = 20 * r[k]!, dy = -20 * r[3 + k]!, name = axes[k]!.name.replace(/^.* (?=\d+$)/, "");
    items.push({ line: [x, y, x + dx, y + dy], colour: r[6 + k]! > 0 ? ink.ink : ink.muted, width: 1.5 });
    items.push({ text: name.length > 8 ? `${name.slice(0, 7)}…` : name, x: x + dx * 1.45, y: y + dy * 1.45 + 3.5, anchor: "middle", colour: ink.muted, size: 9.5 });
  }
}

function plane(camera: Camera, axes: Frame[], ink: Ink, items: Item[]): void {
  const { width, height } = camera, [x0, y0] = camera.unproject(44, height - 30), [x1, y1] = camera.unproject(width - 10, 12);
  const value = (axis: Frame, c: number) => axis.middle + (c / axis.extent) * axis.half;
  const [h, v] = [axes[0]!, axes[1]!];
  for (const { value: t, text } of niceTicks(value(h, x0), value(h, x1), Math.max(2, Math.floor(width / 90)))) {
    const x = camera.project(cube(h, t), 0, 0)[0];
    items.push({ line: [x, 8, x, height - 30], colour: ink.line, width: 1 });
    items.push({ text, x, y: height - 17, anchor: "middle", colour: ink.muted, size: 10 });
  }
  for (const { value: t, text } of v.name === "" ? [] : niceTicks(value(v, y0), value(v, y1), Math.max(2, Math.floor(height / 70)))) {
    const y = camera.project(0, cube(v, t), 0)[1];
    items.push({ line: [44, y, width - 8, y], colour: ink.line, width: 1 });
    items.push({ text, x: 39, y: y + 3.5, anchor: "end", colour: ink.muted, size: 10 });
  }
  items.push({ text: h.name, x: width - 10, y: height - 4, anchor: "end", colour: ink.ink, size: 11.5, bold: true });
  items.push({ text: v.name, x: 8, y: 14, anchor: "start", colour: ink.ink, size: 11.5, bold: true });
}

export function axesItems(camera: Camera, axes: Frame[], ink: Ink): Item[] {
  const items: Item[] = [];
  if (!axes.length) return items;
  if (camera.dims === 2) plane(camera, axes, ink, items);
  else {
    box(camera, axes, ink, items);
    if (camera.zoom > 1.4) gizmo(camera, axes, ink, items); // the names on the box may be out of sight
  }
  return items;
}

export const font = (item: { size: number; bold?: boolean }) => `${item.bold ? "600 " : ""}${item.size}px system-ui, "Segoe UI", Arial, sans-serif`;

export function paint(context: CanvasRenderingContext2D, items: Item[]): void {
  for (const item of items)
    if ("line" in item) {
      context.strokeStyle = item.colour;
      context.lineWidth = item.width;
      context.beginPath();
      context.moveTo(item.line[0], item.line[1]);
      context.lineTo(item.line[2], item.line[3]);
      context.stroke();
    } else {
      context.font = font(item);
      context.textAlign = item.anchor === "middle" ? "center" : item.anchor;
      context.fillStyle = item.colour;
      context.fillText(item.text, item.x, item.y);
    }
}
