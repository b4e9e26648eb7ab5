// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Sample, full } from "./open_page.mjs";

const sample = new Sample();
before(() => sample.start());
after(() => sample.close());

test("the live view shows requests, rates, cache and steps, and asks only while it is on display", () =>
  sample.with({ hash: "#live", width: 1440, hasClock: true }, async (page, server) => {
    await page.locator(".timeline .bar").first().waitFor();
    // The view asks every second of the page's clock.
    while ((await page.locator(".chart polyline").count()) < 6) await page.clock.runFor(1000);
    const text = await page.locator(".live").innerText();
    for (const wanted of [
      /\d+ running/,
      /\d+ waiting/,
      /\d[\d.]* rows/,
      /of 1,024 blocks, 310 kept/,
      /52 %/,
      /318/,
      /parallel 141/,
      /1–16 tokens/,
      /17–512 tokens/,
      /reading the prompt, \d+ %/,
      /paused/,
    ])
      assert.match(text, wanted);
    // Each step is asked for once.
    assert.ok(server.paths.filter((path) => path === "/live").length >= 2);
    const { classes, lanes } = await page.evaluate(() => ({
      classes: [
        ...new Set([...document.querySelectorAll(".timeline .bar rect")].map((rect) => rect.getAttribute("class"))),
      ].sort(),
      lanes: document.querySelectorAll(".timeline .lane").length,
    }));
    assert.deepEqual([classes, lanes], [["t-parallel", "t-rest", "t-scalar", "t-simd"], 2]);
    await page.locator(".timeline").focus();
    await page.keyboard.press("ArrowLeft");
    assert.match(
      await page.locator(".detail").innerText(),
      /^steps? \d+.* · call [\d.]+ ms \(estimate [\d.]+\) · sampling/,
    );
    await page.getByRole("tab", { name: "Chat" }).click();
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.clock.runFor(60_000);
    await page.evaluate(() => fetch("/props"));
    assert.deepEqual(asked, [`${server.url}/props`]);
    assert.deepEqual(page.said, []);
  }));

full("an idle server, and one that restarts, are shown as such", () =>
  sample.with({ before: (server) => (server.live.isIdle = true), hash: "#live" }, async (page, server) => {
    await page.getByText("No requests at the moment.").waitFor();
    await page.getByText("no step in the last 10 s").waitFor();
    server.live.isIdle = false;
    server.live.restart();
    await page.locator(".timeline .bar").first().waitFor();
    await page.route(/live/, (route) => route.abort());
    await page.locator(".live .error").waitFor();
    await page.unroute(/live/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForFunction(() => !document.querySelector(".live .error"));
    assert.deepEqual(page.said, []);
  }),
);

full("the placement page opens by a link, or is saved where a key is needed", () =>
  sample.with({ hash: "#live" }, async (page, server) => {
    const link = page.getByRole("link", { name: "Placement of the model" });
    const opened = page.waitForEvent("popup");
    await link.click();
    const popup = await opened;
    await popup.waitForURL(`${server.url}/placement`);
    server.key = "secret";
    await page.evaluate(() => sessionStorage.setItem("infer.key", "secret"));
    const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.match(readFileSync(await file.path(), "utf8"), /placement/);
  }),
);
