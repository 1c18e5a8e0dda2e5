// The data of the page: the JSON block "page" and blocks of base64 over zlib, decoded when asked for and kept.
// report/README.md states the layout.

export type Kind = "embed" | "orient" | "extend" | "sync" | "average";
export type Fact = number | string | boolean | null | string[] | { [name: string]: Fact };
export type Facts = { [name: string]: Fact };
export type Column = Float32Array | Int32Array | Float64Array;
export interface Image { height: number; width: number; pixels: Uint8Array }

interface Stored {
  shape: number[]; values?: (number | null)[]; type?: "f32" | "f64" | "u16" | "i32" | "u8" | "text"; blocks?: number[];
  low?: number[] | number; high?: number[] | number; shuffle?: boolean; names?: string[]; levels?: string[]; per?: number;
}

export interface Page {
  kind: Kind; title: string; facts: Facts; notes: string[]; rows: number; of: number;
  arrays(): string[];
  has(name: string): boolean;
  shape(name: string): number[];
  names(name: string): string[] | null;
  /** A small array, row by row. */
  values(name: string): number[];
  /** Column j of an array of shape [N, a, b]: j numbers the trailing axes, row by row. */
  column(name: string, j: number): Promise<Column>;
  texts(name: string): Promise<string[]>;
  levels(name: string): string[];
  /** Image i of a stack; pixels 0..255. */
  image(name: string, i: number): Promise<Image>;
  /** The ends of the scale of a stack of images: what the bytes 0 and 255 stand for. */
  range(name: string): [number, number] | null;
}

/** What is wrong with the data, in words for the reader of the page. */
export class PageError extends Error {}

const width = { f32: 4, f64: 8, i32: 4, u16: 2, u8: 1, text: 1 };

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Planes of first bytes, second bytes, ... to whole numbers of four bytes. */
function unshuffle(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const n = bytes.length / 4, out = new Uint8Array(bytes.length);
  for (let i = 0; i < n; i++) {
    out[4 * i] = bytes[i]!;
    out[4 * i + 1] = bytes[n + i]!;
    out[4 * i + 2] = bytes[2 * n + i]!;
    out[4 * i + 3] = bytes[3 * n + i]!;
  }
  return out;
}

async function block(name: string, number: number | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const text = number === undefined ? null : document.getElementById(`b${number}`)?.textContent;
  if (text == null) throw new PageError(`The array "${name}" is not in this page: block ${number} is missing. Was the file cut short?`);
  try {
    return await inflate(fromBase64(text.trim()));
  } catch {
    throw new PageError(`The array "${name}" cannot be read: block ${number} of this page is damaged. Make the page anew.`);
  }
}

function decodeU16(codes: Uint16Array, low: number, high: number): Float32Array {
  const out = new Float32Array(codes.length), step = (high - low) / 65534;
  for (let i = 0; i < codes.length; i++) out[i] = codes[i] === 65535 ? NaN : low + step * codes[i]!;
  return out;
}

const at = (list: number[] | number | undefined, j: number, other: number) =>
  Array.isArray(list) ? list[j] ?? other : list ?? other;

class StoredPage implements Page {
  kind: Kind; title: string; facts: Facts; notes: string[]; rows: number; of: number;
  private stored: Map<string, Stored>;
  private kept = new Map<string, Promise<unknown>>();

  constructor(json: Record<string, unknown>) {
    this.kind = json.kind as Kind;
    this.title = String(json.title ?? "result");
    this.facts = (json.facts ?? {}) as Facts;
    this.notes = (json.notes ?? []) as string[];
    this.rows = Number(json.rows ?? 0);
    this.of = Number(json.of ?? this.rows);
    this.stored = new Map(Object.entries((json.arrays ?? {}) as Record<string, Stored>));
  }
  arrays() { return [...this.stored.keys()]; }
  has(name: string) { return this.stored.has(name); }
  shape(name: string) { return this.get(name).shape; }
  names(name: string) { return this.stored.get(name)?.names ?? null; }
  levels(name: string) { return this.stored.get(name)?.levels ?? []; }
  values(name: string) {
    const { values } = this.get(name);
    if (!values) throw new PageError(`The array "${name}" is stored by columns.`);
    return values.map((v) => (v === null ? NaN : v));
  }
  range(name: string): [number, number] | null {
    const { low, high } = this.get(name);
    return low === undefined || high === undefined ? null : [at(low, 0, 0), at(high, 0, 255)];
  }
  column(name: string, j: number) {
    return this.once(`${name}/${j}`, () => this.readColumn(name, j));
  }
  texts(name: string) {
    return this.once(`${name}/text`, async () => {
      const array = this.get(name), all = new TextDecoder().decode(await block(name, array.blocks?.[0]));
      const lines = all.split("\n");
      while (lines.length > array.shape[0]! && lines[lines.length - 1] === "") lines.pop();
      if (lines.length !== array.shape[0])
        throw new PageError(`The texts "${name}" have ${lines.length} lines; ${array.shape[0]} are said.`);
      return lines;
    });
  }
  async image(name: string, i: number): Promise<Image> {
    const array = this.get(name), [, height = 1, wide = 1] = array.shape, per = array.per ?? 256, b = Math.floor(i / per);
    const bytes = await this.once(`${name}/images${b}`, () => block(name, array.blocks?.[b]));
    const from = (i - b * per) * height * wide, pixels = bytes.subarray(from, from + height * wide);
    if (pixels.length !== height * wide) throw new PageError(`The image ${i} of "${name}" is not in this page.`);
    return { height, width: wide, pixels };
  }

  private get(name: string): Stored {
    const array = this.stored.get(name);
    if (!array) throw new PageError(`This page has no array "${name}".`);
    return array;
  }
  private once<T>(key: string, make: () => Promise<T>): Promise<T> {
    let found = this.kept.get(key) as Promise<T> | undefined;
    if (!found) this.kept.set(key, (found = make()));
    return found;
  }
  private async readColumn(name: string, j: number): Promise<Column> {
    const array = this.get(name), n = array.shape[0]!, columns = array.shape.slice(1).reduce((a, b) => a * b, 1);
    if (j < 0 || j >= columns) throw new PageError(`The array "${name}" has ${columns} columns, and no column ${j}.`);
    if (array.values) {
      const out = array.type === "i32" ? new Int32Array(n) : new Float32Array(n);
      for (let i = 0; i < n; i++) out[i] = array.values[i * columns + j] ?? NaN;
      return out;
    }
    const type = array.type ?? "f32";
    let bytes = await block(name, array.blocks?.[j]);
    if (bytes.length !== n * width[type])
      throw new PageError(`Column ${j} of "${name}" has ${bytes.length} bytes; ${n * width[type]} are said. Make the page anew.`);
    if (array.shuffle && width[type] === 4) bytes = unshuffle(bytes);
    if (type === "u16") return decodeU16(new Uint16Array(bytes.buffer), at(array.low, j, 0), at(array.high, j, 1));
    if (type === "i32") return new Int32Array(bytes.buffer);
    if (type === "f64") return new Float64Array(bytes.buffer);
    if (type === "u8") return Int32Array.from(bytes);
    return new Float32Array(bytes.buffer);
  }
}

/** Reads the block "page" of the document. */
export function loadPage(): Page {
  if (typeof DecompressionStream === "undefined")
    throw new PageError("This browser is too old to unpack the data of this page: it opens in Firefox 113, Chromium 80, Safari 16.4 and later.");
  const text = document.getElementById("page")?.textContent;
  if (text == null) throw new PageError("This page has no data in it yet: lavdm report RESULT -o report.html makes one that has.");
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new PageError("The description of the data in this page is damaged. Make the page anew.");
  }
  if (json.format !== 1) throw new PageError(`The data of this page has format ${String(json.format)}; the page reads format 1.`);
  return new StoredPage(json);
}
