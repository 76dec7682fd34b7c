/** The whole way without a mouse. */
import assert from "node:assert/strict";
import { message } from "./messages.mjs";
import { BASE, learned } from "./server.mjs";

export async function useKeyboard(visit) {
  const { page } = visit;
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
  /** Presses Tab until an element has the focus. */
  const tabTo = async (wanted) => {
    for (let times = 0; times < 80; times++) {
      if ((await focused()) === wanted) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`Tab never reaches ${wanted}`);
  };

  await visit.check("keyboard: the first Tab shows the skip link, which leads to the content", async () => {
    await page.goto(BASE);
    await page.locator("#start").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the content");
    const box = await page.locator(".skip").boundingBox();
    assert.ok(box.y >= 0, "it is in sight");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "main");
    assert.ok(await page.locator("#start").isVisible(), "the view stays");
  });

  await visit.check("keyboard: navigation puts the focus on the view's heading", async () => {
    await page.goto("about:blank");
    await page.goto(BASE);
    await page.locator("#start").waitFor();
    await tabTo("Learn how it works");
    await page.keyboard.press("Enter");
    await page.locator("#learn").waitFor();
    assert.equal(await focused(), "learn-title");
    await page.goto(`${BASE}/#learn`);
    await tabTo("Filter");
    await page.keyboard.press("Enter");
    await page.locator("#filter").waitFor();
    assert.equal(await focused(), "filter-title");
    assert.equal(await page.title(), "Filter · Tamis");
    await page.goto(`${BASE}/#mail`);
    await page.locator("#mail").waitFor();
  });

  await visit.check("keyboard: check, teach by Enter, undo by Enter", async () => {
    await tabTo("mail-text");
    await page.keyboard.insertText(message("spam", 9, ` keys ${visit.name}`));
    await page.keyboard.press("Control+Enter");
    await visit.shows("#mail-verdict", `keys ${visit.name}`);
    const before = await learned("spam");
    await tabTo("teach-spam");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outline, "none", "the focus is visible");
    await page.keyboard.press("Enter");
    await visit.shows("#teach-status", "Learned as spam.");
    assert.equal(await focused(), "teach-spam", "the focus stays");
    assert.equal(await learned("spam"), before + 1);
    await tabTo("teach-undo");
    await page.keyboard.press("Enter");
    await visit.shows("#teach-status", "forgotten");
    assert.equal(await learned("spam"), before);
    assert.equal(await focused(), "teach-spam", "the focus is not lost with the button");
  });
}
