// Rings around points, crosses at landmarks and the lasso, as lines.
import type { Item } from "./axes";
import type { Camera } from "./camera";

export interface Mark { row: number; kind: "hover" | "focus" | "neighbour"; colour?: string }
export interface MarkInk { ink: string; ground: string; accent: string }

const ring = Array.from({ length: 25 }, (_, k) => [Math.cos((k * Math.PI) / 12), Math.sin((k * Math.PI) / 12)] as const);

/* Each stroke first wider in the colour of the ground, so that it stands off from the points. */
function outlined(lines: [number, number, number, number][], width: number, colour: string, ground: string, out: Item[]): void {
  for (const line of lines) out.push({ line, colour: ground, width: width + 2 });
  for (const line of lines) out.push({ line, colour, width });
}

export function markItems(marks: readonly Mark[], where: (row: number) => [number, number], size: number, ink: MarkInk): Item[] {
  const out: Item[] = [];
  for (const { row, kind, colour } of marks) {
    const [x, y] = where(row), small = kind === "neighbour", radius = Math.max(small ? 3 : 5.5, size / 2 + (small ? 1 : 2.5));
    if (!Number.isFinite(x + y) || Math.abs(x) > 1e5) continue;
    const lines = ring.slice(1).map(([c, s], k): [number, number, number, number] =>
      [x + radius * ring[k]![0], y + radius * ring[k]![1], x + radius * c, y + radius * s]);
    outlined(lines, small ? 1.2 : 2.2, colour ?? (kind === "hover" ? ink.ink : ink.accent), ink.ground, out);
  }
  return out;
}

export function crossItems(places: Float32Array, camera: Camera, ink: MarkInk): Item[] {
  const lines: [number, number, number, number][] = [], out: Item[] = [];
  for (let k = 0; k < places.length; k += 3) {
    const [x, y] = camera.project(places[k]!, places[k + 1]!, places[k + 2]!);
    if (x > -5 && y > -5 && x < camera.width + 5 && y < camera.height + 5) lines.push([x - 3, y - 3, x + 3, y + 3], [x - 3, y + 3, x + 3, y - 3]);
  }
  outlined(lines, 1.1, ink.ink, ink.ground, out);
  return out;
}

export function lassoItems(polygon: number[], ink: MarkInk): Item[] {
  const lines: [number, number, number, number][] = [], out: Item[] = [];
  for (let k = 0, l = polygon.length - 2; k < polygon.length; l = k, k += 2) lines.push([polygon[l]!, polygon[l + 1]!, polygon[k]!, polygon[k + 1]!]);
  outlined(lines, 1.5, ink.accent, ink.ground, out);
  return out;
}
