// A view as SVG: axes, marks and few points as shapes; many points as a picture inside it.
import type { Item } from "./axes";
import type { Look } from "./render";
import type { Scatter } from "./scatter";

const VECTOR = 20_000; // points drawn as circles: a file of about 1.5 MB

const escape = (text: string) => text.replace(/[&<>"\u0000-\u001f]/g, (c) => (c < " " ? " " : { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]!));
const f = (v: number) => v.toFixed(1);

function itemSVG(item: Item): string {
  if ("line" in item) {
    const [x1, y1, x2, y2] = item.line;
    return `<line x1="${f(x1)}" y1="${f(y1)}" x2="${f(x2)}" y2="${f(y2)}" stroke="${item.colour}" stroke-width="${item.width}"/>`;
  }
  return `<text x="${f(item.x)}" y="${f(item.y)}" text-anchor="${item.anchor}" fill="${item.colour}" font-size="${item.size}"` +
    `${item.bold ? ' font-weight="600"' : ""}>${escape(item.text)}</text>`;
}

/* Colour of a point after the depth cue, as the shader has it. */
function faded(c: Uint8Array, i: number, d: number, look: Look, dims: number): string {
  const t = dims === 3 ? look.fog * (1 - d) : 0;
  return `rgb(${[0, 1, 2].map((k) => Math.round(c[i + k]! * (1 - t) + 255 * look.ground[k]! * t)).join(",")})`;
}

const near = (z: number) => Math.max(0, Math.min(1, 0.5 + 0.45 * z));

function circles(view: Scatter, look: Look): string[] {
  const { camera, positions: p, colours: c } = view, out: string[] = [];
  for (const row of view.drawnOrder()) {
    if (!c[4 * row + 3]) continue;
    const [x, y, z] = camera.project(p[3 * row]!, p[3 * row + 1]!, p[3 * row + 2]!), d = near(z);
    if (x < -20 || y < -20 || x > camera.width + 20 || y > camera.height + 20) continue;
    const size = look.size * (camera.dims === 3 ? 0.78 + 0.44 * d : 1);
    out.push(`<circle cx="${f(x)}" cy="${f(y)}" r="${(size / 2).toFixed(2)}" fill="${faded(c, 4 * row, d, look, camera.dims)}" fill-opacity="${((look.opacity * c[4 * row + 3]!) / 255).toFixed(2)}"/>`);
  }
  return out;
}

function segmentsSVG(view: Scatter, look: Look): string[] {
  const s = view.segments, out: string[] = [];
  if (!s) return out;
  for (let k = 0; k < s.positions.length / 6; k++) {
    const [x1, y1, z1] = view.camera.project(s.positions[6 * k]!, s.positions[6 * k + 1]!, s.positions[6 * k + 2]!);
    const [x2, y2, z2] = view.camera.project(s.positions[6 * k + 3]!, s.positions[6 * k + 4]!, s.positions[6 * k + 5]!);
    const l = Math.hypot(x2 - x1, y2 - y1) || 1, nx = -(y2 - y1) / l / 2, ny = (x2 - x1) / l / 2;
    const wa = s.widths[2 * k]!, wb = s.widths[2 * k + 1]!;
    out.push(`<path d="M${f(x1 + nx * wa)} ${f(y1 + ny * wa)}L${f(x2 + nx * wb)} ${f(y2 + ny * wb)}L${f(x2 - nx * wb)} ${f(y2 - ny * wb)}L${f(x1 - nx * wa)} ${f(y1 - ny * wa)}Z" ` +
      `fill="${faded(s.colours, 4 * k, near((z1 + z2) / 2), look, view.camera.dims)}" fill-opacity="${(s.colours[4 * k + 3]! / 255).toFixed(2)}"/>`);
  }
  return out;
}

export function scatterSVG(view: Scatter, items: Item[], look: Look, ground: string): string {
  const { width, height } = view.camera, many = view.positions.length / 3 > VECTOR || (view.segments?.positions.length ?? 0) / 6 > VECTOR;
  const raster = many ? view.snapshot(3, false).toDataURL("image/png") : "";
  if (!many) view.snapshot(1, false);
  const marks = view.marksAbove().map(itemSVG);
  const lines = segmentsSVG.bind(null, view, look);
  const body = many ? [`<image width="${width}" height="${height}" href="${raster}"/>`]
    : view.segments?.under ? [...lines(), ...circles(view, look)] : [...circles(view, look), ...lines()];
  return [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="system-ui, Segoe UI, Arial, sans-serif">`, `<rect width="${width}" height="${height}" fill="${ground}"/>`,
    ...items.map(itemSVG), ...body, ...marks, "</svg>"].join("\n");
}
