// SPDX-License-Identifier: Apache-2.0
// Vercel's AI SDK with its OpenAI-compatible provider.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, streamText, tool } from "ai";
import { z } from "zod";
import { assert, check, fetchAndValidate, longAnswer, rejects, report, url } from "./checks.mjs";

const provider = createOpenAICompatible({
  name: "infer",
  baseURL: `${url}/v1`,
  apiKey: "none",
  includeUsage: true,
  supportsStructuredOutputs: true,
  fetch: fetchAndValidate,
});
const model = provider("tiny-tales");
const prompt = "What is 47 + 38?";
const common = { model, temperature: 0, maxRetries: 0 };

let whole;
await check("text", async () => {
  whole = await generateText({ ...common, prompt });
  assert.match(whole.text, /85/);
  assert.ok(whole.reasoningText.length > 0);
  assert.equal(whole.finishReason, "stop");
  assert.ok(whole.usage.inputTokens > 0);
});

await check("a stream", async () => {
  const stream = streamText({ ...common, prompt });
  let text = "";
  for await (const piece of stream.textStream) text += piece;
  assert.equal(text, whole.text);
  assert.equal(await stream.reasoningText, whole.reasoningText);
  assert.ok((await stream.usage).outputTokens > 0);
});

const weather = tool({
  description: "Weather of a city",
  inputSchema: z.object({ city: z.enum(["Oslo", "Rome"]), days: z.number().int().min(1).max(9) }),
});

await check("tool calls", async () => {
  const request = { ...common, prompt, tools: { weather }, toolChoice: "required" };
  const answer = await generateText(request);
  assert.equal(answer.finishReason, "tool-calls");
  assert.ok(["Oslo", "Rome"].includes(answer.toolCalls[0].input.city));
  const stream = streamText(request);
  await stream.consumeStream();
  assert.deepEqual((await stream.toolCalls)[0].input, answer.toolCalls[0].input);
});

await check("an object", async () => {
  const { object } = await generateObject({
    ...common,
    prompt,
    schema: z.object({ answer: z.number().int().min(0).max(999), sure: z.boolean() }),
  });
  assert.equal(typeof object.sure, "boolean");
});

await check("an error", async () => {
  const error = await rejects(generateText({ ...common, model: provider("gpt-5"), prompt }), 404);
  assert.equal(error.data.error.code, "model_not_found");
});

await check("an abort", async () => {
  const controller = new AbortController();
  const { max_tokens: maxOutputTokens, ...rest } = longAnswer;
  const stream = streamText({
    ...common,
    prompt,
    maxOutputTokens,
    providerOptions: { infer: rest },
    abortSignal: controller.signal,
  });
  for await (const part of stream.fullStream) {
    if (part.type === "reasoning-delta" || part.type === "text-delta") controller.abort();
  }
});

report();
