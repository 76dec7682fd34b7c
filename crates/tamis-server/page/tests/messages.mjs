/** Made-up mail to teach a store with: enough of both kinds for the filter to be sure, and the same every time. */

const pick = (list, number) => list[number % list.length];

const SPAM = {
  from: [
    "Prize Desk <claims@winner-desk.example>",
    "Pharmacy <deals@cheap-pills.example>",
    "Easy Credit <loans@fast-credit.example>",
  ],
  subject: ["You have won", "Best price, no prescription", "Approved: cash today"],
  first: [
    "Congratulations! Your address was drawn in our lottery",
    "Save up to 80% on all pills",
    "Your loan of 50,000 dollars is approved",
    "You are eligible for a tax refund",
  ],
  second: [
    "send your bank details within 24 hours",
    "click https://winner-desk.example/claim now",
    "order now and get free shipping",
    "confirm your account to receive the cash",
  ],
  third: [
    "This offer is confidential and ends tonight.",
    "No questions asked, act now.",
    "Limited time only, do not miss it.",
  ],
};

const HAM = {
  from: ["Eva Leek <eva@leek.example>", "Ben Carver <ben@carver.example>", "City Library <library@city.example>"],
  subject: ["Saturday", "Tuesday meeting", "Two books are due"],
  first: [
    "The leeks are ready and there are far too many of them",
    "Can we move the meeting to ten",
    "Two of your books are due next week",
    "The report on the storage tests is nearly done",
  ],
  second: [
    "bring a bag and boots if it rains",
    "the agenda is in the usual place",
    "you can renew them once at the desk",
    "Joana joins us from Lisbon by telephone",
  ],
  third: [
    "See you soon, and greetings to your sister.",
    "Kind regards from all of us.",
    "Tell me if the time does not suit you.",
  ],
};

/** A message with these headers and this text. */
export const letter = (from, subject, text) =>
  `From: ${from}\nTo: anne@example.org\nSubject: ${subject}\nDate: Mon, 16 Nov 2026 09:00:00 +0000\nMIME-Version: 1.0\n` +
  `Content-Type: text/plain; charset=utf-8\n\n${text}\n`;

/** The message with a number: of spam or of ham, each different from all others. */
export function message(label, number, mark = "") {
  const parts = label === "spam" ? SPAM : HAM;
  const text =
    `${pick(parts.first, number)}, ${pick(parts.second, number >> 2)}. ${pick(parts.third, number >> 4)} ` +
    `${pick(parts.first, number >> 3)}; number ${number * 7919}${mark} of ${number % 13}.`;
  return letter(pick(parts.from, number), `${pick(parts.subject, number)}${mark}`, text);
}
