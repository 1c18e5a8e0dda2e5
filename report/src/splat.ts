// Points and segments drawn by the processor, where no graphics card draws: there WebGL takes a microsecond for each point
// however small it is, this a tenth of that. The picture is that of the shaders of render.ts, from the same formulas; it
// is r, g, b, a with colours times opacity, and each point covers what is below it:
//     below <- below (1 - a) + colour a,   a = opacity of the point times the part of the pixel that it covers
// Parts and colours are whole numbers with 256 for 1, two channels in one word: 0x00RR00BB and 0x00AA00GG.
import type { Camera } from "./camera";
import type { Look, Segments } from "./render";

const DEPTHS = 16; // sizes of points, by depth
const AHEAD = 512; // points that are fetched before they are drawn
const FINE = 4; // places of a point within a pixel, each way
const PAIR = 0xff00ff, HALF = 0x800080;

const near = (z: number) => Math.max(0, Math.min(1, 0.5 + 0.45 * z));
const smooth = (a: number, b: number, x: number) => {
  const t = Math.max(0, Math.min(1, (x - a) / (b - a)));
  return t * t * (3 - 2 * t);
};
const mix = (pair: number, other: number, t: number) => ((Math.imul(pair, 256 - t) + Math.imul(other, t) + HALF) >>> 8) & PAIR;

/** Pixels that a point covers, for each depth and place within a pixel: entries start[m] .. start[m + 1] - 1. */
interface Masks { reach: number; start: Uint32Array; dx: Int8Array; dy: Int8Array; cover: Uint16Array; shade: Uint16Array; opacity: Float64Array }

/* Diameter `size` in pixels, changed by depth by the part `change`. */
function makeMasks(size: number, change: number): Masks {
  const reach = Math.ceil((size * (1 + change) + 1) / 2) + 1, start = new Uint32Array(DEPTHS * FINE * FINE + 1), opacity = new Float64Array(DEPTHS);
  const dx: number[] = [], dy: number[] = [], cover: number[] = [], shade: number[] = [];
  for (let k = 0, m = 0; k < DEPTHS; k++) {
    const wanted = size * (1 - change + (2 * change * (k + 0.5)) / DEPTHS), s = Math.max(wanted, 1);
    opacity[k] = Math.min(1, wanted * wanted);
    for (let fy = 0; fy < FINE; fy++)
      for (let fx = 0; fx < FINE; fx++, m++) {
        for (let y = -reach; y <= reach; y++)
          for (let x = -reach; x <= reach; x++) {
            const u = Math.hypot(x + 0.5 - (fx + 0.5) / FINE, y + 0.5 - (fy + 0.5) / FINE), part = Math.round(256 * Math.max(0, Math.min(1, 0.5 * s - u + 0.5)));
            if (!part) continue;
            dx.push(x);
            dy.push(y);
            cover.push(part);
            shade.push(part * (1 - 0.2 * Math.max(0, Math.min(1, 0.5 * (s - 4))) * smooth(0.5 * s - 1.6, 0.5 * s - 0.4, u)));
          }
        start[m + 1] = cover.length;
      }
  }
  return { reach, start, opacity, dx: Int8Array.from(dx), dy: Int8Array.from(dy), cover: Uint16Array.from(cover), shade: Uint16Array.from(shade) };
}

export class Splat {
  width = 0;
  height = 0;
  private words = new Int32Array(0);
  private masks: Masks | null = null;
  private made = "";
  private places = new Float32Array(3 * AHEAD);
  private inks = new Int32Array(AHEAD);

  /** An empty picture. */
  clear(width: number, height: number): void {
    if (this.words.length !== width * height) this.words = new Int32Array(width * height);
    else this.words.fill(0);
    this.width = width;
    this.height = height;
  }
  get bytes(): Uint8Array { return new Uint8Array(this.words.buffer); }

  /** The rows of `order`, one over the other. */
  points(p: Float32Array, colours: Uint8Array, order: Uint32Array, camera: Camera, look: Look, ratio: number): void {
    const { width, height, words } = this, space = camera.dims === 3, change = space ? 0.22 : 0, size = look.size * ratio;
    if (this.made !== `${size} ${change}`) [this.masks, this.made] = [makeMasks(size, change), `${size} ${change}`];
    const { reach, start, dx, dy, cover, shade, opacity } = this.masks!, s = camera.scale * ratio;
    const [a, b, c, d, e, f, g, h, i] = [...camera.r].map((v, k) => (k < 3 ? v * s : k < 6 ? -v * s : v)) as [number, number, number, number, number, number, number, number, number];
    const cx = (camera.width / 2 + camera.panX) * ratio, cy = (camera.height / 2 + camera.panY) * ratio;
    const rgba = colours.byteOffset % 4 ? new Int32Array(colours.slice().buffer) : new Int32Array(colours.buffer, colours.byteOffset, colours.length >> 2);
    const fog = new Int32Array(DEPTHS), alpha = new Float64Array(DEPTHS), [gr, gg, gb] = look.ground, groundRB = (Math.round(255 * gb) << 16) | Math.round(255 * gr), groundG = Math.round(255 * gg);
    for (let k = 0; k < DEPTHS; k++) {
      fog[k] = space ? Math.round(256 * look.fog * (1 - (k + 0.5) / DEPTHS)) : 0;
      alpha[k] = (256 / 255) * look.opacity * opacity[k]!;
    }
    // Rows are fetched some at a time and then drawn: memory answers many questions at once faster than one after the other.
    const { places, inks } = this;
    for (let n = 0; n < order.length; n++) {
      if (n % AHEAD === 0)
        for (let k = 0, last = Math.min(AHEAD, order.length - n); k < last; k++) {
          const row = order[n + k]!, at = 3 * row;
          places[3 * k] = p[at]!;
          places[3 * k + 1] = p[at + 1]!;
          places[3 * k + 2] = p[at + 2]!;
          inks[k] = rgba[row]!;
        }
      const at = 3 * (n % AHEAD), px = places[at]!, py = places[at + 1]!, pz = places[at + 2]!, x = cx + a * px + b * py + c * pz, y = cy + d * px + e * py + f * pz;
      const word = inks[n % AHEAD]!, own = word >>> 24;
      if (!own || !(x > -reach && y > -reach && x < width + reach && y < height + reach)) continue;
      const z = 0.5 + 0.45 * (g * px + h * py + i * pz), k = z <= 0 ? 0 : z >= 1 ? DEPTHS - 1 : (z * DEPTHS) | 0;
      const ix = Math.floor(x), iy = Math.floor(y), m = (k * FINE + (((y - iy) * FINE) | 0)) * FINE + (((x - ix) * FINE) | 0), t = fog[k]!;
      const rb = mix(word & PAIR, groundRB, t), green = mix((word >>> 8) & 255, groundG, t), strong = Math.round(alpha[k]! * own);
      const inside = ix >= reach && iy >= reach && ix < width - reach && iy < height - reach;
      for (let q = start[m]!, end = start[m + 1]!; q < end; q++) {
        const tx = ix + dx[q]!, ty = iy + dy[q]!;
        if (!inside && !(tx >= 0 && ty >= 0 && tx < width && ty < height)) continue;
        const to = ty * width + tx, was = words[to]!, part = (cover[q]! * strong + 128) >> 8, lit = (shade[q]! * strong + 128) >> 8, rest = 256 - part;
        const first = ((Math.imul(was & PAIR, rest) + Math.imul(rb, lit) + HALF) >>> 8) & PAIR;
        words[to] = first | ((Math.imul((was >>> 8) & PAIR, rest) + Math.imul(green, lit) + ((255 * part) << 16) + HALF) & 0xff00ff00);
      }
    }
  }

  segments({ positions: p, colours, widths }: Segments, camera: Camera, look: Look, ratio: number): void {
    const space = camera.dims === 3, fog = space ? look.fog : 0, ground = look.ground.map((v) => 255 * v);
    for (let k = 0; k < colours.length / 4; k++) {
      const [ax, ay, az] = camera.project(p[6 * k]!, p[6 * k + 1]!, p[6 * k + 2]!), [bx, by, bz] = camera.project(p[6 * k + 3]!, p[6 * k + 4]!, p[6 * k + 5]!);
      const wa = widths[2 * k]! * ratio, wb = widths[2 * k + 1]! * ratio, d = (near(az) + near(bz)) / 2, t = fog * (1 - d);
      const alpha = (colours[4 * k + 3]! / 255) * Math.min(1, Math.max(wa, wb) / 0.8) * (1 - 0.6 * fog + 0.6 * fog * d);
      const [r, g, b] = [0, 1, 2].map((c) => Math.round(colours[4 * k + c]! * (1 - t) + ground[c]! * t)) as [number, number, number];
      this.segment(ax * ratio, ay * ratio, bx * ratio, by * ratio, Math.max(0.5 * wa, 0.4), Math.max(0.5 * wb, 0.4), (b << 16) | r, g, Math.round(256 * alpha));
    }
  }

  /* From a to b with half widths ha and hb: along the longer axis, and across it as far as the line is wide. */
  private segment(ax: number, ay: number, bx: number, by: number, ha: number, hb: number, rb: number, green: number, strong: number): void {
    const { width, height, words } = this, l = Math.hypot(bx - ax, by - ay), ux = (bx - ax) / l, uy = (by - ay) / l, room = Math.max(ha, hb) + 0.5;
    if (!(l > 0) || !Number.isFinite(l)) return;
    const flat = Math.abs(ux) >= Math.abs(uy), [u, v, a, b, a2] = flat ? [ux, uy, ax, bx, ay] : [uy, ux, ay, by, ax];
    const [most, most2] = flat ? [width, height] : [height, width], step = flat ? 1 : width, step2 = flat ? width : 1, span = room / Math.abs(u), taper = (hb - ha) / l;
    for (let i = Math.max(0, Math.floor(Math.min(a, b) - room)), end = Math.min(most - 1, Math.floor(Math.max(a, b) + room)); i <= end; i++) {
      const off = i + 0.5 - a, middle = a2 + (off * v) / u;
      for (let j = Math.max(0, Math.floor(middle - span)), last = Math.min(most2 - 1, Math.floor(middle + span)); j <= last; j++) {
        const off2 = j + 0.5 - a2, t = off * u + off2 * v, part = Math.min(1, ha + taper * t + 0.5 - Math.abs(off2 * u - off * v));
        if (t < 0 || t > l || part <= 0) continue;
        const lit = Math.round(part * strong), rest = 256 - lit, to = i * step + j * step2, was = words[to]!;
        const first = ((Math.imul(was & PAIR, rest) + Math.imul(rb, lit) + HALF) >>> 8) & PAIR;
        words[to] = first | ((Math.imul((was >>> 8) & PAIR, rest) + Math.imul(green, lit) + ((255 * lit) << 16) + HALF) & 0xff00ff00);
      }
    }
  }
}
