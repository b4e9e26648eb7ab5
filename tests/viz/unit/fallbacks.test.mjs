// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { fallbacksOf } from "../../../tools/viz/page/src/fallbacks.js";

const no = (target, code = "no_kernel") => ({ target, code, why: `${target} has none` });

function found(record) {
  const records = [{ rule: "rest", source: "policy", ...record }];
  const program = {
    policy: {
      rules: [
        { name: "rest", targets: ["metal", "parallel", "simd"] },
        { name: "other", targets: ["simd"] },
      ],
    },
    record: (node) => records[node.record],
  };
  return fallbacksOf(program, { nodes: [{ record: 0 }, { record: 0 }] }).map((of) => [of.target, of.count, [...of.to]]);
}

test("targets before the one taken, that had no kernel or were not there", () => {
  assert.deepEqual(found({ target: "parallel", rejected: [no("metal")] }), [["metal", 2, ["parallel"]]]);
  assert.deepEqual(found({ target: "simd", rejected: [no("metal", "unavailable"), no("parallel")] }), [
    ["metal", 2, ["simd"]],
    ["parallel", 2, ["simd"]],
  ]);
});

test("not those behind it, and not those that the rule does not name", () => {
  assert.deepEqual(found({ target: "metal", rejected: [no("parallel"), no("simd"), no("scalar")] }), []);
  assert.deepEqual(found({ target: "simd", rule: "other", rejected: [no("metal"), no("parallel")] }), []);
});

test("not what an override or smooth-placement has put elsewhere", () => {
  assert.deepEqual(found({ target: "simd", source: "override", rejected: [no("metal")] }), []);
  const moved = [no("metal"), no("parallel", "cost"), no("scalar")];
  assert.deepEqual(found({ target: "simd", source: "smooth", rejected: moved }), [["metal", 2, ["simd"]]]);
});
