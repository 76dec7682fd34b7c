/** Things to try. */

const letter = (from, subject, ...lines) =>
  [
    `From: ${from}`,
    "To: anne@example.org",
    `Subject: ${subject}`,
    "Date: Mon, 16 Nov 2026 09:00:00 +0000",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "",
    ...lines,
    "",
  ].join("\n");

/** Messages by the name of their button. */
export const MESSAGES = {
  "a prize": letter(
    "Prize Desk <claims@winner-desk.example>",
    "You have won",
    "Congratulations! Your address was drawn and you have won 500,000 dollars in our lottery.",
    "To claim your prize, send your bank details within 24 hours. Click https://winner-desk.example/claim now.",
  ),
  "a garden": letter(
    "Eva Leek <eva@leek.example>",
    "Saturday",
    "Hello Anne,",
    "it will rain on Saturday, so bring boots. There are carrots as well as leeks. Ben comes at ten.",
    "Love, Eva",
  ),
  "an invoice": letter(
    "Office <office@carver.example>",
    "Invoice for October",
    "Dear Anne,",
    "attached is the invoice for October. Payment within thirty days, as agreed.",
    "Kind regards, the office",
  ),
};

/** Pairs of texts by name. */
export const PAIRS = {
  "a notice and its next edition": [
    "The city library will be closed from Monday to Wednesday while the heating is repaired. Books that are due on these days can be returned until the end of the week without a fine. The reading room in the old town hall stays open as usual, from nine in the morning to six in the evening.",
    "The city library will be closed from Tuesday to Thursday while the roof is repaired. Books that are due on these days can be returned until the end of the week without a fine. The reading room in the old town hall stays open as usual, from ten in the morning to six in the evening.",
  ],
  "the same words in another order": [
    "When nine hundred years old you reach, look as good you will not.",
    "You will not look as good when nine hundred years old you reach,",
  ],
  "a prize, twice": [
    "Congratulations! Your address was drawn and you have won 500,000 dollars in our lottery. To claim your prize, send your bank details within 24 hours. This offer is confidential and ends soon.",
    "Dear friend! Your address was drawn and you have won 750,000 euros in our lottery. To claim your prize, send your bank details within 48 hours. This offer is confidential and ends tonight.",
  ],
  "nothing in common": [
    "The leeks are ready and there are far too many of them. Do you want to come on Saturday and take some home?",
    "Your ticket to Ghent is confirmed: departure 09:12, platform 4, carriage 6, seat 41. Show this message to the guard.",
  ],
};

/** A training file for a small cascade. */
export const CATEGORIES = `[leaf]
leek
spinach
kale
lettuce
chard
rocket
cress
endive
cabbage
sorrel

[root]
carrot
turnip
beetroot
parsnip
radish
salsify
celeriac
swede

[fruit]
tomato
cucumber
aubergine
pepper
pumpkin
courgette
melon
okra
squash
`;

const SYLLABLES =
  "ba be bo da di do fa fe fi ga go ha ka ke ki la le lo ma me mi na no pa pe ra re ri sa si so ta te ti va ve vo za zo".split(
    " ",
  );

/** So many different made-up words that are not in `taken`. */
export function inventWords(wanted, taken) {
  const words = new Set();
  while (words.size < wanted) {
    const length = 3 + Math.floor(Math.random() * 2);
    const word = Array.from({ length }, () => SYLLABLES[Math.floor(Math.random() * SYLLABLES.length)]).join("");
    if (!taken.has(word)) words.add(word);
  }
  return [...words];
}
