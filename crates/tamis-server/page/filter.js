/** The filter view: a Bloom filter small enough to see every bit of it, and the mathematics of its false positives. */
import { attempt, byId, count, draw, facts, make, percent, say, settled, several, split } from "./dom.js";
import { post } from "./api.js";
import { picture, plot } from "./plot.js";
import { startFilterFiles } from "./filterfile.js";
import { inventWords } from "./samples.js";

const MANY_ADDED = 50;
const MANY_ASKED = 1000;
const ANSWERS_SHOWN = 8;
/** As many keys as the server answers at once. */
const KEYS_AT_ONCE = 1000;

/** The expected rate of false positives with m bits, n words and k functions. */
const expected = (m, n, k) => (1 - Math.exp((-k * n) / m)) ** k;

/** The real best k for m bits and n words. */
const best = (m, n) => (m / n) * Math.LN2;

export function startFilter(view) {
  const status = byId("filter-status");
  const sliders = { m: byId("filter-m"), n: byId("filter-n"), k: byId("filter-k") };
  /** Added words with their positions, in order. */
  const added = new Map();
  /** Answers so far in this shape, counted. */
  let tally = { yes: 0, falseYes: 0, no: 0 };
  /** The positions of the word that was added or asked last. */
  let last = [];

  const shape = () => ({ m: Number(sliders.m.value), n: Number(sliders.n.value), k: Number(sliders.k.value) });
  const setBits = () => new Set([...added.values()].flat());

  const showBits = picture(byId("filter-bits"), "The bit array", paintBits);
  const showByFunctions = picture(
    byId("filter-by-k"),
    "Rate of false positives by the number of functions",
    paintByFunctions,
  );
  const showByWords = picture(byId("filter-by-n"), "Rate of false positives by the number of words", paintByWords);
  startFilterFiles(view);

  /** The true positions of words in a filter of the chosen shape. */
  async function positionsOf(words) {
    const { m, k } = shape();
    const found = [];
    for (let from = 0; from < words.length; from += KEYS_AT_ONCE) {
      const { positions } = await post("/filters/positions", {
        bits: m,
        hashes: k,
        keys: words.slice(from, from + KEYS_AT_ONCE),
      });
      found.push(...positions);
    }
    return found;
  }

  async function add(words) {
    const fresh = [...new Set(words)].filter((word) => !added.has(word));
    const positions = await positionsOf(fresh);
    fresh.forEach((word, index) => added.set(word, positions[index]));
    last = positions.at(-1) ?? last;
    return fresh;
  }

  /** Asks, counts, and tells for each word its answer and whether that is wrong. */
  async function ask(words) {
    const positions = await positionsOf(words);
    const bits = setBits();
    last = positions.at(-1) ?? last;
    return words.map((word, index) => {
      const missing = positions[index].filter((position) => !bits.has(position));
      const kind = missing.length ? "no" : added.has(word) ? "yes" : "falseYes";
      tally[kind]++;
      return { word, kind, missing, positions: positions[index] };
    });
  }

  function show() {
    const { m, k } = shape();
    const bits = setBits();
    showBits({ m, bits, last });
    byId("filter-fill").textContent =
      `${count(bits.size)} of ${count(m)} bits are set (${percent(bits.size / m)}) by ${several(added.size, "word")}.`;
    byId("filter-count").textContent = count(added.size);
    byId("filter-words").textContent = [...added.keys()].join(" ") || "none yet";
    const absent = tally.falseYes + tally.no;
    facts(byId("filter-tally"), [
      ["yes, and it was added", count(tally.yes)],
      ["no, and it was not", count(tally.no)],
      ["yes, but never added: false positives", count(tally.falseYes)],
      ["measured rate", absent ? percent(tally.falseYes / absent) : "–"],
      ["expected by the formula", percent(expected(m, added.size, k))],
      ["expected from the set bits", percent((bits.size / m) ** k)],
    ]);
    showTheory();
  }

  function showTheory() {
    const { m, n, k } = shape();
    for (const [name, slider] of Object.entries(sliders))
      byId(`filter-${name}-out`).textContent = count(Number(slider.value));
    const absent = tally.falseYes + tally.no;
    const measured = absent ? { n: added.size, rate: tally.falseYes / absent } : null;
    byId("filter-theory").textContent =
      `${several(n, "word")} in ${count(m)} bits with ${several(k, "function")}: ` +
      `${percent(expected(m, n, k))} false positives. Best would be k = ${best(m, n).toFixed(1)}, ` +
      `with ${percent(expected(m, n, Math.max(1, Math.round(best(m, n)))))}.`;
    showByFunctions({ m, n, k });
    showByWords({ m, n, k, measured });
  }

  function tellAnswers(answers) {
    const words = {
      yes: () => "yes, it was added",
      falseYes: ({ positions }) =>
        `yes, but it was never added: a false positive, for the bits ${positions.join(", ")} are set by others`,
      no: ({ missing: [first, ...others] }) =>
        others.length
          ? `no, for the bits ${[first, ...others].join(", ")} are not set`
          : `no, for bit ${first} is not set`,
    };
    byId("filter-answers").replaceChildren(
      make(
        "ul",
        {},
        answers
          .slice(0, ANSWERS_SHOWN)
          .map((answer) =>
            make(
              "li",
              { class: answer.kind === "falseYes" && "wrong" },
              make("strong", {}, answer.word),
              `: ${words[answer.kind](answer)}`,
            ),
          ),
      ),
    );
  }

  const onSubmit = (id, input, task) =>
    byId(id).addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(
        status,
        async () => {
          const words = split(byId(input).value);
          if (!words.length) throw new Error("Write a word first.");
          await task(words);
          byId(input).value = "";
          show();
        },
        event.submitter,
      );
    });

  onSubmit("filter-add", "add-words", async (words) => {
    const fresh = await add(words);
    byId("filter-answers").replaceChildren();
    say(
      status,
      fresh.length
        ? `Added ${several(fresh.length, "word")}; the positions of “${fresh.at(-1)}” are ${last.join(", ")}.`
        : "These were added before.",
    );
  });

  onSubmit("filter-ask", "ask-words", async (words) => {
    const answers = await ask(words);
    tellAnswers(answers);
    const wrong = answers.filter(({ kind }) => kind === "falseYes").length;
    say(status, `Asked for ${several(words.length, "word")}: ${several(wrong, "false positive")}.`);
  });

  byId("filter-many").addEventListener("click", ({ currentTarget }) =>
    attempt(
      status,
      async () => {
        const fresh = await add(inventWords(MANY_ADDED, added));
        const answers = await ask(inventWords(MANY_ASKED, added));
        const wrong = answers.filter(({ kind }) => kind === "falseYes");
        tellAnswers(wrong);
        show();
        say(
          status,
          `Added ${several(fresh.length, "word")} and asked for ${count(answers.length)} others: ` +
            `${several(wrong.length, "false positive")}${wrong.length > ANSWERS_SHOWN ? `, the first ${ANSWERS_SHOWN} below` : ""}.`,
        );
      },
      currentTarget,
    ),
  );

  byId("filter-clear").addEventListener("click", () => {
    added.clear();
    last = [];
    tally = { yes: 0, falseYes: 0, no: 0 };
    byId("filter-answers").replaceChildren();
    say(status, "Empty again.");
    show();
  });

  /** In another shape every word has other positions, and what was counted no longer holds. */
  const reshape = settled(() =>
    attempt(status, async () => {
      const words = [...added.keys()];
      const positions = await positionsOf(words);
      words.forEach((word, index) => added.set(word, positions[index]));
      last = positions.at(-1) ?? [];
      tally = { yes: 0, falseYes: 0, no: 0 };
      byId("filter-answers").replaceChildren();
      say(status, words.length ? "In another shape every word has other positions; the counts begin again." : "");
      show();
    }),
  );
  sliders.n.addEventListener("input", showTheory);
  for (const slider of [sliders.m, sliders.k]) {
    slider.addEventListener("input", () => {
      showTheory();
      reshape();
    });
  }
  show();
}

/** All bits in rows; those of the last word stand out by form, not by colour alone. */
function paintBits(width, { m, bits, last }) {
  const columns = width > 500 && m > 512 ? 48 : 32;
  const cell = width / columns;
  const rows = Math.ceil(m / columns);
  const [inner, recent] = [cell * 0.8, new Set(last)];
  const at = (position) => [
    (position % columns) * cell + cell * 0.1,
    Math.floor(position / columns) * cell + cell * 0.1,
  ];
  const square = (position, kind) => {
    const [x, y] = at(position);
    return draw("rect", { class: kind, x, y, width: inner, height: inner, rx: 1, "data-position": position });
  };
  const empty = [];
  for (let position = 0; position < m; position++) {
    const [x, y] = at(position);
    empty.push(`M${x.toFixed(1)} ${y.toFixed(1)}h${inner.toFixed(1)}v${inner.toFixed(1)}h${(-inner).toFixed(1)}z`);
  }
  const set = [...bits].map((position) => square(position, recent.has(position) ? "bit set recent" : "bit set"));
  const missing = [...recent]
    .filter((position) => !bits.has(position))
    .map((position) => square(position, "bit missing"));
  const positions = last.length ? ` The last word has the positions ${last.join(", ")}.` : "";
  return {
    height: rows * cell,
    description: `${count(bits.size)} of ${count(m)} bits are set.${positions}`,
    parts: [draw("path", { class: "bit", d: empty.join("") }), ...set, ...missing],
  };
}

const asPercent = (rate) => `${Number((100 * rate).toPrecision(2))} %`;

function paintByFunctions(width, { m, n, k }) {
  const optimum = best(m, n);
  const least = expected(m, n, Math.min(16, Math.max(1, optimum)));
  const decades = Math.min(8, Math.max(2, Math.ceil(-Math.log10(least))));
  const powers = Array.from({ length: decades + 1 }, (_, power) => 10 ** -power);
  return plot(width, {
    x: { from: 1, to: 16, name: "functions, k", ticks: [1, 4, 8, 12, 16] },
    y: { from: powers[decades], to: 1, log: true, name: "false positives", ticks: powers, show: asPercent },
    curves: [(x) => expected(m, n, x)],
    lines: optimum >= 1 && optimum <= 16 ? [{ x: optimum, name: `best k = ${optimum.toFixed(1)}` }] : [],
    points: [{ x: k, y: expected(m, n, k), name: percent(expected(m, n, k)) }],
    description: `With ${m} bits and ${n} words the rate is least at ${optimum.toFixed(1)} functions; with ${k} it is ${percent(expected(m, n, k))}.`,
  });
}

function paintByWords(width, { m, n, k, measured }) {
  const most = Math.max(300, measured?.n ?? 0);
  return plot(width, {
    x: { from: 0, to: most, name: "words, n" },
    y: { from: 0, to: 1, name: "false positives", ticks: [0, 0.25, 0.5, 0.75, 1], show: asPercent },
    curves: [(x) => expected(m, x, k)],
    points: [
      { x: n, y: expected(m, n, k), name: percent(expected(m, n, k)) },
      ...(measured
        ? [
            {
              x: measured.n,
              y: measured.rate,
              kind: "measured",
              name: `measured with ${measured.n}: ${percent(measured.rate)}`,
            },
          ]
        : []),
    ],
    description:
      `With ${m} bits and ${k} functions, ${n} words give ${percent(expected(m, n, k))} false positives.` +
      (measured ? ` Measured with ${measured.n} words: ${percent(measured.rate)}.` : ""),
  });
}
