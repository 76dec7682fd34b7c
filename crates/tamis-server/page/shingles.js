/** Marks the shingles that two texts have in common in the texts themselves. */
import { make } from "./dom.js";

/** A word as the server takes it: between white space, and each character of a script that is written without spaces. */
const ALONE =
  "\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF\\u3040-\\u30FF\\u31F0-\\u31FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF\\u{20000}-\\u{3FFFF}";
const WORD = new RegExp(`[${ALONE}]|[^\\s${ALONE}]+`, "gu");
const CHARACTER = /[\s\S]/gu;

/** `[start, end)` of every run of units, overlapping ones joined, whose text is among `common`, which is in lower case. */
function ranges(text, common, kind) {
  const [what, wanted] = kind.split(":");
  const [unit, joint] = what === "words" ? [WORD, " "] : [CHARACTER, ""];
  const units = [...text.matchAll(unit)];
  // A text shorter than a shingle is one.
  const count = Math.min(Number(wanted), units.length);
  const found = [];
  for (let first = 0; count && first + count <= units.length; first++) {
    const run = units.slice(first, first + count);
    if (
      !common.has(
        run
          .map((match) => match[0])
          .join(joint)
          .toLowerCase(),
      )
    )
      continue;
    const [start, last] = [run[0].index, run[count - 1]];
    const end = last.index + last[0].length;
    const before = found.at(-1);
    if (before && start <= before[1]) before[1] = Math.max(before[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** The text as nodes, with what belongs to common shingles of a kind such as `words:3` in `mark`. */
export function marked(text, common, kind) {
  const nodes = [];
  let done = 0;
  for (const [start, end] of ranges(text, new Set(common), kind)) {
    nodes.push(text.slice(done, start), make("mark", {}, text.slice(start, end)));
    done = end;
  }
  return [...nodes, text.slice(done)];
}

/** Shingles in a row, the first so many of them. */
export function chips(shingles, most = 150) {
  const shown = shingles.slice(0, most).map((shingle) => make("span", { class: "chip" }, shingle));
  const rest = shingles.length - shown.length;
  const separated = shown.flatMap((chip) => [chip, " "]);
  return shingles.length ? [...separated, rest > 0 ? `and ${rest} more` : null].filter(Boolean) : ["none"];
}
