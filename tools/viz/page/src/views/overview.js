// SPDX-License-Identifier: Apache-2.0
import { h, nodeName } from "../dom.js";
import * as format from "../format.js";
import { targetClass } from "../colours.js";
import { copyReport } from "../report.js";
import { costsOf } from "../costs.js";
import { crossingText } from "../crossings.js";
import { targetShares } from "../target_shares.js";
import { card } from "./card.js";
import { fallbacks } from "./fallbacks.js";
import { chip } from "./panel.js";
import { regimeTable } from "./regime_table.js";
import { bars } from "./share_bars.js";

export class OverviewView {
  constructor(app) {
    this.app = app;
    this.element = h("section", { class: "view overview" });
  }

  update(changes) {
    if (changes && !("regime" in changes || "program" in changes || "tab" in changes)) return;
    this.element.replaceChildren(
      h("div", { class: "cards" }, this.#cards()),
      regimeTable(this.app),
      h(
        "div",
        { class: "two" },
        this.#costs(),
        h("div", {}, this.#shares(), this.#crossings(), fallbacks(this.app), this.#report()),
      ),
    );
  }

  #cards() {
    const { program, regime } = this.app;
    const calls = program.calls(regime);
    const weights = program.weights.reduce((sum, w) => sum + w.bytes, 0);
    const perToken = regime.estimate_ns && (regime.tokens[0] / regime.estimate_ns[0]) * 1e9;
    return [
      card(
        "nodes",
        format.exact(regime.nodes.length),
        Object.entries(regime.nodes_by_target)
          .filter(([, n]) => n)
          .map(([t, n]) => `${t} ${n}`)
          .join(", "),
      ),
      card(
        "between devices",
        format.exact(regime.device_boundaries),
        `${regime.crossings.length ? format.times(regime.copies, "copy", "copies") : "all on one"}${regime.waits ? `, ${format.times(regime.waits, "wait")}` : ""}, ${format.times(regime.barriers, "barrier")}`,
      ),
      card(
        "estimate",
        regime.estimate_ns ? format.time(regime.estimate_ns[0]) : "-",
        perToken
          ? `T ${regime.tokens[0]}, empty context: ${format.exact(Math.round(perToken))} tokens/s (${program.machine.origin} machine)`
          : "no machine description",
      ),
      card(
        "measured, mean",
        calls ? format.time(calls.wall_ns / calls.calls) : "-",
        calls
          ? `${format.times(calls.calls, "call")} of T ${format.range(calls.tokens)}: ${format.exact(+((calls.sum_tokens / calls.wall_ns) * 1e9).toPrecision(3))} tokens/s, ${format.times(program.profile.threads, "thread")}${program.profile.emulated ? "; emulated device, not a GPU" : ""}`
          : "add one with --profile",
      ),
      card(
        "arena",
        format.bytes(regime.arena_bytes),
        `at least ${format.bytes(regime.arena_lower_bound_bytes)} is needed`,
      ),
      card("weights", format.bytes(weights), `${format.times(program.weights.length, "tensor")} in ${program.files}`),
    ];
  }

  // The ten groups that take the most time.
  #costs() {
    const { app } = this;
    const { program, regime } = app;
    const rows = costsOf(program, regime);
    const calls = program.calls(regime);
    // The whole call, so that what belongs to no node is seen too.
    const nodes = rows.reduce((sum, row) => sum + row.ns, 0);
    const total = Math.max(nodes, calls ? calls.wall_ns / calls.calls : (regime.estimate_ns?.[0] ?? 0));
    const most = rows[0]?.ns ?? 1;
    const others = rows.slice(10);
    const tail = (name, ns) =>
      ns > 0 &&
      h(
        "tr",
        { class: "muted" },
        h("td", { colspan: 4 }, name),
        h("td", { class: "num" }, format.time(ns)),
        h("td", { class: "num" }, format.percent(ns / total)),
      );
    return h(
      "section",
      {},
      h(
        "h3",
        {},
        `Where the time goes (${program.costBasis(regime)})`,
      ),
      h(
        "table",
        { class: "grid costs" },
        h(
          "tbody",
          {},
          rows.slice(0, 10).map((row) =>
            h(
              "tr",
              { onclick: () => app.select(row.node, { tab: "graph" }) },
              h("td", {}, h("button", { class: "link" }, nodeName(row.name))),
              h("td", {}, h("code", {}, row.group.op)),
              h("td", {}, chip(program.record(row.node).target)),
              h(
                "td",
                {},
                h("i", {
                  class: `meter ${targetClass(program.record(row.node).target)}`,
                  style: `width:${Math.max(2, (110 * (row.ns - row.waiting)) / most)}px`,
                }),
                row.waiting > 0 &&
                  h("i", {
                    class: "meter waiting",
                    style: `width:${(110 * row.waiting) / most}px`,
                    title: `waiting ${format.time(row.waiting)}`,
                  }),
              ),
              h("td", { class: "num" }, format.time(row.ns)),
              h("td", { class: "num" }, format.percent(row.ns / total)),
            ),
          ),
          tail(
            `${format.times(others.length, "other group")} of nodes`,
            others.reduce((sum, row) => sum + row.ns, 0),
          ),
          tail("between the nodes", total - nodes),
          tail("the call", total),
        ),
      ),
      rows.some((row) => row.waiting > 0) &&
        h(
          "p",
          { class: "muted small" },
          h("i", { class: "meter waiting key-meter" }),
          " threads wait for each other; it is part of the time beside it.",
        ),
    );
  }

  #shares() {
    const { program, regime } = this.app;
    return h(
      "section",
      {},
      h("h3", {}, "Shares of the targets"),
      targetShares(program, regime).map(({ name, basis, parts }) =>
        h(
          "div",
          { class: "share-row" },
          h("span", {}, name, basis && h("span", { class: "muted small" }, ` (${basis})`)),
          h("div", { class: "stack" }, bars(parts)),
        ),
      ),
    );
  }

  #crossings() {
    const { crossings } = this.app.regime;
    if (!crossings.length) return null;
    return h(
      "section",
      {},
      h("h3", {}, "Between devices"),
      h(
        "ul",
        { class: "warnings" },
        crossings.map((crossing) => h("li", {}, crossingText(crossing))),
      ),
    );
  }

  #report() {
    const hide = h("input", { type: "checkbox", id: "redact" });
    const said = h("output", { "aria-live": "polite", class: "muted" });
    return h(
      "section",
      {},
      h("h3", {}, "Report"),
      h(
        "p",
        {},
        h(
          "button",
          {
            class: "primary",
            onclick: async () => {
              said.textContent = (await copyReport(this.app, hide.checked)) ? " copied" : " could not copy";
            },
          },
          "Copy as Markdown",
        ),
        " ",
        h("label", {}, hide, " without file names"),
        said,
      ),
    );
  }
}
