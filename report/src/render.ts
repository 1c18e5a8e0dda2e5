// Draws points and tapered segments with WebGL2: one call for each. What was set is kept here too, so that a lost
// context is filled again when it comes back.
//     clip.xy = view.xy * (R p).xy + view.zw,   depth d = clamp(0.5 + 0.45 (R p).z, 0, 1),  1 in front
// Far points fade towards the ground by fog (1 - d) and are smaller.
import type { Camera } from "./camera";
import { attribute, fill, program, type Program } from "./gl";

const project = `
uniform mat3 r; uniform vec4 view; uniform vec4 fog;
float near(vec3 q) { return clamp(0.5 + 0.45 * q.z, 0.0, 1.0); }
vec2 place(vec3 q) { return q.xy * view.xy + view.zw; }
vec3 faded(vec3 c, float d) { return mix(c, fog.rgb, fog.a * (1.0 - d)); }
`;

const pointVertex = `
in vec3 p; in vec4 c;
uniform vec3 size; // diameter in pixels, change by depth, opacity
out vec4 colour; out float s;
${project}
void main() {
  vec3 q = r * p;
  float d = near(q), wanted = size.x * mix(1.0 - size.y, 1.0 + size.y, d);
  s = max(wanted, 1.0);
  gl_Position = c.a == 0.0 ? vec4(2.0, 2.0, 0.0, 1.0) : vec4(place(q), 0.0, 1.0);
  gl_PointSize = s + 1.0;
  colour = vec4(faded(c.rgb, d), c.a * size.z * min(1.0, wanted * wanted));
}`;

const pointFragment = `
in vec4 colour; in float s; out vec4 o;
void main() {
  float u = length(gl_PointCoord - 0.5) * (s + 1.0);
  float a = colour.a * clamp(0.5 * s - u + 0.5, 0.0, 1.0);
  float rim = 1.0 - 0.2 * clamp(0.5 * (s - 4.0), 0.0, 1.0) * smoothstep(0.5 * s - 1.6, 0.5 * s - 0.4, u);
  o = vec4(colour.rgb * rim * a, a);
}`;

const segmentVertex = `
in vec3 a; in vec3 b; in vec4 c; in vec2 w;
uniform vec3 screen; // pixels across and down, pixels of one CSS pixel
out vec4 colour; out float across; out float half_width;
${project}
void main() {
  vec3 qa = r * a, qb = r * b;
  vec2 half_screen = 0.5 * screen.xy, pa = place(qa) * half_screen, pb = place(qb) * half_screen, along = pb - pa;
  float l = length(along);
  along = l > 0.0 ? along / l : vec2(1.0, 0.0);
  bool end = (gl_VertexID & 1) == 1;
  float side = (gl_VertexID & 2) == 2 ? 1.0 : -1.0, wanted = (end ? w.y : w.x) * screen.z;
  half_width = max(0.5 * wanted, 0.4);
  across = side * (half_width + 0.7);
  gl_Position = vec4(((end ? pb : pa) + vec2(-along.y, along.x) * across) / half_screen, 0.0, 1.0);
  float d = near(end ? qb : qa);
  colour = vec4(faded(c.rgb, d), c.a * min(1.0, wanted / 0.8) * mix(1.0 - 0.6 * fog.a, 1.0, d));
}`;

const segmentFragment = `
in vec4 colour; in float across; in float half_width; out vec4 o;
void main() {
  float a = colour.a * clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
  o = vec4(colour.rgb * a, a);
}`;

export interface Look {
  /** Diameter in CSS pixels, opacity 0..1, strength of the depth cue 0..1, colour of the ground 0..1. */
  size: number; opacity: number; fog: number; ground: [number, number, number];
}

export interface Segments {
  /** x, y, z of one end and of the other. */
  positions: Float32Array;
  /** r, g, b, a of each. */
  colours: Uint8Array;
  /** CSS pixels at one end and at the other. */
  widths: Float32Array;
  under: boolean;
}

export class Renderer {
  lost = false;
  private gl: WebGL2RenderingContext;
  private points!: Program;
  private lines!: Program;
  private buffers!: { p: WebGLBuffer; c: WebGLBuffer; order: WebGLBuffer; seg: WebGLBuffer; segColour: WebGLBuffer; segWidth: WebGLBuffer };
  private pointArray!: WebGLVertexArrayObject;
  private lineArray!: WebGLVertexArrayObject;
  private kept: { positions?: Float32Array; colours?: Uint8Array; order?: Uint32Array; segments?: Segments | null } = {};
  private count = 0;

  constructor(readonly canvas: HTMLCanvasElement, again: () => void) {
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("This browser does not offer WebGL 2, which draws the points.");
    this.gl = gl;
    this.build();
    canvas.addEventListener("webglcontextlost", (e) => {
      e.preventDefault();
      this.lost = true;
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.lost = false;
      this.build();
      const { positions, colours, order, segments } = this.kept;
      if (positions) this.setPositions(positions);
      if (colours) this.setColours(colours);
      if (order) this.setOrder(order);
      if (segments) this.setSegments(segments);
      again();
    });
  }

  private build(): void {
    const gl = this.gl;
    this.points = program(gl, pointVertex, pointFragment, ["p", "c"]);
    this.lines = program(gl, segmentVertex, segmentFragment, ["a", "b", "c", "w"]);
    const make = () => gl.createBuffer();
    const b = (this.buffers = { p: make(), c: make(), order: make(), seg: make(), segColour: make(), segWidth: make() });
    this.pointArray = gl.createVertexArray();
    gl.bindVertexArray(this.pointArray);
    attribute(gl, 0, b.p, 3, gl.FLOAT);
    attribute(gl, 1, b.c, 4, gl.UNSIGNED_BYTE, { normalised: true });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.order);
    this.lineArray = gl.createVertexArray();
    gl.bindVertexArray(this.lineArray);
    attribute(gl, 0, b.seg, 3, gl.FLOAT, { stride: 24, divisor: 1 });
    attribute(gl, 1, b.seg, 3, gl.FLOAT, { stride: 24, offset: 12, divisor: 1 });
    attribute(gl, 2, b.segColour, 4, gl.UNSIGNED_BYTE, { normalised: true, divisor: 1 });
    attribute(gl, 3, b.segWidth, 2, gl.FLOAT, { divisor: 1 });
    gl.bindVertexArray(null);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  setPositions(positions: Float32Array): void {
    this.kept.positions = positions;
    fill(this.gl, this.gl.ARRAY_BUFFER, this.buffers.p, positions);
  }
  setColours(colours: Uint8Array): void {
    this.kept.colours = colours;
    fill(this.gl, this.gl.ARRAY_BUFFER, this.buffers.c, colours);
  }
  /** The rows that are drawn, in their order. */
  setOrder(order: Uint32Array): void {
    this.kept.order = order;
    this.count = order.length;
    this.gl.bindVertexArray(this.pointArray);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, order, this.gl.STREAM_DRAW);
    this.gl.bindVertexArray(null);
  }
  setSegments(segments: Segments | null): void {
    this.kept.segments = segments;
    if (!segments) return;
    fill(this.gl, this.gl.ARRAY_BUFFER, this.buffers.seg, segments.positions);
    fill(this.gl, this.gl.ARRAY_BUFFER, this.buffers.segColour, segments.colours);
    fill(this.gl, this.gl.ARRAY_BUFFER, this.buffers.segWidth, segments.widths);
  }

  draw(camera: Camera, look: Look, ratio: number): void {
    const gl = this.gl, { width, height } = this.canvas, segments = this.kept.segments;
    if (this.lost) return;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (segments?.under) this.drawSegments(camera, look, ratio, segments);
    if (this.count && this.kept.positions && this.kept.colours) {
      this.use(this.points, camera, look);
      gl.uniform3f(this.points.at("size"), look.size * ratio, camera.dims === 3 ? 0.22 : 0, look.opacity);
      gl.bindVertexArray(this.pointArray);
      gl.drawElements(gl.POINTS, this.count, gl.UNSIGNED_INT, 0);
    }
    if (segments && !segments.under) this.drawSegments(camera, look, ratio, segments);
    gl.bindVertexArray(null);
  }

  private drawSegments(camera: Camera, look: Look, ratio: number, segments: Segments): void {
    const gl = this.gl;
    this.use(this.lines, camera, look);
    gl.uniform3f(this.lines.at("screen"), this.canvas.width, this.canvas.height, ratio);
    gl.bindVertexArray(this.lineArray);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, segments.positions.length / 6);
  }

  private use(p: Program, camera: Camera, look: Look): void {
    const gl = this.gl, s = 2 * camera.scale;
    gl.useProgram(p.id);
    gl.uniformMatrix3fv(p.at("r"), true, Float32Array.from(camera.r));
    gl.uniform4f(p.at("view"), s / camera.width, s / camera.height, (2 * camera.panX) / camera.width, (-2 * camera.panY) / camera.height);
    gl.uniform4f(p.at("fog"), ...look.ground, camera.dims === 3 ? look.fog : 0);
  }
}
