/** The stages of the mail filter in words for people: their names and the sentences of reasons. */

/** What each stage looks at, by its name, in the order of the score. */
export const STAGES = {
  words: "words and pairs of words",
  text: "short runs of letters in the text",
  headers: "short runs of letters in the header fields",
  route: "the servers it came through",
  facts: "how the message was made",
  addresses: "recipients, envelope and lists",
  sender: "earlier mail from this address and domain",
  structure: "suspicious facts that need no learning",
};

/** A weight that is printed as 0.00 says nothing. */
export const speaks = (weight) => Math.abs(weight) >= 0.005;

/** The stages that say something about a message, in the order of the score. */
export const speaking = (why) => Object.keys(STAGES).filter((stage) => speaks(why.evidence[stage]));

/** Whether it is spam because it is a near-copy of learned spam, whatever its score. */
export const isCopy = (why) => why.evidence.similarity > 0;

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A reason as a sentence, without its full stop. */
export function sentence({ stage, weight, text }) {
  if (stage === "similarity") return `It is ${text}`;
  if (!(stage in STAGES) || stage === "sender" || stage === "structure") return capital(text);
  return `${capital(stage)} typical of ${weight > 0 ? "spam" : "wanted mail"}: ${text}`;
}
