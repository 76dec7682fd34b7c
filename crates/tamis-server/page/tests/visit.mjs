/** A page and what is asserted of it. */
import assert from "node:assert/strict";
import axe from "axe-core";

/** The folder for screenshots. */
export const OUT = process.env.OUT ?? "screenshots";

const PATIENCE = 60_000;

/** How many checks there were. */
export const tally = { passed: 0, failed: 0 };

/** One browser context of a width and a colour scheme, with its checks. */
export class Visit {
  /** The first visit also has the checks that wait for the page's own rhythm. */
  constructor(page, name, isFirst) {
    Object.assign(this, { page, name, isFirst, problems: [], refusalsExpected: false });
    page.setDefaultTimeout(PATIENCE);
    page.on("pageerror", (error) => this.problems.push(`page error: ${error.message}`));
    page.on("console", (line) => {
      const refusal = /Failed to load resource/.test(line.text()) && this.refusalsExpected;
      if (line.type() === "error" && !refusal) this.problems.push(`console: ${line.text()}`);
    });
  }

  /** Runs a check, prints its line, and goes on. */
  async check(what, task) {
    try {
      await task();
      assert.deepEqual(this.problems.splice(0), [], "the console is clean");
      tally.passed++;
      console.log(`ok    ${this.name}  ${what}`);
    } catch (error) {
      tally.failed++;
      console.log(
        `FAIL  ${this.name}  ${what}\n      ${String(error.stack ?? error)
          .split("\n")
          .slice(0, 6)
          .join("\n      ")}`,
      );
      await this.page.screenshot({ path: `${OUT}/failed-${tally.failed}.png`, fullPage: true }).catch(() => {});
    }
  }

  text(selector) {
    return this.page.locator(selector).innerText();
  }

  count(selector) {
    return this.page.locator(selector).count();
  }

  /** Waits until the text of an element contains a text. */
  async shows(selector, wanted) {
    const has = ([place, part]) => document.querySelector(place)?.textContent.replaceAll("\u00a0", " ").includes(part);
    await this.page.waitForFunction(has, [selector, wanted]).catch(async () => {
      assert.fail(
        `${selector} should show “${wanted}”, but shows “${await this.page.locator(selector).first().textContent()}”`,
      );
    });
  }

  /** Waits until so many elements match. */
  async counts(selector, wanted) {
    const has = ([place, number]) => document.querySelectorAll(place).length === number;
    await this.page.waitForFunction(has, [selector, wanted]).catch(async () => {
      assert.fail(`there should be ${wanted} of ${selector}, but there are ${await this.count(selector)}`);
    });
  }

  /** Does something and returns what the server answered to the page on a path. */
  async answer(path, action) {
    const arrived = this.page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(path));
    await action();
    return (await arrived).json();
  }

  async open(view) {
    const link = this.page.locator(`nav a[href="#${view}"]`);
    if (!(await link.isVisible())) await this.page.locator('nav a[href="#learn"]').click();
    await link.click();
    await this.page.locator(`#${view}`).waitFor();
    assert.equal(await this.count("main > section:visible"), 1, "one view at a time");
    const current = await this.page.locator("nav a[aria-current=page]").getAttribute("href");
    assert.equal(current, `#${view}`, "the link of the view is marked");
  }

  async screenshot(view) {
    await this.page.evaluate(() => scrollTo(0, 0));
    await this.page.screenshot({ path: `${OUT}/${this.name}-${view}.png`, fullPage: true, animations: "disabled" });
  }

  /** No sideways scrolling, and nothing serious for axe. */
  async inspect(view) {
    const wider = await this.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.ok(wider <= 0, `${view} is ${wider} pixels wider than the window`);
    // An answer that is still under way would change the page below the checks.
    await this.page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    await this.page.evaluate(axe.source);
    const { violations } = await this.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const told = serious.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html)
          .slice(0, 3)
          .join(" ")}`,
    );
    assert.deepEqual(told, [], "axe finds nothing serious");
  }
}

/** A visit for each width and colour scheme, one after the other. */
export async function* visits(browser) {
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
    yield new Visit(await context.newPage(), `${width}-${scheme}`, index === 0);
    await context.close();
  }
}
