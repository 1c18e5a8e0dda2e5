// A view of points in two or three dimensions, drawn only when something changed: axes and points by WebGL; marks and
// lasso on a canvas of their own above, so that pointing does not draw the points anew, but with the points in motion. Points keep their rows; a point that is not a number is not drawn.
import { axesItems, paint, type Frame, type Ink, type Item } from "./axes";
import { Camera } from "./camera";
import { h } from "./dom";
import { gestures, type How, type Tool } from "./gestures";
import { rgb } from "./gl";
import { crossItems, lassoItems, markItems, type Mark } from "./marks";
import { framesOf, inCube, suitable } from "./normalise";
import { Order, shuffled } from "./order";
import { Picker } from "./pick";
import { Renderer, type Look, type Segments } from "./render";
import { scatterSVG } from "./vector";

export type { Mark } from "./marks";
export interface ScatterOptions { dims: 2 | 3; label: string }

// While the view moves, as many points are drawn as give 30 frames a second, a fair sample of all: the number follows the
// time between frames (milliseconds), or where the processor draws, the least time that one of the last few took, since
// other work on the machine makes single frames late.
const MOVING = { first: 100_000, least: 12_000, slow: 36, fast: 25 };
const FLAT = new Float64Array(9);
const DRAWING = { slow: 22, fast: 15, last: 5 };

export class Scatter {
  readonly camera: Camera;
  readonly element: HTMLElement;
  onHover: (row: number, x: number, y: number) => void = () => {};
  onClick: (row: number) => void = () => {};
  onLasso: (mask: Uint8Array, how: How) => void = () => {};
  /** Called when the camera has come to rest, so that what depends on the zoom can follow. */
  onView: () => void = () => {};
  tool: Tool = "turn";
  /** Factors on the size and the opacity that suit the number of points. */
  sizeFactor = 1;
  opacityFactor = 1;
  /** Less than 1 where something is drawn over the points. */
  veil = 1;
  frames: Frame[] = [];
  positions: Float32Array = new Float32Array(0);
  colours: Uint8Array = new Uint8Array(0);
  segments: Segments | null = null;
  private raw: Segments | null = null;
  private renderer: Renderer;
  private over: HTMLCanvasElement;
  private rows: Uint32Array = new Uint32Array(0); // in an order by chance
  private inRow: Uint32Array = new Uint32Array(0); // 0, 1, 2, ...: sorted in half the time, as they lie in memory
  private sorted: Uint32Array = new Uint32Array(0);
  private order = new Order();
  private picker: Picker | null = null;
  private top: Uint8Array | null = null;
  private marks: Mark[] = [];
  private lasso: number[] = [];
  private crosses: Float32Array | null = null;
  private dirty = { points: true, order: true, over: true };
  private asked = 0;
  private moving = false;
  private budget = MOVING.first;
  private lastFrame = 0;
  private costs: number[] = [];
  private spinning = 0;
  private names: string[] = [];

  constructor(host: HTMLElement, options: ScatterOptions) {
    this.camera = new Camera(options.dims);
    const gl = h("canvas", { "aria-hidden": "true" }), over = h("canvas", { "aria-hidden": "true" });
    this.element = h("div", { class: "scatter", tabindex: 0, role: "application", "aria-roledescription": "scatter plot",
      "aria-label": `${options.label}. Arrows turn, plus and minus zoom, 0 resets, Enter takes the point in the middle.` }, gl, over);
    this.over = over;
    host.append(this.element);
    this.renderer = new Renderer(gl, () => this.redraw());
    new ResizeObserver(() => this.resize()).observe(this.element);
    new MutationObserver(() => this.redraw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    gestures(this.element, this.camera, {
      tool: () => this.tool,
      moved: (still) => this.moved(still),
      hover: (x, y) => this.hover(x, y),
      leave: () => this.onHover(-1, 0, 0),
      click: (x, y) => this.onClick(this.at(x, y)),
      region: (polygon, how) => this.region(polygon, how),
      reset: () => this.fit(),
      middle: () => this.onClick(this.picked().at(this.camera.width / 2, this.camera.height / 2, 2, this.camera.width + this.camera.height)),
    });
  }

  /** Columns of the points. Axes share one scale unless their ranges are too far apart to be seen together. */
  setPositions(x: ArrayLike<number>, y: ArrayLike<number>, z: ArrayLike<number> | null): void {
    const n = x.length, columns = z && this.camera.dims === 3 ? [x, y, z] : [x, y];
    this.frames = framesOf(columns, this.names);
    this.camera.extents = [0, 1, 2].map((k) => this.frames[k]?.extent ?? 0);
    if (this.rows.length !== n) {
      this.rows = shuffled(n);
      this.inRow = new Uint32Array(n);
      for (let i = 0; i < n; i++) this.inRow[i] = i;
      if (this.colours.length !== 4 * n) this.colours = new Uint8Array(4 * n).fill(160);
    }
    let first = 0;
    while (first < n && !columns.every((c) => Number.isFinite(c[first]))) first++;
    this.element.toggleAttribute("data-empty", first === n);
    const p = inCube(columns, this.frames);
    this.positions = p;
    this.renderer.setPositions(p);
    this.renderer.setColours(this.colours);
    if (this.raw) this.placeSegments(this.raw);
    this.reorder();
  }

  /** Two dimensions or three, from the next positions on. */
  setDims(dims: 2 | 3): void {
    if (dims === this.camera.dims) return;
    this.camera.dims = dims;
    this.camera.reset();
  }

  /** Names of the axes. */
  setAxes(names: string[]): void {
    this.names = names;
    this.frames.forEach((f, k) => (f.name = names[k] ?? ""));
    this.redraw();
  }

  /** r, g, b, a of each point; those with a = 0 are not drawn and not found by the pointer. */
  setColours(rgba: Uint8Array): void {
    this.colours = rgba;
    this.picker = null;
    this.renderer.setColours(rgba);
    this.redraw();
  }

  /** Segments in the unit of the positions: x1, y1, z1, x2, y2, z2 and r, g, b, a of each, widths of both ends in pixels. */
  setSegments(positions: Float32Array | null, colours?: Uint8Array, { widths, under = false }: { widths?: Float32Array; under?: boolean } = {}): void {
    this.raw = this.segments = null;
    if (positions && positions.length)
      this.placeSegments((this.raw = { positions, under, colours: colours ?? new Uint8Array((positions.length / 6) * 4).fill(128),
        widths: widths ?? new Float32Array(positions.length / 3).fill(1) }));
    else this.renderer.setSegments(null);
    this.redraw();
  }

  /* x, y, z, ... in the unit of the positions, as places of the cube. */
  private toCube(positions: Float32Array): Float32Array {
    const out = new Float32Array(positions.length);
    for (let i = 0; i < out.length; i++) {
      const f = this.frames[i % 3];
      out[i] = f ? ((positions[i]! - f.middle) * f.extent) / f.half : 0;
    }
    return out;
  }
  private placeSegments(raw: Segments): void {
    this.segments = { ...raw, positions: this.toCube(raw.positions) };
    this.renderer.setSegments(this.segments);
  }

  /** Small crosses at x, y, z, ... in the unit of the positions, or none. */
  setCrosses(positions: Float32Array | null): void {
    this.crosses = positions;
    this.dirty.over = true;
    this.ask();
  }

  /** Points that nothing covers, those whose mask is set; null: none. */
  setTop(mask: Uint8Array | null): void {
    if (mask === this.top) return;
    this.top = mask;
    this.dirty.order = true;
    this.redraw();
  }

  /** Rings around points. */
  setMarks(marks: Mark[]): void {
    this.marks = marks;
    this.dirty.over = true;
    this.ask();
  }

  /** The whole of the points, seen as at first. */
  fit(): void {
    this.camera.reset();
    this.moved(true);
  }

  /** Lets the view turn slowly by itself, or stops it. */
  spin(on: boolean): void {
    cancelAnimationFrame(this.spinning);
    this.spinning = 0;
    let last = 0;
    const step = (now: number) => {
      if (last) this.camera.turn(Math.min(50, now - last) * 0.00035, 0);
      last = now;
      this.moved(false);
      this.spinning = requestAnimationFrame(step);
    };
    if (on) this.spinning = requestAnimationFrame(step);
    else this.moved(true);
  }

  redraw(): void {
    this.dirty.points = this.dirty.over = true;
    this.ask();
  }
  /* The same where points have moved, on the screen or in themselves. */
  private reorder(): void {
    this.dirty.order = true;
    this.picker = null;
    this.redraw();
  }

  /** Row of the point at a place of the view, or -1. */
  at(x: number, y: number): number {
    return this.picked().at(x, y, Math.max(2, this.look().size / 2), 9);
  }

  /** Where a point is seen, in CSS pixels. */
  where(row: number): [number, number] {
    const p = this.positions, [x, y] = this.camera.project(p[3 * row]!, p[3 * row + 1]!, p[3 * row + 2]!);
    return [x, y];
  }

  /** Size and opacity that suit the number of points, so that many are not one blob and few are not dust. */
  look(): Look {
    const { width, height, zoom } = this.camera, all = this.rows.length;
    const suits = suitable(Math.sqrt((this.sorted.length || all) * all), width * height, zoom); // a sample looks like all of them
    return { size: suits.size * this.sizeFactor, opacity: Math.min(1, suits.opacity * this.opacityFactor * this.veil), fog: 0.62, ground: rgb(this.css("--bg")) };
  }

  async toPNG(ratio = 2): Promise<Blob> {
    const canvas = this.snapshot(ratio, true);
    return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("no picture could be made"))), "image/png"));
  }
  toSVG(): string {
    return scatterSVG(this, this.items(), this.look(), this.css("--bg"));
  }

  /** The view as a picture: all of it, or the points alone. */
  snapshot(ratio: number, whole: boolean): HTMLCanvasElement {
    const { width, height } = this.camera, out = h("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const context = out.getContext("2d")!, was = [this.renderer.canvas.width, this.renderer.canvas.height] as const;
    this.renderer.canvas.width = out.width;
    this.renderer.canvas.height = out.height;
    this.sortPoints(true);
    this.renderer.draw(this.camera, this.look(), ratio, whole ? this.items() : [], whole ? this.marksAbove() : []);
    context.drawImage(this.renderer.canvas, 0, 0);
    [this.renderer.canvas.width, this.renderer.canvas.height] = was;
    this.reorder();
    return out;
  }

  drawnOrder(): Uint32Array { return this.sorted; }

  private css(name: string): string { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
  private items(): Item[] {
    const ink: Ink = { ink: this.css("--ink"), muted: this.css("--muted"), line: this.css("--line") };
    return axesItems(this.camera, this.frames, ink);
  }
  private picked(): Picker {
    if (!this.picker) {
      const shown = new Uint8Array(this.rows.length);
      for (let i = 0; i < shown.length; i++) shown[i] = this.colours[4 * i + 3]! ? 1 : 0;
      this.picker = new Picker(this.positions, this.camera, shown);
    }
    return this.picker;
  }
  private hover(x: number, y: number): void {
    if (!this.moving) this.onHover(this.at(x, y), x, y);
  }
  private region(polygon: number[], how: How | null): void {
    this.lasso = how ? [] : polygon;
    this.dirty.over = true;
    this.ask();
    if (!how) return;
    const mask = new Uint8Array(this.rows.length);
    this.picked().inside(polygon, mask);
    this.onLasso(mask, how);
  }
  private moved(still: boolean): void {
    this.moving = !still;
    this.reorder();
    if (still) this.onView();
  }
  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element, ratio = devicePixelRatio;
    if (!width || !height) return;
    this.camera.width = width;
    this.camera.height = height;
    for (const canvas of [this.renderer.canvas, this.over]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.reorder();
  }
  private ask(): void {
    if (!this.asked) this.asked = requestAnimationFrame((now) => this.frame(now));
  }
  private sortPoints(all: boolean): void {
    const rows = all ? this.rows : this.rows.subarray(0, this.budget);
    if (this.camera.dims === 2 && !this.top) this.sorted = rows;
    else {
      this.sorted = this.sorted.length === rows.length && this.sorted.buffer !== rows.buffer ? this.sorted : new Uint32Array(rows.length);
      // In the plane there is no depth: the order stays that by chance.
      const space = this.camera.dims === 3;
      this.order.sort(this.positions, all && space ? this.inRow : rows, space ? this.camera.r : FLAT, this.sorted, this.top);
    }
    this.renderer.setOrder(this.sorted);
  }
  private pace(now: number): void {
    const passed = now - this.lastFrame;
    this.lastFrame = now;
    const [time, { slow, fast }] = this.renderer.atOnce ? [Math.min(...this.costs), DRAWING] : [passed, MOVING];
    if (!this.moving || time > 400) return;
    if (time > slow) this.budget = Math.max(MOVING.least, this.budget * 0.8);
    else if (time < fast) this.budget = Math.min(this.rows.length, Math.max(this.budget, MOVING.least) * 1.08);
  }
  private frame(now: number): void {
    this.asked = 0;
    const ratio = devicePixelRatio;
    this.pace(now);
    if (this.camera.width <= 1) return;
    if (this.dirty.points) {
      const began = performance.now();
      if (this.dirty.order) this.sortPoints(!this.moving);
      this.renderer.draw(this.camera, this.look(), ratio, this.items(), this.moving ? this.marksAbove() : []);
      if (this.moving) this.costs = [...this.costs, performance.now() - began].slice(-DRAWING.last);
    }
    if (this.dirty.over) this.paintOver(ratio);
    if (this.dirty.points && this.positions.length) this.tell();
    this.dirty = { points: false, order: false, over: false };
  }
  /* For those who measure: how many pictures were drawn, and of how many points the last one is. */
  private tell(): void {
    const { dataset } = this.element;
    dataset.frames = String(Number(dataset.frames ?? 0) + 1);
    dataset.points = String(this.sorted.length);
  }
  private paintOver(ratio: number): void {
    const items = this.moving ? [] : this.marksAbove();
    this.over.hidden = !items.length;
    if (!items.length) return;
    const context = this.over.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.over.width, this.over.height);
    paint(context, items);
  }
  /** Rings, crosses and lasso. */
  marksAbove(): Item[] {
    const ink = { ink: this.css("--ink"), ground: this.css("--bg"), accent: this.css("--accent-2") };
    return [...(this.crosses ? crossItems(this.toCube(this.crosses), this.camera, ink) : []),
      ...markItems(this.marks, (row) => this.where(row), this.look().size, ink), ...(this.lasso.length >= 4 ? lassoItems(this.lasso, ink) : [])];
  }
}
