// Images and signals of the points as small pictures, turned to match another where asked.
import { h, svg } from "./dom";
import type { Image, Page } from "./load";
import { theme } from "./paint";

/** How an image is brought to match another: its rows are reflected first, then it is turned from columns to rows. */
export interface Turn { angle: number; reflected: boolean }

/**
 * The turn that a 2 x 2 matrix stands for, row by row: the orthogonal matrix nearest to it is R(angle), or R(angle) diag(1, -1)
 * if its determinant is negative.
 */
export function turnOf(m: ArrayLike<number>): Turn {
  const [a, b, c, d] = [m[0]!, m[1]!, m[2]!, m[3]!], reflected = a * d - b * c < 0;
  return { reflected, angle: reflected ? Math.atan2(c + b, a - d) : Math.atan2(c - b, a + d) };
}

export const degrees = (t: Turn): string => `${t.reflected ? "mirrored, " : ""}${Math.round((t.angle * 180) / Math.PI)}°`.replace("-", "−");

/** The same in little room: "⇅" stands for a mirror image, as `mirrorNote` tells. */
export const shortDegrees = (t: Turn): string => degrees(t).replace("mirrored, ", "⇅ ");
export const mirrorNote = (turns: (Turn | null)[]): HTMLElement | null =>
  turns.some((t) => t?.reflected) ? h("p", { class: "say" }, "⇅ mirror image: its rows are reversed before it is turned.") : null;

/** Bitmaps of the pixels at their own size, grey. */
function bitmap(image: Image): HTMLCanvasElement {
  const canvas = h("canvas", { width: image.width, height: image.height }), context = canvas.getContext("2d")!;
  const data = context.createImageData(image.width, image.height);
  image.pixels.forEach((v, i) => data.data.set([v, v, v, 255], 4 * i));
  context.putImageData(data, 0, 0);
  return canvas;
}

/** An image at `size` pixels, turned about its middle; what is turned in from outside has the grey of the margin. */
export function drawImage(canvas: HTMLCanvasElement, image: Image, size: number, turn: Turn | null): void {
  const ratio = Math.max(1, devicePixelRatio), height = Math.max(1, Math.round((size * image.height) / image.width)), context = canvas.getContext("2d")!;
  canvas.width = size * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${size}px`;
  canvas.style.height = `${height}px`;
  context.fillStyle = `rgb(${new Array(3).fill(margin(image)).join(" ")})`;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingEnabled = turn !== null || size < 3 * image.width;
  context.translate(canvas.width / 2, canvas.height / 2);
  if (turn) {
    context.rotate(turn.angle); // y points down: from columns to rows
    if (turn.reflected) context.scale(1, -1);
  }
  context.drawImage(bitmap(image), -canvas.width / 2, -canvas.height / 2, canvas.width, canvas.height);
}

/** Mean of the first and last row and column. */
function margin({ width, height, pixels }: Image): number {
  let sum = 0, n = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x += y === 0 || y === height - 1 ? 1 : Math.max(1, width - 1)) (sum += pixels[y * width + x]!), n++;
  return Math.round(sum / Math.max(1, n));
}

/** Sample x of a periodic signal, shifted by the angle as a share of the whole circle, reversed first if reflected. */
export function shifted(image: Image, turn: Turn | null): Float32Array {
  const w = image.width, out = new Float32Array(w);
  for (let x = 0; x < w; x++) {
    let at = turn ? x - (turn.angle / (2 * Math.PI)) * w : x;
    if (turn?.reflected) at = -at;
    at = ((at % w) + w) % w;
    const k = Math.floor(at), f = at - k;
    out[x] = image.pixels[k % w]! * (1 - f) + image.pixels[(k + 1) % w]! * f;
  }
  return out;
}

export function curve(values: ArrayLike<number>, width: number, height: number, name: string): SVGPathElement {
  const n = values.length, points: string[] = [];
  for (let i = 0; i < n; i++) points.push(`${((i / Math.max(1, n - 1)) * width).toFixed(1)} ${((1 - values[i]! / 255) * height).toFixed(1)}`);
  return svg("path", { class: name, d: `M${points.join("L")}` });
}

/** A picture of row i of a stack, `size` wide; null where the page has none. For tooltips too. */
export function thumbnail(page: Page, i: number, size: number, turn: Turn | null = null, name = "thumbs"): HTMLElement | null {
  if (!page.has(name) || i < 0 || i >= page.shape(name)[0]!) return null;
  const signal = page.shape(name)[1] === 1, canvas = h("canvas", { role: "img", "aria-label": `${signal ? "signal" : "image"} ${i}` });
  canvas.width = size;
  canvas.height = signal ? Math.round(size * 0.5) : size;
  canvas.style.width = `${size}px`;
  canvas.style.height = `${canvas.height}px`;
  void page.image(name, i).then((image) => (signal ? drawSignal(canvas, image, size, turn) : drawImage(canvas, image, size, turn)));
  return canvas;
}

function drawSignal(canvas: HTMLCanvasElement, image: Image, size: number, turn: Turn | null): void {
  const ratio = Math.max(1, devicePixelRatio), height = Math.round(size * 0.5), context = canvas.getContext("2d")!, values = shifted(image, turn);
  canvas.width = size * ratio;
  canvas.height = height * ratio;
  context.scale(ratio, ratio);
  context.fillStyle = `rgb(${theme("--bg").join(" ")})`;
  context.fillRect(0, 0, size, height);
  context.strokeStyle = `rgb(${theme("--accent").join(" ")})`;
  context.lineWidth = 1.3;
  context.beginPath();
  values.forEach((v, i) => context.lineTo(2 + (i / Math.max(1, values.length - 1)) * (size - 4), 3 + (1 - v / 255) * (height - 6)));
  context.stroke();
}
