// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Sample, answered, full, say, until } from "./open_page.mjs";

const sample = new Sample();
before(() => sample.start());
after(() => sample.close());

test("a conversation of three turns sends its history, settings and asks for usage", () =>
  sample.with({}, async (page, server) => {
    server.pace = 1;
    await say(page, "hello");
    assert.equal(await answered(page, 1), "You said: hello (message 1)");
    await say(page, "again");
    assert.equal(await answered(page, 2), "You said: again (message 2)");
    await say(page, "tour");
    await answered(page, 3);
    const [, , third] = server.requests;
    assert.deepEqual(
      third.messages.map(({ role }) => role),
      ["user", "assistant", "user", "assistant", "user"],
    );
    assert.equal(third.stream, true);
    assert.deepEqual(third.stream_options, { include_usage: true });
    assert.equal(third.model, "Qwen3-0.6B-Q8_0");
    assert.match(
      await page.locator(".speed").last().innerText(),
      /tokens · [\d.]+ tokens\/s · first after [\d.]+ s · prompt 200, 160 from the cache/,
    );
    assert.equal(await page.locator(".chats .title").innerText(), "hello");
    assert.deepEqual(page.said, []);
  }));

full("markdown is drawn: headings, lists, tables, quotes and code that can be copied", () =>
  sample.with({}, async (page) => {
    await say(page, "tour");
    await answered(page);
    const count = (selector) => page.locator(`.message.assistant ${selector}`).count();
    assert.deepEqual(
      [
        await count("h4"),
        await count("ol > li"),
        await count("ol ul > li"),
        await count("tbody tr"),
        await count("blockquote"),
        await count("pre"),
      ],
      [1, 3, 2, 2, 1, 1],
    );
    assert.ok((await count(".hl-keyword")) > 3);
    await page.locator(".code .copy").click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^def merge\(.*\n {4}"""Merges[^]*right\[j:\]$/);
    assert.deepEqual(page.said, []);
  }),
);

test("stop keeps what has arrived, tells the server, and regenerate asks again", () =>
  sample.with({}, async (page, server) => {
    await say(page, "slow");
    await page.getByText("comes slowly").first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    assert.match(await answered(page), /comes slowly/);
    assert.match(await page.locator(".speed").innerText(), /^Stopped\./);
    await until(() => server.aborted === 1, "the end of the stream");
    await page.getByRole("button", { name: "Regenerate" }).click();
    await until(() => server.requests.length === 2, "the second request");
    await page.getByText("comes slowly").first().waitFor();
    await page.keyboard.press("Escape");
    await answered(page);
    assert.deepEqual(server.requests[1].messages, [{ role: "user", content: "slow" }]);
    assert.deepEqual(page.said, []);
  }));

full("the last message can be edited; what followed it is replaced", () =>
  sample.with({}, async (page, server) => {
    await say(page, "first");
    await answered(page, 1);
    await say(page, "secnod");
    await answered(page, 2);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.fill(".editing textarea", "second");
    await page.press(".editing textarea", "Enter");
    await page.getByText("You said: second (message 2)").waitFor();
    assert.equal(await page.locator(".message").count(), 4);
    assert.deepEqual(
      server.requests.at(-1).messages.map(({ content }) => content),
      ["first", "You said: first (message 1)", "second"],
    );
    assert.deepEqual(page.said, []);
  }),
);

full("thoughts are folded, and are not sent back", () =>
  sample.with({}, async (page, server) => {
    await say(page, "think");
    assert.equal(await answered(page), "The answer is 42.");
    const thoughts = page.locator(".thoughts");
    assert.equal(await thoughts.getAttribute("open"), null);
    await thoughts.locator("summary").click();
    assert.match(await thoughts.innerText(), /I should think about it/);
    await say(page, "next");
    await answered(page, 2);
    assert.doesNotMatch(JSON.stringify(server.requests[1]), /should think/);
    assert.deepEqual(page.said, []);
  }),
);

test("a tool call is shown, its result is asked for and sent", () =>
  sample.with({}, async (page, server) => {
    await say(page, "weather");
    await page.locator(".call").waitFor();
    await page.locator(".results").waitFor();
    assert.match(await page.locator(".call").innerText(), /calls get_weather\s+\{\s+"city": "Paris",/);
    await page.fill(".results textarea", "21 degrees");
    await page.getByRole("button", { name: "Send the result" }).click();
    await page.getByText("The tool says: 21 degrees").waitFor();
    const { messages } = server.requests[1];
    assert.deepEqual(messages[1].tool_calls, [
      {
        id: "call_1",
        type: "function",
        function: { name: "get_weather", arguments: '{"city": "Paris", "unit": "C"}' },
      },
    ]);
    assert.deepEqual(messages[2], { role: "tool", content: "21 degrees", tool_call_id: "call_1" });
    assert.deepEqual(page.said, []);
  }));

full("settings go into the next request; wrong ones are refused in words", () =>
  sample.with({}, async (page, server) => {
    await page.getByRole("button", { name: "Settings" }).click();
    assert.equal(await page.getAttribute("#set-temperature", "placeholder"), "0.6");
    await page.fill("#set-system", "Be brief.");
    await page.fill("#set-temperature", "7");
    await page.getByRole("button", { name: "Save" }).click();
    assert.equal(await page.locator(".problem").innerText(), "Temperature must be from 0 to 2.");
    await page.fill("#set-temperature", "0");
    await page.fill("#set-seed", "7");
    await page.selectOption("#set-thinking", "off");
    assert.equal(await page.getAttribute("#set-top_p", "placeholder"), "0.8");
    await page.getByRole("button", { name: "Save" }).click();
    await page.reload();
    await say(page, "hello");
    await answered(page);
    const { messages, temperature, seed, chat_template_kwargs, top_p } = server.requests[0];
    assert.deepEqual(messages, [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hello" },
    ]);
    assert.deepEqual([temperature, seed, chat_template_kwargs, top_p], [0, 7, { enable_thinking: false }, undefined]);
    assert.deepEqual(page.said, []);
  }),
);

full("answers go on while another conversation is read", () =>
  sample.with({}, async (page) => {
    await say(page, "slow");
    await page.getByText("comes slowly").first().waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await say(page, "other");
    assert.equal(await answered(page), "You said: other (message 1)");
    await page.locator(".chats .title", { hasText: "slow" }).click();
    const before = (await page.locator(".message.assistant").innerText()).length;
    await page.waitForFunction((n) => document.querySelector(".message.assistant").innerText.length > n, before);
    await page.keyboard.press("Escape");
    await answered(page);
    assert.deepEqual(page.said, []);
  }),
);

full("the end of an answer leaves the place and what is unfolded alone", () =>
  sample.with({ height: 500 }, async (page, server) => {
    server.pace = 4;
    await say(page, "think");
    await answered(page);
    await say(page, "tour");
    await page.locator(".code").waitFor();
    await page.locator(".thoughts summary").first().click();
    await page.evaluate(() => {
      document.querySelector(".scroller").scrollTo(0, 0);
      window.second = document.querySelectorAll(".message.assistant")[1];
    });
    await answered(page, 2);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const after = await page.evaluate(() => [
      document.querySelector(".scroller").scrollTop,
      document.querySelector(".thoughts").open,
      document.querySelectorAll(".message.assistant")[1] === window.second,
    ]);
    assert.deepEqual(after, [0, true, true]);
    await page.getByRole("button", { name: "Go to the end" }).click();
    await page.getByText("That is all there is to it.").waitFor();
    assert.deepEqual(page.said, []);
  }),
);
