/** The reasons of a verdict as pictures: evidence, sender, words, near messages, and what would have changed it. */
import { bar, count, draw, figure, make, percent, several, signed, table, verdictBadge } from "./dom.js";
import { label, picture, scale, ticks } from "./plot.js";
import { chips, marked } from "./shingles.js";

const STAGES = ["words", "sender", "similarity"];
const FEW_TOKENS = 12;
/** What the mail filter compares. */
const MAIL_SHINGLES = "words:3";

let cards = 0;

/** A section with a heading. */
function card(title, ...children) {
  const id = `why-${++cards}`;
  return make("section", { class: "card", "aria-labelledby": id }, make("h2", { id }, title), ...children);
}

/** Fills `host` with everything that the server explained. */
export function showReasons(host, why) {
  const isAnythingLearned = why.features > 0;
  host.replaceChildren(
    ...(isAnythingLearned ? [evidence(why), words(why), sender(why), alike(why), changes(why)] : []),
  );
}

/** The evidence of each stage, added up to the score, between the cuts. */
function evidence(why) {
  const host = make("div", { class: "picture" });
  picture(host, "Evidence and score", paintEvidence)(why);
  const rows = STAGES.map((stage) => [stage, figure(signed(why.evidence[stage]))]);
  return card(
    "How the score came about",
    make(
      "p",
      { class: "note" },
      `To the right speaks for ${why.about}, to the left against it; each stage goes on where the one before ended.`,
    ),
    host,
    why.cuts ? null : make("p", {}, tooLittle(why)),
    make(
      "details",
      {},
      make("summary", {}, "As a table"),
      table(
        "Evidence",
        ["Stage", "Adds"],
        [
          ...rows,
          ["score", figure(signed(why.score))],
          ...(why.cuts
            ? [
                ["ham at most", figure(signed(why.cuts.below))],
                [`${why.about} from`, figure(signed(why.cuts.above))],
              ]
            : []),
        ],
      ),
    ),
  );
}

function tooLittle({ missing, about }) {
  if (!missing.with && !missing.without)
    return "The cuts are not set yet: that happens after every few hundred learned messages.";
  const [more, others] = [count(missing.with), several(missing.without, "other message")];
  return `Too little is learned to be sure of anything: ${more} more ${about} and ${others} are needed.`;
}

function paintEvidence(width, why) {
  const [left, right, top, step] = [84, width - 12, 34, 34];
  const bottom = top + 4 * step;
  const steps = [];
  let sum = 0;
  for (const stage of STAGES) steps.push({ name: stage, from: sum, to: (sum += why.evidence[stage]) });
  steps.push({ name: "score", from: 0, to: why.score });
  const all = [0, ...steps.map(({ to }) => to), ...(why.cuts ? [why.cuts.below, why.cuts.above] : [])].filter(
    Number.isFinite,
  );
  const [least, most] = [Math.min(...all), Math.max(...all)];
  // Room for the numbers beside the bars.
  const room = ((most - least || 2) * 56) / (right - left - 112);
  const [low, high] = [least - room, most + room];
  const x = scale(low, high, left, right);
  const parts = [];
  if (why.cuts) {
    const [below, above] = [x(why.cuts.below), x(why.cuts.above)];
    parts.push(
      draw("rect", {
        class: "doubt",
        x: below,
        y: top - 6,
        width: Math.max(0, above - below),
        height: bottom - top + 6,
      }),
    );
    for (const [name, from, to] of [
      ["ham", left, below],
      ["unsure", below, above],
      [why.about, above, right],
    ]) {
      if (to - from > 8 * name.length + 6)
        parts.push(label((from + to) / 2, 18, name, { class: "strong", "text-anchor": "middle" }));
    }
    for (const place of [below, above])
      parts.push(draw("line", { class: "guide", x1: place, x2: place, y1: 8, y2: bottom }));
  }
  for (const tick of ticks(low, high, width < 500 ? 4 : 8)) {
    parts.push(
      label(x(tick), bottom + 18, String(Number(tick.toPrecision(3))).replace("-", "−"), { "text-anchor": "middle" }),
    );
    parts.push(draw("line", { class: "axis", x1: x(tick), x2: x(tick), y1: bottom, y2: bottom + 4 }));
  }
  parts.push(draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  parts.push(draw("line", { class: "zero", x1: x(0), x2: x(0), y1: top - 6, y2: bottom }));
  steps.forEach(({ name, from, to }, index) => {
    const [y, start, end] = [top + index * step, Math.min(x(from), x(to)), Math.max(x(from), x(to))];
    const isScore = name === "score";
    parts.push(label(left - 10, y + 17, name, { "text-anchor": "end", class: isScore ? "strong" : "" }));
    parts.push(
      draw("rect", {
        class: to >= from ? "for" : "against",
        x: start,
        y: y + (isScore ? 3 : 6),
        width: Math.max(1.5, end - start),
        height: isScore ? 18 : 12,
      }),
    );
    const value = isScore ? to : to - from;
    const forward = value >= 0;
    parts.push(
      label(forward ? end + 6 : start - 6, y + 17, signed(value), {
        class: `halo ${isScore ? "strong" : ""}`,
        "text-anchor": forward ? "start" : "end",
      }),
    );
    if (index < 2) parts.push(draw("line", { class: "grid", x1: x(to), x2: x(to), y1: y + 18, y2: y + step + 6 }));
  });
  const stages = STAGES.map((stage) => `${stage} ${signed(why.evidence[stage])}`).join(", ");
  const cuts = why.cuts
    ? ` It is ham up to ${signed(why.cuts.below)} and ${why.about} from ${signed(why.cuts.above)}.`
    : "";
  return {
    height: bottom + 26,
    parts,
    description: `Evidence for ${why.about}: ${stages}; the score is ${signed(why.score)}.${cuts}`,
  };
}

/** What came from this address and its domain before. */
function sender({ sender: known, about }) {
  if (!known) return card("Who sent it", make("p", {}, "Nothing is known of the sender."));
  const rows = [
    ["this address", known.from_address],
    ["its domain", known.from_domain],
  ];
  const most = Math.max(1, ...rows.map(([, record]) => record.with + record.without));
  const history = rows.map(([of, record]) => [
    of,
    make("span", { class: "bars" }, bar(record.with / most), bar(record.without / most, "calm")),
    record.with,
    record.without,
  ]);
  return card(
    "Who sent it",
    make("p", {}, make("strong", { class: "wrap" }, known.address || "no address")),
    table("Messages learned from", ["From", "", about, "other"], history),
    known.contradicted
      ? make("p", {}, "The receiving server says that this address is not its own: nobody gets credit for it.")
      : null,
  );
}

/** The tokens that weigh most, as bars to both sides. */
function words({ tokens, about }) {
  if (!tokens?.length) return card("Its words", make("p", {}, "No word of it is known."));
  const most = Math.max(...tokens.map((token) => Math.abs(token.weight)), 1e-9);
  const row = (token) => [
    make("span", { class: "wrap" }, token.text),
    make("span", { class: "note" }, token.section),
    make(
      "span",
      { class: "diverging", "aria-hidden": "true" },
      make("span", { class: "to-left" }, token.weight < 0 ? bar(-token.weight / most, "calm") : null),
      make("span", { class: "to-right" }, token.weight > 0 ? bar(token.weight / most) : null),
    ),
    figure(signed(token.weight)),
  ];
  const place = make("div", { tabindex: "-1" });
  const show = (shown) =>
    place.replaceChildren(
      table(`What weighs most; + is for ${about}`, ["Word", "Where", "", "Weight"], shown.map(row)),
    );
  show(tokens.slice(0, FEW_TOKENS));
  const all = make(
    "button",
    {
      type: "button",
      class: "small",
      click: () => {
        show(tokens);
        all.remove();
        place.focus();
      },
    },
    `Show all ${tokens.length}`,
  );
  return card("Its words", place, tokens.length > FEW_TOKENS ? all : null);
}

/** The nearest learned messages beside this one, with what they share marked. */
function alike(why) {
  const title = "Learned messages like it";
  if (why.too_short) return card(title, make("p", {}, "There is too little text in it to compare."));
  if (!why.alike?.length) return card(title, make("p", {}, "No learned message is like it."));
  return card(
    title,
    why.alike.map((near, index) =>
      make(
        "details",
        { open: index === 0 },
        make(
          "summary",
          {},
          `${percent(near.similarity)} like a message learned as `,
          verdictBadge(near.label),
          ` on ${near.learned} `,
          make("span", { class: "note" }, near.digest),
        ),
        near.text == null ? shared(near) : besides(why.body, near),
      ),
    ),
  );
}

const shared = (near) =>
  make(
    "div",
    {},
    make("p", { class: "note" }, "The text of that message is not kept. Its signature shows that these are shared:"),
    make("p", { class: "chips" }, chips(near.shared)),
  );

const besides = (body, near) =>
  make(
    "div",
    { class: "split even" },
    [
      ["This message", body],
      ["The learned one", near.text],
    ].map(([title, text]) =>
      make(
        "div",
        {},
        make("h3", {}, title),
        make(
          "div",
          { class: "marked", tabindex: "0", role: "group", "aria-label": title },
          marked(text, near.shared, MAIL_SHINGLES),
        ),
      ),
    ),
  );

/** The verdict without each stage, and how many features stand between it and another one. */
function changes(why) {
  const rows = STAGES.filter((stage) => why.without?.[stage]).map((stage) => {
    const { score, verdict } = why.without[stage];
    return [
      `without ${stage}`,
      figure(signed(score)),
      make("span", {}, verdictBadge(verdict), verdict === why.verdict ? " the same" : " another verdict"),
    ];
  });
  const features =
    why.features_to_change == null
      ? `No number of its ${several(why.features, "feature")} alone would change the verdict by being absent.`
      : `Of its ${several(why.features, "feature")}, the ${count(why.features_to_change)} that weighed most would have to be ` +
        "absent for another verdict.";
  return card(
    "What would have changed it",
    table("Verdicts without a stage", ["", "Score", "Verdict"], rows),
    make("p", {}, features),
  );
}
