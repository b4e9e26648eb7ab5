// SPDX-License-Identifier: Apache-2.0
// OpenAI's own client, in the version whose package is given: openai, openai5.
import { assert, check, fetchAndValidate, longAnswer, rejects, report, url } from "./checks.mjs";

const { default: OpenAI } = await import(process.argv[3] ?? "openai");
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", fetch: fetchAndValidate, maxRetries: 0 });
const model = "tiny-tales";
const question = [{ role: "user", content: "What is 47 + 38?" }];
const greedy = { model, temperature: 0 };
const tool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Weather of a city",
    parameters: {
      type: "object",
      properties: { city: { enum: ["Oslo", "Rome"] }, days: { type: "integer", minimum: 1, maximum: 9 } },
      required: ["city", "days"],
      additionalProperties: false,
    },
  },
};
const schema = {
  type: "object",
  properties: { answer: { type: "integer", minimum: 0, maximum: 999 }, sure: { type: "boolean" } },
  required: ["answer", "sure"],
  additionalProperties: false,
};

await check("models", async () => {
  const ids = [];
  for await (const one of client.models.list()) ids.push(one.id);
  assert.deepEqual(ids, [model]);
  assert.equal((await client.models.retrieve(model)).id, model);
});

let whole;
await check("chat", async () => {
  const answer = await client.chat.completions.create({ ...greedy, messages: question });
  whole = answer.choices[0].message;
  assert.match(whole.content, /85/);
  assert.ok(whole.reasoning_content.length > 0);
  assert.equal(answer.choices[0].finish_reason, "stop");
  assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
});

await check("a stream gives the same text", async () => {
  const stream = await client.chat.completions.create({
    ...greedy,
    messages: question,
    stream: true,
    stream_options: { include_usage: true },
  });
  let content = "";
  let thought = "";
  let usage = null;
  for await (const chunk of stream) {
    content += chunk.choices[0]?.delta.content ?? "";
    thought += chunk.choices[0]?.delta.reasoning_content ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.equal(content, whole.content);
  assert.equal(thought, whole.reasoning_content);
  assert.ok(usage.prompt_tokens_details.cached_tokens >= 0);
});

await check("the stream helper", async () => {
  const runner = client.chat.completions.stream({ ...greedy, messages: question });
  const final = await runner.finalChatCompletion();
  assert.equal(final.choices[0].message.content, whole.content);
});

await check("without thinking", async () => {
  const answer = await client.chat.completions.create({ ...greedy, messages: question, reasoning_effort: "none" });
  assert.equal(answer.choices[0].message.reasoning_content, undefined);
});

await check("several choices", async () => {
  const answer = await client.chat.completions.create({ model, messages: question, n: 3, max_tokens: 5, seed: 1 });
  assert.deepEqual(answer.choices.map((choice) => choice.index), [0, 1, 2]);
  assert.equal(answer.choices[0].finish_reason, "length");
});

await check("a required tool call", async () => {
  const answer = await client.chat.completions.create({
    ...greedy,
    messages: question,
    tools: [tool],
    tool_choice: "required",
  });
  const [call] = answer.choices[0].message.tool_calls;
  assert.equal(call.function.name, "get_weather");
  const made = JSON.parse(call.function.arguments);
  assert.ok(["Oslo", "Rome"].includes(made.city) && made.days >= 1 && made.days <= 9);
  assert.equal(answer.choices[0].finish_reason, "tool_calls");
  const next = await client.chat.completions.create({
    ...greedy,
    max_tokens: 20,
    messages: [...question, answer.choices[0].message, { role: "tool", tool_call_id: call.id, content: "sunny" }],
    tools: [tool],
  });
  assert.ok(next.choices.length === 1);
});

await check("a named tool call in a stream", async () => {
  const runner = client.chat.completions.stream({
    ...greedy,
    messages: question,
    tools: [tool],
    tool_choice: { type: "function", function: { name: "get_weather" } },
  });
  const final = await runner.finalChatCompletion();
  assert.equal(final.choices[0].message.tool_calls[0].function.name, "get_weather");
  JSON.parse(final.choices[0].message.tool_calls[0].function.arguments);
});

await check("a schema", async () => {
  const answer = await client.chat.completions.create({
    ...greedy,
    messages: question,
    response_format: { type: "json_schema", json_schema: { name: "sum", schema, strict: true } },
  });
  const made = JSON.parse(answer.choices[0].message.content);
  assert.equal(typeof made.sure, "boolean");
  assert.ok(Number.isInteger(made.answer));
});

await check("logprobs", async () => {
  const answer = await client.chat.completions.create({
    ...greedy,
    messages: question,
    logprobs: true,
    top_logprobs: 3,
    reasoning_effort: "none",
  });
  const entries = answer.choices[0].logprobs.content;
  assert.equal(entries.map((entry) => entry.token).join("").trim(), answer.choices[0].message.content.trim());
  for (const entry of entries) {
    assert.equal(entry.top_logprobs.length, 3);
    assert.equal(entry.top_logprobs[0].logprob, entry.logprob);
  }
  const runner = client.chat.completions.stream({ ...greedy, messages: question, logprobs: true, top_logprobs: 1 });
  assert.ok((await runner.finalChatCompletion()).choices[0].logprobs.content.length > 0);
});

await check("completions", async () => {
  const request = { ...greedy, prompt: "Once upon a time", max_tokens: 12 };
  const answer = await client.completions.create({ ...request, logprobs: 2 });
  assert.equal(answer.choices[0].finish_reason, "length");
  assert.equal(answer.choices[0].logprobs.tokens.join(""), answer.choices[0].text);
  let text = "";
  for await (const chunk of await client.completions.create({ ...request, stream: true })) {
    text += chunk.choices[0]?.text ?? "";
  }
  assert.equal(text, answer.choices[0].text);
  const two = await client.completions.create({ ...request, prompt: ["Once upon a time", "One day"] });
  assert.equal(two.choices[0].text, answer.choices[0].text);
  assert.equal(two.choices.length, 2);
});

await check("responses", async () => {
  const request = { ...greedy, input: "What is 47 + 38?" };
  const answer = await client.responses.create(request);
  assert.equal(answer.status, "completed");
  assert.equal(answer.output_text, whole.content);
  const stream = client.responses.stream(request);
  const final = await stream.finalResponse();
  assert.equal(final.output.at(-1).content[0].text, whole.content);
  const call = await client.responses.create({
    ...request,
    tools: [{ type: "function", strict: true, ...tool.function }],
    tool_choice: "required",
  });
  assert.equal(call.output.at(-1).type, "function_call");
  const made = await client.responses.create({
    ...request,
    text: { format: { type: "json_schema", name: "sum", schema, strict: true } },
  });
  JSON.parse(made.output_text);
});

await check("errors", async () => {
  const wrong = await rejects(client.chat.completions.create({ model, messages: question, temperature: 9 }), 400);
  assert.equal(wrong.param, "temperature");
  const missing = await rejects(client.chat.completions.create({ model: "gpt-5", messages: question }), 404);
  assert.equal(missing.code, "model_not_found");
  const long = [{ role: "user", content: "word ".repeat(20000) }];
  const error = await rejects(client.chat.completions.create({ model, messages: long }), 400);
  assert.equal(error.code, "context_length_exceeded");
});

await check("an abort", async () => {
  const stream = await client.chat.completions.create({ model, messages: question, stream: true, ...longAnswer });
  for await (const chunk of stream) {
    assert.ok(chunk);
    stream.controller.abort();
    break;
  }
});

report();
