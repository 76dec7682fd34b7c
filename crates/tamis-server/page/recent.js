/** The stream of recent verdicts, each with its correction one click away. */
import { attempt, byId, chance, clock, make, say, verdictBadge, whileShown } from "./dom.js";
import { get, withQuery } from "./api.js";
import { takeBack, teach, told } from "./teach.js";
import { user } from "./user.js";

const MOST = 50;

/** The labels that would be a correction of a verdict. */
const corrections = (verdict) => ["spam", "ham"].filter((label) => label !== verdict);

/** Watches the stream while `view` is shown. `why(id)` is called to explain one, `taught()` after each correction. */
export function startRecent(view, why, taught) {
  const [list, status] = [byId("recent-list"), byId("recent-status")];
  /** Rows by id, with the data that they show. */
  const rows = new Map();
  /** What own corrections changed, by id: undoing needs to know where a message came from. */
  const changes = new Map();

  const correct = (verdict, label) => async () => {
    changes.set(verdict.id, await teach(verdict, label));
    await taught();
    say(status, `“${verdict.subject || "no subject"}”: ${told(changes.get(verdict.id))}`);
  };
  const undo = (verdict) => async () => {
    const sentence = await takeBack(verdict, changes.get(verdict.id) ?? { change: "learned" });
    changes.delete(verdict.id);
    await taught();
    say(status, `“${verdict.subject || "no subject"}”: ${sentence}`);
  };

  function actions(verdict) {
    if (!verdict.kept) return [make("span", { class: "note" }, "no longer held")];
    const subject = verdict.subject || "no subject";
    const button = (text, task) =>
      make(
        "button",
        {
          type: "button",
          class: "small",
          "aria-label": `${text}: ${subject}`,
          click: (event) => attempt(status, task, event.currentTarget),
        },
        text,
      );
    const teaching = verdict.taught
      ? [make("span", { class: "note" }, `taught ${verdict.taught} `), button("Undo", undo(verdict))]
      : corrections(verdict.verdict).map((label) => button(`It is ${label}`, correct(verdict, label)));
    return [...teaching, button("Why?", () => why(verdict.id))];
  }

  function row(verdict) {
    const from = [verdict.from, verdict.user && `for ${verdict.user}`, `by ${verdict.source}`]
      .filter(Boolean)
      .join(" · ");
    return make(
      "li",
      { "data-id": verdict.id },
      make(
        "div",
        { class: "row between" },
        make(
          "span",
          {},
          verdictBadge(verdict.verdict),
          " ",
          make("span", { class: "numbers" }, chance(verdict.probability)),
        ),
        make(
          "time",
          { class: "note numbers", datetime: new Date(verdict.time * 1000).toISOString() },
          clock(verdict.time),
        ),
      ),
      make("p", { class: "subject" }, make("bdi", {}, verdict.subject ?? "(hidden: name the user)", verdict.subject === "" ? "(no subject)" : "")),
      make("p", { class: "note clip" }, from),
      make("p", { class: "note" }, verdict.reason),
      make("div", { class: "row" }, actions(verdict)),
    );
  }

  /** Rows that did not change stay, and so do the focus and the selection in them. */
  async function refresh() {
    const { verdicts } = await get(withQuery("/mail/recent", { limit: MOST, user: user() }));
    const wanted = verdicts.map((verdict) => {
      const data = JSON.stringify(verdict);
      const old = rows.get(verdict.id);
      if (old?.data === data) return old.row;
      const next = row(verdict);
      const focused = old?.row.contains(document.activeElement);
      old?.row.replaceWith(next);
      if (focused) next.querySelector("button")?.focus();
      rows.set(verdict.id, { data, row: next });
      return next;
    });
    for (const child of [...list.children]) {
      if (wanted.includes(child)) continue;
      rows.delete(Number(child.dataset.id));
      child.remove();
    }
    wanted.forEach(
      (wish, index) => list.children[index] !== wish && list.insertBefore(wish, list.children[index] ?? null),
    );
    if (status.classList.contains("error")) say(status, "");
    if (!verdicts.length) say(status, "Nothing was checked yet.");
    else if (status.textContent === "Nothing was checked yet.") say(status, "");
  }

  const poll = () => refresh().catch((error) => say(status, error.message, true));
  whileShown(view, 2, poll);
  return poll;
}
