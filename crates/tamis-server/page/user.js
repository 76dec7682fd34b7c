/** Whose store is looked at, on a server where each user has one. */
import { byId } from "./dom.js";

const input = byId("user");

/** The name of the user; empty where there is but one store, or nobody is named. */
export const user = () => input.value.trim();

/** Whether a user has to be named first. */
export const isMissing = () => !byId("user-form").hidden && user() === "";

/** Shows the field where each user has a store, and calls `changed` when another user is named. */
export function startUser(state, changed) {
  byId("user-form").hidden = !state.per_user;
  byId("user-form").addEventListener("submit", (event) => {
    event.preventDefault();
    changed();
  });
  input.addEventListener("change", changed);
}
