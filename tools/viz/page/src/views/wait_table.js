// SPDX-License-Identifier: Apache-2.0
import { h, nodeName } from "../dom.js";
import * as format from "../format.js";

// Lists the groups of nodes whose threads wait longest. The heading says what the numbers are.
export function waitTable(app, content) {
  const { program } = app;
  const rows = new Map();
  for (const { node, ns, wait } of content.slices) {
    if (!node) continue;
    const group = program.groupOf(node);
    const row = rows.get(group) ?? { group, node, busy: 0, wait: 0 };
    row[wait ? "wait" : "busy"] += ns;
    rows.set(group, row);
  }
  const list = [...rows.values()].sort((a, b) => b.wait - a.wait || b.busy - a.busy).slice(0, 10);
  const threads = content.slices.some((slice) => slice.wait);
  return [
    h("h3", {}, `${threads ? "Where threads wait, all lanes together" : "What takes longest"} (${content.basis})`),
    h(
      "table",
      { class: "grid narrow" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}, "node"),
          h("th", {}, "op"),
          h("th", { class: "num" }, "busy"),
          h("th", { class: "num" }, "waiting"),
        ),
      ),
      h(
        "tbody",
        {},
        list.map((row) =>
          h(
            "tr",
            { onclick: () => app.select(row.node) },
            h("td", {}, h("button", { class: "link" }, nodeName(row.group.name || row.group.op))),
            h("td", {}, h("code", {}, row.group.op)),
            h("td", { class: "num" }, format.time(row.busy)),
            h("td", { class: "num" }, format.time(row.wait)),
          ),
        ),
      ),
    ),
  ];
}
