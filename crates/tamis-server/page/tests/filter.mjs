/** The filter view: bits, false positives, sliders, files. */
import assert from "node:assert/strict";
import { api } from "./server.mjs";

export async function useFilter(visit) {
  const { page } = visit;
  /** The bits that the words of the page set by the server's positions. */
  const truth = async () => {
    const words = (await page.locator("#filter-words").textContent()).split(" ");
    const [bits, hashes] = await Promise.all(
      ["#filter-m", "#filter-k"].map((id) => page.locator(id).inputValue().then(Number)),
    );
    const { positions } = await api("/filters/positions", { bits, hashes, keys: words });
    return { words, positions, set: new Set(positions.flat()) };
  };
  const litAsTheServerSays = async () => {
    const { set } = await truth();
    await visit.counts("#filter-bits .set", set.size);
    const lit = await page
      .locator("#filter-bits .set")
      .evaluateAll((bits) => bits.map((bit) => Number(bit.dataset.position)));
    assert.deepEqual(
      lit.sort((a, b) => a - b),
      [...set].sort((a, b) => a - b),
    );
    await visit.shows("#filter-fill", `${set.size} of`);
  };

  await visit.check("filter: added words light up the positions that the server names", async () => {
    await page.getByLabel("Add words").fill("leek carrot turnip");
    await page.locator("#filter-add").getByRole("button").click();
    await visit.shows("#filter-status", "Added 3 words");
    const { positions } = await truth();
    await visit.shows("#filter-status", positions.at(-1).join(", "));
    await litAsTheServerSays();
    await visit.counts("#filter-bits .recent", new Set(positions.at(-1)).size);
  });

  await visit.check("filter: an added word is found, one with a bit missing is not", async () => {
    const { set } = await truth();
    const candidates = Array.from({ length: 40 }, (_, number) => `quince${number}`);
    const [bits, hashes] = await Promise.all(
      ["#filter-m", "#filter-k"].map((id) => page.locator(id).inputValue().then(Number)),
    );
    const { positions } = await api("/filters/positions", { bits, hashes, keys: candidates });
    const absent = candidates.find((_, index) => positions[index].some((position) => !set.has(position)));
    await page.getByLabel("Ask for words").fill(`leek ${absent}`);
    await page.locator("#filter-ask").getByRole("button").click();
    await visit.shows("#filter-answers", "leek: yes, it was added");
    await visit.shows("#filter-answers", `${absent}: no, for`);
    assert.ok((await visit.count("#filter-bits .missing")) > 0, "the bits that it lacks are drawn");
  });

  await visit.check("filter: 50 words more and 1,000 questions: false positives near the theory", async () => {
    await page.locator("#filter-many").click();
    await visit.shows("#filter-status", "asked for 1,000 others");
    await litAsTheServerSays();
    await page.locator("#filter-many").click();
    await visit.shows("#filter-count", "103");
    await page.locator("#filter-many").click();
    await visit.shows("#filter-count", "153");
    const shown = await page.locator("#filter-tally dd").allInnerTexts();
    const [yes, no, wrong] = shown.slice(0, 3).map((number) => Number(number.replace(",", "")));
    assert.equal(yes + no + wrong, 3002, "every answer is counted");
    assert.ok(wrong > 0, "false positives happen");
    await page.locator("#filter-clear").click();
    await visit.counts("#filter-bits .set", 0);
    await page.getByLabel("Add words").fill("leek carrot turnip kale chard");
    await page.keyboard.press("Enter");
    await visit.shows("#filter-count", "5");
    await page.locator("#filter-many").click();
    await visit.shows("#filter-count", "55");
    const [, , , measured, expected] = await page.locator("#filter-tally dd").allInnerTexts();
    assert.ok(Math.abs(parseFloat(measured) - parseFloat(expected)) < 3, `measured ${measured}, expected ${expected}`);
  });

  await visit.check("filter: sliders by keyboard move the shape, the bits and the curves", async () => {
    const before = Number(await page.locator("#filter-k").inputValue());
    await page.locator("#filter-k").focus();
    await page.keyboard.press("ArrowRight");
    await visit.shows("#filter-k-out", String(before + 1));
    await litAsTheServerSays();
    await page.locator("#filter-m").focus();
    await page.keyboard.press("End");
    await visit.shows("#filter-m-out", "1,024");
    await litAsTheServerSays();
    await page.locator("#filter-n").focus();
    await page.keyboard.press("ArrowRight");
    const [m, n, k] = await Promise.all(
      ["m", "n", "k"].map((name) => page.locator(`#filter-${name}`).inputValue().then(Number)),
    );
    const rate = 100 * (1 - Math.exp((-k * n) / m)) ** k;
    await visit.shows("#filter-theory", `${rate.toFixed(rate < 1 ? 2 : 1)} % false positives`);
    await visit.shows("#filter-by-k desc", `least at ${((m / n) * Math.LN2).toFixed(1)} functions`);
    for (const name of ["m", "k"]) await page.locator(`#filter-${name}`).fill(name === "m" ? "512" : "5");
    await visit.shows("#filter-fill", "of 512 bits");
    await litAsTheServerSays();
    await page.locator("#filter-many").click();
    await visit.shows("#filter-by-n desc", "Measured with 105 words");
  });

  const { filters } = await api("/filters");
  await visit.check(`filter: the server's files (${filters.length})`, async () => {
    if (!filters.length) return visit.shows("#file-none", "There are none");
    const counting = filters.find(({ kind }) => /count/i.test(kind)) ?? filters[0];
    const key = `quince ${visit.name}`;
    await page.getByLabel("Filter", { exact: true }).selectOption(counting.name);
    await page.locator("#file-keys").fill(key);
    const press = (name) => page.locator("#file-form").getByRole("button", { name, exact: true }).click();
    const path = `/filters/${encodeURIComponent(counting.name)}`;
    await press("Add");
    await visit.shows("#file-status", "1 key added");
    await press("Ask");
    await visit.shows("#file-results", "yes, perhaps");
    assert.deepEqual(await api(`${path}/contains`, { keys: [key] }), { found: [true] });
    if (!/count/i.test(counting.kind)) return;
    await press("Count");
    await visit.shows("#file-results", "1 time");
    await press("Remove");
    await visit.shows("#file-results", "removed");
    assert.deepEqual(await api(`${path}/count`, { keys: [key] }), { counts: [0] });
  });

  await visit.check("filter: what a file cannot do is said in a sentence", async () => {
    const plain = filters.find(({ kind }) => !/count/i.test(kind));
    if (!plain) return;
    visit.refusalsExpected = true;
    await page.getByLabel("Filter", { exact: true }).selectOption(plain.name);
    await page.locator("#file-keys").fill("leek");
    await page.locator("#file-form").getByRole("button", { name: "Remove", exact: true }).click();
    await page.locator("#file-status.error").waitFor();
    await visit.shows("#file-status", "The server refused");
    visit.refusalsExpected = false;
  });
}
