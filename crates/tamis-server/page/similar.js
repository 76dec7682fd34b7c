/** The similar view: two texts, their shingles and signatures, and which bands would find them. */
import { attempt, byId, count, draw, facts, figure, make, percent, say, settled, several, table } from "./dom.js";
import { get, post } from "./api.js";
import { label, picture, plot } from "./plot.js";
import { PAIRS } from "./samples.js";
import { chips, marked } from "./shingles.js";

const COMPONENTS = 128;

/** The probability that a pair of similarity `s` agrees in one of `b` bands of `r` rows. */
const found = (s, b, r) => 1 - (1 - s ** r) ** b;

export function startSimilar(view) {
  const [status, results] = [byId("similar-status"), byId("similar-results")];
  const [left, right, shingle] = [byId("similar-left"), byId("similar-right"), byId("similar-shingle")];
  const [bands, rows, sample] = [byId("similar-b"), byId("similar-r"), byId("similar-sample")];
  const showStrip = picture(byId("similar-strip"), "Both signatures, component by component", paintStrip);
  const showCurve = picture(byId("similar-curve"), "Probability that a pair is found, by its similarity", paintCurve);
  /** The server's last answer. */
  let pair = null;
  /** Which comparison was asked for last: a slower, older answer is not shown. */
  let asked = 0;

  const banding = () => ({ b: Number(bands.value), r: Number(rows.value) });

  async function compare() {
    const own = ++asked;
    const { b, r } = banding();
    const answer = await post("/similar/compare", {
      left: left.value,
      right: right.value,
      shingle: shingle.value,
      components: COMPONENTS,
      bands: b,
      rows: r,
    });
    if (own !== asked) return;
    // A text without a shingle agrees with nothing.
    const empty = !answer.shingles.counts.left || !answer.shingles.counts.right;
    pair = { ...answer, b, r, bands: answer.bands.map((agrees) => agrees && !empty) };
    results.hidden = false;
    show();
  }

  function show() {
    const { counts } = pair.shingles;
    const together = counts.left + counts.right - counts.common;
    facts(byId("similar-numbers"), [
      ["Jaccard similarity", pair.jaccard.toFixed(4)],
      ["Estimate by signatures", pair.estimate.toFixed(4)],
      ["Common shingles", `${count(counts.common)} of ${count(together)}`],
      ["Left, right", `${count(counts.left)}, ${count(counts.right)}`],
    ]);
    const { common } = pair.shingles;
    byId("similar-left-marked").replaceChildren(...marked(left.value, common, shingle.value));
    byId("similar-right-marked").replaceChildren(...marked(right.value, common, shingle.value));
    const isCommon = new Set(common);
    const only = (list) => list.filter((text) => !isCommon.has(text));
    byId("shingles-left").replaceChildren(...chips(only(pair.shingles.left)));
    byId("shingles-common").replaceChildren(...chips(common));
    byId("shingles-right").replaceChildren(...chips(only(pair.shingles.right)));
    showStrip(pair);
    const agreeing = pair.bands.flatMap((agrees, index) => (agrees ? [index + 1] : []));
    byId("similar-strip-text").textContent =
      `${several(pair.agreeing.length, "component")} of ${COMPONENTS} agree: ${pair.agreeing.join(", ") || "none"}. ` +
      `Bands that agree: ${agreeing.join(", ") || "none"}.`;
    byId("similar-candidate").textContent =
      `Of ${several(pair.bands.length, "band")}, ${agreeing.length} agree: this pair is ${pair.candidate ? "a candidate" : "not found"}. ` +
      `For a pair of its similarity that was to be expected with ${percent(pair.probability)}.`;
    showBanding();
  }

  /** What the sliders alone decide. */
  function showBanding() {
    const { b, r } = banding();
    byId("similar-b-out").textContent = `${b} of at most ${bands.max}`;
    byId("similar-r-out").textContent = String(r);
    showCurve({ b, r, similarity: pair?.jaccard ?? null });
  }

  const compareSoon = settled(() => attempt(status, compare), 250);

  function useSample() {
    [left.value, right.value] = PAIRS[sample.value];
    compareSoon();
  }

  sample.append(...Object.keys(PAIRS).map((name) => make("option", {}, name)));
  sample.addEventListener("change", useSample);
  for (const field of [left, right, shingle]) field.addEventListener("input", compareSoon);
  rows.addEventListener("input", () => {
    bands.max = Math.floor(COMPONENTS / Number(rows.value));
    showBanding();
    compareSoon();
  });
  bands.addEventListener("input", () => {
    showBanding();
    compareSoon();
  });
  byId("similar-form").addEventListener("submit", (event) => event.preventDefault());
  view.addEventListener("shown", () => pair ?? useSample());
  startIndexes(view, left);
}

/** Searching the indexes of the server for the left text. */
function startIndexes(view, text) {
  const [name, status] = [byId("index-name"), byId("index-status")];
  view.addEventListener("shown", () =>
    attempt(byId("index-none"), async () => {
      const { indexes } = await get("/similar/indexes");
      byId("index-part").hidden = !indexes.length;
      byId("index-none").textContent = indexes.length
        ? ""
        : "There are none: start the server with --files and a folder of them.";
      name.replaceChildren(...indexes.map((index) => make("option", { value: index.name }, index.name)));
    }),
  );
  byId("index-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(
      status,
      async () => {
        const threshold = Number(byId("index-threshold").value);
        const { matches } = await post("/similar/query", { index: name.value, text: text.value, threshold, count: 10 });
        byId("index-results").replaceChildren(
          ...(matches.length
            ? [
                table(
                  "Similar documents",
                  ["Document", "Similarity"],
                  matches.map((match) => [match.id, figure(match.similarity.toFixed(4))]),
                ),
              ]
            : []),
        );
        say(status, `${several(matches.length, "document")} found.`);
      },
      event.submitter,
    );
  });
}

/** One cell for both signatures where a component agrees, two where it differs; bands stand apart, agreeing ones framed. */
function paintStrip(width, { signatures, agreeing, bands, b, r }) {
  const [gap, line] = [7, 60];
  const agrees = new Set(agreeing);
  const total = signatures.left.length;
  const fitting = (width - 6 - b * gap) / total;
  const cell = fitting < 6 ? 9 : Math.min(12, fitting);
  const groups = Array.from({ length: b }, (_, band) => ({
    from: band * r,
    to: (band + 1) * r,
    whole: bands[band],
    name: band + 1,
  }));
  if (b * r < total)
    for (let from = b * r; from < total; from += 16) groups.push({ from, to: Math.min(total, from + 16), spare: true });
  const parts = [];
  let [x, y] = [3, 20];
  const shade = (hex) => 0.15 + (0.5 * parseInt(hex.at(-1), 16)) / 15;
  for (const group of groups) {
    const wide = (group.to - group.from) * cell;
    if (x + wide + 3 > width && x > 3) [x, y] = [3, y + line];
    const cells = [];
    for (let index = group.from; index < group.to; index++) {
      const at = x + (index - group.from) * cell;
      if (agrees.has(index)) cells.push(draw("rect", { class: "agree", x: at, y, width: cell - 1.5, height: 31 }));
      else {
        cells.push(
          draw("rect", {
            class: "differ",
            x: at,
            y,
            width: cell - 1.5,
            height: 14,
            "fill-opacity": shade(signatures.left[index]),
          }),
        );
        cells.push(
          draw("rect", {
            class: "differ",
            x: at,
            y: y + 17,
            width: cell - 1.5,
            height: 14,
            "fill-opacity": shade(signatures.right[index]),
          }),
        );
      }
    }
    parts.push(draw("g", { class: group.spare ? "spare" : "" }, cells));
    if (group.whole) {
      parts.push(draw("rect", { class: "band", x: x - 2.5, y: y - 3, width: wide + 3.5, height: 37, rx: 2 }));
      parts.push(
        label(x + wide / 2, y - 7, r > 1 ? `✓ ${group.name}` : "✓", { class: "strong", "text-anchor": "middle" }),
      );
    }
    x += wide + gap;
  }
  return {
    height: y + 40,
    parts,
    description: `${agreeing.length} of ${total} components agree; ${bands.filter(Boolean).length} of ${bands.length} bands agree as a whole.`,
  };
}

function paintCurve(width, { b, r, similarity }) {
  const steep = (1 / b) ** (1 / r);
  return plot(width, {
    x: { from: 0, to: 1, name: "similarity, s" },
    y: { from: 0, to: 1, name: "found with probability" },
    curves: [(s) => found(s, b, r)],
    lines: [{ x: steep, name: `steep at ${steep.toFixed(2)}` }],
    points:
      similarity == null
        ? []
        : [{ x: similarity, y: found(similarity, b, r), name: `this pair: ${percent(found(similarity, b, r))}` }],
    description:
      `With ${b} bands of ${r} rows the curve is steep near ${steep.toFixed(2)}.` +
      (similarity == null
        ? ""
        : ` This pair, of similarity ${similarity.toFixed(2)}, is found with ${percent(found(similarity, b, r))}.`),
  });
}
