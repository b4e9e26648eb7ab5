// SPDX-License-Identifier: Apache-2.0
// The page of a running server, INFER_SERVE_URL (with INFER_SERVE_KEY if it asks for one): what holds for any model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, answered, say } from "./open_page.mjs";

const url = process.env.INFER_SERVE_URL?.replace(/\/$/, "");
const browser = new Browser();
before(() => browser.start());
after(() => browser.close());

async function open(options) {
  const page = await browser.open(url, options);
  if (process.env.INFER_SERVE_KEY) {
    await page.getByLabel("API key").last().fill(process.env.INFER_SERVE_KEY);
    await page.keyboard.press("Enter");
  }
  await page.waitForFunction(() => document.querySelector(".model").textContent !== "");
  return page;
}

test("the page has its policy, and the policy fits it", async () => {
  const response = await fetch(url);
  assert.match(response.headers.get("content-type"), /^text\/html/);
  assert.match(response.headers.get("content-security-policy"), /^default-src 'none'; script-src 'sha256-/);
  assert.match(await response.text(), /^<!doctype html>/);
});

for (const [theme, width] of [
  ["light", 390],
  ["dark", 820],
  ["light", 1440],
]) {
  test(`a conversation, stop, regenerate and reload at ${width} pixels, ${theme}`, async () => {
    const page = await open({ theme, width, height: 850 });
    await page.evaluate(() =>
      localStorage.setItem("infer.settings", JSON.stringify({ values: { max_tokens: 48, temperature: 0 } })),
    );
    await page.reload();
    await page.waitForFunction(() => document.querySelector(".model").textContent !== "");
    await say(page, "Once upon a time there was");
    await answered(page, 1);
    assert.match(await page.locator(".speed").first().innerText(), /\d+ tokens? .*first after [\d.]+ s · prompt \d+/);
    await say(page, "Go on.");
    await answered(page, 2);
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".message.assistant.finished").length === 1);
    await answered(page, 2);
    await page.reload();
    await answered(page, 2);
    await page.evaluate(() => localStorage.setItem("infer.settings", JSON.stringify({ values: { max_tokens: 2000 } })));
    await page.reload();
    await say(page, "Tell me a very long story.");
    await page.waitForFunction(() => [...document.querySelectorAll(".message.assistant")].at(-1).innerText.length > 20);
    await page.keyboard.press("Escape");
    await answered(page, 3);
    assert.deepEqual(page.said, []);
    await page.context().close();
  });
}

test("the live view shows the steps of an answer", async () => {
  const page = await open({ width: 1440 });
  await say(page, "Tell me a story.");
  await page.locator("#tab-live").click();
  await page.locator(".timeline .bar").first().waitFor();
  assert.match(await page.locator(".live").innerText(), /\d+ of [\d,.k ]+ blocks/);
  await page.locator("#tab-chat").click();
  await page.keyboard.press("Escape");
  await answered(page, 1);
  assert.deepEqual(page.said, []);
  await page.context().close();
});
