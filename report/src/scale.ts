// Scales of axes, their ticks, and quantities in words.
import { ticks } from "d3-array";
import { number } from "./numbers";

export interface Scale {
  (value: number): number;
  readonly log: boolean;
  readonly domain: readonly [number, number];
  invert(place: number): number;
}

/** Takes domain [a, b] to range [p, q]; with log, log a .. log b, where a > 0. */
export function scale(domain: [number, number], range: [number, number], log = false): Scale {
  const f = log ? Math.log : (v: number) => v, back = log ? Math.exp : (v: number) => v;
  const a = f(domain[0]), span = f(domain[1]) - a || 1, [p, q] = range;
  const to = (value: number): number => p + ((f(value) - a) / span) * (q - p);
  return Object.assign(to, { log, domain, invert: (x: number) => back(a + ((x - p) / (q - p)) * span) });
}

export const plainTicks = (low: number, high: number, count: number, whole = false): number[] =>
  ticks(low, high, count).filter((v) => !whole || Number.isInteger(v));

/** At most `count` powers of ten within low .. high; of less than a decade, round numbers. */
export function logTicks(low: number, high: number, count: number): number[] {
  const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9);
  if (to - from < 1) return ticks(low, high, Math.min(count, 4));
  const by = Math.max(1, Math.ceil((to - from + 1) / Math.max(count, 1))), list: number[] = [];
  for (let e = Math.ceil(from / by) * by; e <= to; e += by) list.push(Number(`1e${e}`));
  return list;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number for an axis or a sentence: 0.0184, 12,300, 4.7×10⁻¹⁶. */
export function digits(v: number | null | undefined, places = 3): string {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  const size = Math.abs(v);
  if (!Number.isFinite(v) || (Number.isInteger(v) && size < 1e6)) return number(v);
  if (size >= 1e-4 && size < 1e6)
    return Number(v.toPrecision(places)).toLocaleString("en", { maximumFractionDigits: 12 }).replace("-", "−");
  let [m, e] = v.toExponential(places - 1).split("e") as [string, string];
  m = String(Number(m)).replace("-", "−");
  const power = (Number(e) < 0 ? "⁻" : "") + [...e.replace(/[+-]/, "")].map((c) => RAISED[Number(c)]).join("");
  return m === "1" ? `10${power}` : `${m}×10${power}`;
}

export function seconds(s: number): string {
  if (s >= 3600) return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
  if (s >= 60) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
  return s >= 0.1 ? `${digits(s, 3)} s` : `${digits(s * 1000, 2)} ms`;
}

export function bytes(b: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"], k = b < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(b) / 3));
  return `${digits(b / 1000 ** k, 3)} ${units[k]}`;
}

export const plural = (n: number, word: string, many = `${word}s`): string => `${number(n)} ${n === 1 ? word : many}`;
