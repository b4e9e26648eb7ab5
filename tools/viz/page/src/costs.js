// SPDX-License-Identifier: Apache-2.0

// Returns the groups of nodes that take time in a regime, most first: {group, node, ns, waiting, count, name}; `waiting` is
// the part of `ns` in which threads waited for each other.
export function costsOf(program, regime) {
  const rows = new Map();
  for (const node of regime.nodes) {
    const group = program.groupOf(node);
    const row = rows.get(group) ?? { group, node, ns: 0, waiting: 0, count: 0 };
    const { working, waiting } = program.costParts(regime, node);
    row.ns += working + waiting;
    row.waiting += waiting;
    ++row.count;
    rows.set(group, row);
  }
  const list = [...rows.values()].filter((row) => row.ns > 0).sort((a, b) => b.ns - a.ns);
  for (const row of list) {
    const { name, op, layers } = row.group;
    row.name = `${name || op}${row.count > 1 ? ` \u00d7 ${row.count}` : layers.length ? `, layer ${layers[0]}` : ""}`;
  }
  return list;
}
