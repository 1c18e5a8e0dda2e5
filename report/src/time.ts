// The diffusion time, on a scale of logarithms.
import type { Diffusion } from "./diffusion";
import { h } from "./dom";
import { number } from "./numbers";
import type { Store } from "./store";

export function timeSlider(diffusion: Diffusion, store: Store): HTMLElement {
  // Up to the time at which the slowest part that moves is a millionth of itself.
  const slow = diffusion.eigenvalues.find((v) => v < 1 - 1e-9 && v > 0) ?? 0.5, most = Math.min(4, Math.log10(14 / -Math.log(slow)));
  const low = -1, value = h("output", {}), toTime = (v: number) => Number((10 ** v).toPrecision(3));
  const input = h("input", { type: "range", min: low, max: Math.max(1, most), step: 0.01, "aria-label": "Diffusion time" });
  let soon = 0;
  const show = (t: number) => {
    value.textContent = number(t);
    input.setAttribute("aria-valuetext", number(t));
  };
  input.value = String(Math.log10(Math.max(10 ** low, store.get("time"))));
  show(store.get("time"));
  input.addEventListener("input", () => {
    show(toTime(Number(input.value)));
    clearTimeout(soon);
    soon = window.setTimeout(() => store.set("time", toTime(Number(input.value))), 60);
  });
  return h("label", { class: "control narrow time", title: "Diffusion time: later, only what varies slowly along the data is left" },
    h("span", {}, "time"), input, value);
}
