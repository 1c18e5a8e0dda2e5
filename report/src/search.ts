// Finds a point by its row, its id or its label: digits mean a row, other texts what ids and labels begin with or hold.
import { h } from "./dom";
import type { Page } from "./load";
import type { Store } from "./store";

interface Hit { row: number; text: string; note: string }
const MOST = 40;

/** What can be searched, made when it is first wanted. */
class Index {
  private made: Promise<{ ids: string[] | null; labels: string[] | null; names: ArrayLike<number> | null }> | null = null;
  constructor(private page: Page) {}

  private make() {
    const page = this.page, numbers = page.has("row") ? "row" : page.kind === "sync" && page.has("nodes") ? "nodes" : null;
    return (this.made ??= (async () => {
      const codes = page.has("labels") ? await page.column("labels", 0) : null;
      const levels = page.has("label_levels") ? await page.texts("label_levels") : page.levels("labels");
      return {
        ids: page.has("ids") ? await page.texts("ids") : null,
        labels: codes ? Array.from(codes, (c) => levels[c] ?? "") : null,
        names: numbers ? await page.column(numbers, 0) : null,
      };
    })());
  }

  async find(query: string): Promise<Hit[]> {
    const { ids, labels, names } = await this.make(), wanted = query.trim().toLowerCase(), hits: Hit[] = [], seen = new Set<number>();
    if (!wanted) return [];
    const word = this.page.kind === "sync" ? "node" : this.page.kind === "average" ? "image" : "row";
    const add = (row: number): void => {
      if (seen.has(row) || hits.length >= MOST) return;
      seen.add(row);
      const place = `${word} ${(names ? names[row]! : row).toLocaleString("en")}`;
      hits.push({ row, text: ids?.[row] ?? place, note: [ids ? place : "", labels?.[row] ?? ""].filter(Boolean).join(" · ") });
    };
    if (/^\d+$/.test(wanted)) {
      const k = Number(wanted), row = names ? Array.prototype.indexOf.call(names, k) : k;
      if (row >= 0 && row < this.page.rows) add(row);
    }
    for (const holds of [(s: string) => s.startsWith(wanted), (s: string) => s.includes(wanted)])
      for (const texts of [ids, labels])
        for (let i = 0; texts && i < texts.length && hits.length < MOST; i++) if (holds(texts[i]!.toLowerCase())) add(i);
    return hits;
  }
}

export function searchBox(page: Page, store: Store): HTMLElement {
  const index = new Index(page), parts = [page.has("ids") ? "id" : "", page.has("labels") ? "label" : ""].filter(Boolean);
  const what = page.kind === "sync" ? "node" : page.kind === "average" ? "image" : ["row", ...parts].join(", ");
  const list = h("ul", { id: "found", role: "listbox", "aria-label": "Points found", hidden: true });
  const input = h("input", { type: "search", placeholder: `Find by ${what}`, "aria-label": `Find a point by ${what}`, role: "combobox",
    "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false" });
  let hits: Hit[] = [], at = 0, asked = 0;

  const close = (): void => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (k: number): void => {
    const hit = hits[k];
    if (!hit) return;
    close();
    store.set("focus", hit.row);
    store.set("said", `${hit.text} is in focus.`);
  };
  const mark = (): void => {
    [...list.children].forEach((li, k) => li.setAttribute("aria-selected", String(k === at && hits.length > 0)));
    if (!hits.length) return;
    input.setAttribute("aria-activedescendant", `found-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const search = async (): Promise<void> => {
    const mine = ++asked, found = await index.find(input.value);
    if (mine !== asked) return; // a later letter was typed meanwhile
    if (!input.value.trim()) return close();
    hits = found;
    at = 0;
    list.replaceChildren(...(hits.length
      ? hits.map((hit, k) => h("li", { id: `found-${k}`, role: "option", onpointerdown: (e: PointerEvent) => (e.preventDefault(), choose(k)) },
        h("span", {}, hit.text), h("span", {}, hit.note)))
      : [h("li", { class: "none", role: "option", "aria-disabled": "true" }, "Nothing found in this page.")]));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark();
  };
  input.addEventListener("input", () => void search());
  input.addEventListener("focus", () => input.value && void search());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      at = hits.length ? (at + (e.key === "ArrowDown" ? 1 : -1) + hits.length) % hits.length : 0;
      mark();
    } else if (e.key === "Enter") choose(at);
    else if (e.key === "Escape") close();
  });
  document.addEventListener("keydown", (e) => {
    const typing = e.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.key !== "/" || typing || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    input.focus();
    input.select();
  });
  return h("div", { class: "search", role: "search" }, input, list);
}
