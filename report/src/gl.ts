// The little of WebGL2 that the views need: programs, buffers, attributes.

export interface Program { id: WebGLProgram; at: (name: string) => WebGLUniformLocation | null }

function shader(gl: WebGL2RenderingContext, type: number, source: string): WebGLShader {
  const made = gl.createShader(type)!;
  gl.shaderSource(made, source);
  gl.compileShader(made);
  if (!gl.getShaderParameter(made, gl.COMPILE_STATUS) && !gl.isContextLost())
    throw new Error(`shader: ${gl.getShaderInfoLog(made)}`);
  return made;
}

/** A program whose attributes have the numbers of their places in `attributes`. */
export function program(gl: WebGL2RenderingContext, vertex: string, fragment: string, attributes: string[]): Program {
  const id = gl.createProgram();
  gl.attachShader(id, shader(gl, gl.VERTEX_SHADER, `#version 300 es\n${vertex}`));
  gl.attachShader(id, shader(gl, gl.FRAGMENT_SHADER, `#version 300 es\nprecision highp float;\n${fragment}`));
  attributes.forEach((name, i) => gl.bindAttribLocation(id, i, name));
  gl.linkProgram(id);
  if (!gl.getProgramParameter(id, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(`program: ${gl.getProgramInfoLog(id)}`);
  const known = new Map<string, WebGLUniformLocation | null>();
  const at = (name: string) => {
    if (!known.has(name)) known.set(name, gl.getUniformLocation(id, name));
    return known.get(name)!;
  };
  return { id, at };
}

/** Puts data in a buffer and makes it attribute `place`. */
export function attribute(gl: WebGL2RenderingContext, place: number, buffer: WebGLBuffer, size: number, type: number,
  { normalised = false, stride = 0, offset = 0 } = {}): void {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, size, type, normalised, stride, offset);
}

export function fill(gl: WebGL2RenderingContext, target: number, buffer: WebGLBuffer, data: ArrayBufferView): void {
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, gl.DYNAMIC_DRAW);
}

/** Bytes of a colour such as #0b62a4, 0..1. */
export function rgb(hex: string): [number, number, number] {
  const v = parseInt(hex.trim().slice(1), 16);
  return [((v >> 16) & 255) / 255, ((v >> 8) & 255) / 255, (v & 255) / 255];
}
