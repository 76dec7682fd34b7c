/** The cascade view: a small set falls through the rounds, keys are asked, and files of the server classify. */
import { attempt, bar, byId, figure, make, say, several, size, split, table } from "./dom.js";
import { get, post } from "./api.js";
import { CATEGORIES } from "./samples.js";
import { chips } from "./shingles.js";
import { startSieves, stepsOf } from "./sieves.js";

const SECONDS_A_STEP = 1.4;

/** Categories and their keys from a training file; a key `[so]` is written `\[so]`. */
function parse(text) {
  const categories = Object.create(null);
  let current = null;
  for (const line of split(text, /\r?\n/)) {
    const name = line.match(/^\[(.*)\]$/)?.[1];
    if (name !== undefined) current = categories[name] ??= [];
    else if (current === null) throw new Error(`“${line}” belongs to no category: begin with one, such as [leaf].`);
    else current.push(line.replace(/^\\(?=\[.*\]$)/, ""));
  }
  if (Object.keys(categories).length < 2)
    throw new Error("There is nothing to tell apart yet: write at least two categories.");
  return categories;
}

export function startCascade(view) {
  const status = byId("cascade-status");
  const [first, second, algorithm] = [byId("cascade-first"), byId("cascade-second"), byId("cascade-algorithm")];
  const [play, next, previous] = [byId("cascade-play"), byId("cascade-next"), byId("cascade-previous")];
  const sieves = startSieves(byId("cascade-picture"));
  /** What `stepsOf` made of the server's trace. */
  let cascade = null;
  /** How many steps are done: one for each filter, and the end. */
  let step = 0;
  let timer = 0;

  async function build() {
    const categories = parse(byId("cascade-text").value);
    const number = Number(algorithm.value);
    const functions = number === 0 ? [Number(first.value)] : [Number(first.value), Number(second.value)];
    const trace = await post("/cascades/trace", {
      categories,
      algorithm: number,
      functions,
      keys: split(byId("cascade-asked").value),
    });
    stop();
    cascade = stepsOf(trace, categories);
    byId("cascade-picture-part").hidden = byId("cascade-results").hidden = false;
    go(0);
    showAnswers(trace.answers);
    showSize(trace, cascade.fates.size);
    say(status, `${several(cascade.steps.length, "filter")} in ${several(trace.rounds.length, "round")}.`);
  }

  function go(wanted) {
    const end = cascade.steps.length + 1;
    step = Math.max(0, Math.min(end, wanted));
    sieves.show(cascade, step);
    byId("cascade-step").textContent = `step ${step} of ${end}`;
    byId("cascade-told").replaceChildren(...tell(cascade, step));
    if (step === end) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function toggle() {
    if (timer) return stop();
    if (step > cascade.steps.length) go(0);
    play.textContent = "Pause";
    timer = setInterval(() => (view.hidden ? stop() : go(step + 1)), SECONDS_A_STEP * 1000);
  }

  function showAnswers(answers) {
    if (!answers.length)
      return byId("cascade-answers").replaceChildren(make("p", { class: "note" }, "No key was asked."));
    const ways = answers.map(({ path }) => path.filter(({ yes }) => yes.length));
    const choice = make(
      "select",
      { id: "cascade-way", change: () => sieves.showWay(ways[choice.value] ?? null) },
      make("option", { value: "" }, "none"),
      answers.map(({ key }, index) => make("option", { value: index }, key)),
    );
    byId("cascade-answers").replaceChildren(
      make("div", { class: "row" }, make("label", { for: "cascade-way" }, "Draw the way of"), choice),
      ...answers.map((answer, index) =>
        make(
          "div",
          {},
          make(
            "p",
            {},
            make("strong", {}, answer.key),
            ` is ${answer.category}`,
            cascade.fates.has(answer.key)
              ? "."
              : " by chance: it was not trained, and a cascade says something of every key.",
          ),
          make(
            "ol",
            { class: "way-steps" },
            ways[index].map((stage) => make("li", {}, tellStage(stage))),
            ways[index].at(-1)?.settled
              ? null
              : make("li", {}, `settled nowhere: it is what is left, ${answer.category}`),
          ),
        ),
      ),
    );
  }

  byId("cascade-text").value = CATEGORIES;
  algorithm.addEventListener("change", () => {
    const two = algorithm.value === "1";
    byId("cascade-second-part").hidden = !two;
    first.value = two ? 3 : 1;
  });
  byId("cascade-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(status, build, event.submitter);
  });
  next.addEventListener("click", () => (stop(), go(step + 1)));
  previous.addEventListener("click", () => (stop(), go(step - 1)));
  byId("cascade-first-step").addEventListener("click", () => (stop(), go(0)));
  play.addEventListener("click", toggle);
  view.addEventListener("shown", () => cascade ?? attempt(status, build));
  startCascadeFiles(view);
}

/** What the filters of a category said to an asked key. */
function tellStage({ round, category, yes, settled }) {
  const said = yes.map((isYes) => (isYes ? "yes" : "no")).join(", ");
  return `round ${round + 1}, ${category}: ${said}${settled ? `, so it is ${category}` : ""}`;
}

/** What a step did, in words. */
function tell({ steps, last, fates }, done) {
  if (done === 0) return [make("p", {}, "All keys wait above the first sieve of their category. Press Next.")];
  if (done > steps.length) {
    const left = [...fates].filter(([, fate]) => fate.settled === null).map(([key]) => key);
    return [
      make("h3", {}, "The end"),
      make(
        "p",
        {},
        `One category at most is left, so whatever falls through everything is ${last}: ${several(left.length, "key")}.`,
      ),
      make("p", { class: "chips" }, chips(left)),
    ];
  }
  const { round, category, bits, hashes, members, held, settled, passed } = steps[done - 1];
  const keys = several(held, "key");
  const holds =
    members === "own"
      ? `Two filters of ${several(bits, "bit")} together: the first holds the ${keys} of ${category} that are left, ` +
        "the second the others to which the first says yes as well. Yes and no"
      : `A filter of ${several(bits, "bit")} and ${several(hashes, "function")} holds the ${keys} ` +
        "of other categories that are left. A no";
  return [
    make("h3", {}, `Round ${round + 1}, ${category}`),
    make(
      "p",
      {},
      `${holds} means ${category}: ${several(settled.length, "key")} settled, ` +
        `${several(passed.length, "key")} passed to the next round.`,
    ),
    make("p", { class: "chips" }, make("strong", {}, "Settled: "), chips(settled)),
    make("p", { class: "chips" }, make("strong", {}, "Passed: "), chips(passed)),
  ];
}

/** The size of the cascade against the least possible. */
function showSize({ bytes, exact }, keys) {
  const rows = [
    ["this cascade", bytes, (8 * bytes) / keys],
    ["the same in Tamis’s own form", exact.bytes, exact.bits_per_key],
    ["the entropy", null, exact.entropy_bits_per_key],
  ];
  const most = Math.max(...rows.map(([, , bits]) => bits), 1e-9);
  byId("cascade-size").replaceChildren(
    table(
      "Bits for a key",
      ["", "", "Bits for a key", "File"],
      rows.map(([name, whole, bits], index) => [
        name,
        bar(bits / most, index === 2 ? "calm" : ""),
        figure(bits.toFixed(2)),
        figure(whole == null ? "—" : size(whole)),
      ]),
    ),
  );
}

/** Classifying keys with the cascade files of the server. */
function startCascadeFiles(view) {
  const [name, status] = [byId("classify-name"), byId("classify-status")];
  let known = [];
  const tellCategories = () => {
    byId("classify-categories").textContent =
      `Its categories: ${known.find((file) => file.name === name.value)?.categories.join(", ")}`;
  };
  view.addEventListener("shown", () =>
    attempt(byId("classify-none"), async () => {
      known = (await get("/cascades")).cascades;
      byId("classify-part").hidden = !known.length;
      byId("classify-none").textContent = known.length
        ? ""
        : "There are none: start the server with --files and a folder of them.";
      name.replaceChildren(
        ...known.map((file) => make("option", { value: file.name }, `${file.name} (${size(file.bytes)})`)),
      );
      if (known.length) tellCategories();
    }),
  );
  name.addEventListener("change", tellCategories);
  byId("classify-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(
      status,
      async () => {
        const keys = split(byId("classify-keys").value, /\r?\n/);
        if (!keys.length) throw new Error("Write a key first.");
        const { categories } = await post(`/cascades/${encodeURIComponent(name.value)}/classify`, { keys });
        byId("classify-results").replaceChildren(
          table(
            "Categories",
            ["Key", "Category"],
            keys.map((key, index) => [key, categories[index] ?? "not covered"]),
          ),
        );
        say(status, `${several(keys.length, "key")} classified.`);
      },
      event.submitter,
    );
  });
}
