// SPDX-License-Identifier: Apache-2.0
// Time in which threads wait for each other is nobody's work, and every time says which statistic it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "../../../tools/viz/page/src/compare.js";
import { costsOf } from "../../../tools/viz/page/src/costs.js";
import { Program } from "../../../tools/viz/page/src/model.js";
import { targetShares } from "../../../tools/viz/page/src/target_shares.js";
import { callsText, fromEstimates, fromProfile } from "../../../tools/viz/page/src/timeline_content.js";
import { colouring } from "../../../tools/viz/page/src/views/graph_colours.js";

const COLUMNS = "n min_ns p50_ns p95_ns total_ns wait_ns busy_ns busy_max_ns estimate_ns".split(" ");

// Two nodes. In the profile both take 100 ns of each of two calls; of the first's time `waited` percent are waits.
function program(waited, { profile = true, calls = {} } = {}) {
  const rows = [waited, 0].map((share) => [2, 90, 95, 100, 200, 4 * share, 400 - 4 * share, 200, 50]);
  const group = { tokens: [1, 1], calls: 2, sum_tokens: 2, wall_ns: 500, timings: rows, ...calls };
  return new Program({
    model: { files: [{ name: "m.gguf", bytes: 1 }] },
    fold: { groups: [0, 1].map((n) => ({ scope: "", op: "ab"[n], ordinal: 0, layers: [], name: "ab"[n] })), layers: [] },
    nodes: [0, 1].map((n) => ({ id: String(n), scope: "", kind: n })),
    kinds: ["a", "b"].map((op) => ({ op, bytes: { 1: 8 }, flops: {} })),
    records: ["simd", "metal"].map((target) => ({ target, rule: "r", estimate_ns: [40, 60] })),
    regimes: [{ tokens: [1, 1], name: "T 1", nodes: [0, 1].map((n) => ({ node: n, record: n })), segments: [] }],
    symbols: { T: [1, 1] },
    profile: profile ? { threads: 2, columns: COLUMNS, regimes: [[group]] } : undefined,
  });
}

const partsOf = (p, name) => targetShares(p, p.regimes[0]).find((row) => row.name === name);

test("the bar of time draws waiting apart, and says what it is", () => {
  const time = partsOf(program(25), "time");
  assert.equal(time.basis, "measured, mean of 2 calls");
  assert.deepEqual(time.parts, [
    ["simd", 75],
    ["metal", 100],
    ["waiting", 25],
  ]);
  assert.deepEqual(
    partsOf(program(0), "time").parts.map(([part]) => part),
    ["simd", "metal"],
  );
});

test("without a profile the bar says that it is estimated", () => {
  const time = partsOf(program(25, { profile: false }), "time");
  assert.equal(time.basis, "estimated, lower ends");
  assert.deepEqual(time.parts, [
    ["simd", 40],
    ["metal", 40],
  ]);
});

test("a group's waiting is a part of its time", () => {
  const p = program(25);
  const row = costsOf(p, p.regimes[0]).find(({ group }) => group.op === "a");
  assert.deepEqual([row.ns, row.waiting], [100, 25]);
});

test("the colours of measured times show work, and the label adds the waiting", () => {
  const p = program(50);
  const boxes = p.regimes[0].nodes.map((node) => ({ item: { nodes: [node], all: [node] } }));
  const { of, text, legend } = colouring({ program: p, regime: p.regimes[0], state: { colour: "measured" } }, boxes);
  assert.equal(text(boxes[0].item), "50 ns + 50 ns waiting");
  assert.equal(text(boxes[1].item), "100 ns");
  assert.equal(legend.at(-1)[0], "100 ns");
  assert.notEqual(of(boxes[0].item), of(boxes[1].item));
});

test("compare tells work from waiting, and its totals have both", () => {
  const result = compare(program(0), program(50), 1);
  assert.equal(result.basis, "measured, means");
  const row = result.rows.find(({ op }) => op === "a");
  assert.deepEqual([row.a_ns, row.a_wait, row.b_ns, row.b_wait], [100, 0, 50, 50]);
  assert.deepEqual(result.totals, [200, 200]);
  assert.deepEqual(result.waits, [0, 50]);
  assert.equal(compare(program(0), program(0, { profile: false }), 1).basis, "estimated, lower ends");
});

test("the list of calls names the mean and the shortest, which is drawn", () => {
  const group = { tokens: [1, 4], calls: 2, wall_ns: 500, timeline: { T: 1, S: 7, wall_ns: 200, threads: [[], []] } };
  assert.equal(callsText(group), "T 1\u20134: 2 calls, mean 250 ns, shortest 200 ns");
  assert.equal(callsText({ ...group, timeline: undefined }), "T 1\u20134: 2 calls, mean 250 ns");
  assert.equal(callsText({ ...group, calls: 1 }), "T 1\u20134: 1 call, 500 ns");
});

test("what a timeline shows has a name", () => {
  const timeline = { T: 1, S: 7, wall_ns: 200, threads: [[null, null], [null, null]] };
  const shown = (p) => fromProfile(p, p.regimes[0], p.calls(p.regimes[0])).basis;
  assert.equal(shown(program(25, { calls: { timeline } })), "the shortest of 2 calls");
  assert.equal(shown(program(25)), "means of 2 calls");
  const p = program(25, { profile: false });
  assert.equal(fromEstimates(p, p.regimes[0]).basis, "estimated, lower ends");
});
