// SPDX-License-Identifier: Apache-2.0
// The answer of the what-if view: what would move, from where to where, and the expected time.
import { h, nodeName } from "../dom.js";
import * as format from "../format.js";
import { cutRegimes } from "../what_if.js";
import { card } from "./card.js";
import { chip } from "./panel.js";

const signed = (ns) => (ns === 0 ? "no change" : `${ns > 0 ? "+" : "\u2212"}${format.time(Math.abs(ns))}`);

// The estimate of a call: its nodes plus the overhead. The same number as in the table of regimes.
function estimateCards(program, { was, will }) {
  const delta = will && will.ns - was.ns;
  const percent = will && was.ns > 0 ? `${((Math.abs(delta) / was.ns) * 100).toFixed(1)} %` : "-";
  const sign = !delta ? "" : delta > 0 ? "+" : "\u2212";
  const split = ({ nodes, overhead }) => `nodes ${format.time(nodes)}, call and boundaries ${format.time(overhead)}`;
  return [
    card("estimate of a call", will ? format.time(will.ns) : "-", will ? split(will) : "it would not compile"),
    card("as compiled", format.time(was.ns), split(was)),
    card("change", sign + percent, will ? `${signed(delta)}; ${program.machine.origin} machine` : ""),
    ...boundaryCard(was, will),
  ];
}

// None if everything is on one device, before and after.
function boundaryCard(was, will) {
  if (!was.boundaries && !will?.boundaries) return [];
  return [
    card(
      "device boundaries",
      will ? format.exact(will.boundaries) : "-",
      `${was.boundaries} as compiled; values that cross: ${will ? will.crossings : "-"}, ${was.crossings} as compiled`,
    ),
  ];
}

function cards(program, regime, { tokens, thresholds }, found) {
  const count = found.rows.reduce((sum, row) => sum + row.count, 0);
  const regimes = cutRegimes(program, thresholds);
  const ranges = regimes.slice(0, 6).map((r) => format.range(r));
  return h(
    "div",
    { class: "cards" },
    card("would move", `${count} node${count === 1 ? "" : "s"}`, `of ${regime.nodes.length} at T = ${tokens}`),
    ...estimateCards(program, found),
    card("regimes", String(regimes.length), ranges.join(", ") + (regimes.length > 6 ? ", \u2026" : "")),
  );
}

const heads = (names, isNumber) =>
  h(
    "thead",
    {},
    h(
      "tr",
      {},
      names.map((name, i) => h("th", { class: isNumber(name, i) ? "num" : "" }, name)),
    ),
  );

function targetTable({ before, after }) {
  const targets = [...new Set([...before.keys(), ...after.keys()])];
  return h(
    "table",
    { class: "grid narrow" },
    heads(["target", "as compiled", "then"], (_, i) => i > 0),
    h(
      "tbody",
      {},
      targets.map((t) =>
        h(
          "tr",
          {},
          h("td", {}, chip(t)),
          h("td", { class: "num" }, before.get(t) ?? 0),
          h("td", { class: "num", "data-then": t }, after.get(t) ?? 0),
        ),
      ),
    ),
  );
}

const movedRow = (app, row) =>
  h(
    "tr",
    { onclick: () => app.select(row.node) },
    h(
      "td",
      {},
      h("button", { class: "link" }, nodeName(row.group.name || row.group.op)),
      h("span", { class: "muted small" }, ` ${format.layers(row.layers)}`),
    ),
    h("td", {}, h("code", {}, row.group.op)),
    h("td", { class: "num" }, row.count),
    h("td", {}, chip(row.from)),
    h("td", {}, chip(row.to)),
    h("td", {}, row.rule),
    h("td", { class: "num" }, signed(row.delta)),
  );

const movedTable = (app, rows) =>
  h(
    "table",
    { class: "grid moved" },
    heads(
      ["node", "op", "nodes", "from", "to", "by rule", "nodes alone"],
      (name) => name.startsWith("nodes"),
    ),
    h(
      "tbody",
      {},
      rows.slice(0, 100).map((row) => movedRow(app, row)),
    ),
  );

// `call` has the tokens and thresholds that `found` (../what_if_consequences.js) was computed for.
export function resultTables(app, regime, call, found) {
  return [
    cards(app.program, regime, call, found),
    found.lost
      ? h(
          "p",
          { class: "tag slower" },
          `${found.lost} nodes would match no rule, or no target of their rule runs them: infer-compile would refuse this policy.`,
        )
      : "",
    targetTable(found),
    found.inParts
      ? h(
          "p",
          { class: "muted" },
          `${format.times(found.inParts, "node")} would run in parts, and are estimated as the whole.`,
        )
      : "",
    found.rows.length ? movedTable(app, found.rows) : h("p", { class: "muted" }, "No node would move."),
    h(
      "p",
      { class: "muted small" },
      "Rules and row limits of kernels are evaluated as the compiler does before smooth-placement. Kernels are those of the machine that compiled the Program.",
    ),
  ];
}
