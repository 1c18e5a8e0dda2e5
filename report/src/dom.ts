// Elements from code. Text goes in as text nodes alone, so nothing of the data is ever read as markup.

type Child = Node | string | number | null | undefined | false;
type Props = { [name: string]: string | number | boolean | EventListener | ((e: never) => void) | undefined };

function fill(element: Element, props: Props, children: Child[]): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value as EventListener);
    else if (name === "class") element.setAttribute("class", String(value));
    else if (name === "value" || name === "checked") (element as unknown as Record<string, unknown>)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(typeof child === "object" ? child : String(child));
}

/** h("button", {class: "quiet", onclick: f, "aria-label": "Clear"}, "x") */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, props, children);
  return element;
}

/** The same for SVG. */
export function svg<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, props, children);
  return element;
}

/** A panel with a heading; what is `open` is shown, what is not can be opened. */
export function panel(title: string, id: string, ...children: Child[]): HTMLElement {
  return h("section", { class: "panel", id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title), ...children);
}

/** A menu of choices. */
export function menu(label: string, choices: [value: string, text: string][], value: string, change: (value: string) => void): HTMLLabelElement {
  const select = h("select", { "aria-label": label, onchange: () => change(select.value) },
    ...choices.map(([v, text]) => h("option", { value: v }, text)));
  select.value = value;
  return h("label", { class: "control" }, h("span", {}, label), select);
}

/** Saves bytes or text under a name, without leaving the page. */
export function save(name: string, content: Blob | string, type = "text/plain"): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
