// Puts the views and the panels together; says in words what went wrong, if something does.
import { h } from "./dom";
import { loadPage, PageError, type Page } from "./load";
import { below, side, top, views, type Panel } from "./panels";
import { makeStore, type Store } from "./store";

function made(panels: Panel[], page: Page, store: Store): HTMLElement[] {
  return panels.map((p) => p(page, store)).filter((e) => e !== null);
}

function failure(error: unknown): HTMLElement {
  const text = error instanceof Error ? error.message : String(error);
  return h("p", { class: "failure", role: "alert" }, error instanceof PageError ? text : `The page failed: ${text}`);
}

function build(app: HTMLElement): void {
  const page = loadPage(), store = makeStore(page.rows, Number(page.facts.time ?? 1));
  const root = document.documentElement, live = h("p", { class: "said", "aria-live": "polite" });
  document.title = `${page.title} - lavdm`;
  store.on("theme", (theme) => (root.dataset.theme = theme));
  root.dataset.theme = store.get("theme");
  store.on("said", (text) => (live.textContent = text));
  app.append(...made(top, page, store),
    h("main", { class: "frame" }, h("div", { class: "views" }, ...made(views, page, store)), h("aside", { class: "side" }, ...made(side, page, store))),
    h("div", { class: "below" }, ...made(below, page, store)), live);
}

const app = document.getElementById("app")!;
window.addEventListener("unhandledrejection", (e) => app.prepend(failure(e.reason)));
try {
  build(app);
} catch (error) {
  app.prepend(failure(error));
}
