/** The cascade view: steps, ways, files. */
import assert from "node:assert/strict";
import { api } from "./server.mjs";

export async function useCascade(visit) {
  const { page } = visit;
  const keys = async () =>
    (await page.locator("#cascade-text").inputValue()).split("\n").filter((line) => line && !line.startsWith("["))
      .length;
  const steps = async () => Number((await visit.text("#cascade-step")).match(/of (\d+)/)[1]);
  const next = page.locator("#cascade-next");

  /** Steps to the end; at each step the picture has as many settled keys as the server's trace. */
  const stepThrough = async (trace) => {
    const filters = trace.rounds.flatMap((round) => round.filters).filter(({ bits }) => bits > 0);
    assert.equal(await steps(), filters.length + 1);
    await next.focus();
    const settled = new Set();
    for (const [index, filter] of filters.entries()) {
      await page.keyboard.press("Enter");
      await visit.shows("#cascade-step", `step ${index + 1} of`);
      for (const key of filter.settled) settled.add(key);
      await visit.counts("#cascade-picture .dot.settled", settled.size);
      await visit.shows("#cascade-told", filter.category);
    }
    await page.keyboard.press("Enter");
    await visit.shows("#cascade-told", `whatever falls through everything is ${trace.last}`);
    await visit.counts("#cascade-picture .dot.settled", await keys());
  };

  await visit.check("cascade: the sample falls through the rounds, step by step", async () => {
    const trace = await visit.answer("/cascades/trace", () => page.getByRole("button", { name: "Build" }).click());
    await visit.shows("#cascade-step", "step 0 of");
    await visit.counts("#cascade-picture .dot", await keys());
    await stepThrough(trace);
    await page.locator("#cascade-previous").click();
    await visit.shows("#cascade-step", `step ${(await steps()) - 1} of`);
  });

  await visit.check("cascade: asked keys tell their way, and it can be drawn", async () => {
    await visit.shows("#cascade-answers", "parsnip is root.");
    await visit.shows("#cascade-answers", "kale is leaf.");
    await visit.shows("#cascade-answers", "it was not trained");
    await page.getByLabel("Draw the way of").selectOption({ label: "pineapple" });
    await visit.counts("#cascade-picture .way-end", 1);
  });

  await visit.check("cascade: it plays and pauses", async () => {
    await page.locator("#cascade-first-step").click();
    await visit.shows("#cascade-step", "step 0 of");
    await page.locator("#cascade-play").click();
    await visit.shows("#cascade-step", "step 2 of");
    await page.getByRole("button", { name: "Pause" }).click();
    await visit.shows("#cascade-play", "Play");
  });

  await visit.check("cascade: algorithm 1, with an edited set", async () => {
    const text = await page.locator("#cascade-text").inputValue();
    await page.locator("#cascade-text").fill(`${text}\n[grain]\nrye\noats\nbarley\nwheat\n`);
    await page.getByLabel("Algorithm").selectOption("1");
    const trace = await visit.answer("/cascades/trace", () => page.getByRole("button", { name: "Build" }).click());
    await visit.counts("#cascade-picture .dot", await keys());
    await stepThrough(trace);
    await visit.shows("#cascade-size", trace.exact.entropy_bits_per_key.toFixed(2));
  });

  await visit.check("cascade: a key in two categories is refused in a sentence", async () => {
    visit.refusalsExpected = true;
    const text = await page.locator("#cascade-text").inputValue();
    await page.locator("#cascade-text").fill(`${text}leek\n`);
    await page.getByRole("button", { name: "Build" }).click();
    await page.locator("#cascade-status.error").waitFor();
    assert.match(await visit.text("#cascade-status"), /leek/);
    await page.locator("#cascade-text").fill(text);
    await page.getByLabel("Algorithm").selectOption("0");
    await visit.answer("/cascades/trace", () => page.getByRole("button", { name: "Build" }).click());
    await visit.shows("#cascade-status", "filters in");
    visit.refusalsExpected = false;
    await next.click();
    await visit.shows("#cascade-step", "step 1 of");
    await next.click();
    await visit.shows("#cascade-step", "step 2 of");
  });

  const { cascades } = await api("/cascades");
  await visit.check(`cascade: the server's files (${cascades.length})`, async () => {
    if (!cascades.length) return visit.shows("#classify-none", "There are none");
    await page.locator("#classify-keys").fill("leek\ncarrot");
    await page.getByRole("button", { name: "Classify" }).click();
    await visit.counts("#classify-results tbody tr", 2);
    const name = await page.locator("#classify-name").inputValue();
    const { categories } = await api(`/cascades/${encodeURIComponent(name)}/classify`, { keys: ["leek", "carrot"] });
    for (const category of categories) await visit.shows("#classify-results", category ?? "not covered");
  });
}
