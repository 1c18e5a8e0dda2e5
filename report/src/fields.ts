// The eigenvector field chosen in the spectrum, on the points of the data: v_i = B_i u_l[i], as evenly spaced lines that
// swell towards their arrowheads, coloured by size. Their spacing is a number of pixels, so zooming in shows more.
import type { Diffusion } from "./diffusion";
import { h } from "./dom";
import type { Page } from "./load";
import { quantiles } from "./numbers";
import { shuffled } from "./order";
import { strength } from "./palette";
import type { Store } from "./store";
import { reach, Streams, type Flow, type Line } from "./stream";
import type { View } from "./view";

const SAMPLE = 60_000; // points that carry the field
const SPACING = 11; // CSS pixels between lines
const LONGEST = 22; // steps each way
const HIDDEN = 8; // columns of the data that keep sheets apart

export class FieldLayer {
  readonly control: HTMLElement;
  private box = h("input", { type: "checkbox", checked: true });
  private name = h("span", {});
  private view!: View;
  private flow: Flow | null = null;
  private near = 0; // distance of a point to a few neighbours
  private rows = new Uint32Array(0);
  private weakest = 0;
  private strongest = 1;
  private drawn = { zoom: 0, x: 0, y: 0 };
  private turn = 0;

  private constructor(private page: Page, private store: Store, private diffusion: Diffusion) {
    this.control = h("label", { class: "control check", title: "The field of the eigenvector that is chosen in the spectrum" }, this.box, this.name);
    this.label();
  }
  /** Null where the result has no tangent frames, or fields that are none of these. */
  static of(page: Page, store: Store, diffusion: Diffusion | null): FieldLayer | null {
    const frames = page.has("principal_frames") ? "principal_frames" : page.has("frames") ? "frames" : null;
    if (!diffusion || !frames || diffusion.q < 2 || page.shape(frames)[2] !== diffusion.q) return null;
    return new FieldLayer(page, store, diffusion);
  }

  attach(view: View): void {
    this.view = view;
    this.box.addEventListener("change", () => void this.reload());
    this.store.on("component", () => void this.reload());
    this.store.on("theme", () => this.draw(true));
    view.onAxes.push(() => void this.reload());
    view.scatter.onView = () => this.draw(false);
  }

  private label(): void { this.name.textContent = `Field ${this.store.get("component")}`; }

  private async reload(): Promise<void> {
    const mine = ++this.turn, { scatter } = this.view;
    this.label();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done))); // the points come first
    if (mine !== this.turn) return;
    const flow = this.box.checked ? await this.load() : null;
    if (mine !== this.turn) return;
    this.flow = flow;
    scatter.veil = flow ? 0.42 : 1;
    if (flow) {
      this.strongest = quantiles(flow.size, [0.97])?.[0] || 1;
      this.weakest = 0.03 * this.strongest;
      this.near = reach(flow);
      this.draw(true);
    } else scatter.setSegments(null);
  }

  /* The field at a fair sample of the points, in the cube of the view; null if the axes have no frames. */
  private async load(): Promise<Flow | null> {
    const { page, diffusion, store } = this, { scatter } = this.view, axes = this.view.chosen(), q = diffusion.q, l = store.get("component");
    const frames = axes.map(({ key }) => {
      const [array, j] = key.split(":"), name = array === "data" ? "frames" : "principal_frames";
      return page.has(name) && Number(j) < page.shape(name)[1]! ? { name, j: Number(j) } : null;
    });
    if (l >= diffusion.r || frames.some((f) => f === null)) return null;
    const order = shuffled(page.rows), p = scatter.positions;
    this.rows = order.filter((i) => p[3 * i]! < 2 && p[3 * i + 1]! < 2 && p[3 * i + 2]! < 2).slice(0, SAMPLE);
    const n = this.rows.length, extra = page.has("data") ? Math.min(HIDDEN, page.shape("data")[1]!) : 0;
    const flow: Flow = { n, extra, places: new Float32Array(3 * n), hidden: new Float32Array(extra * n), field: new Float32Array(3 * n), size: new Float32Array(n) };
    const scale = Math.min(...scatter.frames.map((f) => f.extent / f.half));
    for (let k = 0; k < extra; k++) {
      const column = await page.column("data", k);
      for (let i = 0; i < n; i++) flow.hidden[extra * i + k] = column[this.rows[i]!]! * scale;
    }
    for (let c = 0; c < q; c++) {
      const u = await diffusion.column(l, c);
      for (let i = 0; i < n; i++) flow.size[i]! += u[this.rows[i]!]! ** 2;
      for (const [k, f] of frames.entries()) {
        const b = await page.column(f!.name, f!.j * q + c), axis = scatter.frames[k]!, g = axis.extent / axis.half / scale;
        for (let i = 0; i < n; i++) flow.field[3 * i + k]! += g * b[this.rows[i]!]! * u[this.rows[i]!]!;
      }
    }
    for (let i = 0; i < n; i++) {
      flow.size[i] = Math.sqrt(flow.size[i]!);
      for (let k = 0; k < 3; k++) flow.places[3 * i + k] = p[3 * this.rows[i]! + k]!;
    }
    return flow;
  }

  /* Lines for the present zoom; only those that start inside the view. */
  private draw(always: boolean): void {
    const { scatter } = this.view, { camera } = scatter, was = this.drawn;
    if (!this.flow) return;
    const near = Math.abs(Math.log(camera.zoom / was.zoom)) < 0.2 && (camera.zoom < 1.3 || Math.hypot(camera.panX - was.x, camera.panY - was.y) < 40);
    if (!always && near && camera.zoom < 1.3) return;
    this.drawn = { zoom: camera.zoom, x: camera.panX, y: camera.panY };
    const spacing = SPACING / camera.scale, seeds: number[] = [], p = scatter.positions;
    for (let i = 0; i < this.rows.length; i++) {
      const row = this.rows[i]!, [x, y] = camera.project(p[3 * row]!, p[3 * row + 1]!, p[3 * row + 2]!);
      if (x > -40 && y > -40 && x < camera.width + 40 && y < camera.height + 40) seeds.push(i);
    }
    const streams = new Streams(this.flow, this.near, 1.2 * spacing);
    this.show(streams.lines(seeds, spacing, LONGEST, this.weakest, 4000), 6 / camera.scale);
  }

  private show(lines: Line[], head: number): void {
    const { scatter } = this.view, count = lines.reduce((s, l) => s + ((l.size.length + 1) >> 1), 0), ramp = strength(this.store.get("theme"));
    const positions = new Float32Array(6 * count), colours = new Uint8Array(4 * count), widths = new Float32Array(2 * count);
    let e = 0;
    const put = (a: ArrayLike<number>, b: ArrayLike<number>, size: number, wa: number, wb: number) => {
      const t = Math.min(1, size / this.strongest);
      for (let k = 0; k < 3; k++) {
        positions[6 * e + k] = this.unit(a[k]!, k);
        positions[6 * e + 3 + k] = this.unit(b[k]!, k);
      }
      colours.set([...ramp(t), Math.round(255 * (0.45 + 0.55 * t))], 4 * e);
      widths.set([wa, wb], 2 * e++);
    };
    for (const { places, size } of lines) {
      // Every second step is drawn, and the last.
      const m = size.length - 1, at = (k: number) => places.slice(3 * k, 3 * k + 3), thick = 1.1 + 1.1 * Math.min(1, size[m >> 1]! / this.strongest);
      for (let k = m % 2; k < m; k += 2) put(at(k), at(k + 2), size[k]!, 0.3 + (thick * k) / m, 0.3 + (thick * (k + 2)) / m);
      const a = at(m - 1), b = at(m), l = Math.hypot(b[0]! - a[0]!, b[1]! - a[1]!, b[2]! - a[2]!) || 1;
      put(b, b.map((v, k) => v + ((v - a[k]!) / l) * head), size[m]!, 3.2 * thick, 0);
    }
    scatter.setSegments(positions, colours, { widths });
  }
  private unit(v: number, k: number): number {
    const f = this.view.scatter.frames[k];
    return f ? (v / f.extent) * f.half + f.middle : 0;
  }
}
