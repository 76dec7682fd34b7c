/** Import: mailboxes and messages that a person chooses or drops are learned, with progress, until they stop it. */
import { attempt, byId, make, say, several, size } from "./dom.js";
import { postMail, withQuery } from "./api.js";
import { interleaved, messagesOf } from "./mbox.js";
import { user } from "./user.js";

/** How many lessons are on their way at a time: the server writes those that wait to disk together. */
const AT_ONCE = 4;

const LABELS = ["ham", "spam"];

/** Starts the import form; `learned()` is called now and then, and at the end. */
export function startImport(learned) {
  const [form, status, bar, stop] = [byId("import-form"), byId("import-status"), byId("import-bar"), byId("import-stop")];
  const chosen = { ham: [], spam: [] };
  let isStopped = false;

  function show(label) {
    byId(`import-${label}-files`).replaceChildren(
      ...chosen[label].map((file, index) =>
        make(
          "li",
          {},
          `${file.name || "a file"}, ${size(file.size)} `,
          make(
            "button",
            {
              type: "button",
              class: "small",
              "aria-label": `Remove ${file.name}`,
              click: () => {
                chosen[label].splice(index, 1);
                show(label);
                byId(`import-${label}-choose`).focus();
              },
            },
            "Remove",
          ),
        ),
      ),
    );
  }

  function choose(label, files) {
    chosen[label].push(...files);
    show(label);
    say(status, "");
  }

  async function lessons(label) {
    const all = [];
    for (const file of chosen[label]) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      for (const { start, end } of messagesOf(bytes)) all.push({ label, raw: bytes.subarray(start, end) });
    }
    return all;
  }

  async function learn() {
    const all = interleaved(await lessons("ham"), await lessons("spam"));
    if (!all.length) throw new Error("There is nothing to learn yet: choose or drop a mailbox or messages.");
    const counts = { learned: 0, moved: 0, known: 0 };
    let [next, done] = [0, 0];
    isStopped = false;
    bar.hidden = stop.hidden = false;
    bar.max = all.length;
    bar.value = 0;
    stop.focus();
    const worker = async () => {
      while (next < all.length && !isStopped) {
        const { label, raw } = all[next++];
        try {
          const { change } = await postMail(withQuery("/mail/learn", { label, user: user() }), new Blob([raw]));
          counts[change]++;
        } catch (error) {
          isStopped = true;
          throw error;
        }
        bar.value = ++done;
        if (done % 100 === 0) learned();
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const rest = all.length - done;
      say(
        status,
        `${several(counts.learned, "message")} learned, ${counts.moved} moved, ${counts.known} known before` +
          (rest ? `; stopped before the other ${rest}.` : "."),
      );
      for (const label of LABELS) {
        chosen[label].length = 0;
        show(label);
      }
    } finally {
      bar.hidden = stop.hidden = true;
      await learned();
    }
  }

  for (const label of LABELS) {
    const input = byId(`import-${label}`);
    const zone = byId(`import-${label}-zone`);
    byId(`import-${label}-choose`).addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      choose(label, input.files);
      input.value = "";
    });
    for (const type of ["dragover", "dragleave", "drop"]) {
      zone.addEventListener(type, (event) => {
        if (![...event.dataTransfer.types].includes("Files")) return;
        event.preventDefault();
        zone.classList.toggle("dropping", type === "dragover");
        if (type === "drop") choose(label, event.dataTransfer.files);
      });
    }
  }
  stop.addEventListener("click", () => (isStopped = true));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(status, learn, event.submitter);
  });
}
