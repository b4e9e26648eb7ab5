// SPDX-License-Identifier: Apache-2.0
// What "the page and the compiler agree" means: policies with thresholds to change, random ones to put in, and the
// comparison of what the page predicts with what the compiler made.
import assert from "node:assert/strict";

// Rule late takes no node as it stands; with other thresholds it puts whole ops on a target that runs them in parts.
export const POLICY = `name: "thresholds"
composites: KEEP
rule { name: "wide" op: "linear" min_rows: 8 min_columns: 100 targets: [METAL, PARALLEL, SIMD, SCALAR] }
rule { name: "heavy" min_flops: 400000 targets: [PARALLEL, SIMD, SCALAR] }
rule { name: "late" phase: PREFILL min_layer: 2 max_elements: 0 targets: [SCALAR] }
rule { name: "stored" min_weight_bytes: 7000 max_rows: 40 targets: [SIMD, SCALAR] }
rule { name: "deep" min_inner: 65 max_tokens: 100 targets: [METAL, PARALLEL, SCALAR] }
rule { name: "rest" targets: [SIMD, SCALAR] }
`;

// For a machine whose kernels have row limits, and which this build has no kernels for. As it stands every node is whole,
// on the cpu; with other thresholds what the GPU runs whole, in parts or not at all changes with the rows.
export const LIMITED = `name: "limited"
composites: KEEP
rule { name: "norms" op: "rms_norm" min_rows: 600 targets: [METAL, SCALAR] }
rule { name: "wide" op: "linear" min_rows: 600 targets: [METAL, SIMD, PARALLEL] }
rule { name: "heavy" min_flops: 1000000000000 targets: [METAL, PARALLEL] }
rule { name: "rest" targets: [SIMD, PARALLEL, SCALAR] }
`;

let seed = 2026;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;

const MOST = {
  rows: 600,
  columns: 600,
  inner: 200,
  elements: 60000,
  flops: 2e7,
  weight_bytes: 40000,
  tokens: 600,
  layer: 4,
};
// From 1 to the most that changes anything, as many small ones as large.
export const randomThreshold = (field) => Math.max(1, Math.round(Math.exp(random() * Math.log(MOST[field]))));

export const seen = new Set(); // kernels

// Whole nodes by id. Where the page says that a target runs a node in parts, all nodes of its scopes are there. Parts that
// the Program has already (`part`) are compared by id, too: the page leaves them where the compiler put them.
export function compareNodes(predicted, compiled, regime, where) {
  const records = regime.nodes.map((node) => ({
    node: compiled.nodes[node.node],
    record: compiled.records[node.record],
  }));
  const text = ({ target, rule }) => `${target} by ${rule}`;
  const exact = ({ kernel, ...rest }) => `${kernel} on ${text(rest)}`;
  for (const { kernel } of predicted) seen.add(kernel);
  const whole = (list) => new Map(list.sort(([a], [b]) => (a < b ? -1 : 1)));
  const isPart = ({ record }) => record.source === "legalize";
  const old = new Set(predicted.filter((p) => p.part).map((p) => p.id));
  assert.deepEqual(
    whole(predicted.filter((p) => p.kernel !== "in parts").map((p) => [p.id, exact(p)])),
    whole(records.filter((r) => !isPart(r) || old.has(r.node.id)).map(({ node, record }) => [node.id, exact(record)])),
    where,
  );
  const parts = new Map(
    predicted.filter((p) => p.kernel === "in parts").flatMap((p) => p.scopes.map((scope) => [scope, text(p)])),
  );
  for (const { node, record } of records.filter((r) => isPart(r) && !old.has(r.node.id)))
    assert.equal(parts.get(node.scope), text(record), `${where}, ${node.scope}`);
}

export const compared = []; // device boundaries of calls

// The page asks about a full cache, as the upper ends of a regime do; between the T of its estimates it interpolates, and
// of nodes in parts it knows the whole. Nodes are rounded to nanoseconds, each.
export function compareCalls(predicted, compiled, regime, tokens, will, where) {
  if (predicted.some((p) => p.kernel === "in parts")) return;
  assert.equal(will.boundaries, regime.device_boundaries, where);
  if (tokens !== regime.tokens[1] || !compiled.estimate_tokens.includes(tokens)) return;
  const off = Math.abs(will.ns - regime.estimate_ns[1]);
  assert.ok(off <= 1 + regime.nodes.length / 2, `${where}: ${will.ns} ns, the compiler says ${regime.estimate_ns[1]}`);
  compared.push(will.boundaries);
}
