// SPDX-License-Identifier: Apache-2.0
// The consequences of a placement: which nodes move, and the expected time.
import { callOverhead } from "./call_overhead.js";
import { IN_PARTS } from "./kernel_choices.js";
import { estimateAt, placeAll, symbolsAt } from "./what_if.js";

// Adds to the one row for nodes of a group that move from one target to another.
function addMove(moved, group, node, from, to, rule) {
  const key = `${group.index} ${from} ${to}`;
  const row = moved.get(key) ?? { group, node, from, to, rule, layers: [], delta: 0, count: 0 };
  ++row.count;
  if (node.layer !== undefined) row.layers.push(node.layer);
  moved.set(key, row);
  return row;
}

// Counts the nodes of each target.
function countTargets(targets) {
  const count = new Map();
  for (const target of targets) if (target !== null) count.set(target, (count.get(target) ?? 0) + 1);
  return count;
}

// Returns the estimate of a call with this placement: {ns, nodes, overhead: ns of both, boundaries, crossings}; see
// EstimateCall in passes/estimate.cc.
function callOf(program, regime, targets, estimate, at) {
  const nodes = targets.reduce((sum, target, n) => sum + estimate(n, target), 0);
  const overhead = callOverhead(program, regime, targets, at);
  return { ...overhead, nodes, overhead: overhead.ns, ns: nodes + overhead.ns };
}

// Returns {before, after: {target: nodes}, was, will: calls as above, rows, lost: nodes that nothing runs, inParts:
// nodes that would run in parts}; will is null if nodes are lost.
export function consequences(program, regime, placed, tokens, context) {
  const asWritten = placeAll(program, {}, tokens);
  const estimate = (n, target) => estimateAt(program, program.choices[regime.nodes[n].choice], target, tokens, context);
  const compiled = regime.nodes.map((node) => program.record(node).target);
  const moved = new Map();
  let inParts = 0;
  const targets = regime.nodes.map((node, n) => {
    const next = placed[n];
    if (!next) return null;
    // What smooth-placement moved stays there as long as the rules give the same answer as before.
    if (!next.isMove && next.target === asWritten[n]?.target) return compiled[n];
    if (next.target === compiled[n]) return compiled[n];
    inParts += next.kernel === IN_PARTS;
    const row = addMove(moved, program.groupOf(node), node, compiled[n], next.target, next.rule);
    row.delta += estimate(n, next.target) - estimate(n, compiled[n]);
    return next.target;
  });
  const lost = targets.filter((target) => target === null).length;
  const at = { ...symbolsAt(program, tokens), S: Math.max(tokens, context) };
  return {
    before: countTargets(compiled),
    after: countTargets(targets),
    was: callOf(program, regime, compiled, estimate, at),
    will: lost ? null : callOf(program, regime, targets, estimate, at),
    rows: [...moved.values()].sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta)),
    lost,
    inParts,
  };
}
