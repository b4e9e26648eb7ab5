// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom.js";
import * as format from "../format.js";
import { bars } from "./share_bars.js";

// A row for each regime; a click chooses it.
export function regimeTable(app) {
  return h(
    "table",
    { class: "grid", "aria-label": "Regimes" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["regime", "nodes by target", "serial", "barriers", "arena", "estimate"].map((t, i) =>
          h("th", { class: i > 1 ? "num" : "" }, t),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      app.program.regimes.map((regime, r) =>
        h(
          "tr",
          { class: r === app.state.regime ? "current" : "", onclick: () => app.set({ regime: r }) },
          h(
            "td",
            {},
            h(
              "button",
              {
                class: "link",
                onclick: (e) => {
                  e.stopPropagation();
                  app.set({ regime: r });
                },
              },
              regime.name,
            ),
          ),
          h("td", {}, h("div", { class: "stack" }, bars(Object.entries(regime.nodes_by_target)))),
          h("td", { class: "num" }, regime.serial_steps),
          h("td", { class: "num" }, regime.barriers),
          h("td", { class: "num" }, format.bytes(regime.arena_bytes)),
          h("td", { class: "num" }, regime.estimate_ns ? format.span(format.time, regime.estimate_ns) : "-"),
        ),
      ),
    ),
  );
}
