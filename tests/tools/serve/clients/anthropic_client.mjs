// SPDX-License-Identifier: Apache-2.0
import Anthropic from "@anthropic-ai/sdk";
import { assert, check, fetchAndValidate, longAnswer, rejects, report, url } from "./checks.mjs";

const client = new Anthropic({ baseURL: url, apiKey: "none", fetch: fetchAndValidate, maxRetries: 0 });
const common = { model: "tiny-tales", max_tokens: 400, temperature: 0 };
const messages = [{ role: "user", content: "What is 47 + 38?" }];
const tool = {
  name: "get_weather",
  description: "Weather of a city",
  input_schema: {
    type: "object",
    properties: { city: { enum: ["Oslo", "Rome"] }, days: { type: "integer", minimum: 1, maximum: 9 } },
    required: ["city", "days"],
    additionalProperties: false,
  },
};

let whole;
await check("a message", async () => {
  const answer = await client.messages.create({ ...common, messages });
  whole = answer.content[0].text;
  assert.equal(answer.content[0].type, "text");
  assert.equal(answer.stop_reason, "end_turn");
});

await check("a stream", async () => {
  const stream = client.messages.stream({ ...common, messages });
  let text = "";
  stream.on("text", (piece) => (text += piece));
  const final = await stream.finalMessage();
  assert.equal(text, whole);
  assert.equal(final.content[0].text, whole);
  assert.ok(final.usage.output_tokens > 0);
});

await check("thinking", async () => {
  const stream = client.messages.stream({ ...common, messages, thinking: { type: "enabled", budget_tokens: 1024 } });
  const final = await stream.finalMessage();
  assert.equal(final.content[0].type, "thinking");
  assert.ok(final.content[0].thinking.length > 0);
  assert.match(final.content[1].text, /85/);
});

await check("tools", async () => {
  const request = { ...common, messages, tools: [tool], tool_choice: { type: "any" } };
  const answer = await client.messages.create(request);
  const use = answer.content.at(-1);
  assert.equal(use.type, "tool_use");
  assert.equal(answer.stop_reason, "tool_use");
  const streamed = await client.messages.stream(request).finalMessage();
  assert.deepEqual(streamed.content.at(-1).input, use.input);
  const next = await client.messages.create({
    ...common,
    max_tokens: 20,
    tools: [tool],
    messages: [
      ...messages,
      { role: "assistant", content: answer.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "sunny" }] },
    ],
  });
  assert.equal(next.role, "assistant");
});

await check("count_tokens", async () => {
  const { input_tokens } = await client.messages.countTokens({ model: common.model, messages });
  const answer = await client.messages.create({ ...common, messages });
  assert.equal(input_tokens, answer.usage.input_tokens + answer.usage.cache_read_input_tokens);
});

await check("stop sequences and errors", async () => {
  const answer = await client.messages.create({ ...common, messages, stop_sequences: ["="] });
  assert.equal(answer.stop_sequence, answer.stop_reason === "stop_sequence" ? "=" : null);
  await rejects(client.messages.create({ ...common, messages, temperature: 5 }), 400);
  const error = await rejects(client.messages.create({ ...common, model: "claude", messages }), 404);
  assert.equal(error.error.error.type, "not_found_error");
});

await check("an abort", async () => {
  const stream = client.messages.stream({ ...common, ...longAnswer, messages });
  stream.on("text", () => stream.abort());
  await assert.rejects(stream.finalMessage());
});

report();
