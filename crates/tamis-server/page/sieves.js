/** The picture of a cascade: keys as dots that rest on the sieve that settles them or fall through it. */
import { draw } from "./dom.js";
import { label, picture } from "./plot.js";

/** As many keys of a category are drawn; all are counted. */
const MOST_DRAWN = 40;
const ROUND = 58;

/** The filters of all rounds one after the other, and for each key the steps at which it fell and was settled. */
export function stepsOf(trace, categories) {
  const steps = trace.rounds.flatMap(({ filters }, round) => filters.map((filter) => ({ ...filter, round })));
  const home = new Map(Object.entries(categories).flatMap(([name, keys]) => keys.map((key) => [key, name])));
  const fates = new Map([...home.keys()].map((key) => [key, { passed: [], settled: null }]));
  steps.forEach((step, index) => {
    const own = (key) => home.get(key) === step.category;
    for (const key of step.settled.filter(own)) fates.get(key).settled = index;
    for (const key of step.passed.filter(own)) fates.get(key).passed.push(index);
  });
  return { steps, fates, last: trace.last };
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
  const lanes = Object.entries(cascade.categories).map(([name, keys]) => ({ name, keys: keys.slice(0, MOST_DRAWN) }));
  const two = cascade.algorithm === 1;
  const rounds = Math.max(1, ...steps.map((step) => step.round + 1));
  const [left, between] = [width < 500 ? 18 : 66, width < 500 ? 12 : 30];
  const columns = lanes.reduce((sum, lane) => sum + Math.max(lane.keys.length, 4), 0);
  const right = width < 500 ? 8 : 40;
  const space = (width - left - right - between * (lanes.length - 1)) / columns;
  const radius = Math.max(2, Math.min(6, space * 0.38));
  const named = space > 17;
  const top = named ? 104 : 30;
  const sub = (step) => (two && step.members === "others" ? 0.5 : 0);
  const sieveAt = (step) => top + 34 + (step.round + sub(step)) * (two ? 1.7 * ROUND : ROUND);
  const floor = top + 34 + rounds * (two ? 1.7 * ROUND : ROUND);

  const parts = [];
  const dots = new Map();
  const sieves = [];
  let x = left;
  for (const lane of lanes) {
    lane.start = x;
    lane.end = x + Math.max(lane.keys.length, 4) * space;
    parts.push(label(lane.start, 16, lane.name, { class: "strong" }));
    lane.keys.forEach((key, index) => {
      const at = lane.start + (index + 0.5) * space;
      if (named) parts.push(label(at + 4, top - 6, key, { class: "key-name", transform: `rotate(-60 ${at + 4} ${top - 6})` }));
      const dot = draw("g", { class: "dot" }, draw("title", {}, key), draw("circle", { r: radius }));
      dots.set(key, { dot, x: at, lane });
    });
    x = lane.end + between;
  }
  for (let round = 0; round < rounds; round++) {
    const y = sieveAt({ round, members: "own" });
    parts.push(label(0, y + 4, width < 500 ? String(round + 1) : `round ${round + 1}`, {}));
  }
  steps.forEach((step, index) => {
    const lane = lanes.find(({ name }) => name === step.category);
    const y = sieveAt(step);
    sieves[index] = draw("line", { class: "sieve", x1: lane.start, x2: lane.end, y1: y, y2: y });
  });
  parts.push(...sieves, draw("line", { class: "axis", x1: left, x2: width - right, y1: floor, y2: floor }));
  parts.push(label(left, floor + 20, `what is left is ${last}`, { class: "strong" }));
  if (way) parts.push(...paintWay(way, steps, lanes, sieveAt, top, floor));
  parts.push(...[...dots.values()].map(({ dot }) => dot));

  /** Puts every key where it is after so many steps. */
  function move(done) {
    sieves.forEach((sieve, index) => sieve.setAttribute("class", `sieve ${index === done - 1 ? "current" : index < done ? "done" : ""}`));
    for (const [key, { dot, x: across, lane }] of dots) {
      const fate = fates.get(key);
      const isSettled = fate.settled !== null && fate.settled < done;
      const next = steps.findIndex((step, index) => index >= done && step.category === lane.name && (fate.settled === index || fate.passed.includes(index)));
      const atEnd = next < 0 && !isSettled;
      const rests = done > steps.length && atEnd;
      const y = isSettled ? sieveAt(steps[fate.settled]) - radius - 2
        : atEnd ? floor - (rests ? radius + 2 : 22) : sieveAt(steps[next]) - 22;
      const fell = fate.passed.includes(done - 1);
      dot.style.transform = `translate(${across}px, ${y}px)`;
      dot.setAttribute("class", `dot ${isSettled || rests ? "settled" : fell ? "passed" : ""}`);
    }
  }
  move(shown.step);
  const drawn = [...dots.keys()].length;
  return {
    height: floor + 30, parts, move,
    description: `${drawn} keys of ${lanes.length} categories over ${steps.length} filters in ${rounds} rounds. The text below tells each step.`,
  };
}

/** The way of an asked key from filter to filter, to a ring where it is settled. */
function paintWay({ path }, steps, lanes, sieveAt, top, floor) {
  const middle = (name) => {
    const lane = lanes.find((one) => one.name === name);
    return (lane.start + lane.end) / 2;
  };
  const points = path.map(({ round, category }) =>
    [middle(category), sieveAt(steps.findLast((step) => step.round === round && step.category === category))]);
  const end = points.at(-1);
  if (!end) return [];
  if (!path.at(-1).settled) points.push([end[0], floor]);
  return [
    draw("polyline", { class: "way", points: [[points[0][0], top], ...points].map((point) => point.join(",")).join(" ") }),
    ...points.map(([x, y]) => draw("circle", { class: "way-stop", cx: x, cy: y, r: 3 })),
    draw("circle", { class: "way-end", cx: points.at(-1)[0], cy: points.at(-1)[1], r: 9 }),
  ];
}
