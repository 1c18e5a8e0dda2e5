// Draws points and tapered segments with WebGL2: one call for each. What was set is kept here too, so that a lost
// context is filled again when it comes back.
//     clip.xy = view.xy * (R p).xy + view.zw,   depth d = clamp(0.5 + 0.45 (R p).z, 0, 1),  1 in front
// Far points fade towards the ground by fog (1 - d) and are smaller.
import type { Camera } from "./camera";
import type { Item } from "./axes";
import { attribute, fill, program, type Program } from "./gl";
import { Inking } from "./ink";
import { PageError } from "./load";
import { Splat } from "./splat";

const TEXELS = 4096; // across a texture of segments

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

// A segment is two texels of four words: x, y, z of one end and r, g, b, a; x, y, z of the other and both widths in 1/256
// pixels. Six vertices each fetch them: instances would be far slower where a processor draws.
const segmentVertex = `
uniform highp usampler2D data;
uniform vec3 screen; // pixels across and down, pixels of one CSS pixel
out vec4 colour; out float across; out float half_width;
${project}
uvec4 texel(int i) { return texelFetch(data, ivec2(i % ${TEXELS}, i / ${TEXELS}), 0); }
void main() {
  int k = gl_VertexID / 6, corner = gl_VertexID % 6;
  uvec4 s = texel(2 * k), t = texel(2 * k + 1);
  vec4 c = vec4(s.w & 255u, (s.w >> 8) & 255u, (s.w >> 16) & 255u, s.w >> 24) / 255.0;
  vec2 w = vec2(t.w & 65535u, t.w >> 16) / 256.0;
  vec3 qa = r * uintBitsToFloat(s.xyz), qb = r * uintBitsToFloat(t.xyz);
  vec2 half_screen = 0.5 * screen.xy, pa = place(qa) * half_screen, pb = place(qb) * half_screen, along = pb - pa;
  float l = length(along);
  along = l > 0.0 ? along / l : vec2(1.0, 0.0);
  bool end = corner == 1 || corner == 4 || corner == 5;
  float side = corner == 2 || corner == 3 || corner == 5 ? 1.0 : -1.0, wanted = (end ? w.y : w.x) * screen.z;
  half_width = max(0.5 * wanted, 0.4);
  across = side * (half_width + 0.7);
  gl_Position = vec4(((end ? pb : pa) + vec2(-along.y, along.x) * across) / half_screen, 0.0, 1.0);
  float d = near(end ? qb : qa);
  colour = vec4(faded(c.rgb, d), c.a * min(1.0, max(w.x, w.y) * screen.z / 0.8) * mix(1.0 - 0.6 * fog.a, 1.0, d));
}`;

const segmentFragment = `
in vec4 colour; in float across; in float half_width; out vec4 o;
void main() {
  float a = colour.a * clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
  o = vec4(colour.rgb * a, a);
}`;

// A picture that the processor has drawn (splat.ts), pixel by pixel.
const pictureVertex = `void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;
const pictureFragment = `
uniform sampler2D picture; out vec4 o;
void main() { ivec2 at = ivec2(gl_FragCoord.xy); o = texelFetch(picture, ivec2(at.x, textureSize(picture, 0).y - 1 - at.y), 0); }`;

/* Whether the processor draws what WebGL is told to; #webgl in the address leaves it to WebGL all the same. */
function isSoftware(gl: WebGL2RenderingContext): boolean {
  const info = gl.getExtension("WEBGL_debug_renderer_info"), name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name) && location.hash !== "#webgl";
}

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
  private buffers!: { p: WebGLBuffer; c: WebGLBuffer; order: WebGLBuffer };
  private segmentData!: WebGLTexture;
  private ink!: Inking;
  private pointArray!: WebGLVertexArrayObject;
  private lineArray!: WebGLVertexArrayObject;
  private picture!: { program: Program; texture: WebGLTexture };
  private splat: Splat | null;
  /** Whether drawing is done when draw() is. */
  get atOnce(): boolean { return this.splat !== null; }
  private kept: { positions?: Float32Array; colours?: Uint8Array; order?: Uint32Array; segments?: Segments | null } = {};
  private count = 0;

  constructor(readonly canvas: HTMLCanvasElement, again: () => void) {
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: false });
    if (!gl)
      throw new PageError("The points cannot be drawn, as this browser does not offer WebGL 2: allow it in the settings of the browser, " +
        "or open the page in another one. The rest of the page does not need it.");
    this.gl = gl;
    this.splat = isSoftware(gl) ? new Splat() : null;
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
    this.lines = program(gl, segmentVertex, segmentFragment, []);
    const make = () => gl.createBuffer();
    const b = (this.buffers = { p: make(), c: make(), order: make() });
    this.pointArray = gl.createVertexArray();
    gl.bindVertexArray(this.pointArray);
    attribute(gl, 0, b.p, 3, gl.FLOAT);
    attribute(gl, 1, b.c, 4, gl.UNSIGNED_BYTE, { normalised: true });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.order);
    this.lineArray = gl.createVertexArray();
    this.segmentData = gl.createTexture();
    gl.bindVertexArray(null);
    this.ink = new Inking(gl);
    if (this.splat) {
      this.splat.width = 0; // the texture is new
      this.picture = { program: program(gl, pictureVertex, pictureFragment, []), texture: gl.createTexture() };
    }
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  setPositions(positions: Float32Array): void {
    this.kept.positions = positions;
    if (this.splat) return;
    fill(this.gl, this.gl.ARRAY_BUFFER, this.buffers.p, positions);
  }
  setColours(colours: Uint8Array): void {
    this.kept.colours = colours;
    if (this.splat) return;
    fill(this.gl, this.gl.ARRAY_BUFFER, this.buffers.c, colours);
  }
  /** The rows that are drawn, in their order. */
  setOrder(order: Uint32Array): void {
    this.kept.order = order;
    this.count = order.length;
    if (this.splat) return;
    this.gl.bindVertexArray(this.pointArray);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, order, this.gl.STREAM_DRAW);
    this.gl.bindVertexArray(null);
  }
  setSegments(segments: Segments | null): void {
    this.kept.segments = segments;
    if (!segments || this.splat) return;
    const gl = this.gl, count = segments.positions.length / 6, rows = Math.ceil((2 * count) / TEXELS);
    const words = new Uint32Array(4 * TEXELS * rows), floats = new Float32Array(words.buffer), bytes = new Uint8Array(words.buffer);
    for (let k = 0; k < count; k++) {
      floats.set(segments.positions.subarray(6 * k, 6 * k + 3), 8 * k);
      floats.set(segments.positions.subarray(6 * k + 3, 6 * k + 6), 8 * k + 4);
      bytes.set(segments.colours.subarray(4 * k, 4 * k + 4), 32 * k + 12);
      words[8 * k + 7] = Math.round(256 * segments.widths[2 * k]!) + 65536 * Math.round(256 * segments.widths[2 * k + 1]!);
    }
    gl.bindTexture(gl.TEXTURE_2D, this.segmentData);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32UI, TEXELS, rows, 0, gl.RGBA_INTEGER, gl.UNSIGNED_INT, words);
  }

  /** Lines and texts below the points, the points, and lines above them. */
  draw(camera: Camera, look: Look, ratio: number, below: Item[], above: Item[]): void {
    const gl = this.gl, { width, height } = this.canvas;
    if (this.lost) return;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...look.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.ink.draw(below, camera.width, camera.height, ratio);
    if (this.splat) this.drawPicture(this.splat, camera, look, ratio);
    else this.drawAll(camera, look, ratio);
    gl.bindVertexArray(null);
    this.ink.draw(above, camera.width, camera.height, ratio);
  }

  private drawPicture(splat: Splat, camera: Camera, look: Look, ratio: number): void {
    const gl = this.gl, { positions, colours, order, segments } = this.kept, { width, height } = this.canvas, grown = splat.width !== width || splat.height !== height;
    splat.clear(width, height);
    if (segments?.under) splat.segments(segments, camera, look, ratio);
    if (positions && colours && order) splat.points(positions, colours, order, camera, look, ratio);
    if (segments && !segments.under) splat.segments(segments, camera, look, ratio);
    gl.useProgram(this.picture.program.id);
    gl.bindTexture(gl.TEXTURE_2D, this.picture.texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    if (grown) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, splat.bytes);
    else gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, splat.bytes);
    gl.bindVertexArray(this.lineArray);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  private drawAll(camera: Camera, look: Look, ratio: number): void {
    const gl = this.gl, segments = this.kept.segments;
    if (segments?.under) this.drawSegments(camera, look, ratio, segments);
    if (this.count && this.kept.positions && this.kept.colours) {
      this.use(this.points, camera, look);
      gl.uniform3f(this.points.at("size"), look.size * ratio, camera.dims === 3 ? 0.22 : 0, look.opacity);
      gl.bindVertexArray(this.pointArray);
      gl.drawElements(gl.POINTS, this.count, gl.UNSIGNED_INT, 0);
    }
    if (segments && !segments.under) this.drawSegments(camera, look, ratio, segments);
  }

  private drawSegments(camera: Camera, look: Look, ratio: number, segments: Segments): void {
    const gl = this.gl;
    this.use(this.lines, camera, look);
    gl.uniform3f(this.lines.at("screen"), this.canvas.width, this.canvas.height, ratio);
    gl.bindTexture(gl.TEXTURE_2D, this.segmentData);
    gl.bindVertexArray(this.lineArray);
    gl.drawArrays(gl.TRIANGLES, 0, segments.positions.length);
  }

  private use(p: Program, camera: Camera, look: Look): void {
    const gl = this.gl, s = 2 * camera.scale;
    gl.useProgram(p.id);
    gl.uniformMatrix3fv(p.at("r"), true, Float32Array.from(camera.r));
    gl.uniform4f(p.at("view"), s / camera.width, s / camera.height, (2 * camera.panX) / camera.width, (-2 * camera.panY) / camera.height);
    gl.uniform4f(p.at("fog"), ...look.ground, camera.dims === 3 ? look.fog : 0);
  }
}
