// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Sample, answered, full, say, until } from "./open_page.mjs";

const sample = new Sample();
before(() => sample.start());
after(() => sample.close());

full("conversations survive a reload, can be renamed, deleted, brought back, exported and imported", () =>
  sample.with({}, async (page, server) => {
    await say(page, "first question");
    await answered(page);
    await page.getByRole("button", { name: "New chat" }).click();
    await say(page, "second question");
    await answered(page);
    await page.reload();
    assert.equal(await answered(page), "You said: second question (message 1)");
    const titles = () => page.locator(".chats .title span").allInnerTexts();
    assert.deepEqual(await titles(), ["second question", "first question"]);

    const first = page.locator(".chats li", { hasText: "first" });
    await first.hover();
    await first.getByRole("button", { name: "Rename" }).click();
    await page.keyboard.type("renamed");
    await page.keyboard.press("Enter");
    assert.deepEqual(await titles(), ["second question", "renamed"]);

    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ]);
    const exported = readFileSync(await file.path());
    assert.equal(JSON.parse(exported).conversations.length, 2);

    const renamed = page.locator(".chats li", { hasText: "renamed" });
    await renamed.hover();
    await renamed.getByRole("button", { name: "Delete" }).click();
    assert.deepEqual(await titles(), ["second question"]);
    await page.getByRole("button", { name: "Undo" }).click();
    assert.deepEqual((await titles()).toSorted(), ["renamed", "second question"]);

    const other = await sample.browser.open(server.url);
    await other.setInputFiles("input[type=file]", {
      name: "a.json",
      mimeType: "application/json",
      buffer: Buffer.from("{}"),
    });
    await other.getByText("was not exported from this page").waitFor();
    await other.setInputFiles("input[type=file]", { name: "a.json", mimeType: "application/json", buffer: exported });
    await other.getByText("2 conversations imported.").waitFor();
    assert.equal(await other.locator(".chats .title").count(), 2);
    assert.deepEqual([...page.said, ...other.said], []);
    await other.context().close();
  }),
);

full("an answer that was being written when the page was closed is kept as incomplete", () =>
  sample.with({}, async (page) => {
    await say(page, "slow");
    await page.waitForFunction(() => Object.values(localStorage).some((text) => text.includes('"finish":"broken"')));
    await page.reload();
    assert.match(await answered(page), /comes slowly/);
    assert.match(await page.locator(".speed").innerText(), /^Incomplete\./);
    assert.deepEqual(page.said, []);
  }),
);

full("dark and light follow the system until the reader chooses, and the choice is kept", () =>
  sample.with({ theme: "dark" }, async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.emulateMedia({ colorScheme: "light" });
    const light = await background();
    assert.notEqual(dark, light);
    await page.getByRole("button", { name: "Dark or light" }).click();
    assert.equal(await background(), dark);
    await page.reload();
    assert.equal(await background(), dark);
    assert.deepEqual(page.said, []);
  }),
);

test("everything can be done with the keyboard alone", () =>
  sample.with({}, async (page, server) => {
    const press = (key) => page.keyboard.press(key);
    await press("/");
    await page.keyboard.type("line one");
    await press("Shift+Enter");
    await page.keyboard.type("line two");
    await press("Enter");
    await answered(page, 1);
    assert.equal(server.requests[0].messages[0].content, "line one\nline two");
    await press("ArrowUp"); // edit the last message
    await page.keyboard.type(" edited");
    await press("Enter");
    await page.getByText(/line two edited \(message 1\)/).waitFor();
    await answered(page, 1);
    await press("Escape"); // leave the field
    await press("r");
    await until(() => server.requests.length === 3, "the third request");
    await page.waitForFunction(() => document.querySelectorAll(".message.assistant").length === 1);
    await answered(page, 1);
    await press("Escape");
    await press("n");
    await page.keyboard.type("slow");
    await press("Enter");
    await page.getByText("comes slowly").first().waitFor();
    await press("Escape");
    await answered(page, 1);
    await press("Escape");
    await press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
    await press("s");
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog", { name: "Settings" }).waitFor({ state: "detached" });
    await press("2");
    await page.locator(".live").waitFor();
    await press("1");
    await page.locator("#message").waitFor();
    // Every control is reached by Tab and can be seen to have the focus.
    const reached = new Set();
    for (let i = 0; i < 40; ++i) {
      await press("Tab");
      reached.add(
        await page.evaluate(() => {
          const { activeElement: e } = document;
          return e.matches(":focus-visible") ? (e.getAttribute("aria-label") ?? e.textContent).trim() : "";
        }),
      );
    }
    for (const name of [
      "Chat",
      "Settings",
      "Dark or light",
      "New chat",
      "slow",
      "Export",
      "Message",
      "Regenerate",
      "Edit",
    ])
      assert.ok(reached.has(name), `${name} is not reached: ${[...reached].join(", ")}`);
    assert.deepEqual(page.said, []);
  }));
