/** The nearest learned messages next to this one, with what they share marked. */
import { card, make, percent, verdictBadge } from "./dom.js";
import { chips, marked } from "./shingles.js";

/** The shingles that the mail filter compares. */
const MAIL_SHINGLES = "words:3";

export function alike(why) {
  const title = "Learned messages like it";
  if (why.too_short) return card(title, make("p", {}, "There is too little text in it to compare."));
  if (!why.alike.length) return card(title, make("p", {}, "No learned message is like it."));
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
        near.text == null ? shared(near) : together(why.body, near),
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

const together = (body, near) =>
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
