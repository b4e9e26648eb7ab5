// SPDX-License-Identifier: Apache-2.0
// OpenAI's own client against a server that gives vectors.
import { assert, check, fetchAndValidate, rejects, report, url } from "./checks.mjs";

const { default: OpenAI } = await import(process.argv[3] ?? "openai");
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0, fetch: fetchAndValidate });
const model = "tiny-tales";
const length = (vector) => Math.hypot(...vector);

let whole;
await check("a text has a vector of length 1", async () => {
  const answer = await client.embeddings.create({ model, input: "The owl slept." });
  whole = answer.data[0].embedding;
  assert.equal(whole.length, 256);
  assert.ok(Math.abs(length(whole) - 1) < 1e-5);
  assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens);
});

// The client asks for base64 unless told otherwise.
await check("numbers and base64 are the same", async () => {
  const answer = await client.embeddings.create({ model, input: "The owl slept.", encoding_format: "float" });
  answer.data[0].embedding.forEach((x, i) => assert.ok(Math.abs(x - whole[i]) < 1e-6));
});

await check("a list has its vectors in order, and they can be cut", async () => {
  const answer = await client.embeddings.create({ model, input: ["a tale", "The owl slept."], dimensions: 16 });
  assert.deepEqual(answer.data.map((one) => one.index), [0, 1]);
  const scale = length(whole.slice(0, 16));
  answer.data[1].embedding.forEach((x, i) => assert.ok(Math.abs(x - whole[i] / scale) < 1e-2));
});

await check("errors name the value", async () => {
  await rejects(client.embeddings.create({ model, input: "a", dimensions: 257 }), 400);
  await rejects(client.chat.completions.create({ model, messages: [{ role: "user", content: "a" }] }), 400);
});

report();
