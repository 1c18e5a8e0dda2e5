// Puts the views and the panels together; says in words what went wrong, if something does.
import { Diffusion } from "./diffusion";
import { h } from "./dom";
import { loadPage, PageError, type Page } from "./load";
import { nearestPanel } from "./nearest";
import { below, side, top, views, type Panel } from "./panels";
import { Points } from "./points";
import { makeStore, type Store } from "./store";

function failure(error: unknown): HTMLElement {
  const text = error instanceof Error ? error.message : String(error);
  return h("p", { class: "failure", role: "alert" }, error instanceof PageError ? text : `Something in this page failed: ${text}`);
}

/** A part of the page; where it fails, the reason in its place, so that the others are still there. */
function part(make: () => HTMLElement | null): HTMLElement | null {
  try {
    return make();
  } catch (error) {
    return failure(error);
  }
}
const made = (panels: Panel[], page: Page, store: Store) => panels.map((p) => part(() => p(page, store))).filter((e) => e !== null);

function build(app: HTMLElement): void {
  const page = loadPage(), store = makeStore(page.rows, typeof page.facts.time === "number" ? page.facts.time : 1);
  const root = document.documentElement, live = h("p", { class: "hidden", "aria-live": "polite" });
  document.title = `${page.title} - lavdm`;
  store.on("theme", (theme) => (root.dataset.theme = theme));
  root.dataset.theme = store.get("theme");
  store.on("said", (text) => (live.textContent = text));
  const diffusion = Diffusion.of(page), own = page.kind !== "sync" && page.kind !== "average" && (diffusion || page.has("data") || page.has("principal"));
  if (diffusion?.functions) store.set("component", diffusion.lead()[0] ?? 0); // the first is constant
  const main = h("main", { class: "views" }), aside = h("aside", { class: "side", "aria-label": "Details" }), foot = h("div", { class: "below" });
  app.append(...made(top, page, store), h("div", { class: "frame" }, h("div", { class: "wide" }, main, foot), aside), live);
  if (own) main.append(part(() => new Points(page, store, diffusion).element)!);
  main.append(...made(views, page, store));
  aside.append(...made(side, page, store), ...(own && diffusion ? [nearestPanel(page, store, diffusion)] : []));
  foot.append(...made(below, page, store));
}

const app = document.getElementById("app")!;
window.addEventListener("unhandledrejection", (e) => app.prepend(failure(e.reason)));
window.addEventListener("error", (e) => e.error && app.prepend(failure(e.error)));
try {
  app.replaceChildren();
  build(app);
} catch (error) {
  app.prepend(failure(error));
}
