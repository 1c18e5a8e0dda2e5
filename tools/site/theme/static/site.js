// Light or dark, as the button says from then on; the heading that is being read is marked at the right.
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch (e) { /* private windows keep nothing */ }
});

const links = new Map();
for (const link of document.querySelectorAll(".headings a[href^='#']")) {
  const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (place) links.set(place, link);
}
let marked = null;
function mark() {
  let current = null;
  for (const place of links.keys()) if (place.getBoundingClientRect().top < 120) current = links.get(place);
  if (current === marked) return;
  if (marked) marked.classList.remove("current");
  if (current) current.classList.add("current");
  marked = current;
}
addEventListener("scroll", mark, { passive: true });
mark();

// The page that is open is in sight among the contents.
const pages = document.querySelector(".pages");
const here = pages.querySelector("a.current");
if (here && here.offsetTop > pages.clientHeight) pages.scrollTop = here.offsetTop - pages.clientHeight / 2;

// "/" goes to the search.
addEventListener("keydown", (event) => {
  if (event.key !== "/" || /INPUT|TEXTAREA/.test(document.activeElement.tagName)) return;
  event.preventDefault();
  document.querySelector("header input[type=search]").focus();
});
