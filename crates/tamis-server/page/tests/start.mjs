/** The first view on a store that knows enough: what it says is what the server knows. */
import assert from "node:assert/strict";
import { learned } from "./server.mjs";

export async function useStart(visit) {
  const { page } = visit;
  await visit.check("start: how much is learned, and what is done", async () => {
    await visit.shows("#start-title", "It knows your mail");
    const spam = await learned("spam");
    await visit.shows("#start-progress", `Spam${spam.toLocaleString("en")} `);
    const first = page.locator("#start-steps li").first();
    assert.equal(await first.getAttribute("class"), "done");
    await visit.shows("#start-steps li:nth-child(2)", "It listens on");
  });

  await visit.check("start: every guide opens, and names where the server listens", async () => {
    for (const summary of await page.locator("#start details summary").all()) await summary.click();
    await page.locator("#start-milter").waitFor();
    assert.match(await visit.text("#start-milter"), /^127\.0\.0\.1:\d+$/);
    await visit.inspect("start");
  });

  await visit.check("learn: the views that explain are one click away", async () => {
    await visit.open("learn");
    await visit.counts("#learn .card", 3);
    await visit.inspect("learn");
    await visit.screenshot("learn");
    await visit.open("start");
  });
}
