// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom.js";
import { chip } from "./panel.js";

function find(program, regime) {
  const found = new Map();
  for (const node of regime.nodes) {
    const record = program.record(node);
    for (const other of record.rejected) {
      if (other.code !== "no_kernel" && other.code !== "unavailable") continue;
      const key = `${other.target}|${record.rule}|${other.why}`;
      const entry = found.get(key) ?? { ...other, rule: record.rule, node, count: 0, to: new Set() };
      ++entry.count;
      entry.to.add(record.target);
      found.set(key, entry);
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

// Targets that a rule prefers and that could not have the node.
export function fallbacks(app) {
  const list = find(app.program, app.regime);
  const line = (of) =>
    h(
      "li",
      {},
      h(
        "button",
        { class: "link", onclick: () => app.select(of.node, { tab: "graph" }) },
        `${of.count} node${of.count === 1 ? "" : "s"}`,
      ),
      ` of rule ${of.rule} not on `,
      chip(of.target),
      ` but on ${[...of.to].join(", ")}: ${of.why}`,
    );
  return h(
    "section",
    {},
    h("h3", {}, "Fallbacks"),
    list.length === 0
      ? h("p", { class: "muted" }, "Every node runs on the first target of its rule.")
      : h("ul", { class: "warnings" }, list.slice(0, 8).map(line)),
  );
}
