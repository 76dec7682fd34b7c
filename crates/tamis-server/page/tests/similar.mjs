/** The similar view: numbers, marks, signatures, bands. */
import assert from "node:assert/strict";
import { api } from "./server.mjs";

export async function useSimilar(visit) {
  const { page } = visit;
  /** Waits until the page shows what the server says of its two texts and sliders. */
  const agrees = async () => {
    const value = (id) => page.locator(id).inputValue();
    const asked = {
      left: await value("#similar-left"),
      right: await value("#similar-right"),
      shingle: await value("#similar-shingle"),
      components: 128,
      bands: Number(await value("#similar-b")),
      rows: Number(await value("#similar-r")),
    };
    const pair = await api("/similar/compare", asked);
    await visit.shows("#similar-numbers div:nth-child(1) dd", pair.jaccard.toFixed(4));
    await visit.shows("#similar-numbers div:nth-child(2) dd", pair.estimate.toFixed(4));
    await visit.counts("#similar-strip .agree", pair.agreeing.length);
    await visit.counts("#similar-strip .band", pair.bands.filter(Boolean).length);
    const agreeing = new Set(pair.agreeing);
    const whole = pair.bands.map((_, band) =>
      Array.from({ length: asked.rows }, (_, row) => agreeing.has(band * asked.rows + row)).every(Boolean),
    );
    assert.deepEqual(pair.bands, whole, "a band agrees if all its components do");
    await visit.shows("#similar-candidate", pair.candidate ? "is a candidate" : "is not found");
    return pair;
  };

  await visit.check("similar: the sample's numbers are the server's", async () => {
    await page.locator("#similar-results").waitFor();
    const pair = await agrees();
    assert.ok(pair.jaccard > 0 && pair.jaccard < 1);
    assert.ok((await visit.count("#similar-left-marked mark")) > 0, "common shingles are marked");
    await page.getByText("The shingles themselves").click();
    await visit.counts("#shingles-common .chip", Math.min(150, pair.shingles.counts.common));
  });

  await visit.check("similar: the marks cover exactly the common shingles", async () => {
    await page.locator("#similar-left").fill("one two Three four five six seven");
    await page.locator("#similar-right").fill("zero two three four nine");
    await visit.counts("#similar-left-marked mark", 1);
    await visit.shows("#similar-numbers", "1 of 7");
    assert.equal(await visit.text("#similar-left-marked mark"), "two Three four");
    await agrees();
    await page.getByLabel("Shingle", { exact: true }).selectOption("chars:5");
    await visit.shows("#similar-left-marked mark", "two Three four ");
    await agrees();
  });

  await visit.check("similar: another example, and equal texts are equal", async () => {
    await page.getByLabel("Shingle", { exact: true }).selectOption("words:3");
    await page.getByLabel("Example", { exact: true }).selectOption("nothing in common");
    await visit.shows("#similar-numbers", "0.0000");
    await agrees();
    await page.locator("#similar-right").fill(await page.locator("#similar-left").inputValue());
    await visit.shows("#similar-numbers", "1.0000");
    await agrees();
    await page.getByLabel("Example", { exact: true }).selectOption("a prize, twice");
    await agrees();
  });

  await visit.check("similar: sliders by keyboard change bands, rows and the curve", async () => {
    await page.locator("#similar-r").focus();
    for (let times = 0; times < 4; times++) await page.keyboard.press("ArrowLeft");
    await visit.shows("#similar-r-out", "4");
    await page.locator("#similar-b").focus();
    await page.keyboard.press("End");
    await visit.shows("#similar-b-out", "32 of at most 32");
    await visit.shows("#similar-candidate", "Of 32 bands");
    const pair = await agrees();
    await visit.shows("#similar-curve desc", `steep near ${((1 / 32) ** (1 / 4)).toFixed(2)}`);
    const own = 1 - (1 - pair.jaccard ** 4) ** 32;
    assert.ok(Math.abs(pair.probability - own) < 1e-6, "the curve's formula is the server's");
  });

  const { indexes } = await api("/similar/indexes");
  await visit.check(`similar: the server's indexes (${indexes.length})`, async () => {
    if (!indexes.length) return visit.shows("#index-none", "There are none");
    await page.locator("#index-form").getByRole("button", { name: "Search" }).click();
    await visit.shows("#index-status", "found");
  });
}
