// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Sample, answered, say, full } from "./open_page.mjs";

const sample = new Sample();
before(() => sample.start());
after(() => sample.close());

const CASES = [
  [
    "429 counts down",
    { status: 429, headers: { "retry-after": "1" }, message: "the queue is full" },
    /The server is busy\s+the queue is full/,
  ],
  ["503", { status: 503, message: "draining" }, /The server is not available\s+draining/],
  ["500", { status: 500, message: "oops" }, /The server failed\s+oops/],
  ["a server that cannot be reached", { isOffline: true }, /The server cannot be reached/],
  [
    "a context that is full",
    { status: 400, message: "5000 tokens do not fit 4096", code: "context_length_exceeded" },
    /The conversation is too long\s+5000 tokens/,
  ],
];
full("errors say what happened, and trying again works", () =>
  sample.with({}, async (page, server) => {
    for (const [name, failure, wanted] of CASES) {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "New chat" }).click();
      if (failure.isOffline) await page.route(/completions/, (route) => route.abort());
      else server.failures.push(failure);
      await say(page, "hello");
      await page.locator(".messages .error").waitFor();
      assert.match(await page.locator(".messages .error").innerText(), wanted, name);
      const retry = page.getByRole("button", { name: /^Try again/ });
      if (failure.headers) assert.match(await retry.innerText(), /in 1 s/);
      await page.unroute(/completions/);
      await retry.click();
      assert.equal(await answered(page), "You said: hello (message 1)", name);
      assert.equal(await page.locator(".error").count(), 0);
    }
    assert.deepEqual(page.said, []);
  }),
);

full("a stream that breaks off or reports an error keeps its text and offers to try again", () =>
  sample.with({}, async (page) => {
    await say(page, "cut off");
    await page.locator(".messages .error").waitFor();
    assert.match(
      await page.locator(".messages").innerText(),
      /will not be comp[^]*Incomplete\.[^]*The answer broke off/,
    );
    await page.getByRole("button", { name: "New chat" }).click();
    await say(page, "stream error");
    await page.locator(".messages .error").waitFor();
    assert.match(await page.locator(".messages").innerText(), /Half of an ans[^]*the engine stopped/);
    assert.deepEqual(page.said, []);
  }),
);

test("a server with keys: asked once at the start, a wrong key again, kept for the tab only", () =>
  sample.with({ before: (server) => (server.key = "secret") }, async (page, server) => {
    const dialog = page.getByRole("dialog", { name: "API key" });
    await dialog.waitFor();
    await dialog.getByLabel("API key").fill("wrong");
    await page.keyboard.press("Enter");
    await dialog.getByText("does not accept this key").waitFor();
    await dialog.getByLabel("API key").fill("secret");
    await page.keyboard.press("Enter");
    await page.locator(".model", { hasText: "Qwen3" }).waitFor();
    await say(page, "hello");
    await answered(page);
    assert.deepEqual(
      await page.evaluate(() => [sessionStorage.getItem("infer.key"), JSON.stringify(localStorage).includes("secret")]),
      ["secret", false],
    );
    await page.reload();
    await page.locator(".model", { hasText: "Qwen3" }).waitFor();
    assert.equal(await dialog.count(), 0);
    server.key = "changed";
    await say(page, "again");
    await dialog.waitFor();
    await dialog.getByLabel("API key").fill("changed");
    await page.keyboard.press("Enter");
    assert.equal(await answered(page, 2), "You said: again (message 2)");
    assert.deepEqual(page.said, []);
  }));

full("a server that is down at the start is reported, and found when it is back", () =>
  sample.with({}, async (page, server) => {
    await page.route(/props/, (route) => route.abort());
    await page.reload();
    await page.locator(".banner .error").waitFor();
    await page.unroute(/props/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".model", { hasText: "Qwen3" }).waitFor();
    assert.equal(await page.locator(".banner .error").count(), 0);
    assert.ok(server.paths.includes("/props"));
  }),
);
