/** The mail view: judge a message, see why, teach it, take that back. */
import { attempt, bar, byId, chance, count, facts, make, say, signed, size, verdictBadge, whileShown } from "./dom.js";
import { get, postMail, withQuery } from "./api.js";
import { showReasons } from "./explain.js";
import { startRecent } from "./recent.js";
import { MESSAGES } from "./samples.js";
import { sentence } from "./stages.js";
import { takeBack, teach, told } from "./teach.js";
import { isMissing, user } from "./user.js";

export function startMail(view) {
  const [form, text, error] = [byId("mail-form"), byId("mail-text"), byId("mail-error")];
  const [status, undoButton] = [byId("teach-status"), byId("teach-undo")];
  /** The file that was dropped or chosen; it wins over the text. */
  let file = null;
  /** The message that is shown: `{ id, bytes, user }`. */
  let message = null;
  /** What teaching it changed last. */
  let change = null;

  const refreshStream = startRecent(view, showHeld, showLabels);
  whileShown(view, 60, () => attempt(error, showLabels));

  function chooseFile(chosen) {
    file = chosen;
    const place = byId("mail-file");
    place.hidden = !file;
    if (!file) return;
    text.value = "";
    const drop = make(
      "button",
      {
        type: "button",
        class: "small",
        click: () => {
          chooseFile(null);
          text.focus();
        },
      },
      "Remove the file",
    );
    place.replaceChildren(`${file.name || "A file"}, ${size(file.size)} `, drop);
  }

  async function showLabels() {
    if (isMissing()) throw new Error("Whose store? Name a user at the top.");
    const { labels } = await get(withQuery("/mail/labels", { user: user() }));
    const known = labels.filter((label) => label.messages > 0);
    byId("label-counts").textContent =
      known.map((label) => `${label.name} ${count(label.messages)}`).join(" · ") || "nothing";
    byId("labels").replaceChildren(...labels.map((label) => make("option", { value: label.name })));
  }

  function show(why) {
    const [first, ...others] = why.because;
    byId("mail-verdict").replaceChildren(
      make("h2", { id: "verdict-title" }, verdictBadge(why.verdict)),
      make("p", { class: "headline wrap" }, `${sentence(first)}.`),
      make(
        "p",
        { class: "probability" },
        make("strong", { class: "numbers" }, chance(why.probability)),
        " that it is spam",
      ),
      bar(why.probability, { spam: "", unsure: "open" }[why.verdict] ?? "calm"),
      others.length
        ? make(
            "ul",
            { class: "reasons wrap" },
            others.map((reason) => make("li", {}, sentence(reason))),
          )
        : "",
      make("dl", { class: "facts" }),
    );
    facts(byId("mail-verdict").querySelector("dl"), [
      ["From", why.from || "nobody"],
      ["Subject", why.subject || "none"],
      ["Score", signed(why.score)],
    ]);
    byId("mail-teach").hidden = false;
    showReasons(byId("mail-why"), why);
  }

  function forgetChange() {
    change = null;
    undoButton.hidden = true;
    say(status, "");
  }

  async function judge() {
    if (!file && !text.value.trim())
      throw new Error("There is no message yet: paste one, choose a file or take an example.");
    const bytes = file ?? new Blob([text.value]);
    const why = await postMail(withQuery("/mail/explain", { user: user() }), bytes);
    message = { id: why.id, bytes, user: user() };
    forgetChange();
    show(why);
    await Promise.all([refreshStream(), showLabels()]);
  }

  /** Explains a message of the stream. */
  async function showHeld(id) {
    const why = await get(withQuery(`/mail/recent/${id}`, { user: user() }));
    message = { id, bytes: null, user: user() };
    forgetChange();
    show(why);
    const heading = byId("verdict-title");
    heading.tabIndex = -1;
    heading.focus();
  }

  /** The verdict on the same message after the filter has learned; where the server no longer holds it, the old one stays. */
  async function showAgain() {
    const why = await get(withQuery(`/mail/recent/${message.id}`, { user: message.user })).catch(() => null);
    if (why) show(why);
    await Promise.all([refreshStream(), showLabels()]);
  }

  const learn = (label) => async () => {
    change = await teach(message, label);
    await showAgain();
    undoButton.textContent = change.change === "known" ? "Forget it" : "Undo";
    undoButton.hidden = false;
    say(status, told(change));
  };

  async function undo() {
    const sentence = await takeBack(message, change);
    await showAgain();
    change = null;
    byId("teach-spam").focus();
    undoButton.hidden = true;
    say(status, sentence);
  }

  const check = () => attempt(error, judge, form.querySelector("[type=submit]"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
  text.addEventListener("input", () => file && chooseFile(null));
  text.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && check());

  byId("mail-choose").addEventListener("click", () => byId("mail-input").click());
  byId("mail-input").addEventListener("change", ({ target }) => {
    if (target.files.length) chooseFile(target.files[0]);
    target.value = "";
  });
  for (const type of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(type, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      form.classList.toggle("dropping", type === "dragover");
      if (type === "drop" && event.dataTransfer.files.length) chooseFile(event.dataTransfer.files[0]);
    });
  }
  byId("mail-samples").append(
    ...Object.entries(MESSAGES).map(([name, sample]) =>
      make(
        "button",
        {
          type: "button",
          class: "small",
          click: () => {
            chooseFile(null);
            text.value = sample;
            check();
          },
        },
        name,
      ),
    ),
  );

  byId("teach-spam").addEventListener("click", ({ currentTarget }) => attempt(status, learn("spam"), currentTarget));
  byId("teach-ham").addEventListener("click", ({ currentTarget }) => attempt(status, learn("ham"), currentTarget));
  byId("teach-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const label = byId("teach-label").value.trim();
    attempt(
      status,
      async () => {
        if (!label) throw new Error("Which label? Write its name first.");
        await learn(label)();
      },
      event.submitter,
    );
  });
  undoButton.addEventListener("click", () => attempt(status, undo, undoButton));
}
