// SPDX-License-Identifier: Apache-2.0

const LACKS = ["no_kernel", "unavailable"];

// Returns the targets that the node's rule lists before the chosen one and that could not run it: [rejected]. Empty if
// a flag rather than a rule placed the node.
function passedBy(program, record) {
  const rule = record.source === "override" ? null : program.policy.rules.find(({ name }) => name === record.rule);
  const lacking = [];
  for (const target of rule?.targets ?? []) {
    const other = record.rejected.find((rejected) => rejected.target === target);
    // After the first target that could run it the rule no longer decides: smooth-placement may have moved the node.
    if (target === record.target || !other || !LACKS.includes(other.code)) break;
    lacking.push(other);
  }
  return lacking;
}

// Returns {target, why, rule, count: nodes, node: the first, to: targets that run them}, most nodes first.
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
