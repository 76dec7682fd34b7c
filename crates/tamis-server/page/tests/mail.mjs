/** The mail view: judge, explain, teach, undo, correct. */
import assert from "node:assert/strict";
import { letter, message } from "./messages.mjs";
import { api, learned, mail } from "./server.mjs";

/** The stages whose evidence adds up to the score. */
const STAGES = ["words", "text", "headers", "route", "facts", "addresses", "sender", "structure"];

const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;

export async function useMail(visit) {
  const { page } = visit;
  const mark = ` ${visit.name}`;
  const text = message("spam", 5, mark);
  const subject = text.match(/^Subject: (.*)$/m)[1];

  await visit.check("mail: a pasted message gets the verdict that the server gives", async () => {
    await page.locator("#mail-text").fill(text);
    const why = await visit.answer("/mail/explain", () =>
      page.getByRole("button", { name: "Check", exact: true }).click(),
    );
    await visit.shows("#verdict-title", why.verdict);
    assert.equal(why.verdict, "spam", "it is like what was learned as spam");
    assert.match(await visit.text("#mail-verdict"), /that it is spam/);
    for (const { text } of why.because) await visit.shows("#mail-verdict", text);
    assert.ok((await visit.text(".headline")).includes(why.because[0].text), "the first reason is the headline");
    await visit.shows("#mail-why desc", `the score is ${signed(why.score)}`);
    for (const stage of STAGES) {
      const weight = why.evidence[stage];
      const isShown = (await page.locator("#mail-why svg text", { hasText: new RegExp(`^${stage}$`) }).count()) === 1;
      assert.equal(isShown, Math.abs(weight) >= 0.005, `${stage} has a bar if it says something: ${weight}`);
    }
    assert.ok(why.alike.length > 0, "there are learned messages like it");
    assert.equal(await visit.count("#mail-why details > summary .badge"), why.alike.length);
    const shared = why.alike[0].text === null ? "details[open] .chip" : "details[open] mark";
    assert.ok((await visit.count(`#mail-why ${shared}`)) > 0, "what they share is marked");
  });

  await visit.screenshot("mail-spam");

  await visit.check("mail: a learned message that is still held stands beside, what they share marked", async () => {
    const original = message("spam", 21, `${mark} first`);
    const { id } = await mail("/mail/check", original);
    await api(`/mail/recent/${id}/learn?label=spam`, {});
    await page.locator("#mail-text").fill(message("spam", 21, `${mark} second`));
    const why = await visit.answer("/mail/explain", () =>
      page.getByRole("button", { name: "Check", exact: true }).click(),
    );
    const held = why.alike.findIndex((near) => near.text !== null);
    assert.ok(held >= 0, "the text of the learned message is there");
    const beside = page.locator("#mail-why details").filter({ hasText: "The learned one" }).first();
    if (held > 0) await beside.locator("summary").click();
    for (const side of ["This message", "The learned one"]) {
      const marks = await beside.getByRole("group", { name: side }).locator("mark").allInnerTexts();
      const shared = new Set(why.alike[held].shared);
      const runs = marks.flatMap((marked) =>
        marked
          .toLowerCase()
          .split(/\s+/)
          .map((_, first, words) => words.slice(first, first + 3).join(" ")),
      );
      assert.ok(
        runs.some((run) => shared.has(run)),
        `${side} has marks where the shared runs are`,
      );
    }
    await visit.screenshot("mail-beside");
    await api(`/mail/recent/${id}/forget`, {});
    await page.locator("#mail-text").fill(text);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await visit.shows("#mail-verdict", subject);
  });

  await visit.check("mail: parts are grouped by stage, and every group opens", async () => {
    await page.locator("#mail-text").fill(text);
    const why = await visit.answer("/mail/explain", () =>
      page.getByRole("button", { name: "Check", exact: true }).click(),
    );
    const known = why.parts.filter(({ weight }) => Math.abs(weight) >= 0.005);
    const stages = new Set(known.map(({ stage }) => stage));
    assert.ok(stages.size >= 3, "several stages have parts");
    await visit.counts("#mail-why .parts", stages.size);
    for (const stage of stages) {
      const group = page.locator(`#mail-why .parts[data-stage=${stage}]`);
      if (!(await group.evaluate((element) => element.open))) await group.locator("summary").click();
      const own = known.filter((part) => part.stage === stage);
      assert.deepEqual(
        await group.locator("tbody th").allInnerTexts(),
        own.map((part) => part.text),
      );
      await group.locator("tbody th").first().waitFor({ state: "visible" });
    }
    await visit.inspect("mail");
  });

  await visit.check("mail: an empty file is unsure, and the headline tells why", async () => {
    const drop = async (buffer) => {
      await page.locator("#mail-input").setInputFiles({ name: "dropped.eml", mimeType: "message/rfc822", buffer });
      return visit.answer("/mail/explain", () => page.getByRole("button", { name: "Check", exact: true }).click());
    };
    const empty = await drop(Buffer.from(" \r\n"));
    assert.deepEqual([empty.verdict, empty.probability], ["unsure", 0.5]);
    await visit.shows(".headline", "The message is empty.");
    assert.equal(await visit.count("#mail-why .card"), 0, "nothing weighs in it");
    await page.getByRole("button", { name: "Remove the file" }).click();
    await page.locator("#mail-text").fill(text);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await visit.shows("#mail-verdict", subject);
  });

  await visit.check("mail: teaching counts, undoing takes it back", async () => {
    const before = { spam: await learned("spam"), ham: await learned("ham") };
    await page.getByRole("button", { name: "It is spam", exact: true }).click();
    await visit.shows("#teach-status", "Learned as spam.");
    await visit.shows("#label-counts", `spam ${(before.spam + 1).toLocaleString("en")}`);
    assert.equal(await learned("spam"), before.spam + 1);
    await page.locator("#teach-undo").click();
    await visit.shows("#teach-status", "forgotten");
    await visit.shows("#label-counts", `spam ${before.spam.toLocaleString("en")}`);
    assert.equal(await learned("spam"), before.spam);
  });

  await visit.check("mail: a moved message goes back to its label", async () => {
    const before = { spam: await learned("spam"), ham: await learned("ham") };
    await page.locator("#teach-ham").click();
    await visit.shows("#teach-status", "Learned as ham.");
    await page.locator("#teach-spam").click();
    await visit.shows("#teach-status", "Moved from ham to spam.");
    assert.equal(await learned("spam"), before.spam + 1);
    await page.locator("#teach-undo").click();
    await visit.shows("#teach-status", "it is ham again");
    assert.deepEqual({ spam: await learned("spam"), ham: await learned("ham") }, { ...before, ham: before.ham + 1 });
    await page.locator("#teach-ham").click();
    await visit.shows("#teach-status", "nothing changed");
    await page.getByRole("button", { name: "Forget it" }).click();
    await visit.shows("#teach-status", "forgotten");
    assert.deepEqual({ spam: await learned("spam"), ham: await learned("ham") }, before);
  });

  await visit.check("mail: another label", async () => {
    await page.getByLabel("Another label").fill("circular");
    const before = await learned("circular");
    await page.getByRole("button", { name: "Teach", exact: true }).click();
    await visit.shows("#teach-status", "Learned as circular.");
    assert.equal(await learned("circular"), before + 1);
    await page.locator("#teach-undo").click();
    await visit.shows("#teach-status", "forgotten");
    assert.equal(await learned("circular"), before);
  });

  await visit.check("mail: a label that means a verdict is refused in a sentence", async () => {
    visit.refusalsExpected = true;
    await page.getByLabel("Another label").fill("unsure");
    await page.getByRole("button", { name: "Teach", exact: true }).click();
    await visit.shows("#teach-status", "cannot be a label");
    visit.refusalsExpected = false;
  });

  await visit.check("mail: a recent verdict is corrected by one click, and back", async () => {
    const row = page.locator("#recent-list li", { hasText: subject }).first();
    const before = await learned("ham");
    await row.getByRole("button", { name: /^It is ham/ }).click();
    await row.getByText("taught ham").waitFor();
    assert.equal(await learned("ham"), before + 1);
    await row.getByRole("button", { name: /^Undo/ }).click();
    await row.getByText("taught ham").waitFor({ state: "detached" });
    assert.equal(await learned("ham"), before);
  });

  await visit.check("mail: a message that others send appears by itself and is explained", async () => {
    const arrived = `Arrived by itself ${visit.name}`;
    await mail(
      "/mail/check",
      letter("Eva Leek <eva@leek.example>", arrived, "The leeks are ready and there are far too many of them."),
    );
    const row = page.locator("#recent-list li", { hasText: arrived }).first();
    await row.waitFor();
    await row.getByRole("button", { name: /^Why/ }).click();
    await visit.shows("#mail-verdict", arrived);
    assert.equal(
      await page.evaluate(() => document.activeElement.id),
      "verdict-title",
      "the focus goes to what was asked for",
    );
  });

  const latin = Buffer.from(
    letter(
      "Zoë <zoe@example.org>",
      `A file ${visit.name}`,
      "Un café, s'il vous plaît, et des crêpes à Orléans.",
    ).replace("utf-8", "iso-8859-1"),
    "latin1",
  );
  const readsRight = async () => {
    const why = await visit.answer("/mail/explain", () =>
      page.getByRole("button", { name: "Check", exact: true }).click(),
    );
    assert.match(why.body, /café.*crêpes à Orléans/, "the bytes arrived as they were");
    await visit.shows("#mail-verdict", `A file ${visit.name}`);
  };

  await visit.check("mail: a chosen file keeps its bytes", async () => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file…" }).click();
    await (await chooser).setFiles({ name: "café.eml", mimeType: "message/rfc822", buffer: latin });
    await visit.shows("#mail-file", "café.eml");
    await readsRight();
    await page.getByRole("button", { name: "Remove the file" }).click();
    await page.locator("#mail-file").waitFor({ state: "hidden" });
  });

  await visit.check("mail: a dropped file keeps its bytes", async () => {
    const transfer = await page.evaluateHandle(
      (bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], "dropped.eml"));
        return data;
      },
      [...latin],
    );
    await page.locator("#mail-form").dispatchEvent("dragover", { dataTransfer: transfer });
    await page.locator("#mail-form").dispatchEvent("drop", { dataTransfer: transfer });
    await visit.shows("#mail-file", "dropped.eml");
    await readsRight();
    await page.getByRole("button", { name: "Remove the file" }).click();
  });

  await visit.check("mail: text of a message stays text and fits, whatever it is", async () => {
    const nasty = `<img src=x onerror=alert(1)> ${visit.name}`;
    await page
      .locator("#mail-text")
      .fill(
        letter(
          `"<b>${"b".repeat(200)}" <${"a".repeat(60)}@example.org>`,
          nasty,
          `<script>alert(1)</script> ${"long".repeat(200)} ${"words ".repeat(300)}`,
        ),
      );
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await visit.shows("#mail-verdict", nasty);
    await visit.shows("#recent-list", nasty);
    assert.equal(await visit.count("main img, main script, main b"), 0);
    await visit.inspect("mail");
  });

  await visit.check("mail: nothing to check is said in a sentence", async () => {
    await page.locator("#mail-text").fill("");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await visit.shows("#mail-error", "There is no message yet");
    await page.getByRole("button", { name: "a prize" }).click();
    await visit.shows("#mail-verdict", "You have won");
    assert.equal(await page.locator("#mail-error").textContent(), "");
  });
}
