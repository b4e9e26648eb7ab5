// SPDX-License-Identifier: Apache-2.0
import { countAt } from "./what_if.js";

// The part of a bar that is not a target.
export const WAITING = "waiting";

// Returns how nodes, time and bytes are shared among the targets: [{name, basis, parts: [[target, number]]}]. Time that
// threads wait for each other belongs to no target; it is the last part of the bar.
export function targetShares(program, regime) {
  const nodes = new Map();
  const time = new Map();
  const bytes = new Map();
  const at = { T: regime.tokens[0], R: 1, S: regime.tokens[0] };
  const add = (of, part, n) => of.set(part, (of.get(part) ?? 0) + n);
  let waited = 0;
  for (const node of regime.nodes) {
    const { target } = program.record(node);
    const { working, waiting } = program.costParts(regime, node);
    add(nodes, target, 1);
    add(time, target, working);
    add(bytes, target, countAt(program.kind(node).bytes, at));
    waited += waiting;
  }
  if (waited > 0) time.set(WAITING, waited);
  return [
    { name: "nodes", basis: "", parts: [...nodes] },
    { name: "time", basis: program.costBasis(regime), parts: [...time] },
    { name: "bytes", basis: `T ${at.T}, empty context`, parts: [...bytes] },
  ];
}
