/** The reasons of a verdict: evidence of the stages, parts, sender, similar messages, and what would have changed it. */
import { alike } from "./alike.js";
import { bar, card, count, figure, make, percent, several, signed, table, verdictBadge } from "./dom.js";
import { paintEvidence } from "./evidence.js";
import { parts } from "./parts.js";
import { picture } from "./plot.js";
import { isCopy, speaking } from "./stages.js";

/** Fills `host` with everything that the server explained; an empty store has only its structural evidence to show. */
export function showReasons(host, why) {
  const hasEvidence = speaking(why).length > 0 || isCopy(why);
  const isLearned = why.parts_in_all > 0;
  const cards = [
    hasEvidence && evidence(why),
    hasEvidence && parts(why),
    isLearned && sender(why),
    isLearned && alike(why),
    isLearned && changes(why),
  ];
  host.replaceChildren(...cards.filter(Boolean));
}

/** The evidence of each stage, added up to the score, between the cuts. */
function evidence(why) {
  const host = make("div", { class: "picture" });
  picture(host, "Evidence and score", paintEvidence)(why);
  const rows = speaking(why).map((stage) => [stage, figure(signed(why.evidence[stage]))]);
  const cuts = why.cuts
    ? [
        ["ham up to", figure(signed(why.cuts.below))],
        ["spam above", figure(signed(why.cuts.above))],
      ]
    : [];
  return card(
    "How the score came about",
    make(
      "p",
      { class: "note" },
      "To the right speaks for spam, to the left against it; each stage starts where the one before it ended.",
    ),
    host,
    similarity(why),
    why.cuts ? null : make("p", { class: "note" }, tooFew(why)),
    make(
      "details",
      {},
      make("summary", {}, "As a table"),
      table("Evidence", ["Stage", "Adds"], [...rows, ["score", figure(signed(why.score))], ...cuts]),
    ),
  );
}

/** The nearest learned message as a line, and whether it decides. */
function similarity(why) {
  const near = why.alike.find(({ similarity }) => similarity === Math.abs(why.evidence.similarity));
  if (!near) return null;
  const rule = isCopy(why) ? " A near-copy of learned spam is spam, whatever the other stages say." : "";
  return make(
    "p",
    { class: "similarity" },
    make("strong", {}, "Similarity: "),
    `${percent(near.similarity)} like a message learned as `,
    verdictBadge(near.label),
    `.${rule}`,
  );
}

function tooFew({ missing }) {
  const needed = ["spam", "ham"].filter((name) => missing[name]).map((name) => `${count(missing[name])} more ${name}`);
  return needed.length
    ? `Scores alone decide nothing yet: ${needed.join(" and ")} ${
        missing.spam + missing.ham === 1 ? "message is" : "messages are"
      } needed first.`
    : "The cuts are not set yet: the filter sets them as it learns.";
}

/** What was learned from this address and its domain. */
function sender({ sender: known }) {
  const records = known ? [known.from_address, known.from_domain] : [];
  const most = Math.max(0, ...records.map(({ spam, other }) => spam + other));
  if (!most)
    return card(
      "Who sent it",
      known?.address ? make("p", {}, make("strong", { class: "wrap" }, known.address)) : null,
      make("p", {}, "Nothing was learned from this sender."),
    );
  const history = ["this address", "its domain"].map((of, index) => [
    of,
    make("span", { class: "bars" }, bar(records[index].spam / most), bar(records[index].other / most, "calm")),
    records[index].spam,
    records[index].other,
  ]);
  return card(
    "Who sent it",
    make("p", {}, make("strong", { class: "wrap" }, known.address || "no address")),
    table("Messages learned from", ["From", "", "spam", "other"], history),
    known.contradicted
      ? make("p", {}, "The receiving server found that the sender is forged, so earlier wanted mail does not count.")
      : null,
  );
}

/** The verdict without each stage, and the number of parts that decide. */
function changes(why) {
  // As long as scores do not decide, no stage changes the verdict.
  if (!why.cuts && !isCopy(why)) return null;
  const stages = [...speaking(why), ...(isCopy(why) ? ["similarity"] : [])];
  const rows = stages
    .filter((stage) => why.without[stage])
    .map((stage) => {
      const { score, verdict } = why.without[stage];
      return [
        `without ${stage}`,
        figure(signed(score)),
        make("span", {}, verdictBadge(verdict), verdict === why.verdict ? null : " changed"),
      ];
    });
  return card(
    "What would have changed it",
    table("The verdict without each stage", ["", "Score", "Verdict"], rows),
    make("p", {}, decisive(why)),
  );
}

function decisive(why) {
  const all = several(why.parts_in_all, "part");
  if (isCopy(why)) return "It is a near-copy of learned spam: no single part decides.";
  if (why.parts_to_change == null) return `Even without all of its ${all}, the verdict would be the same.`;
  const few = why.parts_to_change === 1 ? "the weightiest one" : `the ${count(why.parts_to_change)} weightiest`;
  return `Of its ${all}, ${few} would have to be absent for another verdict.`;
}
