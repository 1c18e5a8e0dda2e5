// A graph that was synchronised: its edges, their residuals and trust, and those at each node.
import type { Page } from "./load";

export interface Graph {
  nodes: ArrayLike<number>;
  from: ArrayLike<number>;
  to: ArrayLike<number>;
  residuals: ArrayLike<number>;
  trust: ArrayLike<number> | null;
  component: ArrayLike<number> | null;
  places: (ArrayLike<number> | null)[];
  /** Edges of node i: list[start[i]] .. list[start[i + 1] - 1]. */
  start: Uint32Array;
  list: Uint32Array;
}

export async function readGraph(page: Page): Promise<Graph> {
  const column = async (name: string, j = 0) => (page.has(name) ? await page.column(name, j) : null);
  const layout = page.has("positions") ? "positions" : "layout", wide = page.has(layout) ? page.shape(layout)[1] ?? 0 : 0;
  const [nodes, from, to, residuals, trust, component] = await Promise.all([column("nodes"), column("edges", 0), column("edges", 1),
    column("residuals"), column("trust"), column("component")]);
  const places = await Promise.all([0, 1, 2].map((j) => (j < wide ? column(layout, j) : null)));
  const n = page.rows, m = from?.length ?? 0, start = new Uint32Array(n + 1), list = new Uint32Array(2 * m);
  for (const ends of [from, to]) for (let e = 0; e < m; e++) start[ends![e]! + 1]! += 1;
  for (let i = 0; i < n; i++) start[i + 1]! += start[i]!;
  const next = start.slice(0, n);
  for (let e = 0; e < m; e++) {
    list[next[from![e]!]!++] = e;
    list[next[to![e]!]!++] = e;
  }
  return { nodes: nodes ?? Int32Array.from({ length: n }, (_, i) => i), from: from ?? [], to: to ?? [], residuals: residuals ?? new Float32Array(m),
    trust, component, places, start, list };
}

/** Edges at a node, the worst first. */
export function worst(g: Graph, node: number, most: number): number[] {
  return Array.from(g.list.subarray(g.start[node]!, g.start[node + 1]!)).sort((a, b) => g.residuals[b]! - g.residuals[a]!).slice(0, most);
}
