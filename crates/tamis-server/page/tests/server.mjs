/** The server, asked directly: what the page shows is compared with this. */
import assert from "node:assert/strict";
import { message } from "./messages.mjs";

/** A running `tamis serve`. */
export const BASE = (process.env.BASE_URL ?? "http://127.0.0.1:8080").replace(/\/$/, "");

/** Enough of each label for sure verdicts and for similar learned messages. */
const ENOUGH = 300;

/** Asks, or sends JSON or a message. */
export async function api(path, body, type = "application/json") {
  const options =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": type },
          body: type === "application/json" ? JSON.stringify(body) : body,
        };
  const response = await fetch(`${BASE}/api/v1${path}`, options);
  assert.ok(response.ok, `${path} answered ${response.status}: ${await response.clone().text()}`);
  return response.json();
}

/** Sends a message. */
export const mail = (path, text) => api(path, text, "message/rfc822");

/** How many messages are learned under a label. */
export async function learned(label) {
  const { labels } = await api("/mail/labels");
  return labels.find(({ name }) => name === label)?.messages ?? 0;
}

/** Teaches both labels side by side: a filter that sees all of one first learns less. */
export async function seed() {
  if (Math.min(await learned("spam"), await learned("ham")) >= ENOUGH) return;
  for (let from = 0; from < ENOUGH; from += 4) {
    const numbers = [from, from + 1, from + 2, from + 3];
    await Promise.all(
      numbers.flatMap((number) =>
        ["spam", "ham"].map((label) => mail(`/mail/learn?label=${label}`, message(label, number))),
      ),
    );
  }
}
