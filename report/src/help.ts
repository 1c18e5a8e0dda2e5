// Words that the page uses, explained where they stand and in one place; the keys.
import { h } from "./dom";

export const GLOSSARY: Record<string, string> = {
  "alignment": "The orthogonal matrix that carries a vector at one point to another point, here over all paths between them at once.",
  "bound": "What no choice of elements and positions can cost less than, from a relaxation of the problem that can be solved for certain.",
  "bundle": "What is attached to each point: tangent vectors (tangent), a sign (orientation), the turn of an image (rotation) or the shift of a signal (shift). Methods dm and roseland attach nothing.",
  "certificate": "A proof that no other choice fits better: the cost of what was found and a bound below all costs agree. Without it the choice may still be the best, but nothing says so.",
  "connection": "How what is attached to one point is carried to a near one: an orthogonal matrix for each edge of the graph.",
  "coordinate": "An eigenvector that is no function of those before it. A long strip has many eigenvectors along its length before one across it.",
  "cost": "How badly all edges fit together: the sum of weighted squares of what is left of rotations and shifts, least for the choice of greatest likelihood.",
  "degree": "Sum of the weights of a point's edges: large in dense regions, small at the margin.",
  "diffusion time": "How many steps the diffusion takes: each eigenvalue enters by its power t. A long time leaves only the slow, large-scale eigenvectors.",
  "double cover": "The space with two points for each point, one for each of the two ways to orient it. It is one piece if the manifold is not orientable, and two copies if it is.",
  "frame": "An orthonormal basis of the tangent space at a point, found from its neighbours.",
  "gap": "A step in the spectrum that is wider than the others. Eigenvectors before a gap belong together and are stable; a cut within a group of equal eigenvalues is arbitrary.",
  "landmark": "One of a few points that all diffusion passes through, which makes it fast. Chosen among the points or as their centres.",
  "neighbourhood": "The near points that a frame is found from, and those that a point has edges to.",
  "rate": "−log λ of an eigenvalue: how fast its eigenvector fades. In the limit of many points a multiple of the Laplacian's eigenvalue.",
  "residual": "How far a computed pair is from an eigenpair, ‖Mv − λv‖; of an edge to synchronise, how far the elements found are from what it says.",
  "trust": "How far an edge is believed, by which its weight is multiplied: 1 is believed, 0 ignored.",
  "vector diffusion distance": "How differently two points are joined to all others by the diffusion of vectors. Small if many short paths lead from one to the other and agree on the turn.",
};

const KEYS: [string[], string][] = [
  [["/"], "find a point"],
  [["?"], "this help"],
  [["←", "→"], "in the spectrum: the eigenvalue before or after; in a view: turn it"],
  [["Shift", "→"], "in the spectrum: a range of eigenvalues, the only ones that count for embedding and distances"],
  [["↑", "↓"], "in a view: turn it"],
  [["+", "−"], "in a view: nearer, farther"],
  [[",", "."], "in a view: roll it"],
  [["t", "l", "b"], "dragging turns the view, draws a lasso, draws a box"],
  [["0"], "in a view: as it was at first"],
  [["Enter"], "in a view: focus on the point in its middle"],
  [["Esc"], "clear the focus and the selection"],
];

let gloss: HTMLElement | null = null;

function show(at: Element, text: string): void {
  gloss ??= document.body.appendChild(h("div", { class: "gloss", id: "gloss", role: "tooltip" }));
  gloss.textContent = text;
  gloss.hidden = false;
  const box = at.getBoundingClientRect(), own = gloss.getBoundingClientRect();
  const below = box.bottom + 6 + own.height < innerHeight;
  gloss.style.left = `${Math.max(12, Math.min(box.left, innerWidth - own.width - 12))}px`;
  gloss.style.top = `${below ? box.bottom + 6 : box.top - own.height - 6}px`;
}
const hide = (): void => void (gloss && (gloss.hidden = true));

/** A word of the glossary, explained on hover, focus or touch. */
export function term(word: string, text = word): HTMLElement {
  const meaning = GLOSSARY[word] ?? "", button = h("button", { type: "button", class: "term", "aria-describedby": "gloss" }, text);
  for (const event of ["pointerenter", "focus", "click"]) button.addEventListener(event, () => show(button, meaning));
  for (const event of ["pointerleave", "blur"]) button.addEventListener(event, hide);
  button.addEventListener("keydown", (e) => {
    if (e.key === "Escape") hide();
  });
  return button;
}

/** The dialog of keys and words, and the button that opens it. "?" opens it too. */
export function helpButton(): HTMLElement {
  const close = h("button", { type: "button", "aria-label": "Close help", onclick: () => dialog.close() }, "Close");
  const dialog = h("dialog", { "aria-labelledby": "help-title" },
    h("header", {}, h("h2", { id: "help-title" }, "Help"), close),
    h("div", { class: "help-body" },
      h("p", { class: "say" }, "Point at a point to see what it is. Click it for those that are nearest to it. Draw around points to select them in every view."),
      h("div", {}, h("h3", {}, "Keys"), h("dl", { class: "keys" }, ...KEYS.flatMap(([keys, what]) =>
        [h("dt", {}, ...keys.flatMap((k) => [h("kbd", {}, k), " "])), h("dd", {}, what)]))),
      h("div", {}, h("h3", {}, "Words"), h("dl", { class: "glossary" },
        ...Object.entries(GLOSSARY).flatMap(([word, meaning]) => [h("dt", {}, word), h("dd", {}, meaning)])))));
  dialog.addEventListener("click", (e) => {
    if (e.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  const open = (): void => {
    hide();
    dialog.showModal();
  };
  document.addEventListener("keydown", (e) => {
    const typing = e.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.key === "?" && !typing && !dialog.open) open();
  });
  return h("button", { type: "button", "aria-label": "Help: keys and words", title: "Help (?)", onclick: open }, "?");
}
