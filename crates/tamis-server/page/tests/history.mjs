/** The history: search, filters, bulk correction and undo. */
import assert from "node:assert/strict";
import { letter } from "./messages.mjs";
import { learned, mail } from "./server.mjs";

export async function useHistory(visit) {
  const { page } = visit;
  const mark = `history ${visit.name}`;
  const search = () =>
    visit.answer("/mail/history", () => page.getByRole("button", { name: "Search", exact: true }).click());

  await visit.check("history: a text finds what was judged, newest first", async () => {
    for (const number of [1, 2, 3])
      await mail("/mail/check", letter("Eva Leek <eva@leek.example>", `${mark} ${number}`, `Leeks, number ${number} of ${mark}.`));
    await page.getByLabel("Text in sender").fill(mark.toUpperCase());
    const found = await search();
    assert.deepEqual(
      found.verdicts.map(({ subject }) => subject),
      [3, 2, 1].map((number) => `${mark} ${number}`),
    );
    await visit.counts("#history-list li", 3);
    await visit.shows("#history-status", "3 verdicts shown.");
  });

  await visit.check("history: filters narrow it, and clearing them widens it", async () => {
    await page.getByLabel("Sender", { exact: true }).fill("nobody.example");
    await search();
    await visit.shows("#history-status", "No verdict fits these filters.");
    await page.getByLabel("Sender", { exact: true }).fill("leek.example");
    await search();
    await visit.counts("#history-list li", 3);
    await page.getByLabel("What became of it").selectOption({ label: "held" });
    await visit.counts("#history-list li", 0);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForFunction(() => document.querySelectorAll("#history-list li").length > 3);
  });

  await visit.check("history: several are corrected together, and that is undone", async () => {
    await page.getByLabel("Text in sender").fill(mark);
    await search();
    await visit.counts("#history-list li", 3);
    const before = await learned("spam");
    await page.getByLabel("Pick all shown").check();
    await page.getByLabel(`Pick: ${mark} 2`).uncheck();
    await visit.shows("#history-picked", "2 verdicts picked");
    await visit.screenshot("history-picked");
    await page.getByRole("button", { name: "They are spam" }).click();
    await visit.shows("#history-told", "2 messages learned as spam.");
    assert.equal(await learned("spam"), before + 2);
    await visit.counts("#history-list .taught", 2);
    assert.equal(await page.evaluate(() => document.activeElement.id), "history-undo", "the focus is not lost");
    await page.keyboard.press("Enter");
    await visit.shows("#history-told", "Undone for 2 messages.");
    assert.equal(await learned("spam"), before);
    await visit.counts("#history-list .taught", 0);
  });
}
