// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { consequences } from "../../../tools/viz/page/src/what_if_consequences.js";

// Two nodes, the second reads the first; both take 1000 ns on simd and 100 on metal, where waking takes 5000.
function sample() {
  const record = { target: "simd", rule: "rest", source: "policy", kernel: "s" };
  const choice = { rules: [0], kernel_choice: 0, estimates: { simd: [[1000]], metal: [[100]] } };
  const regime = {
    tokens: [1, 1],
    nodes: [
      { choice: 0, record: 0, kind: 0 },
      { choice: 0, record: 0, kind: 0 },
    ],
    values: [[0, 0, 0, 1]],
  };
  return {
    symbols: { T: [1, 1], R: [1, 1], S: [1, 1] },
    targets: [
      { name: "simd", device: "cpu" },
      { name: "metal", device: "metal" },
    ],
    choices: [choice],
    kernels: [{ name: "s", op: "linear", target: "simd", rows: [1, null] }],
    kernel_choices: [{ rows: "T", kernels: [0] }],
    estimate_tokens: [1],
    policy: { rules: [{ name: "rest", bounds: {}, targets: ["simd"] }] },
    records: [record],
    regimes: [regime],
    call_costs: { call_ns: 1, wake_ns: { metal: 5000 }, boundary_ns: 10, copy_gb_s: 0 },
    value_bytes: [{ T: 4 }],
    record: (node) => [record][node.record],
    kind: () => ({}),
    groupOf: () => ({ index: 0 }),
  };
}
const placedOn = (...targets) => targets.map((target) => target && { target, rule: "r", kernel: "k" });
const after = (p, ...targets) => consequences(p, p.regimes[0], placedOn(...targets), 1, 1);

test("a call is its nodes and what comes to them", () => {
  const { was, will, rows } = after(sample(), "simd", "simd");
  assert.deepEqual(was, { ns: 2001, nodes: 2000, overhead: 1, boundaries: 0, crossings: 0 });
  assert.deepEqual(will, was);
  assert.deepEqual(rows, []);
});

test("a faster node on another device is not free", () => {
  const { was, will, rows, before, after: then } = after(sample(), "simd", "metal");
  assert.deepEqual(will, { ns: 1100 + 5011, nodes: 1100, overhead: 5011, boundaries: 1, crossings: 1 });
  assert.ok(will.ns > was.ns);
  assert.equal(rows[0].delta, -900);
  assert.deepEqual([...before], [["simd", 2]]);
  assert.deepEqual(
    [...then],
    [
      ["simd", 1],
      ["metal", 1],
    ],
  );
});

test("where a node is lost there is no call to estimate", () => {
  const { will, lost } = after(sample(), "simd", null);
  assert.equal(will, null);
  assert.equal(lost, 1);
});

test("nodes that would run in parts are counted", () => {
  const p = sample();
  const placed = placedOn("simd", "metal");
  placed[1].kernel = "in parts";
  assert.equal(consequences(p, p.regimes[0], placed, 1, 1).inParts, 1);
});
