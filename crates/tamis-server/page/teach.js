/** Teaching a message and taking it back: the same for a pasted one and for one of the stream. */
import { postMail, withQuery } from "./api.js";

/**
 * Does something with a message: `{ id, bytes, user }`. The server holds recent ones by their id; for one that it no
 * longer holds the bytes are sent again, if they are here.
 */
async function act(message, action, query = {}) {
  try {
    return await postMail(withQuery(`/mail/recent/${message.id}/${action}`, { ...query, user: message.user }));
  } catch (error) {
    const gone = error.status === 404 || error.status === 410;
    if (!gone || !message.bytes) throw error;
    return postMail(withQuery(`/mail/${action}`, { ...query, user: message.user }), message.bytes);
  }
}

/** Learns a message under a label; returns what changed. */
export const teach = (message, label) => act(message, "learn", { label });

/** What a change was, as a sentence. */
export function told({ change, from, label }) {
  if (change === "moved") return `Moved from ${from} to ${label}.`;
  return change === "known" ? `It was known as ${label} before; nothing changed.` : `Learned as ${label}.`;
}

/** Takes a change back: what was moved goes back to its label, anything else is forgotten. Returns a sentence. */
export async function takeBack(message, { change, from }) {
  if (change === "moved") {
    await act(message, "learn", { label: from });
    return `Undone: it is ${from} again.`;
  }
  const { forgotten } = await act(message, "forget");
  return forgotten ? "Undone: the message is forgotten." : "The message was not known; nothing changed.";
}
