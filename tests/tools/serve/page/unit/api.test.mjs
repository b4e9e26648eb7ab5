// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Answer, speedText } from "../../../../../tools/serve/page/src/answer.js";
import { Api } from "../../../../../tools/serve/page/src/api.js";
import { retrySeconds } from "../../../../../tools/serve/page/src/api_error.js";

const key = { get: () => "k" };
const answering = (body, init) => new Api(key, async () => new Response(body, init));
const chunk = (delta, more = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }], usage: null })}\n\n`;
const refused = (status, error, headers) => answering(JSON.stringify({ error }), { status, headers });

test("requests carry the key and ask for a stream with usage", async () => {
  let asked;
  const api = new Api(key, async (...args) => {
    asked = args;
    return new Response("data: [DONE]\n\n");
  });
  await api.chat({ messages: [] }, null, () => {});
  const [path, { headers, body, cache }] = asked;
  assert.deepEqual([path, headers.authorization, cache], ["/v1/chat/completions", "Bearer k", "no-store"]);
  assert.deepEqual(JSON.parse(body), { messages: [], stream: true, stream_options: { include_usage: true } });
});

test("errors have a kind, the server's words and the time to wait", async () => {
  const errorOf = (api) =>
    api
      .chat({}, null, () => {})
      .then(
        () => assert.fail("no error"),
        (error) => error,
      );
  const cases = [
    [refused(401, { message: "no key" }), "key", "no key"],
    [refused(429, { message: "full" }, { "retry-after": "7" }), "busy", "full", 7],
    [refused(503, { message: "draining" }), "unavailable", "draining"],
    [refused(400, { message: "bad", code: "context_length_exceeded" }), "request", "bad"],
    [answering("<html>bad gateway", { status: 502 }), "server", "HTTP status 502"],
    [answering(chunk({ content: "a" })), "stream", "The connection closed before the answer was complete."],
    [answering('data: {"error": {"message": "lost"}}\n\n'), "stream", "lost"],
    [answering("data: {nonsense\n\n"), "stream", "The stream contains something that is not JSON."],
    [
      new Api(key, async () => {
        throw new TypeError("network");
      }),
      "offline",
      /still running/,
    ],
  ];
  for (const [api, kind, message, retryAfter = null] of cases) {
    const error = await errorOf(api);
    assert.deepEqual([error.kind, error.retryAfter], [kind, retryAfter]);
    assert.match(error.message, message instanceof RegExp ? message : new RegExp(message.replace(/[.]/g, "\\.")));
    assert.ok(error.title);
  }
  assert.equal(retrySeconds("Thu, 01 Jan 1970 00:00:09 GMT", 4000), 5);
  assert.deepEqual([retrySeconds("soon"), retrySeconds(null), retrySeconds("999999")], [null, null, 3600]);
});

test("chunks add up to an answer", async () => {
  const stream = [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "hm", reasoning: "hm" }),
    chunk({ content: "He" }),
    chunk({ content: "y" }),
    chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
    chunk({}, { finish_reason: "tool_calls" }),
    'data: {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 8}}}\n\n',
    "data: [DONE]\n\n",
  ];
  const answer = new Answer(1000);
  let now = 1000;
  await answering(stream.join("")).chat({}, null, (one) => answer.add(one, (now += 100)));
  assert.deepEqual(answer.message(), {
    role: "assistant",
    content: "Hey",
    reasoning: "hm",
    tool_calls: [{ id: "c", name: "f", arguments: "{}" }],
    finish: "tool_calls",
    speed: { first_ms: 200, decode_ms: 400, tokens: 4, prompt_tokens: 9, cached_tokens: 8 },
  });
  assert.equal(
    speedText(answer.speed()),
    "4 tokens \u00b7 7.5 tokens/s \u00b7 first after 0.20 s \u00b7 prompt 9, 8 from the cache",
  );
  assert.equal(new Answer(0).speed(), null);
});
