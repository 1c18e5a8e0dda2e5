// Puts the panels together.
import { h } from "./dom";
import { loadPage, PageError } from "./load";
import { makeStore } from "./store";

function start(): void {
  const app = document.getElementById("app")!;
  try {
    const page = loadPage(), store = makeStore(page.rows, Number(page.facts.time ?? 1));
    document.title = `${page.title} - lavdm`;
    document.documentElement.dataset.theme = store.get("theme");
    app.append(h("h1", {}, page.title));
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    app.append(h("p", { class: "failure", role: "alert" }, error.message));
  }
}
start();
