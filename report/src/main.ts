// Puts the views and the panels together; says in words what went wrong, if something does.
import { Diffusion } from "./diffusion";
import { h } from "./dom";
import { iconButton } from "./icons";
import { loadPage, PageError, type Page } from "./load";
import { nearestPanel } from "./nearest";
import { number } from "./numbers";
import { below, central, side, top, type Panel } from "./panels";
import { Points } from "./points";
import { makeStore, type Store } from "./store";

const kinds = { embed: "embedding", orient: "orientation", extend: "extension to new points", sync: "synchronisation", average: "averages" };

const made = (panels: Panel[], page: Page, store: Store) => panels.map((p) => p(page, store)).filter((e) => e !== null);

function failure(error: unknown): HTMLElement {
  const text = error instanceof Error ? error.message : String(error);
  return h("p", { class: "failure", role: "alert" }, error instanceof PageError ? text : `Something in this page failed: ${text}`);
}

/* One line that says what this is: "embedding of 2,000 points in 4 dimensions, lavdm 0.2.0". */
function subtitle({ facts, kind, of }: Page): string {
  const what = kind === "sync" ? "nodes" : kind === "average" || facts.height ? "images" : "points";
  const p = typeof facts.p === "number" && !facts.height && what === "points" ? ` in ${number(facts.p)} dimensions` : "";
  return `${kinds[kind] ?? kind} of ${number(of)} ${what}${p}${facts.version ? ` · lavdm ${String(facts.version)}` : ""}`;
}

function header(page: Page, store: Store): HTMLElement {
  const theme = iconButton("moon", "Light or dark", () => store.set("theme", store.get("theme") === "light" ? "dark" : "light"));
  return h("header", { class: "head" }, h("h1", {}, page.title), h("span", { class: "muted" }, subtitle(page)),
    ...page.notes.map((n) => h("span", { class: "note" }, n)), h("div", { class: "grow" }), theme);
}

function build(app: HTMLElement): void {
  const page = loadPage(), store = makeStore(page.rows, typeof page.facts.time === "number" ? page.facts.time : 1);
  const root = document.documentElement, live = h("p", { class: "said", "aria-live": "polite" });
  document.title = `${page.title} - lavdm`;
  store.on("theme", (theme) => (root.dataset.theme = theme));
  root.dataset.theme = store.get("theme");
  store.on("said", (text) => (live.textContent = text));
  const diffusion = Diffusion.of(page), points = page.kind !== "sync" && page.kind !== "average" && (diffusion || page.has("data") || page.has("principal"));
  const main = h("main", { class: "views" }), aside = h("aside", { class: "side", "aria-label": "Details" });
  app.append(header(page, store), ...made(top, page, store), h("div", { class: "frame" }, main, aside), h("div", { class: "below" }), live);
  if (points) main.append(new Points(page, store, diffusion).element);
  main.append(...made(central, page, store));
  aside.append(...made(side, page, store), ...(points && diffusion ? [nearestPanel(page, store, diffusion)] : []));
  app.querySelector(".below")!.append(...made(below, page, store));
}

const app = document.getElementById("app")!;
window.addEventListener("unhandledrejection", (e) => app.prepend(failure(e.reason)));
window.addEventListener("error", (e) => app.prepend(failure(e.error ?? e.message)));
try {
  build(app);
} catch (error) {
  app.prepend(failure(error));
}
