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
  const piece = "x".repeat(1 << 20);
  assert.throws(() => {
    for (let i = 0; i < 40; ++i) parser.push(piece);
  }, /too long/);
});
