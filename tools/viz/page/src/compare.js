// SPDX-License-Identifier: Apache-2.0
// Two Programs, or two profiles of one, joined by the ids of their nodes.
import { nameInLayer, withoutLayer } from "./model.js";

// Times that differ by less count as equal: calls of one run differ by as much.
export const NOISE = 0.05;

// Compares the regimes of calls of `tokens` tokens. Returns [{name, op, layers, kinds: Set, from, to, a_ns, b_ns, a_wait, b_wait}],
// layers folded. A node's time is that of its work; what threads wait for each other is beside it, and in the totals.
export function compare(a, b, tokens) {
  const [ra, rb] = [a.regimeAt(tokens), b.regimeAt(tokens)];
  if (!ra || !rb) return { rows: [], basis: "none", totals: [0, 0], waits: [0, 0] };
  const measured = Boolean(a.calls(ra) && b.calls(rb));
  const ns = (program, regime, node) =>
    (measured ? program.measured(regime, node)?.working_ns : program.record(node).estimate_ns?.[0]) ?? 0;
  const wait = (program, regime, node) => (measured ? (program.measured(regime, node)?.waiting_ns ?? 0) : 0);
  const rows = new Map();
  const add = (na, nb) => {
    const node = na ?? nb;
    const [pa, pb] = [na && a.record(na), nb && b.record(nb)];
    const kinds = [];
    if (!na) kinds.push("added");
    else if (!nb) kinds.push("removed");
    else if (pa.target !== pb.target) kinds.push("moved");
    else if (pa.kernel !== pb.kernel) kinds.push("kernel");
    const op = na ? a.op(na) : b.op(nb);
    const key = [
      withoutLayer(node.scope),
      op,
      node.ordinal ?? 0,
      kinds[0] ?? "",
      pa?.target,
      pb?.target,
      pa?.kernel,
      pb?.kernel,
    ].join("|");
    const row = rows.get(key) ?? {
      name: nameInLayer(node),
      op,
      layers: [],
      count: 0,
      kinds: new Set(kinds),
      from: pa,
      to: pb,
      a_ns: 0,
      b_ns: 0,
      a_wait: 0,
      b_wait: 0,
      na,
      nb,
    };
    ++row.count;
    if (node.layer !== undefined) row.layers.push(node.layer);
    if (na) row.a_ns += ns(a, ra, na);
    if (nb) row.b_ns += ns(b, rb, nb);
    if (na) row.a_wait += wait(a, ra, na);
    if (nb) row.b_wait += wait(b, rb, nb);
    rows.set(key, row);
  };
  for (const node of ra.nodes) {
    const n = rb.byId.get(node.id);
    add(node, n === undefined ? null : rb.nodes[n]);
  }
  for (const node of rb.nodes) if (!ra.byId.has(node.id)) add(null, node);
  const list = [...rows.values()];
  for (const row of list) {
    if (!row.na || !row.nb || !(row.a_ns > 0) || !(row.b_ns > 0)) continue;
    if (row.b_ns > row.a_ns * (1 + NOISE)) row.kinds.add("slower");
    if (row.b_ns < row.a_ns / (1 + NOISE)) row.kinds.add("faster");
  }
  const total = (key) => list.reduce((sum, row) => sum + row[key], 0);
  return {
    rows: list,
    basis: measured ? "measured, means" : "estimated, lower ends",
    totals: [total("a_ns") + total("a_wait"), total("b_ns") + total("b_wait")],
    waits: [total("a_wait"), total("b_wait")],
    regimes: [ra, rb],
  };
}
