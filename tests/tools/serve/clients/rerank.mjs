// SPDX-License-Identifier: Apache-2.0
// Requests to /v1/rerank in the forms that Jina's and Cohere's clients send.
import { assert, check, fetchAndValidate, report, url } from "./checks.mjs";

async function rerank(body) {
  const response = await fetchAndValidate(`${url}/v1/rerank`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return [response.status, await response.json()];
}
const query = "Who lives in the lake?";
const documents = ["The otter lives in the lake.", "The owl lives in the barn.", "Two and two are four."];

let all;
await check("every document has a score, the best first", async () => {
  const [status, answer] = await rerank({ query, documents });
  assert.equal(status, 200);
  all = answer.results;
  assert.deepEqual(all.map((one) => one.index).sort(), [0, 1, 2]);
  for (let i = 1; i < 3; ++i) assert.ok(all[i - 1].relevance_score >= all[i].relevance_score);
  assert.ok(!("document" in all[0]));
});

await check("the best alone, with its text", async () => {
  const wanted = { top_n: 1, return_documents: true };
  const [, answer] = await rerank({ query, documents: documents.map((text) => ({ text })), ...wanted });
  assert.equal(answer.results.length, 1);
  assert.equal(answer.results[0].index, all[0].index);
  assert.equal(answer.results[0].document.text, documents[all[0].index]);
  assert.ok(Math.abs(answer.results[0].relevance_score - all[0].relevance_score) < 1e-6);
});

await check("errors name the value", async () => {
  const [status, answer] = await rerank({ query, documents: ["a", 5] });
  assert.equal(status, 400);
  assert.equal(answer.error.param, "documents[1]");
});

report();
