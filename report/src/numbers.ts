// Numbers as people read them; ticks at round values.
import { ticks } from "d3-array";
import { format } from "d3-format";

const short = format(".3~g"), tiny = format(".2~e"), grouped = format(",");

/** 0.0123, 1.5e-7, 12,000. */
export function number(v: number): string {
  if (Number.isNaN(v)) return "none";
  if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
  if (Number.isInteger(v) && Math.abs(v) < 1e15) return grouped(v);
  const a = Math.abs(v);
  return a < 1e-4 || a >= 1e7 ? tiny(v) : short(v);
}

/** Round values that cover low..high, about `count` of them, and their texts with as many digits as they need. */
export function niceTicks(low: number, high: number, count: number): { value: number; text: string }[] {
  if (!(high > low) || !Number.isFinite(high - low)) return [];
  return ticks(low, high, count).map((value) => ({ value, text: number(Math.abs(value) < (high - low) * 1e-9 ? 0 : value) }));
}

/** Quantiles of the finite values, from at most 20,000 of them; null if there are none. */
export function quantiles(values: ArrayLike<number>, at: number[]): number[] | null {
  const step = Math.max(1, Math.floor(values.length / 20_000)), finite: number[] = [];
  for (let i = 0; i < values.length; i += step) if (Number.isFinite(values[i]!)) finite.push(values[i]!);
  if (!finite.length) return null;
  const sorted = Float64Array.from(finite).sort();
  return at.map((f) => sorted[Math.round(f * (sorted.length - 1))]!);
}
