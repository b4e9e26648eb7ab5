// SPDX-License-Identifier: Apache-2.0

const LACKS = ["no_kernel", "unavailable"];

// The targets of the node's rule before the one that it took, which could not have it: [rejected]. None where a flag
// and not a rule has placed the node.
function passedBy(program, record) {
  const rule = record.source === "override" ? null : program.policy.rules.find(({ name }) => name === record.rule);
  const lacking = [];
  for (const target of rule?.targets ?? []) {
    const other = record.rejected.find((rejected) => rejected.target === target);
    // Behind the first that could have it the rule has no say: smooth-placement may have moved the node on.
    if (target === record.target || !other || !LACKS.includes(other.code)) break;
    lacking.push(other);
  }
  return lacking;
}

// {target, why, rule, count: nodes, node: the first, to: targets that have them}, the most nodes first.
export function fallbacksOf(program, regime) {
  const found = new Map();
  for (const node of regime.nodes) {
    const record = program.record(node);
    for (const other of passedBy(program, record)) {
      const key = `${other.target}|${record.rule}|${other.why}`;
      const entry = found.get(key) ?? { ...other, rule: record.rule, node, count: 0, to: new Set() };
      ++entry.count;
      entry.to.add(record.target);
      found.set(key, entry);
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}
