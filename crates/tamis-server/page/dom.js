/** Elements, numbers and waiting: what all views share. Text from the server only ever becomes a text node. */

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** Gives an element attributes and children; functions listen, `true` sets and `false` or null leaves an attribute out. */
function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** An HTML element: `make("button", { type: "button", click: go }, "Go")`. */
export const make = (tag, attributes = {}, ...children) => furnish(document.createElement(tag), attributes, children);

/** An SVG element. */
export const draw = (tag, attributes = {}, ...children) =>
  furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** A number that is a text already, such as 1.5 %. */
export const figure = (text) => make("span", { class: "numbers" }, text);

const isFigure = (content) => typeof content === "number" || content?.classList?.contains("numbers");

/** A table with a caption, unless it is empty; the first cell of a row is its heading. Cells are strings, numbers or nodes. */
export function table(caption, columns, rows) {
  const kind = (content) => isFigure(content) && "number";
  const heading = (name, column) =>
    name ? make("th", { scope: "col", class: kind(rows[0]?.[column]) }, name) : make("td");
  const cell = (content, column) =>
    make(
      column === 0 ? "th" : "td",
      { scope: column === 0 && "row", class: kind(content) },
      typeof content === "number" ? count(content) : content,
    );
  return make(
    "table",
    {},
    caption ? make("caption", {}, caption) : null,
    make("thead", {}, make("tr", {}, columns.map(heading))),
    make(
      "tbody",
      {},
      rows.map((row) => make("tr", {}, row.map(cell))),
    ),
  );
}

let cards = 0;

/** A section with a heading. */
export function card(title, ...children) {
  const id = `card-${++cards}`;
  return make("section", { class: "card", "aria-labelledby": id }, make("h2", { id }, title), ...children);
}

/** Terms and their values, as children of a `dl`. */
export const facts = (list, pairs) =>
  list.replaceChildren(...pairs.map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value))));

/** A bar of a part between 0 and 1; the number beside it says the same. */
export function bar(part, kind = "") {
  const inner = make("span", { class: `bar-inner ${kind}` });
  inner.style.width = `${100 * Math.min(1, Math.max(0, part))}%`;
  return make("span", { class: "bar", "aria-hidden": "true" }, inner);
}

/** Writes a sentence where a person waits for it. */
export function say(place, sentence, isError = false) {
  place.classList.toggle("error", isError);
  place.textContent = sentence;
}

/** Runs a task and writes its failure into `place`. Further clicks on `button` wait for the end; it keeps the focus. */
export async function attempt(place, task, button = null) {
  if (button?.getAttribute("aria-busy") === "true") return;
  button?.setAttribute("aria-busy", "true");
  try {
    if (place.classList.contains("error")) say(place, "");
    await task();
  } catch (error) {
    say(place, error.message, true);
  } finally {
    button?.removeAttribute("aria-busy");
  }
}

/** Runs a task when a view is shown and again and again while it is looked at. */
export function whileShown(view, seconds, task) {
  let timer = 0;
  const run = async () => {
    clearTimeout(timer);
    if (view.hidden) return;
    if (document.visibilityState === "visible") await task();
    clearTimeout(timer);
    timer = setTimeout(run, seconds * 1000);
  };
  view.addEventListener("shown", run);
}

/** Calls `task` once things have been quiet for a moment; only the last call counts. */
export function settled(task, milliseconds = 200) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(task, milliseconds);
  };
}

const whole = new Intl.NumberFormat("en");

/** 12345 as 12,345. */
export const count = (number) => whole.format(number);

/** "1 word", "2 words". */
export const several = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A part as percent; never 0 % or 100 % for what is not. */
export function percent(part) {
  if (part > 0.999 && part < 1) return ">\u00a099.9\u00a0%";
  if (part > 0 && part < 0.0001) return "<\u00a00.01\u00a0%";
  return `${(100 * part).toFixed(part > 0 && part < 0.01 ? 2 : 1)}\u00a0%`;
}

/** A probability as percent: never quite 0 or 1. */
export const chance = (probability) => percent(Math.min(1 - 1e-9, Math.max(1e-9, probability)));

/** With a sign: +1.20, −0.35. */
export const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;

/** A size in bytes for people. */
export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  const step = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return step ? `${(bytes / 1000 ** step).toFixed(1)} ${units[step]}` : several(bytes, "byte");
}

/** Seconds since 1970 as a time, with the day if it is not today. */
export function clock(seconds) {
  const time = new Date(seconds * 1000);
  const today = time.toDateString() === new Date().toDateString();
  return today
    ? time.toLocaleTimeString("en-GB")
    : time.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Words or lines of an input. */
export const split = (text, by = /[\s,]+/) =>
  text
    .split(by)
    .map((part) => part.trim())
    .filter(Boolean);

const BADGES = { spam: ["spam", "■"], ham: ["ham", "○"], unsure: ["unsure", "?"] };

/** The verdict as a word with a mark of its own, so that colour is not needed. */
export function verdictBadge(verdict) {
  const [kind, mark] = BADGES[verdict] ?? ["own-label", "◇"];
  return make("span", { class: `badge ${kind}` }, make("span", { "aria-hidden": "true" }, `${mark} `), verdict);
}
