// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { callOverhead } from "../../../tools/viz/page/src/call_overhead.js";

// Four nodes in a chain, the third a view of the second; an input comes to the first and to the last, and the last is
// the result.
const kinds = [{}, { view: true }];
const program = (costs) => ({
  targets: [
    { name: "simd", device: "cpu" },
    { name: "parallel", device: "cpu" },
    { name: "metal", device: "metal" },
  ],
  kind: (node) => kinds[node.kind],
  value_bytes: [{ T: 10 }, { 1: 100 }],
  call_costs: { call_ns: 7, wake_ns: { parallel: 30, metal: 500 }, boundary_ns: 11, copy_gb_s: 0, ...costs },
});
const regime = {
  nodes: [{ kind: 0 }, { kind: 0 }, { kind: 1 }, { kind: 0 }],
  values: [
    [-1, 1, 0, 1, 4],
    [1, 0, 0, 1],
    [1, 0, 0, 2],
    [2, 0, 1],
  ],
};
const at = { T: 4, R: 1, S: 8 };
const of = (targets, costs) => callOverhead(program(costs), regime, targets.split(" "), at);

test("on one device: the call, and waking the threads once", () => {
  assert.deepEqual(of("simd simd simd simd"), { ns: 7, boundaries: 0, crossings: 0 });
  assert.deepEqual(of("simd parallel simd parallel"), { ns: 7 + 30, boundaries: 0, crossings: 0 });
});

test("a node on another device is woken for, and what it reads and writes crosses", () => {
  assert.deepEqual(of("simd metal simd simd"), { ns: 7 + 500 + 2 * 11, boundaries: 2, crossings: 2 });
  // Who comes back to the threads wakes them again.
  assert.equal(of("parallel metal simd parallel").ns, 7 + 30 + 500 + 30 + 2 * 11);
});

test("inputs come from the cpu and results go there, each value once for a device", () => {
  assert.deepEqual(of("metal metal metal metal"), { ns: 7 + 500 + 2 * 11, boundaries: 0, crossings: 2 });
});

test("a view is a boundary in the plan, and wakes nobody", () => {
  assert.deepEqual(of("simd simd metal simd"), { ns: 7, boundaries: 2, crossings: 0 });
});

test("where memory is not shared, bytes are copied", () => {
  assert.equal(of("simd metal metal simd", { copy_gb_s: 2 }).ns, 7 + 500 + 2 * (11 + 40 / 2));
  assert.equal(of("metal metal metal metal", { copy_gb_s: 2 }).ns, 7 + 500 + 11 + 100 / 2 + 11 + 40 / 2);
});

test("without a machine description there are boundaries and no times", () => {
  const p = program();
  delete p.call_costs;
  assert.deepEqual(callOverhead(p, regime, ["simd", "metal", "metal", "simd"], at), {
    ns: 0,
    boundaries: 2,
    crossings: 0,
  });
});
