/** The server's JSON interface. Every failure becomes an `Error` whose message is a sentence for people. */

const BASE = "/api/v1";

/** A failure that the server reported; `status` tells which. */
class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function send(path, options) {
  try {
    return await fetch(BASE + path, options);
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
}

async function request(path, options) {
  const response = await send(path, options);
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const sentence = answer?.detail || answer?.title || "it gave no reason";
  throw new Refused(response.status, `The server refused (${response.status}): ${sentence}`);
}

/** Asks. */
export const get = (path) => request(path, { headers: { accept: "application/json" } });

/** Asks for text. */
export async function getText(path) {
  const response = await send(path, { headers: { accept: "text/plain" } });
  if (response.ok) return response.text();
  const answer = await response.json().catch(() => null);
  throw new Refused(response.status, `The server refused (${response.status}): ${answer?.detail ?? "it gave no reason"}`);
}

/** Sends a value as JSON. */
export const post = (path, value) =>
  request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) });

/** Sends the bytes of a message as they are; nothing for a message that the server holds. */
export const postMail = (path, message = null) =>
  request(path, { method: "POST", headers: message ? { "content-type": "message/rfc822" } : {}, body: message });

/** A path with a query; what is empty is left out. */
export function withQuery(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}
