// SPDX-License-Identifier: Apache-2.0

// Returns how the rows of a regime's calls were distributed over experts, a line for each layer, or null if the profile
// says nothing about experts: {experts, calls, lines: [{node, layer, rows, total, used, busiest, times}]}, where `times`
// is the busiest expert's rows as a multiple of an even share. All nodes of a layer have the same rows: the first counts.
export function expertRows(program, regime) {
  const calls = program.calls(regime);
  if (!calls?.experts?.length) return null;
  const lines = [];
  for (const { node: n, rows } of calls.experts) {
    const node = regime.nodes[n];
    if (lines.some((line) => line.layer === node.layer)) continue;
    const total = rows.reduce((sum, count) => sum + count, 0);
    const most = Math.max(...rows);
    lines.push({
      node,
      layer: node.layer,
      rows,
      total,
      used: rows.filter((count) => count > 0).length,
      busiest: rows.indexOf(most),
      times: total > 0 ? (most * rows.length) / total : 0,
    });
  }
  return { calls, lines, experts: Math.max(...lines.map((line) => line.rows.length)) };
}

export const hasExpertRows = (programs) =>
  programs.some((program) => program.regimes.some((regime) => expertRows(program, regime)));
