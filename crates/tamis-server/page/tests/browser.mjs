/**
 * Uses every view of the page in Chromium as a person would, wide and narrow, light and dark.
 *
 * BASE_URL is a running `tamis serve`; OUT is the folder for the screenshots. The store learns some hundred made-up
 * messages first if it knows too few to be sure of anything. One line for each check; the exit code tells if one failed.
 */
import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";
import { useCascade } from "./cascade.mjs";
import { useFilter } from "./filter.mjs";
import { useKeyboard } from "./keyboard.mjs";
import { useMail } from "./mail.mjs";
import { BASE, seed } from "./server.mjs";
import { useSimilar } from "./similar.mjs";
import { useState } from "./state.mjs";
import { OUT, Visit, tally } from "./visit.mjs";

const USES = { mail: useMail, filter: useFilter, similar: useSimilar, cascade: useCascade, state: useState };

await mkdir(OUT, { recursive: true });
await seed();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", chromiumSandbox: false });
try {
  for (const [index, [width, scheme]] of [
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ].entries()) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      locale: "en-GB",
      reducedMotion: width < 500 ? "reduce" : "no-preference",
    });
    const visit = new Visit(await context.newPage(), `${width}-${scheme}`, index === 0);
    await visit.page.goto(BASE);
    for (const [view, use] of Object.entries(USES)) {
      await visit.check(`${view}: opens`, () => visit.open(view));
      await use(visit);
      await visit.check(`${view}: fits the window, axe finds nothing serious`, () => visit.inspect(view));
      await visit.screenshot(view);
    }
    await useKeyboard(visit);
    await context.close();
  }
} finally {
  await browser.close();
}
console.log(`${tally.passed} checks passed, ${tally.failed} failed; screenshots in ${OUT}`);
process.exitCode = tally.failed ? 1 : 0;
