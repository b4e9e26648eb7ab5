// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countAt,
  cutRegimes,
  estimateAt,
  place,
  placeAll,
  policyText,
  rulesWith,
  thresholdsOf,
} from "../../../tools/viz/page/src/what_if.js";

function sample() {
  const choice = {
    rules: [0, 1],
    facts: {
      rows: { T: 1 },
      columns: { 1: 8 },
      inner: { 1: 8 },
      elements: { T: 8 },
      flops: { T: 128 },
      weight_bytes: { 1: 64 },
    },
    offer: 0,
    estimates: {
      simd: [[10, 20, 40]],
      parallel: [
        [8, 10, 12],
        [16, 20, 24],
      ],
    },
  };
  return {
    symbols: { T: [1, 4], R: [1, 1], S: [1, 100] },
    choices: [choice],
    kernels: [
      { name: "s", op: "linear", target: "scalar", rows: [1, null] },
      { name: "k", op: "linear", target: "simd", rows: [1, null] },
      { name: "p", op: "linear", target: "parallel", rows: [2, 16] },
    ],
    offers: [{ rows: "T", kernels: [0, 1, 2] }],
    estimate_tokens: [1, 2, 4],
    policy: {
      rules: [
        { name: "many", bounds: { rows: { min: 3 } }, targets: ["metal", "parallel", "simd"] },
        { name: "rest", bounds: {}, targets: ["simd"] },
      ],
      text: 'name: "p"\nrule {\n  name: "many"\n  min_rows: 3\n}\nrule {\n  name: "rest"\n}\n',
    },
    records: [
      { target: "simd", rule: "rest", source: "policy", kernel: "k" },
      { target: "scalar", rule: "mine", source: "override", kernel: "s" },
    ],
    regimes: [
      {
        tokens: [1, 4],
        nodes: [
          { choice: 0, record: 0 },
          { choice: 0, record: 1 },
        ],
      },
    ],
  };
}

test("the first rule that holds decides, and its first target with a kernel", () => {
  const p = sample();
  assert.deepEqual(place(p, p.policy.rules, p.choices[0], 2), { rule: "rest", target: "simd", kernel: "k" });
  assert.deepEqual(place(p, p.policy.rules, p.choices[0], 3), { rule: "many", target: "parallel", kernel: "p" });
});

test("a kernel outside its row limits is passed over", () => {
  const p = sample();
  p.kernels[2].rows = [4, 16];
  assert.equal(place(p, p.policy.rules, p.choices[0], 3).target, "simd");
  p.kernels[2].rows = [1, 3];
  assert.equal(place(p, p.policy.rules, p.choices[0], 4).target, "simd");
});

test("a count is the sum of its factors times the symbols", () => {
  const at = { T: 8, R: 3, S: 4096 };
  assert.equal(countAt({ 1: 5, T: 1, R: 10, S: 2 }, at), 5 + 8 + 30 + 8192);
  assert.equal(countAt({ TS: 2 }, at), 2 * 8 * 4096);
  assert.equal(countAt({ "TS/N": 2 }, at), 2 * 8 * 4096);
  assert.equal(countAt({ "TS/N": 2 }, { ...at, N: 8 }), 2 * 8 * 512);
});

test("phases and layers", () => {
  const p = sample();
  const rules = [
    { ...p.policy.rules[0], phase: "prefill", bounds: { layer: { min: 2 } }, targets: ["scalar"] },
    p.policy.rules[1],
  ];
  assert.equal(place(p, rules, p.choices[0], 1, 5).target, "simd");
  assert.equal(place(p, rules, p.choices[0], 2, 5).target, "scalar");
  assert.equal(place(p, rules, p.choices[0], 2, 1).target, "simd");
  assert.equal(place(p, rules, p.choices[0], 2, undefined).target, "simd");
});

test("no rule, or no target that runs it, is null", () => {
  const p = sample();
  assert.equal(
    place(p, [{ ...p.policy.rules[0] }, { ...p.policy.rules[1], targets: ["metal"] }], p.choices[0], 1),
    null,
  );
});

test("thresholds replace those of the rules, and overrides stay where they are", () => {
  const p = sample();
  assert.deepEqual(
    thresholdsOf(p.policy).map((t) => [t.key, t.value]),
    [["0 rows min", 3]],
  );
  assert.equal(rulesWith(p.policy, { "0 rows min": 2 })[0].bounds.rows.min, 2);
  assert.deepEqual(
    placeAll(p, { "0 rows min": 2 }, 2).map((n) => n.target),
    ["parallel", "scalar"],
  );
});

test("regimes are the runs of T that decide alike", () => {
  const p = sample();
  assert.deepEqual(cutRegimes(p, {}), [
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual(cutRegimes(p, { "0 rows min": 1 }), [
    [1, 1],
    [2, 4],
  ]);
  assert.deepEqual(cutRegimes(p, { "0 rows min": 9 }), [[1, 4]]);
});

test("estimates are those of the grid, and lie between them elsewhere", () => {
  const p = sample();
  assert.equal(estimateAt(p, p.choices[0], "simd", 2, 100), 20);
  const between = estimateAt(p, p.choices[0], "simd", 3, 100);
  assert.ok(between > 20 && between < 40);
  assert.equal(estimateAt(p, p.choices[0], "parallel", 1, 100), 16);
  assert.equal(estimateAt(p, p.choices[0], "parallel", 1, 1), 8);
  assert.equal(estimateAt(p, p.choices[0], "metal", 1, 1), 0);
});

test("the policy's text has the thresholds in it, each in its rule", () => {
  assert.match(policyText(sample().policy, { "0 rows min": 7 }), /name: "many"\n {2}min_rows: 7\n}/);
  assert.equal(policyText(sample().policy, {}), sample().policy.text);
});
