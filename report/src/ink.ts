// Lines and texts in CSS pixels, drawn by WebGL in one call, so that a view in motion is a single opaque canvas. Texts are
// kept as pictures in a texture. Each vertex is a place, a coordinate and the half width of its line (0: a text):
//     line: opacity by the distance from its middle;  text: opacity of the texture.
import { font, type Item } from "./axes";
import { h } from "./dom";
import { attribute, fill, program, type Program } from "./gl";
import { parse } from "./palette";

const WIDE = 1024, HIGH = 1024; // pixels of the texture
const STRIDE = 24; // bytes of a vertex: x, y, u, v, half, r g b a

const vertex = `
in vec2 p; in vec2 t; in float w; in vec4 c;
uniform vec3 screen;
out vec2 at; out float half_width; out vec4 colour;
void main() {
  gl_Position = vec4(p.x / screen.x * 2.0 - 1.0, 1.0 - p.y / screen.y * 2.0, 0.0, 1.0);
  at = t; half_width = w; colour = c;
}`;
const fragment = `
in vec2 at; in float half_width; in vec4 colour; out vec4 o;
uniform sampler2D texts; uniform vec3 screen;
void main() {
  float a = half_width > 0.0 ? clamp((half_width - abs(at.x)) * screen.z + 0.5, 0.0, 1.0) : texture(texts, at).a;
  o = vec4(colour.rgb, 1.0) * a * colour.a;
}`;

interface Place { x: number; y: number; width: number; height: number }

export class Inking {
  private program: Program;
  private buffer: WebGLBuffer;
  private array: WebGLVertexArrayObject;
  private texture: WebGLTexture;
  private sheet = h("canvas", { width: WIDE, height: HIGH });
  private context = this.sheet.getContext("2d", { willReadFrequently: true })!;
  private places = new Map<string, Place>();
  private next = { x: 0, y: 0, row: 0 };
  private changed = true;
  private ratio = 0;

  constructor(private gl: WebGL2RenderingContext) {
    this.program = program(gl, vertex, fragment, ["p", "t", "w", "c"]);
    this.buffer = gl.createBuffer();
    this.texture = gl.createTexture();
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    attribute(gl, 0, this.buffer, 2, gl.FLOAT, { stride: STRIDE });
    attribute(gl, 1, this.buffer, 2, gl.FLOAT, { stride: STRIDE, offset: 8 });
    attribute(gl, 2, this.buffer, 1, gl.FLOAT, { stride: STRIDE, offset: 16 });
    attribute(gl, 3, this.buffer, 4, gl.UNSIGNED_BYTE, { normalised: true, stride: STRIDE, offset: 20 });
    gl.bindVertexArray(null);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
  }

  draw(items: Item[], width: number, height: number, ratio: number): void {
    const gl = this.gl;
    if (!items.length) return;
    if (ratio !== this.ratio || this.places.size > 1500) this.empty(ratio);
    const bytes = new ArrayBuffer(items.length * 6 * STRIDE), floats = new Float32Array(bytes), colours = new Uint8Array(bytes);
    items.forEach((item, k) => {
      const corners = "line" in item ? this.line(item.line, item.width / 2) : this.text(item), rgb = parse(item.colour);
      [0, 1, 2, 2, 1, 3].forEach((corner, e) => {
        const at = (6 * k + e) * (STRIDE / 4);
        floats.set(corners[corner]!, at);
        colours.set(rgb, 4 * at + 20);
        colours[4 * at + 23] = 255;
      });
    });
    gl.useProgram(this.program.id);
    gl.uniform3f(this.program.at("screen"), width, height, ratio);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    if (this.changed) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, this.sheet);
    this.changed = false;
    fill(gl, gl.ARRAY_BUFFER, this.buffer, floats);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, 6 * items.length);
    gl.bindVertexArray(null);
  }

  private line([x1, y1, x2, y2]: [number, number, number, number], half: number): number[][] {
    const l = Math.hypot(x2 - x1, y2 - y1) || 1, room = half + 1, nx = (-(y2 - y1) / l) * room, ny = ((x2 - x1) / l) * room;
    return [[x1 + nx, y1 + ny, room, 0, half], [x1 - nx, y1 - ny, -room, 0, half], [x2 + nx, y2 + ny, room, 0, half], [x2 - nx, y2 - ny, -room, 0, half]];
  }

  private text(item: Extract<Item, { text: string }>): number[][] {
    const place = this.place(item), r = this.ratio, w = place.width / r, high = place.height / r, down = item.size * 1.1;
    const left = item.x - (item.anchor === "middle" ? w / 2 : item.anchor === "end" ? w - 2 : 2), x = Math.round(left * r) / r, y = Math.round((item.y - down) * r) / r;
    const [u0, v0, u1, v1] = [place.x / WIDE, place.y / HIGH, (place.x + place.width) / WIDE, (place.y + place.height) / HIGH];
    return [[x, y, u0, v0, 0], [x, y + high, u0, v1, 0], [x + w, y, u1, v0, 0], [x + w, y + high, u1, v1, 0]];
  }

  /* Where the picture of a text is; new ones are put in rows. */
  private place(item: Extract<Item, { text: string }>): Place {
    const key = `${item.size} ${item.bold ?? false} ${item.text}`, known = this.places.get(key), c = this.context;
    if (known) return known;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.font = font(item);
    const width = Math.min(WIDE, Math.ceil((c.measureText(item.text).width + 4) * this.ratio)), height = Math.ceil(item.size * 1.5 * this.ratio);
    if (this.next.x + width > WIDE) this.next = { x: 0, y: this.next.y + this.next.row, row: 0 };
    if (this.next.y + height > HIGH) this.empty(this.ratio);
    const place = { x: this.next.x, y: this.next.y, width, height };
    c.fillStyle = "#fff";
    c.fillText(item.text, place.x / this.ratio + 2, place.y / this.ratio + item.size * 1.1);
    this.next = { x: place.x + width + 1, y: place.y, row: Math.max(this.next.row, height + 1) };
    this.places.set(key, place);
    this.changed = true;
    return place;
  }
  private empty(ratio: number): void {
    this.ratio = ratio;
    this.places.clear();
    this.next = { x: 0, y: 0, row: 0 };
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, WIDE, HIGH);
    this.changed = true;
  }
}
