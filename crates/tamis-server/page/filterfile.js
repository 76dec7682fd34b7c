/** The filter files of the server: ask, add, count, remove. */
import { attempt, byId, count, facts, make, percent, say, several, size, split, table } from "./dom.js";
import { get, post } from "./api.js";

/** For each operation the field of the answer that has a value for each key, and that value as a word. */
const OPERATIONS = {
  contains: { field: "found", show: (found) => (found ? "yes, perhaps" : "no") },
  count: { field: "counts", show: (times) => several(times, "time") },
  remove: { field: "removed", show: (removed) => (removed ? "removed" : "was not there") },
  add: { field: null },
};

export function startFilterFiles(view) {
  const [name, status, results] = [byId("file-name"), byId("file-status"), byId("file-results")];
  const path = () => `/filters/${encodeURIComponent(name.value)}`;

  async function list() {
    const { filters } = await get("/filters");
    byId("file-part").hidden = !filters.length;
    byId("file-none").textContent = filters.length
      ? ""
      : "There are none: start the server with --files and a folder of them.";
    const chosen = name.value;
    name.replaceChildren(
      ...filters.map((filter) =>
        make("option", { value: filter.name }, `${filter.name} (${filter.kind}, ${size(filter.bytes)})`),
      ),
    );
    if (filters.some((filter) => filter.name === chosen)) name.value = chosen;
    if (filters.length) await info();
  }

  async function info() {
    const filter = await get(path());
    const known = (value, show) => (value == null ? "unknown" : show(value));
    facts(byId("file-info"), [
      ["Kind", filter.kind],
      ["Items", known(filter.items, count)],
      ["Bits", known(filter.bits, count)],
      ["Functions", known(filter.hashes, count)],
      ["Expected rate", known(filter.expected_rate, percent)],
      ["Filled", known(filter.fill, percent)],
      ["Hash, seed", `${filter.hash}, ${filter.seed}`],
    ]);
  }

  async function run(operation) {
    const keys = split(byId("file-keys").value, /\r?\n/);
    if (!keys.length) throw new Error("Write a key first.");
    const answer = await post(`${path()}/${operation}`, { keys });
    const { field, show } = OPERATIONS[operation];
    results.replaceChildren();
    if (field)
      results.append(
        table(
          "Answers",
          ["Key", "Answer"],
          keys.map((key, index) => [key, show(answer[field][index])]),
        ),
      );
    say(status, field ? `${several(keys.length, "key")} done.` : `${several(answer.added, "key")} added and on disk.`);
    await info();
  }

  view.addEventListener("shown", () => list().catch((error) => say(byId("file-none"), error.message, true)));
  name.addEventListener("change", () =>
    attempt(status, async () => {
      results.replaceChildren();
      await info();
    }),
  );
  byId("file-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(status, () => run(event.submitter.value), event.submitter);
  });
}
