// SPDX-License-Identifier: Apache-2.0
// screenshots.mjs DIR: pictures of the page at three widths in both themes, to look at. Of the mock, or of the server at
// INFER_SERVE_URL.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Browser, answered, say } from "./browser/open_page.mjs";
import { MockServer } from "./mock_server.mjs";

const dir = process.argv[2];
const real = process.env.INFER_SERVE_URL?.replace(/\/$/, "");
mkdirSync(dir, { recursive: true });
const browser = new Browser();
await browser.start();

for (const theme of ["light", "dark"]) {
  for (const [width, height] of [
    [390, 844],
    [820, 1100],
    [1440, 900],
  ]) {
    const server = real ? null : await new MockServer().start();
    const page = await browser.open(real ?? server.url, { width, height, theme });
    const shoot = (name) => page.screenshot({ path: join(dir, `${name}-${width}-${theme}.png`) });
    if (server) server.pace = 9;
    await page.waitForTimeout(300);
    await shoot("welcome");
    for (const text of ["Name three rivers in Europe.", "Why is the sky blue?"]) {
      await say(page, text);
      await answered(page);
      await page.keyboard.press("Escape");
      await page.keyboard.press("n");
    }
    for (const [i, text] of [
      "What can you do, in one sentence?",
      "Please think first: what is six times seven?",
      "Give me a tour of what an answer can contain.",
    ].entries()) {
      await say(page, text);
      await answered(page, i + 1);
    }
    await page.waitForTimeout(200);
    await shoot("chat-end");
    await page.evaluate(() => document.querySelector(".scroller").scrollTo(0, 0));
    await page.waitForTimeout(100);
    await shoot("chat");
    await page.getByRole("button", { name: "Settings" }).click();
    await shoot("settings");
    await page.keyboard.press("Escape");
    if (width < 900) {
      await page.getByRole("button", { name: "Conversations" }).click();
      await page.waitForTimeout(300);
      await shoot("sidebar");
      await page.keyboard.press("Escape");
    }
    if (server)
      server.failures.push({ status: 429, headers: { "retry-after": "12" }, message: "256 requests are waiting" });
    if (server) {
      await say(page, "one more");
      await page.locator(".error").waitFor();
      await shoot("error");
    }
    await page.clock.install();
    await page.evaluate(() => {
      location.hash = "live";
    });
    // Two minutes, passing quickly.
    for (let second = 0; second < (server ? 120 : 3); ++second) {
      const answer = page.waitForResponse(/live/);
      await page.clock.runFor(1000);
      await answer;
    }
    await page.waitForTimeout(100);
    await shoot("live");
    await page.evaluate(() => document.querySelector(".live").scrollTo(0, 1e6));
    await shoot("live-end");
    if (page.said.length) console.log(width, theme, page.said);
    await page.context().close();
    await server?.close();
  }
}
await browser.close();
