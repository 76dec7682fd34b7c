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
import { useHistory } from "./history.mjs";
import { useKeyboard } from "./keyboard.mjs";
import { useMail } from "./mail.mjs";
import { BASE, seed } from "./server.mjs";
import { useSimilar } from "./similar.mjs";
import { useStart } from "./start.mjs";
import { useState } from "./state.mjs";
import { OUT, tally, visits } from "./visit.mjs";

const USES = {
  start: useStart,
  mail: useMail,
  history: useHistory,
  state: useState,
  filter: useFilter,
  similar: useSimilar,
  cascade: useCascade,
};

await mkdir(OUT, { recursive: true });
await seed();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", chromiumSandbox: false });
try {
  for await (const visit of visits(browser)) {
    await visit.page.goto(BASE);
    for (const [view, use] of Object.entries(USES)) {
      await visit.check(`${view}: opens`, () => visit.open(view));
      await use(visit);
      await visit.check(`${view}: fits the window, axe finds nothing serious`, () => visit.inspect(view));
      await visit.screenshot(view);
    }
    await useKeyboard(visit);
  }
} finally {
  await browser.close();
}
console.log(`${tally.passed} checks passed, ${tally.failed} failed; screenshots in ${OUT}`);
process.exitCode = tally.failed ? 1 : 0;
