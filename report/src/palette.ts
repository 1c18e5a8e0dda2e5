// Colours that stay apart for colour-blind eyes, on light and on dark ground.
import { interpolateCividis, interpolateViridis } from "d3-scale-chromatic";
import type { Theme } from "./store";

export type RGB = [number, number, number];

// The first six are those of Okabe and Ito; each further one is farthest in OKLab from all before it, as seen by normal,
// deuteranope and protanope eyes, among colours of middle lightness.
export const levelColours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#871e4b", "#6900ff", "#78d296",
  "#c33cff", "#4b3c96", "#874b00", "#875a78", "#ff5a69", "#e100c3", "#c32d4b", "#3c0fd2", "#a5c3d2", "#ff87ff", "#692dc3",
  "#b4a596", "#4b694b", "#6969e1", "#870078"];

export const missing = (theme: Theme): RGB => (theme === "light" ? [190, 190, 190] : [85, 87, 92]);

export function parse(colour: string): RGB {
  if (colour.startsWith("#")) {
    const v = parseInt(colour.slice(1), 16);
    return [v >> 16, (v >> 8) & 255, v & 255];
  }
  const [r, g, b] = colour.match(/[\d.]+/g)!.map(Number);
  return [r!, g!, b!];
}

const mix = (a: RGB, b: RGB, t: number): RGB => [0, 1, 2].map((k) => Math.round(a[k]! + (b[k]! - a[k]!) * t)) as RGB;
const luminance = (c: RGB) => c.reduce((s, v, k) => s + [0.2126, 0.7152, 0.0722][k]! * (v / 255) ** 2.2, 0);
const onDark = levelColours.map((text) => {
  let colour = parse(text);
  while (luminance(colour) < 0.17) colour = mix(colour, [255, 255, 255], 0.08); // else it is lost on dark ground
  return colour;
});

/** Colour of level k; after the list it begins again. */
export function level(k: number, theme: Theme): RGB {
  const at = Math.trunc(Math.abs(k) % levelColours.length) || 0;
  return theme === "dark" ? onDark[at]! : parse(levelColours[at]!);
}

export type Ramp = (t: number) => RGB;

/* What is no number has the colour of what is missing. */
const steps = (theme: Theme, f: (t: number) => RGB): Ramp => {
  const table = Array.from({ length: 256 }, (_, i) => f(i / 255));
  return (t) => table[Math.max(0, Math.min(255, Math.round(255 * t)))] ?? missing(theme);
};

/** Low to high; the end that would vanish in the ground is left out. */
export function sequential(theme: Theme): Ramp {
  return steps(theme, (t) => parse(interpolateViridis(theme === "light" ? 0.93 * t : 0.1 + 0.9 * t)));
}
export function strength(theme: Theme): Ramp {
  return steps(theme, (t) => parse(interpolateCividis(theme === "light" ? 0.62 * (1 - t) : 0.35 + 0.65 * t)));
}

/** Blue below zero, orange above, grey at zero. */
export function diverging(theme: Theme): Ramp {
  const grey: RGB = theme === "light" ? [200, 200, 198] : [92, 94, 98];
  const [low, high]: [RGB, RGB] = theme === "light" ? [[8, 81, 156], [192, 75, 0]] : [[86, 170, 245], [255, 160, 70]];
  return steps(theme, (t) => (t < 0.5 ? mix(low, grey, 2 * t) : mix(grey, high, 2 * t - 1)));
}
