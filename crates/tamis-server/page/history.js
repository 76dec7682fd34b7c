/** The history: verdicts found by text, sender, verdict, action and time; several at once are corrected together. */
import { attempt, byId, chance, clock, make, say, several, verdictBadge } from "./dom.js";
import { get, getText, withQuery } from "./api.js";
import { takeBack, teach } from "./teach.js";
import { isMissing, user } from "./user.js";

const PAGE = 20;

const ACTIONS = {
  none: "only judged",
  delivered: "delivered",
  tagged: "marked as spam",
  quarantined: "held",
  rejected: "refused",
};

const DAY = 86_400;

export function startHistory(view) {
  const [form, list, status, more] = [byId("history-form"), byId("history-list"), byId("history-status"), byId("history-more")];
  const [bulk, picked] = [byId("history-bulk"), byId("history-picked")];
  /** The verdicts that are shown, by number. */
  const shown = new Map();
  /** Those that are picked, by number. */
  const picks = new Set();
  /** What own corrections changed, by number: undoing needs to know where a message came from. */
  let changes = new Map();
  let next = null;

  const since = (days) => (days ? Math.floor(Date.now() / 1000) - days * DAY : "");

  const query = (before) => ({
    text: byId("history-text").value.trim(),
    from: byId("history-from").value.trim(),
    verdict: byId("history-verdict").value.trim(),
    action: byId("history-action").value,
    since: since(Number(byId("history-since").value)),
    user: user(),
    before,
    limit: PAGE,
  });

  async function search(before = null) {
    if (isMissing()) byId("history-text").value = byId("history-from").value = "";
    const found = await get(withQuery("/mail/history", query(before)));
    if (before === null) {
      shown.clear();
      picks.clear();
      list.replaceChildren();
    }
    for (const verdict of found.verdicts) shown.set(verdict.id, verdict);
    list.append(...found.verdicts.map(row));
    next = found.next;
    more.hidden = next === null;
    byId("history-place").textContent = found.on_disk
      ? "Kept on disk, as the settings of the server say."
      : "Only the latest verdicts since the server was started: history.days in its settings keeps them on disk.";
    tellFound();
    tellPicked();
  }

  function tellFound() {
    const hasFilter = Object.entries(query(null)).some(
      ([name, value]) => !["user", "before", "limit"].includes(name) && value,
    );
    if (!shown.size)
      return say(status, hasFilter ? "No verdict fits these filters." : "No message was judged yet. Check one under Mail, or connect your mail server.");
    say(status, `${several(shown.size, "verdict")} shown${next === null ? "" : ", and there are more"}.`);
  }

  function tellPicked() {
    bulk.hidden = ![...shown.values()].some(({ kept }) => kept);
    picked.textContent = picks.size ? several(picks.size, "verdict") + " picked" : "None picked";
    byId("history-all").checked = picks.size > 0 && [...shown.values()].every(({ id, kept }) => !kept || picks.has(id));
    for (const name of ["spam", "ham"]) byId(`history-${name}`).disabled = !picks.size;
  }

  function row(verdict) {
    const subject = verdict.subject ?? (isMissing() ? "hidden: name the user" : "(not kept)");
    const box = make("input", {
      type: "checkbox",
      id: `pick-${verdict.id}`,
      disabled: !verdict.kept,
      "aria-label": `Pick: ${subject || "no subject"}`,
      change: () => {
        if (box.checked) picks.add(verdict.id);
        else picks.delete(verdict.id);
        tellPicked();
      },
    });
    return make(
      "li",
      { "data-id": verdict.id },
      make("div", { class: "pick" }, box),
      make(
        "div",
        { class: "entry" },
        make(
          "p",
          { class: "row between" },
          make("span", {}, verdictBadge(verdict.verdict), " ", make("span", { class: "numbers" }, chance(verdict.probability))),
          make("time", { class: "note", datetime: new Date(verdict.time * 1000).toISOString() }, clock(verdict.time)),
        ),
        make("p", { class: "subject wrap" }, make("bdi", {}, subject || "(no subject)")),
        make(
          "p",
          { class: "note wrap" },
          make("bdi", {}, verdict.from || "no sender"),
          [verdict.user && ` · for ${verdict.user}`, ` · ${ACTIONS[verdict.action]}`, verdict.kept ? "" : " · message no longer held"]
            .filter(Boolean)
            .join(""),
        ),
        verdict.reason ? make("p", { class: "note wrap" }, verdict.reason) : null,
        verdict.taught ? make("p", { class: "taught" }, `✓ corrected: it is ${verdict.taught}`) : null,
      ),
    );
  }

  /** Shows again what is known of some verdicts now. */
  function update(ids, taught) {
    for (const id of ids) {
      const verdict = shown.get(id);
      verdict.taught = taught(id);
      list.querySelector(`[data-id="${id}"]`).replaceWith(row(verdict));
    }
    picks.clear();
    tellPicked();
  }

  const correct = (label) => async () => {
    const ids = [...picks];
    const done = new Map();
    changes = done;
    try {
      for (const id of ids) done.set(id, await teach({ id, user: user() }, label));
    } finally {
      update(done.keys(), () => label);
      byId("history-undo").hidden = !done.size;
    }
    say(byId("history-told"), `${several(ids.length, "message")} learned as ${label}.`);
    byId("history-undo").focus();
  };

  async function undo() {
    const done = [...changes];
    for (const [id, change] of done) {
      await takeBack({ id, user: user() }, change);
      changes.delete(id);
      if (shown.has(id)) update([id], () => (change.change === "moved" ? change.from : null));
    }
    byId("history-undo").hidden = true;
    say(byId("history-told"), `Undone for ${several(done.length, "message")}.`);
    byId("history-all").focus();
  }

  async function digest() {
    if (isMissing()) throw new Error("Whose digest? Name a user at the top.");
    const query = { since: since(Number(byId("digest-days").value)), user: user() };
    byId("digest-text").textContent = await getText(withQuery("/mail/digest", query));
    byId("digest-html").href = `/api/v1${withQuery("/mail/digest", { ...query, format: "html" })}`;
    byId("digest-part").hidden = false;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(status, () => search(), event.submitter);
  });
  for (const id of ["history-action", "history-since"]) byId(id).addEventListener("change", () => attempt(status, () => search()));
  byId("history-clear").addEventListener("click", () => {
    form.reset();
    attempt(status, () => search());
  });
  more.addEventListener("click", () => attempt(status, () => search(next), more));
  byId("history-all").addEventListener("change", ({ target }) => {
    for (const box of list.querySelectorAll("input:not(:disabled)")) {
      box.checked = target.checked;
      const id = Number(box.closest("li").dataset.id);
      if (target.checked) picks.add(id);
      else picks.delete(id);
    }
    tellPicked();
  });
  for (const name of ["spam", "ham"])
    byId(`history-${name}`).addEventListener("click", ({ currentTarget }) =>
      attempt(byId("history-told"), correct(name), currentTarget),
    );
  byId("history-undo").addEventListener("click", ({ currentTarget }) => attempt(byId("history-told"), undo, currentTarget));
  byId("digest-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(byId("digest-status"), digest, event.submitter);
  });
  view.addEventListener("shown", () => attempt(status, () => search()));
}
