/** The evidence of the stages as a picture: bars that add up to the score, between the cuts. */
import { draw, signed } from "./dom.js";
import { label, scale, ticks } from "./plot.js";
import { isCopy, speaking, speaks } from "./stages.js";

/** The bars from top to bottom; each stage starts where the one before it ended. */
function bars(why) {
  const found = [];
  let sum = 0;
  for (const stage of speaking(why)) found.push({ name: stage, from: sum, to: (sum += why.evidence[stage]) });
  // A near-copy of spam is raised above the cut.
  if (isCopy(why) && speaks(why.score - sum)) found.push({ name: "similarity", from: sum, to: why.score });
  found.push({ name: "score", from: 0, to: why.score });
  return found;
}

/** Paints the picture for a width; see `picture`. */
export function paintEvidence(width, why) {
  const steps = bars(why);
  // The names of the verdicts stand above the bars.
  const [left, right, top, step] = [84, width - 12, why.cuts ? 34 : 10, 28];
  const bottom = top + steps.length * step;
  const cuts = why.cuts ? [why.cuts.below, why.cuts.above] : [];
  const all = [0, ...steps.map(({ to }) => to), ...cuts].filter(Number.isFinite);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  // Room for the numbers next to the bars.
  const room = ((most - least || 2) * 56) / (right - left - 112);
  const [low, high] = [least - room, most + room];
  const x = scale(low, high, left, right);
  const parts = why.cuts ? paintCuts(x(why.cuts.below), x(why.cuts.above), { left, right, top, bottom }) : [];
  for (const tick of ticks(low, high, width < 500 ? 4 : 8)) {
    const text = String(Number(tick.toPrecision(3))).replace("-", "−");
    parts.push(label(x(tick), bottom + 18, text, { "text-anchor": "middle" }));
    parts.push(draw("line", { class: "axis", x1: x(tick), x2: x(tick), y1: bottom, y2: bottom + 4 }));
  }
  parts.push(draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  parts.push(draw("line", { class: "zero", x1: x(0), x2: x(0), y1: top - 6, y2: bottom }));
  steps.forEach((bar, index) => {
    parts.push(...paintBar(bar, x, left, top + index * step));
    // A thread from the end of a stage to the start of the next.
    if (index < steps.length - 2) {
      const [place, y] = [x(bar.to), top + index * step];
      parts.push(draw("line", { class: "grid", x1: place, x2: place, y1: y + 18, y2: y + step + 6 }));
    }
  });
  return { height: bottom + 26, parts, description: described(why) };
}

function paintCuts(below, above, { left, right, top, bottom }) {
  const width = Math.max(0, above - below);
  const parts = [draw("rect", { class: "doubt", x: below, y: top - 6, width, height: bottom - top + 6 })];
  for (const [name, from, to] of [
    ["ham", left, below],
    ["unsure", below, above],
    ["spam", above, right],
  ]) {
    if (to - from > 8 * name.length + 6)
      parts.push(label((from + to) / 2, 18, name, { class: "strong", "text-anchor": "middle" }));
  }
  for (const place of [below, above])
    parts.push(draw("line", { class: "guide", x1: place, x2: place, y1: 8, y2: bottom }));
  return parts;
}

function paintBar({ name, from, to }, x, left, y) {
  const [start, end] = [Math.min(x(from), x(to)), Math.max(x(from), x(to))];
  const isScore = name === "score";
  const isForward = to >= from;
  return [
    label(left - 10, y + 17, name, { "text-anchor": "end", class: isScore ? "strong" : "" }),
    draw("rect", {
      class: isForward ? "for" : "against",
      x: start,
      y: y + (isScore ? 3 : 6),
      width: Math.max(1.5, end - start),
      height: isScore ? 18 : 12,
    }),
    label(isForward ? end + 6 : start - 6, y + 17, signed(to - from), {
      class: `halo ${isScore ? "strong" : ""}`,
      "text-anchor": isForward ? "start" : "end",
    }),
  ];
}

function described(why) {
  const stages = speaking(why).map((stage) => `${stage} ${signed(why.evidence[stage])}`);
  const cuts = why.cuts
    ? ` Messages are ham up to ${signed(why.cuts.below)} and spam above ${signed(why.cuts.above)}.`
    : "";
  return `Evidence of spam: ${stages.join(", ") || "none"}; the score is ${signed(why.score)}.${cuts}`;
}
