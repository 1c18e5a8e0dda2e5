// The state that panels share: each key is watched on its own.

export interface Neighbour {
  row: number;
  /** Vector diffusion distance from the focus. */
  distance: number;
  /** q x q, row by row: the orthogonal matrix that aligns this point with the focus. */
  matrix: Float64Array;
}
export interface Selection { mask: Uint8Array; count: number }
export type Theme = "light" | "dark";

export interface State {
  /** Row under the pointer, or -1. */
  hover: number;
  /** Row that was clicked or found, or -1. */
  focus: number;
  selected: Selection;
  neighbours: Neighbour[];
  /** How many neighbours of the focus are shown. */
  k: number;
  /** Eigenvector chosen in the spectrum, from 0. */
  component: number;
  /** Eigenvectors first .. last, from 0, that count for the embedding and the distances; null: all. */
  range: readonly [number, number] | null;
  /** Diffusion time. */
  time: number;
  /** What colours the points: see colours.ts. */
  colour: string;
  theme: Theme;
  /** Edges of a synchronised graph with residuals up to this are not drawn. */
  threshold: number;
  /** The last sentence for the live region. */
  said: string;
}

type Watcher<K extends keyof State> = (value: State[K]) => void;

export class Store {
  private watchers = new Map<keyof State, Set<Watcher<never>>>();
  constructor(private state: State) {}

  get<K extends keyof State>(key: K): State[K] { return this.state[key]; }

  set<K extends keyof State>(key: K, value: State[K]): void {
    if (Object.is(this.state[key], value)) return;
    this.state[key] = value;
    for (const f of this.watchers.get(key) ?? []) (f as Watcher<K>)(value);
  }

  /** Calls f at every change of the key; the answer ends that. */
  on<K extends keyof State>(key: K, f: Watcher<K>): () => void {
    let all = this.watchers.get(key);
    if (!all) this.watchers.set(key, (all = new Set()));
    all.add(f as Watcher<never>);
    return () => void all.delete(f as Watcher<never>);
  }

  /** Selects the rows whose mask is set. */
  select(mask: Uint8Array): void {
    let count = 0;
    for (let i = 0; i < mask.length; i++) count += mask[i]!;
    this.set("selected", { mask, count });
  }
}

export function makeStore(rows: number, time: number): Store {
  return new Store({
    hover: -1, focus: -1, selected: { mask: new Uint8Array(rows), count: 0 }, neighbours: [], k: 12, component: 0, range: null, time,
    colour: "", theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light", threshold: -Infinity, said: "",
  });
}
