// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { halvesText, runsAsHalves } from "../../../tools/viz/page/src/halves.js";

const regime = { tokens: [17, 512], halves: { min_tokens: 96, reason: "512 tokens take 7 ms instead of 9" } };

test("a regime says which calls run as two halves", () => {
  assert.equal(
    halvesText(regime),
    "Calls of 96 to 512 tokens run as two halves: 512 tokens take 7 ms instead of 9.",
  );
  assert.ok(runsAsHalves(regime, 96));
  assert.ok(!runsAsHalves(regime, 95));
});

test("others say nothing", () => {
  assert.equal(halvesText({ tokens: [1, 16] }), "");
  assert.ok(!runsAsHalves({ tokens: [1, 16] }, 16));
});
