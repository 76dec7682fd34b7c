/** The state view: what the server says of itself, and when it does not. */
import assert from "node:assert/strict";
import { letter } from "./messages.mjs";
import { api, mail } from "./server.mjs";

export async function useState(visit) {
  const { page } = visit;
  await visit.check("state: version, counts and store are the server's", async () => {
    const state = await api("/state");
    await visit.shows("#state-server", state.version);
    await visit.shows("#state-counts div:nth-child(1) dd", state.counts.checked.toLocaleString("en"));
    for (const { name, messages } of state.store.labels) {
      await page
        .locator("#state-labels tr", { hasText: name })
        .filter({ hasText: messages.toLocaleString("en") })
        .first()
        .waitFor();
    }
    assert.ok((await visit.count("#state-minutes rect")) > 0, "the minutes have bars");
    await page.locator("#state").getByText("As a table").click();
    assert.ok((await visit.count("#state-minutes-table tbody tr")) > 0);
  });

  if (!visit.isFirst) return;
  await visit.check("state: it keeps up by itself", async () => {
    const { counts } = await api("/state");
    await mail("/mail/check", letter("eva@leek.example", "State", "The leeks are ready."));
    await visit.shows("#state-counts div:nth-child(1) dd", (counts.checked + 1).toLocaleString("en"));
  });

  await visit.check("state: a server that refuses is told in a sentence, and forgiven", async () => {
    visit.refusalsExpected = true;
    const body = JSON.stringify({
      type: "about:blank",
      title: "Busy",
      status: 503,
      detail: "Too many questions at once.",
    });
    await page.route("**/api/v1/state", (route) =>
      route.fulfill({ status: 503, contentType: "application/problem+json", body }),
    );
    await visit.shows("#state-status", "Too many questions at once.");
    await page.unroute("**/api/v1/state");
    await page.waitForFunction(() => document.querySelector("#state-status").textContent === "");
    visit.refusalsExpected = false;
  });
}
