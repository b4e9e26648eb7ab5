// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SseParser } from "../../../../../tools/serve/page/src/sse.js";

const fixtures = JSON.parse(readFileSync(new URL("../../../../data/serve_page/streams.json", import.meta.url)));

test("streams are split as eventsource-parser splits them", () => {
  for (const { pieces, data } of fixtures) {
    const found = [];
    const parser = new SseParser((text) => found.push(text));
    pieces.forEach((piece) => parser.push(piece));
    assert.deepEqual(found, data, JSON.stringify(pieces));
  }
});

test("an event without end is refused before it fills the memory", () => {
  const parser = new SseParser(() => {});
  const half = "x".repeat((1 << 23) + 1);
  parser.push(half);
  assert.throws(() => parser.push(half), /too long/);
});
