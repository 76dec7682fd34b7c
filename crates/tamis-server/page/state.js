/** The state view: store, counts, rates over time, latencies, protocols, version. */
import { bar, byId, clock, count, draw, facts, percent, say, size, table, whileShown } from "./dom.js";
import { get } from "./api.js";
import { label, picture, scale, ticks } from "./plot.js";

const KINDS = ["ham", "unsure", "spam"];
const COUNTS = ["checked", "spam", "ham", "unsure", "learned", "forgotten", "rejected"];
const MINUTES = 60;

export function startState(view) {
  const status = byId("state-status");
  const showMinutes = picture(byId("state-minutes"), "Verdicts in each of the last sixty minutes", paintMinutes);

  async function refresh() {
    const state = await get("/state");
    const { store, counts, latency, minutes, protocols } = state;
    facts(
      byId("state-counts"),
      COUNTS.map((name) => [name, count(counts[name])]),
    );
    showMinutes(lastHour(minutes));
    byId("state-minutes-table").replaceChildren(
      table(
        "Minutes in which something happened",
        ["Minute", "spam", "unsure", "ham", "learned"],
        minutes
          .filter((minute) => minute.spam + minute.unsure + minute.ham + minute.learned > 0)
          .map((minute) => [hour(minute.time), minute.spam, minute.unsure, minute.ham, minute.learned]),
      ),
    );
    showStore(store);
    facts(byId("state-server"), [
      ["Version", state.version],
      ["Running for", duration(state.uptime)],
      ["Half of the answers within", milliseconds(latency.p50_ms)],
      ["Nine in ten within", milliseconds(latency.p90_ms)],
      ["99 in a hundred within", milliseconds(latency.p99_ms)],
      ...Object.entries(protocols).map(([name, address]) => [name, address ?? "off"]),
    ]);
    say(status, "");
  }

  whileShown(view, 5, () => refresh().catch((error) => say(status, error.message, true)));
}

/** The one store; there is none before anything is learned, or where each user has one. */
function showStore(store) {
  if (!store) {
    byId("state-labels").replaceChildren("Nothing is learned yet, or every user has a store.");
    return facts(byId("state-store"), []);
  }
  const most = Math.max(1, ...store.labels.map((known) => known.messages));
  byId("state-labels").replaceChildren(
    table(
      "Learned messages",
      ["Label", "", "Messages"],
      store.labels.map((known) => [
        known.name,
        bar(known.messages / most, known.name === "spam" ? "" : "calm"),
        known.messages,
      ]),
    ),
  );
  facts(byId("state-store"), [
    ["Messages", count(store.messages)],
    ["Table of words", `2^${store.bits} entries, ${size(store.tables_bytes)}`],
    ["Journal", size(store.journal_bytes)],
    ["Ham that may be lost", percent(store.ham_lost)],
    ["Oldest", store.oldest == null ? "none" : clock(store.oldest)],
    ["Newest", store.newest == null ? "none" : clock(store.newest)],
  ]);
}

const hour = (seconds) => new Date(seconds * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
const milliseconds = (time) => (time == null ? "unknown" : `${Number(time.toPrecision(3))} ms`);

/** 3725 as "1 h 2 min 5 s". */
function duration(seconds) {
  const parts = [
    [86400, "d"],
    [3600, "h"],
    [60, "min"],
    [1, "s"],
  ].map(([unit, name], index, units) => [Math.floor((index ? seconds % units[index - 1][0] : seconds) / unit), name]);
  return (
    parts
      .filter(([number]) => number)
      .map(([number, name]) => `${number} ${name}`)
      .join(" ") || "0 s"
  );
}

/** One entry for each of the last sixty minutes; in those that the server does not name nothing happened. */
function lastHour(minutes) {
  const known = new Map(minutes.map((minute) => [minute.time, minute]));
  const now = Math.max(Math.floor(Date.now() / 60_000) * 60, ...known.keys());
  return Array.from({ length: MINUTES }, (_, index) => {
    const time = now - 60 * (MINUTES - 1 - index);
    return known.get(time) ?? { time, spam: 0, ham: 0, unsure: 0, learned: 0 };
  });
}

/** A bar a minute, with ham at the bottom. */
function paintMinutes(width, minutes) {
  const height = 200;
  const [left, right, top, bottom] = [44, width - 8, 12, height - 28];
  const total = (minute) => KINDS.reduce((sum, kind) => sum + minute[kind], 0);
  const most = Math.max(4, ...minutes.map(total));
  const up = scale(0, most, bottom, top);
  const step = (right - left) / Math.max(1, minutes.length);
  const parts = [];
  for (const tick of ticks(0, most, 4)) {
    if (!Number.isInteger(tick)) continue;
    parts.push(draw("line", { class: "grid", x1: left, x2: right, y1: up(tick), y2: up(tick) }));
    parts.push(label(left - 6, up(tick) + 4, count(tick), { "text-anchor": "end" }));
  }
  const apart = width < 500 ? 20 : 10;
  minutes.forEach((minute, index) => {
    let below = 0;
    for (const kind of KINDS.filter((name) => minute[name] > 0)) {
      const [y, end] = [up(below + minute[kind]), up(below)];
      parts.push(
        draw("rect", {
          class: `verdict-${kind}`,
          x: left + index * step + step * 0.1,
          y,
          width: step * 0.8,
          height: end - y,
        }),
      );
      below += minute[kind];
    }
    if ((minutes.length - 1 - index) % apart === 0 && index >= apart / 2) {
      parts.push(
        label(left + (index + 0.5) * step, height - 8, hour(minute.time), {
          "text-anchor": index > minutes.length - 4 ? "end" : "middle",
        }),
      );
    }
  });
  parts.push(draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  const sums = KINDS.map((kind) => `${count(minutes.reduce((sum, minute) => sum + minute[kind], 0))} ${kind}`).join(
    ", ",
  );
  return { height, parts, description: `In the last ${minutes.length} minutes: ${sums}.` };
}
