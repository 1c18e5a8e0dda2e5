// What the hand does over a view: turning, moving, zooming, pinching, lasso and box, and the same by keys.
import type { Camera } from "./camera";

export type Tool = "turn" | "lasso" | "box";
export type How = "replace" | "add" | "remove";

export interface Hands {
  tool(): Tool;
  /** The camera was moved; `still` at the end of a movement. */
  moved(still: boolean): void;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  /** The polygon so far, x, y, x, y, ...; how is null until it is closed. */
  region(polygon: number[], how: How | null): void;
  reset(): void;
  /** Takes the point nearest to the middle of the view. */
  middle(): void;
}

const TURN = 0.0085; // radians for a pixel

export function gestures(target: HTMLElement, camera: Camera, hands: Hands): void {
  const down = new Map<number, [number, number]>();
  let polygon: number[] | null = null, box = false, travelled = 0, rest = 0;
  const place = (e: MouseEvent): [number, number] => {
    const r = target.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  const movedSoon = () => {
    hands.moved(false);
    clearTimeout(rest);
    rest = window.setTimeout(() => hands.moved(true), down.size ? 500 : 160); // a hand that holds still may go on
  };
  const how = (e: MouseEvent): How => (e.altKey ? "remove" : e.ctrlKey || e.metaKey ? "add" : "replace");

  target.addEventListener("pointerdown", (e) => {
    target.setPointerCapture(e.pointerId);
    down.set(e.pointerId, place(e));
    travelled = 0;
    const tool = e.shiftKey && hands.tool() === "turn" ? "lasso" : hands.tool();
    polygon = e.button === 0 && tool !== "turn" && down.size === 1 ? place(e) : null;
    box = tool === "box";
    hands.leave();
  });
  target.addEventListener("pointermove", (e) => {
    const now = place(e), was = down.get(e.pointerId);
    if (!was) return hands.hover(...now);
    const dx = now[0] - was[0], dy = now[1] - was[1];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (down.size === 2) {
      const other = [...down].find(([id]) => id !== e.pointerId)![1];
      const before = Math.hypot(was[0] - other[0], was[1] - other[1]), after = Math.hypot(now[0] - other[0], now[1] - other[1]);
      if (before > 0) camera.zoomAt(after / before, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      camera.pan(dx / 2, dy / 2);
      movedSoon();
    } else if (polygon) {
      if (box) polygon = [polygon[0]!, polygon[1]!, now[0], polygon[1]!, now[0], now[1], polygon[0]!, now[1]];
      else polygon.push(...now);
      hands.region(polygon, null);
    } else if (travelled > 3) {
      if (camera.dims === 2 || e.buttons & 6) camera.pan(dx, dy);
      else camera.turn(dx * TURN, dy * TURN);
      movedSoon();
    }
    down.set(e.pointerId, now);
  });
  const up = (e: PointerEvent) => {
    if (!down.delete(e.pointerId)) return;
    const closed = polygon;
    polygon = null;
    if (closed && closed.length >= 6 && travelled > 6) hands.region(closed, how(e));
    else {
      if (closed) hands.region([], null);
      if (travelled <= 3 && e.type === "pointerup" && e.button === 0) hands.click(...place(e));
      else if (travelled > 3) hands.moved(true);
    }
  };
  target.addEventListener("pointerup", up);
  target.addEventListener("pointercancel", up);
  target.addEventListener("pointerleave", () => hands.leave());
  target.addEventListener("contextmenu", (e) => e.preventDefault());
  target.addEventListener("wheel", (e) => {
    e.preventDefault();
    const lines = e.deltaMode === 1 ? 30 : 1;
    camera.zoomAt(Math.exp(-Math.max(-120, Math.min(120, e.deltaY * lines)) * (e.ctrlKey ? 0.008 : 0.0018)), ...place(e));
    movedSoon();
  }, { passive: false });
  target.addEventListener("dblclick", () => hands.reset());
  target.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "0" || e.key === "Home") return hands.reset();
    if (e.key === "Enter") return hands.middle();
    if (!key(e, camera)) return;
    e.preventDefault();
    movedSoon();
  });
}

/* Arrows turn (with Shift, and in the plane, they move), + and - zoom, , and . roll. Whether the key is one of these. */
function key(e: KeyboardEvent, camera: Camera): boolean {
  const x = { ArrowLeft: -1, ArrowRight: 1 }[e.key] ?? 0, y = { ArrowUp: -1, ArrowDown: 1 }[e.key] ?? 0;
  if (x || y) {
    if (e.shiftKey || camera.dims === 2) camera.pan(-24 * x, -24 * y);
    else camera.turn(0.09 * x, 0.09 * y);
  } else if (e.key === "+" || e.key === "=") camera.zoomAt(1.2);
  else if (e.key === "-" || e.key === "_") camera.zoomAt(1 / 1.2);
  else if (e.key === "," || e.key === ".") camera.roll(e.key === "," ? 0.09 : -0.09);
  else return false;
  return true;
}
