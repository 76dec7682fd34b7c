/** Files with mail as single messages: an mbox file is cut at its `From ` lines, anything else is one message. */

const LINE = [0x46, 0x72, 0x6f, 0x6d, 0x20]; // "From "
const NEWLINE = 0x0a;

/** Whether "From " stands at a place. */
const isFrom = (bytes, at) => LINE.every((byte, index) => bytes[at + index] === byte);

/** Whether a line is blank before a place that follows a line end. */
function isAfterBlank(bytes, at) {
  let before = at - 2;
  if (bytes[before] === 0x0d) before--;
  return before < 0 || bytes[before] === NEWLINE;
}

/** The messages of a file, as byte ranges of it: `[{ name, start, end }]`. */
export function messagesOf(bytes) {
  if (!isFrom(bytes, 0)) return bytes.length ? [{ start: 0, end: bytes.length }] : [];
  const starts = [0];
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    if (isFrom(bytes, at + 1) && isAfterBlank(bytes, at + 1)) starts.push(at + 1);
  }
  return starts
    .map((start, index) => {
      const first = bytes.indexOf(NEWLINE, start);
      const end = starts[index + 1] ?? bytes.length;
      return { start: first < 0 ? end : Math.min(first + 1, end), end };
    })
    .filter(({ start, end }) => end > start);
}

/** Two lists side by side, in proportion: a filter that sees all of one first learns less. */
export function interleaved(left, right) {
  const placed = [left, right].flatMap((list) => list.map((item, index) => ({ item, place: (index + 0.5) / list.length })));
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
