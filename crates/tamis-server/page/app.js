/** Shows the view that the address names after `#`, and starts all of them. */
import { byId } from "./dom.js";
import { startMail } from "./mail.js";
import { startFilter } from "./filter.js";
import { startSimilar } from "./similar.js";
import { startCascade } from "./cascade.js";
import { startState } from "./state.js";

const VIEWS = { mail: startMail, filter: startFilter, similar: startSimilar, cascade: startCascade, state: startState };

let shown = null;

/** Shows the named view, or the first one; other fragments, such as that of the skip link, change nothing. */
function route() {
  const asked = location.hash.slice(1) || "mail";
  const name = Object.hasOwn(VIEWS, asked) ? asked : (shown ?? "mail");
  if (name === shown) return;
  const first = shown === null;
  shown = name;
  for (const view of Object.keys(VIEWS)) byId(view).hidden = view !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const heading = byId(`${name}-title`);
  document.title = `${name[0].toUpperCase()}${name.slice(1)} · Tamis`;
  if (!first) {
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  byId(name).dispatchEvent(new Event("shown"));
}

for (const [name, start] of Object.entries(VIEWS)) start(byId(name));
addEventListener("hashchange", route);
route();
