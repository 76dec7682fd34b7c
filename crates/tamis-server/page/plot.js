/** Pictures as SVG that fit the width they are given and say in words what they show. */
import { draw } from "./dom.js";

let pictures = 0;

/**
 * A picture in `host` that is drawn again when its width changes. `paint(width, data)` returns its `height`, a
 * `description` and its `parts`. Returns the function that shows other data.
 */
export function picture(host, title, paint) {
  const id = `picture-${++pictures}`;
  let data;
  let drawnWidth = 0;
  const render = () => {
    const width = Math.floor(host.clientWidth);
    if (!width || data === undefined) return;
    drawnWidth = width;
    const { height, description, parts } = paint(width, data);
    host.replaceChildren(
      draw(
        "svg",
        { role: "img", width, height, viewBox: `0 0 ${width} ${height}`, "aria-labelledby": `${id}-title ${id}-text` },
        draw("title", { id: `${id}-title` }, title),
        draw("desc", { id: `${id}-text` }, description),
        ...parts,
      ),
    );
  };
  new ResizeObserver(() => Math.floor(host.clientWidth) !== drawnWidth && render()).observe(host);
  return (next) => {
    data = next;
    render();
  };
}

/** Maps the numbers from `low` to `high` onto the places from `start` to `end`. */
export const scale = (low, high, start, end) => (value) => start + ((value - low) / (high - low || 1)) * (end - start);

/** Round numbers between two others, about so many. */
export function ticks(low, high, wanted = 5) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-6; at += step)
    found.push(Math.round(at / step) * step || 0);
  return found;
}

/** A text in a picture. */
export const label = (x, y, text, attributes = {}) => draw("text", { x, y, ...attributes }, text);

/** Where text at `x` has to be anchored to stay inside `width`. */
export const anchor = (x, width, room = 60) => (x < room ? "start" : x > width - room ? "end" : "middle");

/**
 * Curves over two axes. `x` and `y` have `from`, `to`, `name`, and maybe `ticks`, `show` (a number as text) and `log`;
 * `curves` are functions of x, `lines` are verticals with a name, `points` have a name, which for
 * one of the kind `measured` stands in the corner.
 */
export function plot(width, { x, y, curves, lines = [], points = [], description }) {
  const height = 254;
  const [left, right, top, bottom] = [66, width - 10, 40, height - 42];
  const flat = y.log ? Math.log10 : (value) => value;
  const across = scale(x.from, x.to, left, right);
  const up = scale(flat(y.from), flat(y.to), bottom, top);
  const at = (value) => up(Math.min(flat(y.to), Math.max(flat(y.from), flat(value))));
  const show = (axis, value) => (axis.show ? axis.show(value) : String(Number(value.toPrecision(3))));
  const parts = [];
  for (const tick of y.ticks ?? ticks(y.from, y.to)) {
    parts.push(draw("line", { class: "grid", x1: left, x2: right, y1: at(tick), y2: at(tick) }));
    parts.push(label(left - 6, at(tick) + 4, show(y, tick), { "text-anchor": "end" }));
  }
  for (const tick of x.ticks ?? ticks(x.from, x.to, width < 500 ? 5 : 10)) {
    parts.push(draw("line", { class: "axis", x1: across(tick), x2: across(tick), y1: bottom, y2: bottom + 4 }));
    parts.push(label(across(tick), bottom + 18, show(x, tick), { "text-anchor": "middle" }));
  }
  parts.push(draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  parts.push(label((left + right) / 2, height - 6, x.name, { class: "axis-name", "text-anchor": "middle" }));
  parts.push(label(4, 12, y.name, { class: "axis-name" }));
  for (const line of lines) {
    const place = across(line.x);
    parts.push(draw("line", { class: "guide", x1: place, x2: place, y1: top, y2: bottom }));
    parts.push(label(place, top - 6, line.name, { class: "strong", "text-anchor": anchor(place, width, 70) }));
  }
  for (const curve of curves) {
    const path = [];
    for (let pixel = left; pixel <= right; pixel += 2) {
      const value = x.from + ((pixel - left) / (right - left)) * (x.to - x.from);
      path.push(`${pixel},${at(curve(value)).toFixed(1)}`);
    }
    parts.push(draw("polyline", { class: "curve", points: path.join(" ") }));
  }
  for (const point of points) {
    const [px, py] = [across(point.x), at(point.y)];
    if (point.kind === "measured") {
      parts.push(
        draw("rect", {
          class: "point measured",
          x: px - 5,
          y: py - 5,
          width: 10,
          height: 10,
          transform: `rotate(45 ${px} ${py})`,
        }),
      );
      parts.push(label(right, 12, `◆ ${point.name}`, { class: "strong", "text-anchor": "end" }));
      continue;
    }
    const above = py - 12 > top + 8;
    parts.push(draw("circle", { class: "point", cx: px, cy: py, r: 6 }));
    parts.push(
      label(px, above ? py - 12 : py + 22, point.name, { class: "strong halo", "text-anchor": anchor(px, width, 80) }),
    );
  }
  return { height, description, parts };
}
