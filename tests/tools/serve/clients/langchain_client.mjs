// SPDX-License-Identifier: Apache-2.0
import { ChatOpenAI, OpenAI } from "@langchain/openai";
import { z } from "zod";
import { assert, check, fetchAndValidate, rejects, report, url } from "./checks.mjs";

const configuration = { baseURL: `${url}/v1`, fetch: fetchAndValidate };
const common = { model: "tiny-tales", apiKey: "none", temperature: 0, maxRetries: 0, configuration };
const chat = new ChatOpenAI({ ...common, streamUsage: true });
const question = "What is 47 + 38?";

let whole;
await check("invoke", async () => {
  const answer = await chat.invoke(question);
  whole = answer.content;
  assert.match(whole, /85/);
  assert.ok(answer.usage_metadata.input_tokens > 0);
});

await check("stream", async () => {
  let text = "";
  let usage = null;
  for await (const chunk of await chat.stream(question)) {
    text += chunk.content;
    usage = chunk.usage_metadata ?? usage;
  }
  assert.equal(text, whole);
  assert.ok(usage.output_tokens > 0);
});

await check("tools", async () => {
  const weather = {
    name: "weather",
    description: "Weather of a city",
    schema: z.object({ city: z.enum(["Oslo", "Rome"]) }),
  };
  const bound = chat.bindTools([weather], { tool_choice: "weather" });
  const answer = await bound.invoke(question);
  assert.ok(["Oslo", "Rome"].includes(answer.tool_calls[0].args.city));
  let gathered;
  for await (const chunk of await bound.stream(question)) gathered = gathered ? gathered.concat(chunk) : chunk;
  assert.deepEqual(gathered.tool_calls[0].args, answer.tool_calls[0].args);
});

await check("structured output", async () => {
  const schema = z.object({ answer: z.number().int().min(0).max(999), sure: z.boolean() });
  for (const method of ["jsonSchema", "functionCalling"]) {
    const made = await chat.withStructuredOutput(schema, { method }).invoke(question);
    assert.equal(typeof made.sure, "boolean");
  }
});

await check("completions", async () => {
  const llm = new OpenAI({ ...common, maxTokens: 8 });
  assert.ok((await llm.invoke("Once upon a time")).length > 0);
});

await check("an error", async () => {
  await rejects(new ChatOpenAI({ ...common, model: "gpt-5" }).invoke(question), 404);
});

report();
