// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom.js";
import { fallbacksOf } from "../fallbacks.js";
import { chip } from "./panel.js";

// Lists targets that a rule prefers but that could not run the node.
export function fallbacks(app) {
  const list = fallbacksOf(app.program, app.regime);
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
      ? h("p", { class: "muted" }, "No node was kept from a target that its rule prefers.")
      : h("ul", { class: "warnings" }, list.slice(0, 8).map(line)),
  );
}
