// SPDX-License-Identifier: Apache-2.0
// What a model writes does nothing: no script, no request, no dialog, no navigation.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOSTILE } from "../scripted_answers.mjs";
import { Sample, answered, say, full } from "./open_page.mjs";

const sample = new Sample();
before(() => sample.start());
after(() => sample.close());

async function checkHarmless(page, server) {
  const found = await page.evaluate(() => ({
    hacked: window.hacked,
    elements: [
      ...document.querySelectorAll(
        ".messages :is(script, img, iframe, style, form[action], svg:not(.icon), object, embed, video)",
      ),
    ].map(({ tagName }) => tagName),
    links: [...document.querySelectorAll(".messages a")].map((a) => [a.getAttribute("href"), a.rel, a.target, a.ping]),
    handlers: [...document.querySelectorAll(".messages *")].flatMap((e) =>
      e.getAttributeNames().filter((name) => /^on|^style$|^src/.test(name)),
    ),
    isVisible: getComputedStyle(document.body).display !== "none",
  }));
  assert.equal(found.hacked, undefined);
  assert.deepEqual(found.elements, []);
  assert.deepEqual(found.handlers, []);
  assert.ok(found.isVisible);
  for (const [href, rel, target, ping] of found.links) {
    assert.match(href, /^https:\/\//);
    assert.deepEqual([rel, target, ping], ["noopener noreferrer nofollow", "_blank", ""]);
  }
  assert.deepEqual(
    [...new Set(server.paths)].filter((path) => !["/", "/props", "/v1/chat/completions"].includes(path)),
    [],
  );
  assert.deepEqual(page.said, []);
  return found.links.map(([href]) => href);
}

test("markup, bad links and images in an answer do nothing, also after a reload and from an imported file", () =>
  sample.with({}, async (page, server) => {
    await say(page, "hostile");
    const text = await answered(page);
    assert.match(text, /<script>window\.hacked = 1/);
    assert.match(text, /image: tracker/);
    const links = await checkHarmless(page, server);
    assert.deepEqual(links, [
      "https://evil.example/pixel.png",
      "https://evil.example/3",
      "https://good.example/path?q=1",
      "https://bare.example/x",
    ]);
    await page.reload();
    await answered(page);
    await checkHarmless(page, server);
    const chats = {
      format: "infer-chats",
      version: 1,
      conversations: [
        {
          id: "x",
          title: "<img src=x onerror=alert(1)>",
          updated: 1,
          messages: [
            { role: "user", content: HOSTILE },
            {
              role: "assistant",
              content: HOSTILE,
              reasoning: HOSTILE,
              tool_calls: [{ id: HOSTILE, name: HOSTILE, arguments: HOSTILE }],
            },
          ],
        },
      ],
    };
    await page.setInputFiles("input[type=file]", {
      name: "chats.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(chats)),
    });
    await page.getByText("1 conversation imported.").waitFor();
    await page.locator(".chats .title", { hasText: "onerror" }).click();
    await answered(page);
    await checkHarmless(page, server);
  }));

full("text that is not a link does not react to clicks; a good link opens a tab without an opener", () =>
  sample.with({}, async (page) => {
    await page
      .context()
      .route(/example/, (route) => route.fulfill({ contentType: "text/html", body: "<title>elsewhere</title>" }));
    await say(page, "hostile");
    await answered(page);
    const before = page.url();
    for (const name of ["click me", "data", "bank", "relative", "protocol", "html link"])
      await page.locator(".message.assistant").getByText(name).first().click();
    assert.equal(page.url(), before);
    assert.deepEqual(page.said, []);
    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "a good link" }).click();
    const popup = await opened;
    await popup.waitForLoadState();
    assert.equal(popup.url(), "https://good.example/path?q=1");
    assert.deepEqual(await popup.evaluate(() => [window.opener, document.referrer]), [null, ""]);
  }),
);

full("the policy stops a script even if one got into the page", () =>
  sample.with({}, async (page) => {
    const result = await page.evaluate(() => {
      const script = document.createElement("script");
      let wasRefused = false;
      try {
        script.textContent = "window.hacked = 1";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<p>");
      } catch {
        wasRefused = true;
      }
      return [wasRefused, window.hacked];
    });
    assert.deepEqual(result, [true, undefined]);
  }),
);
