/** The picture of a cascade: keys as dots that rest on the sieve that settles them or fall through it. */
import { draw } from "./dom.js";
import { label, picture } from "./plot.js";

/** As many keys of a category are drawn; all are counted. */
const MOST_DRAWN = 40;
const ROUND = 58;

/**
 * What the server's trace of `categories` shows: the steps, one for each category and round that has a filter, with the
 * category's own keys only; the lanes in the order in which categories are asked; for each key the steps at which it fell
 * and was settled.
 */
export function stepsOf(trace, categories) {
  const lanes = [
    ...new Set([...(trace.rounds[0]?.filters ?? []).map(({ category }) => category), ...Object.keys(categories)]),
  ].map((name) => ({ name, keys: [...new Set(categories[name])] }));
  const ofLane = new Map(lanes.map(({ name, keys }) => [name, new Set(keys)]));
  const steps = trace.rounds.flatMap(({ filters }, round) =>
    filters
      .filter(({ bits }) => bits > 0)
      .map((filter) => {
        const own = (key) => ofLane.get(filter.category).has(key);
        return { ...filter, round, settled: filter.settled.filter(own), passed: filter.passed.filter(own) };
      }),
  );
  const fates = new Map(lanes.flatMap(({ keys }) => keys).map((key) => [key, { passed: [], settled: null }]));
  steps.forEach((step, index) => {
    for (const key of step.settled) fates.get(key).settled = index;
    for (const key of step.passed) fates.get(key).passed.push(index);
  });
  return { steps, lanes, fates, last: trace.last };
}

/** Shows cascades in `host`. Returns `show(cascade, step)`, which moves the keys, and `showWay(path)` of an asked key. */
export function startSieves(host) {
  let scene = null;
  let way = null;
  const show = picture(host, "Keys that fall through the rounds of the cascade", (width, shown) => {
    scene = paint(width, shown, way);
    return scene;
  });
  let current = null;
  return {
    show(cascade, step) {
      if (current?.cascade !== cascade) {
        current = { cascade, step };
        way = null;
        show(current);
      } else {
        current.step = step;
        scene?.move(step);
      }
    },
    showWay(path) {
      way = path;
      if (current) show(current);
    },
  };
}

function paint(width, shown, way) {
  const { cascade } = shown;
  const { steps, fates, last } = cascade;
  const lanes = cascade.lanes.map(({ name, keys }) => ({ name, keys: keys.slice(0, MOST_DRAWN) }));
  const rounds = Math.max(1, ...steps.map((step) => step.round + 1));
  const [left, between] = [width < 500 ? 18 : 66, width < 500 ? 12 : 30];
  const columns = lanes.reduce((sum, lane) => sum + Math.max(lane.keys.length, 4), 0);
  const right = width < 500 ? 8 : 40;
  const space = (width - left - right - between * (lanes.length - 1)) / columns;
  const radius = Math.max(2, Math.min(6, space * 0.38));
  const named = space > 17;
  const top = named ? 104 : 30;
  const sieveAt = (round) => top + 34 + round * ROUND;
  const floor = sieveAt(rounds);

  const parts = [];
  const dots = new Map();
  const sieves = [];
  let x = left;
  for (const lane of lanes) {
    lane.start = x;
    lane.end = x + Math.max(lane.keys.length, 4) * space;
    parts.push(label(lane.start, 16, shortened(lane.name, lane.end - lane.start + between), { class: "strong" }));
    lane.keys.forEach((key, index) => {
      const at = lane.start + (index + 0.5) * space;
      if (named) parts.push(label(at + 4, top - 6, key, { transform: `rotate(-60 ${at + 4} ${top - 6})` }));
      const dot = draw("g", { class: "dot" }, draw("title", {}, key), draw("circle", { r: radius }));
      dots.set(key, { dot, x: at, lane });
    });
    x = lane.end + between;
  }
  for (let round = 0; round < rounds; round++) {
    parts.push(label(0, sieveAt(round) + 4, width < 500 ? String(round + 1) : `round ${round + 1}`, {}));
  }
  steps.forEach((step, index) => {
    const lane = lanes.find(({ name }) => name === step.category);
    const y = sieveAt(step.round);
    sieves[index] = draw("line", { class: "sieve", x1: lane.start, x2: lane.end, y1: y, y2: y });
  });
  parts.push(...sieves, draw("line", { class: "axis", x1: left, x2: width - right, y1: floor, y2: floor }));
  parts.push(label(left, floor + 20, `what is left is ${last}`, { class: "strong" }));
  if (way) parts.push(...paintWay(way, lanes, sieveAt, top, floor));
  parts.push(...[...dots.values()].map(({ dot }) => dot));

  /** Puts every key where it is after so many steps. */
  function move(done) {
    sieves.forEach((sieve, index) =>
      sieve.setAttribute("class", `sieve ${index === done - 1 ? "current" : index < done ? "done" : ""}`),
    );
    for (const [key, { dot, x: across, lane }] of dots) {
      const fate = fates.get(key);
      const isSettled = fate.settled !== null && fate.settled < done;
      const next = steps.findIndex(
        (step, index) =>
          index >= done && step.category === lane.name && (fate.settled === index || fate.passed.includes(index)),
      );
      const atEnd = next < 0 && !isSettled;
      const rests = done > steps.length && atEnd;
      const y = isSettled
        ? sieveAt(steps[fate.settled].round) - radius - 2
        : atEnd
          ? floor - (rests ? radius + 2 : 22)
          : sieveAt(steps[next].round) - 22;
      const fell = fate.passed.includes(done - 1);
      dot.style.transform = `translate(${across}px, ${y}px)`;
      dot.setAttribute("class", `dot ${isSettled || rests ? "settled" : fell ? "passed" : ""}`);
    }
  }
  move(shown.step);
  const undrawn = fates.size - dots.size;
  return {
    height: floor + 30,
    parts,
    move,
    description:
      `${dots.size} keys of ${lanes.length} categories over ${steps.length} filters in ${rounds} rounds. ` +
      `The text below tells each step.${undrawn ? ` ${undrawn} more keys are not drawn.` : ""}`,
  };
}

/** A name that fits a width. */
function shortened(name, width) {
  const most = Math.max(2, Math.floor(width / 8));
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

/** The way of an asked key from filter to filter, to a ring where it is settled. */
function paintWay(path, lanes, sieveAt, top, floor) {
  const middle = (name) => {
    const lane = lanes.find((one) => one.name === name);
    return (lane.start + lane.end) / 2;
  };
  const points = path.map(({ round, category }) => [middle(category), sieveAt(round)]);
  const end = points.at(-1);
  if (!end) return [];
  if (!path.at(-1).settled) points.push([end[0], floor]);
  return [
    draw("polyline", {
      class: "way",
      points: [[points[0][0], top], ...points].map((point) => point.join(",")).join(" "),
    }),
    ...points.map(([x, y]) => draw("circle", { class: "way-stop", cx: x, cy: y, r: 3 })),
    draw("circle", { class: "way-end", cx: points.at(-1)[0], cy: points.at(-1)[1], r: 9 }),
  ];
}
