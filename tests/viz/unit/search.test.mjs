// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { matcher } from "../../../tools/viz/page/src/search.js";

const program = {
  op: (n) => n.op,
  kind: (n) => ({ weight_types: n.type }),
  record: (n) => ({ target: n.target, rule: n.rule, kernel: n.kernel }),
};
const q = {
  name: "layer.1/attn/q_proj+k_proj",
  scope: "layer.1/attn/q_proj",
  merged: ["layer.1/attn/k_proj"],
  op: "linear",
  type: "q8_0",
  target: "simd",
  rule: "rest",
  kernel: "k",
  layer: 1,
  id: "00ff",
};
const norm = {
  ...q,
  name: "layer.11/attn/norm",
  scope: "layer.11/attn/norm",
  merged: undefined,
  op: "rms_norm",
  type: "f32",
  target: "scalar",
  layer: 11,
  id: "0a",
};
const found = (text) => [q, norm].filter(matcher(text, program)).map((n) => n.op);

test("nothing typed asks nothing", () => assert.equal(matcher("  ", program), null));
test("a word is a regular expression over scope, op and id", () => {
  assert.deepEqual(found("q_proj$|00ff"), ["linear"]);
  assert.deepEqual(found("attn"), ["linear", "rms_norm"]);
});
test("a fused node is found by each member and by its whole name", () => {
  assert.deepEqual(found("attn/q_proj"), ["linear"]);
  assert.deepEqual(found("attn/k_proj"), ["linear"]);
  assert.deepEqual(found("q_proj\\+k_proj"), ["linear"]);
});
test("fields", () => {
  assert.deepEqual(found("op:linear"), ["linear"]);
  assert.deepEqual(found("target:scalar"), ["rms_norm"]);
  assert.deepEqual(found("type:q8_0 attn"), ["linear"]);
  assert.deepEqual(found("layer:1"), ["linear"]);
});
test("all words must match", () => assert.deepEqual(found("op:linear target:scalar"), []));
test("what is no regular expression is looked for as it stands", () => assert.deepEqual(found("q_proj("), []));
