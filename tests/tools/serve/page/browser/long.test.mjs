// SPDX-License-Identifier: Apache-2.0
// Long answers: the page stays usable while 20,000 tokens arrive.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { Sample, answered, say, full } from "./open_page.mjs";

const sample = new Sample();
before(() => sample.start());
after(() => sample.close());

// Generous: the machine may be busy with other tests. Drawing the whole text again for each frame takes seconds.
const LONGEST_TASK_MS = 400;

for (const [what, wanted] of [
  ["20000", /word19999/],
  ["long code", /x19998 =/],
]) {
  full(`an answer of 20,000 tokens (${what}) never blocks the page`, () =>
    sample.with({}, async (page) => {
      await page.evaluate(() => {
        window.longest = 0;
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
        }).observe({ type: "longtask" });
      });
      await say(page, what);
      await page.locator(".message.assistant > .markdown > :not(.tail)").first().waitFor();
      // What has been drawn stays: the first element is the same one at the end.
      await page.evaluate(() => {
        window.first = document.querySelector(".message.assistant > .markdown").firstElementChild;
      });
      const begin = Date.now();
      await page.fill("#message", "typing meanwhile");
      assert.ok(Date.now() - begin < 2000, "typing waits for the answer");
      assert.equal(await page.evaluate(() => window.first.isConnected), true);
      assert.match(await answered(page), wanted);
      const longest = await page.evaluate(() => window.longest);
      assert.ok(longest < LONGEST_TASK_MS, `the longest task took ${longest} ms`);
      assert.deepEqual(page.said, []);
    }),
  );
}
