/**
 * A newcomer with an empty store: the first screen, the import of a mailbox, the history with search, the digest, and a
 * correction; wide and narrow, light and dark, with an empty and with a small store.
 *
 * BASE_URL is a running `tamis serve` with a history and an empty store, SPAMD its address for spamc, OUT the folder for
 * screenshots.
 */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { chromium } from "playwright-core";
import { message } from "./messages.mjs";
import { BASE, learned, mail } from "./server.mjs";
import { OUT, tally, visits } from "./visit.mjs";

const NASTY = "<img src=x onerror=alert(1)> \u202Efdp.exe & \"quotes\"";

/** Asks spamd, as a mail server would. */
const spamc = (text) =>
  new Promise((resolve, reject) => {
    const [host, port] = process.env.SPAMD.split(":");
    const socket = connect(Number(port), host, () => {
      socket.end(`CHECK SPAMC/1.5\r\nContent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    });
    let answer = "";
    socket.on("data", (data) => (answer += data));
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });

const mbox = (label, numbers) =>
  Buffer.from(
    numbers
      .map((number) => `From someone@example.org Mon Nov 16 09:00:00 2026\n${message(label, number)}\n>From the start\n\n`)
      .join(""),
  );

const range = (from, to) => Array.from({ length: to - from }, (_, index) => from + index);

/** What everybody looks at, with a store of this size. */
async function look(visit, size) {
  for (const view of ["start", "mail", "history"]) {
    await visit.check(`${size}: ${view} fits the window, axe finds nothing serious`, async () => {
      await visit.open(view);
      await visit.page.waitForLoadState("networkidle");
      await visit.inspect(view);
      await visit.screenshot(`${size}-${view}`);
    });
  }
}

async function teach(visit) {
  const { page } = visit;
  await visit.check("newcomer: the first screen says that nothing is learned, and what to do", async () => {
    await visit.open("start");
    await visit.shows("#start-title", "Teach it what you want to read");
    await visit.shows("#start-steps li:nth-child(1)", "Import a mailbox");
    assert.equal(await visit.count("#start-steps li.done:first-child"), 0);
    await page.getByRole("button", { name: "Learn them" }).click();
    await visit.shows("#import-status", "There is nothing to learn yet");
    await page.locator("#start-steps a").first().click();
    await page.locator("#start-import").waitFor();
    assert.ok(await page.locator("#start").isVisible(), "the view stays");
  });

  await visit.check("newcomer: an mbox that is chosen and messages that are dropped are learned", async () => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose wanted mail…" }).click();
    const file = { name: "Archive.mbox", mimeType: "application/mbox", buffer: mbox("ham", range(0, 20)) };
    await (await chooser).setFiles([file]);
    await visit.shows("#import-ham-files", "Archive.mbox");
    const dropped = await page.evaluateHandle(
      (files) => {
        const data = new DataTransfer();
        for (const [name, bytes] of files) data.items.add(new File([new Uint8Array(bytes)], name));
        return data;
      },
      [
        ["Junk", [...mbox("spam", range(0, 19))]],
        ["one.eml", [...Buffer.from(message("spam", 19))]],
      ],
    );
    await page.locator("#import-spam-zone").dispatchEvent("dragover", { dataTransfer: dropped });
    await page.locator("#import-spam-zone").dispatchEvent("drop", { dataTransfer: dropped });
    await visit.counts("#import-spam-files li", 2);
    await page.getByRole("button", { name: "Learn them" }).click();
    await visit.shows("#import-status", "40 messages learned, 0 moved, 0 known before.");
    assert.deepEqual([await learned("ham"), await learned("spam")], [20, 20]);
    await visit.shows("#start-title", "It filters, and still learns");
    await visit.counts("#start-steps li.done:first-child", 1);
    await visit.screenshot("imported");
  });

  await visit.check("newcomer: an import of what is known changes nothing", async () => {
    await page
      .locator("#import-spam")
      .setInputFiles([{ name: "Junk", mimeType: "application/mbox", buffer: mbox("spam", range(0, 20)) }]);
    await page.getByRole("button", { name: "Learn them" }).click();
    // An escaped line of an mbox belongs to the message, and one without it is another message.
    await visit.shows("#import-status", "1 message learned, 0 moved, 19 known before.");
  });

  await visit.check("newcomer: judged mail is in the history, and search finds it", async () => {
    const copy = message("spam", 3).replace(/^Subject: .*$/m, `Subject: ${NASTY}`);
    assert.match(await spamc(copy), /Spam: True/);
    for (const number of range(30, 34)) await mail("/mail/check", message("ham", number));
    await visit.open("history");
    await visit.counts("#history-list li", 5);
    await visit.shows("#history-place", "Kept on disk");
    await page.getByLabel("What became of it").selectOption({ label: "marked as spam" });
    await visit.counts("#history-list li", 1);
    await visit.shows("#history-list", NASTY.replace("\u202E", ""));
    assert.equal(await visit.count("main img"), 0, "text stays text");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Text in sender").fill("library@city.example");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await visit.counts("#history-list li", range(30, 34).filter((number) => number % 3 === 2).length);
  });

  await visit.check("newcomer: the digest lists what was marked as spam, and nothing in it steers", async () => {
    await page.getByRole("button", { name: "Show the digest" }).click();
    await visit.shows("#digest-text", "0 held, 1 marked as spam, 0 refused");
    const text = await page.locator("#digest-text").textContent();
    assert.ok(text.includes("<img src=x onerror=alert(1)>") && !text.includes("\u202E"), text);
    const href = await page.getByRole("link", { name: "The same as a page" }).getAttribute("href");
    const other = await page.context().newPage();
    const problems = [];
    // A browser asks for an icon by itself.
    const isIcon = (line) => line.location().url.endsWith("/favicon.ico");
    other.on("console", (line) => line.type() === "error" && !isIcon(line) && problems.push(line.text()));
    other.on("dialog", (dialog) => problems.push(dialog.message()));
    await other.goto(new URL(href, BASE).href);
    await other.getByRole("cell", { name: "<img src=x onerror=alert(1)>" }).first().waitFor();
    assert.equal(await other.locator("img, script").count(), 0);
    assert.deepEqual(problems, []);
    await other.screenshot({ path: `${OUT}/${visit.name}-digest.png`, fullPage: true });
    await other.close();
  });

  await visit.check("newcomer: a wrong verdict is corrected in the history", async () => {
    await page.getByRole("button", { name: "Clear" }).click();
    await visit.counts("#history-list li", 5);
    await page.getByLabel("Verdict", { exact: true }).fill("spam");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await visit.counts("#history-list li", 1);
    await page.getByLabel("Pick: ").check();
    const before = await learned("ham");
    await page.getByRole("button", { name: "They are ham" }).click();
    await visit.shows("#history-told", "1 message learned as ham.");
    assert.equal(await learned("ham"), before + 1);
    await visit.shows("#history-list", "corrected: it is ham");
    await visit.screenshot("corrected");
  });
}

await mkdir(OUT, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", chromiumSandbox: false });
try {
  for await (const visit of visits(browser)) {
    await visit.page.goto(BASE);
    await look(visit, "empty");
  }
  for await (const visit of visits(browser)) {
    await visit.page.goto(BASE);
    if (visit.isFirst) await teach(visit);
    await look(visit, "small");
  }
} finally {
  await browser.close();
}
console.log(`${tally.passed} checks passed, ${tally.failed} failed; screenshots in ${OUT}`);
process.exitCode = tally.failed ? 1 : 0;
