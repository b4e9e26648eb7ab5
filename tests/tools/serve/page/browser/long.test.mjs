// SPDX-License-Identifier: Apache-2.0
// Long answers: the page stays usable while 20,000 tokens arrive.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { Sample, answered, say, full } from "./open_page.mjs";

const sample = new Sample();
before(() => sample.start());
after(() => sample.close());

for (const [what, wanted] of [
  ["20000", /word19999/],
  ["long code", /x19998 =/],
]) {
  full(`an answer of 20,000 tokens (${what}) is drawn bit by bit`, () =>
    sample.with({}, async (page) => {
      await say(page, what);
      await page.locator(".message.assistant > .markdown > :not(.tail)").first().waitFor();
      // What has been drawn stays: the first element is the same one at the end.
      await page.evaluate(() => {
        window.first = document.querySelector(".message.assistant > .markdown").firstElementChild;
      });
      await page.fill("#message", "typing meanwhile");
      assert.equal(await page.evaluate(() => window.first.isConnected), true);
      assert.match(await answered(page), wanted);
      assert.equal(await page.inputValue("#message"), "typing meanwhile");
      assert.deepEqual(page.said, []);
    }),
  );
}
