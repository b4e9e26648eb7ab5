// SPDX-License-Identifier: Apache-2.0
// What it comes to that nodes are placed so: which move, and what that is expected to take.
import { estimateAt, placeAll } from "./what_if.js";

// One row for nodes of a group that move from one target to another.
function addMove(moved, group, node, from, to, rule) {
  const key = `${group.index} ${from} ${to}`;
  const row = moved.get(key) ?? { group, node, from, to, rule, layers: [], delta: 0, count: 0 };
  ++row.count;
  if (node.layer !== undefined) row.layers.push(node.layer);
  moved.set(key, row);
  return row;
}

// {before, after: {target: nodes}, was, will: ns, rows, lost: nodes that nothing runs}
export function consequences(program, regime, placed, tokens, context) {
  const asWritten = placeAll(program, {}, tokens);
  const [before, after, moved] = [new Map(), new Map(), new Map()];
  let [was, will, lost] = [0, 0, 0];
  regime.nodes.forEach((node, n) => {
    const record = program.record(node);
    const choice = program.choices[node.choice];
    const estimate = (target) => estimateAt(program, choice, target, tokens, context);
    // What smooth-placement moved stays there as long as the rules say the same as before.
    const same = placed[n]?.target === asWritten[n]?.target && asWritten[n];
    const next = same ? { ...placed[n], target: record.target } : placed[n];
    before.set(record.target, (before.get(record.target) ?? 0) + 1);
    was += estimate(record.target);
    if (!next) {
      ++lost;
      return;
    }
    after.set(next.target, (after.get(next.target) ?? 0) + 1);
    will += estimate(next.target);
    if (next.target === record.target) return;
    const row = addMove(moved, program.groupOf(node), node, record.target, next.target, next.rule);
    row.delta += estimate(next.target) - estimate(record.target);
  });
  const rows = [...moved.values()].sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
  return { before, after, was, will, rows, lost };
}
