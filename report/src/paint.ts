// Colours of points and lines as bytes, from those of the theme.

export type RGB = [number, number, number];

/** A colour of the theme, such as --accent, as bytes. */
export function theme(name: string): RGB {
  const v = parseInt(getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1), 16);
  return [(v >> 16) & 255, (v >> 8) & 255, v & 255];
}

export const mix = (a: RGB, b: RGB, t: number): RGB => [0, 1, 2].map((k) => Math.round(a[k]! + (b[k]! - a[k]!) * t)) as RGB;
