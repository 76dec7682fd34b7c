/** Shows the view that the address names after `#`, and starts all of them. */
import { byId } from "./dom.js";
import { get } from "./api.js";
import { startCascade } from "./cascade.js";
import { startFilter } from "./filter.js";
import { startHistory } from "./history.js";
import { startMail } from "./mail.js";
import { startSimilar } from "./similar.js";
import { startStart } from "./start.js";
import { startState } from "./state.js";
import { startUser } from "./user.js";

const VIEWS = {
  start: startStart,
  mail: startMail,
  history: startHistory,
  state: startState,
  learn: () => {},
  filter: startFilter,
  similar: startSimilar,
  cascade: startCascade,
};

/** Views that explain how it works: they have their own row of links. */
const TEACHING = ["learn", "filter", "similar", "cascade"];

let shown = null;

/** Shows the named view, or the first one; other fragments, such as that of the skip link, change nothing. */
function route() {
  const asked = location.hash.slice(1) || "start";
  const name = Object.hasOwn(VIEWS, asked) ? asked : (shown ?? "start");
  if (name === shown) return;
  const first = shown === null;
  shown = name;
  for (const view of Object.keys(VIEWS)) byId(view).hidden = view !== name;
  const isTeaching = TEACHING.includes(name);
  byId("learn-links").hidden = !isTeaching;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else if (isTeaching && link.hash === "#learn") link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const heading = byId(`${name}-title`);
  document.title = `${name[0].toUpperCase()}${name.slice(1)} · Tamis`;
  if (!first) {
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  tellShown();
}

const tellShown = () => byId(shown).dispatchEvent(new Event("shown"));

for (const [name, start] of Object.entries(VIEWS)) start(byId(name));
addEventListener("hashchange", route);
// Whether a user has to be named is known before the first view asks; it tells itself why it cannot.
const state = await get("/state").catch(() => ({ per_user: false }));
startUser(state, tellShown);
route();
