/** The first view: how much is learned, what to do next, and how it is done. */
import { attempt, byId, count, make, several, verdictBadge, whileShown } from "./dom.js";
import { get, withQuery } from "./api.js";
import { startImport } from "./importing.js";
import { isMissing, user } from "./user.js";

/** So many messages of each kind are needed before scores decide; before, only near-copies of learned spam are spam. */
const NEEDED = 15;

/** From so many of each kind on, more of them improve little. */
const PLENTY = 200;

export function startStart(view) {
  const error = byId("start-error");

  async function refresh() {
    byId("import-form").hidden = isMissing();
    if (isMissing()) return show([], null);
    const [{ labels }, state, { verdicts }] = await Promise.all([
      get(withQuery("/mail/labels", { user: user() })),
      get("/state"),
      get(withQuery("/mail/history", { user: user(), limit: 1 })),
    ]);
    show(labels, state, verdicts[0]);
  }

  function show(labels, state, last) {
    const spam = labels.find(({ name }) => name === "spam")?.messages ?? 0;
    const wanted = labels.reduce((sum, { name, messages }) => sum + (name === "spam" ? 0 : messages), 0);
    byId("start-title").textContent = heading(wanted, spam);
    byId("start-lead").textContent = lead(wanted, spam);
    byId("start-progress").replaceChildren(...(state ? [gauge("Wanted mail", wanted), gauge("Spam", spam)] : []));
    const mail = state && [state.protocols.milter, state.protocols.spamd].filter(Boolean);
    const steps = [
      step(
        Math.min(wanted, spam) >= NEEDED,
        "Teach it your mail",
        "#start-import",
        Math.min(wanted, spam) >= NEEDED
          ? `${several(wanted + spam, "message")} learned.`
          : `Import a mailbox, or drop messages: at least ${NEEDED} of each kind.`,
      ),
      step(
        Boolean(mail?.length),
        "Connect your mail server",
        "#start-connect",
        mail?.length ? `It listens on ${mail.join(" and ")}.` : "Postfix, Exim, Dovecot or a mailbox: see below.",
      ),
      step(
        Boolean(last?.taught),
        "Look through the verdicts, and correct those that are wrong",
        "#history",
        last ? `The last message was judged ${last.verdict}.` : "No message was judged yet.",
      ),
    ];
    byId("start-steps").replaceChildren(...steps);
    byId("start-last").replaceChildren(...(last ? [verdictBadge(last.verdict), ` ${last.subject || "(no subject)"}`] : []));
    byId("start-last-part").hidden = !last;
    byId("start-milter").textContent = state?.protocols.milter ?? "127.0.0.1:7831";
    byId("start-spamd").textContent = state?.protocols.spamd ?? "127.0.0.1:783";
  }

  startImport(() => attempt(error, refresh));
  whileShown(view, 10, () => attempt(error, refresh));
}

function heading(wanted, spam) {
  if (isMissing()) return "Whose mail?";
  if (!wanted && !spam) return "Teach it what you want to read";
  if (Math.min(wanted, spam) < NEEDED) return "A good beginning";
  return Math.min(wanted, spam) < PLENTY ? "It filters, and still learns" : "It knows your mail";
}

function lead(wanted, spam) {
  if (isMissing()) return "Every user has a store here. Name one above to see what it has learned.";
  if (!wanted && !spam)
    return "The filter knows nothing yet. It learns from mail that you wanted and from spam, on this machine only; no text of a message is kept.";
  if (Math.min(wanted, spam) < NEEDED)
    return `So far only near-copies of learned spam are filtered. From ${NEEDED} messages of each kind on it judges all mail.`;
  return Math.min(wanted, spam) < PLENTY
    ? "It judges all mail. A few hundred messages of each kind make it surer; corrections count most."
    : "From here on it only needs your corrections.";
}

/** How much of a kind is learned, against what is needed and what is plenty. */
function gauge(name, learned) {
  const [aim, note] = learned < NEEDED ? [NEEDED, `of the ${NEEDED} it needs`] : [PLENTY, learned < PLENTY ? `of ${PLENTY}` : "messages"];
  const id = `gauge-${name.replace(/\W/g, "")}`;
  return make(
    "div",
    { class: "gauge" },
    make("label", { for: id }, name),
    make("span", {}, make("strong", { class: "numbers" }, count(learned)), ` ${note}`),
    make("progress", { id, max: aim, value: Math.min(aim, learned) }),
  );
}

function step(isDone, title, target, text) {
  return make(
    "li",
    { class: isDone ? "done" : null },
    make("p", {}, make("a", { href: target }, title), make("span", { class: "note" }, isDone ? " done" : "")),
    make("p", { class: "note" }, text),
  );
}
