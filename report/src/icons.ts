// Small pictures for buttons, drawn as strokes in a square of 16.
import { h, svg } from "./dom";

const paths = {
  turn: "M3 8a5 5 0 0 1 9-3M13 8a5 5 0 0 1-9 3M12 2v3.2H8.8M4 14v-3.2h3.2",
  lasso: "M8 3c3.3 0 5.5 1.5 5.5 3.6S11.300 10.200 8 10.200 2.500 8.700 2.500 6.600 4.700 3 8 3ZM5 9.800C4 11 4 13 6 13.500",
  box: "M3 5V3h2M7 3h2M11 3h2v2M13 7v2M13 11v2h-2M9 13H7M5 13H3v-2M3 9V7",
  reset: "M3 6V3h3M13 6V3h-3M3 10v3h3M13 10v3h-3",
  spin: "M2 8c0-1.700 2.700-3 6-3s6 1.300 6 3-2.700 3-6 3M8 11l2-2M8 11l2 2",
  save: "M8 2v8M5 7.500 8 10.500 11 7.500M3 13h10",
  clear: "M4 4l8 8M12 4l-8 8",
  invert: "M3 3h10v10H3ZM3 13 13 3",
  moon: "M12.500 9.500A5.500 5.500 0 0 1 6.500 3.500 5 5 0 1 0 12.500 9.500Z",
} as const;
export type Icon = keyof typeof paths;

export function icon(name: Icon): SVGSVGElement {
  return svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, fill: "none", stroke: "currentColor", "stroke-width": 1.4,
    "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" }, svg("path", { d: paths[name] }));
}

/** A button with a picture; its text is its label and its tip. */
export function iconButton(name: Icon, label: string, press: () => void, text?: string): HTMLButtonElement {
  return h("button", { class: text ? "tool with-text" : "tool", type: "button", title: label, "aria-label": label, onclick: press },
    icon(name), text ?? null);
}
