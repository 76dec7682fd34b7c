/** The parts of a message that weigh most, grouped by the stage that looks at them. */
import { bar, card, figure, make, signed, table } from "./dom.js";
import { STAGES, capital, speaks } from "./stages.js";

/** How many groups are open at first. */
const OPEN = 2;

/** The card with all groups, the weightiest stage first; nothing if no part has a weight. */
export function parts(why) {
  const known = why.parts.filter((part) => speaks(part.weight));
  const weight = (stage) => Math.abs(why.evidence[stage]);
  const stages = Object.keys(STAGES)
    .filter((stage) => known.some((part) => part.stage === stage))
    .sort((a, b) => weight(b) - weight(a));
  if (!stages.length) return null;
  const most = Math.max(...known.map((part) => Math.abs(part.weight)));
  return card(
    "What weighs most in it",
    make("p", { class: "note" }, "Plus speaks for spam, minus against it."),
    stages.map((stage, index) =>
      group(
        stage,
        why.evidence[stage],
        known.filter((part) => part.stage === stage),
        most,
        index < OPEN,
      ),
    ),
  );
}

function group(stage, weight, own, most, isOpen) {
  const row = (part) => [
    make("span", { class: "wrap" }, part.text),
    make(
      "span",
      { class: "diverging", "aria-hidden": "true" },
      make("span", { class: "to-left" }, part.weight < 0 ? bar(-part.weight / most, "calm") : null),
      make("span", { class: "to-right" }, part.weight > 0 ? bar(part.weight / most) : null),
    ),
    figure(signed(part.weight)),
  ];
  return make(
    "details",
    { class: "parts", open: isOpen, "data-stage": stage },
    make(
      "summary",
      {},
      make("strong", {}, capital(stage)),
      " ",
      figure(signed(weight)),
      " ",
      make("span", { class: "note" }, STAGES[stage]),
    ),
    table("", ["Part", "", "Weight"], own.map(row)),
  );
}
