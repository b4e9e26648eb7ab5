// SPDX-License-Identifier: Apache-2.0
import { h, nodeName } from "../dom.js";
import * as format from "../format.js";
import { compare } from "../compare.js";
import { WAITING } from "../target_shares.js";
import { chip } from "./panel.js";

const FILTERS = ["moved", "kernel", "slower", "faster", "added", "removed"];
const NAMES = { kernel: "other kernel" };

export class CompareView {
  constructor(app) {
    this.app = app;
    this.filter = null;
    this.body = h("div", {});
    this.tokens = h("input", {
      type: "number",
      min: 1,
      "aria-label": "Tokens in the call",
      onchange: () => this.draw(),
    });
    this.element = h("section", { class: "view compare" }, this.body);
  }

  update(changes) {
    if (changes && !("regime" in changes || "program" in changes || "tab" in changes)) return;
    if (this.drawnFor !== this.app.regime) {
      this.drawnFor = this.app.regime;
      this.tokens.value = this.app.regime.tokens[0];
    }
    this.draw();
  }

  draw() {
    const [a, b] = this.app.programs;
    if (!b) {
      return this.body.replaceChildren(
        h(
          "p",
          { class: "muted" },
          "One program is in this page. Give infer-viz a second one with --vs other.pb, or a second profile of this one with --vs-profile.",
        ),
      );
    }
    const tokens = Math.max(1, Number(this.tokens.value) || 1);
    const result = compare(a, b, tokens);
    const counts = Object.fromEntries(
      FILTERS.map((kind) => [
        kind,
        result.rows.filter((row) => row.kinds.has(kind)).reduce((sum, row) => sum + row.count, 0),
      ]),
    );
    const changed = result.rows
      .filter((row) => (this.filter ? row.kinds.has(this.filter) : row.kinds.size > 0))
      .sort((x, y) => Math.abs(y.b_ns - y.a_ns) - Math.abs(x.b_ns - x.a_ns));
    this.body.replaceChildren(
      h(
        "div",
        { class: "toolbar" },
        h("span", {}, h("b", {}, "A "), a.name, h("span", { class: "muted" }, ` policy ${a.policy.name}`)),
        h("span", {}, h("b", {}, "B "), b.name, h("span", { class: "muted" }, ` policy ${b.policy.name}`)),
        h("label", {}, "Tokens ", this.tokens),
      ),
      h(
        "div",
        { class: "filters", role: "group", "aria-label": "Show" },
        FILTERS.map((kind) =>
          h(
            "button",
            {
              "aria-pressed": this.filter === kind ? "true" : "false",
              disabled: counts[kind] === 0 && this.filter !== kind,
              "data-filter": kind,
              onclick: () => {
                this.filter = this.filter === kind ? null : kind;
                this.draw();
              },
            },
            `${NAMES[kind] ?? kind} ${counts[kind]}`,
          ),
        ),
      ),
      h("div", { class: "two" }, this.#rows(changed, result), this.#waterfall(result)),
    );
  }

  #rows(rows, result) {
    if (!rows.length) return h("p", { class: "muted" }, "Nothing differs here.");
    const time = (ns, wait) =>
      h(
        "td",
        { class: "num" },
        format.time(ns),
        wait > 0 && [h("br"), h("span", { class: "muted small" }, `+ ${format.time(wait)} waiting`)],
      );
    const choose = (row) => {
      const program = row.na ? 0 : 1;
      const regime = this.app.programs[program].regimes.indexOf(result.regimes[program]);
      this.app.set({ program, regime, node: (row.na ?? row.nb).id });
    };
    return h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "grid" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["node", "op", "nodes", "A", "B"].map((t) => h("th", { class: t === "nodes" ? "num" : "" }, t)),
            ["A", "B"].map((t) => h("th", { class: "num" }, t, h("div", { class: "small" }, result.basis))),
            h("th", {}, ""),
          ),
        ),
        h(
          "tbody",
          {},
          rows.slice(0, 400).map((row) =>
            h(
              "tr",
              { onclick: () => choose(row) },
              h(
                "td",
                {},
                h("button", { class: "link" }, nodeName(row.name || row.op)),
                row.layers.length > 0 &&
                  h(
                    "span",
                    { class: "muted small" },
                    ` ${format.layers([...new Set(row.layers)].sort((x, y) => x - y))}`,
                  ),
              ),
              h("td", {}, h("code", {}, row.op)),
              h("td", { class: "num" }, row.count),
              h("td", {}, row.from ? chip(row.from.target) : "\u2013"),
              h("td", {}, row.to ? chip(row.to.target) : "\u2013"),
              time(row.a_ns, row.a_wait),
              time(row.b_ns, row.b_wait),
              h(
                "td",
                {},
                [...row.kinds].map((kind) => h("span", { class: `tag ${kind}` }, NAMES[kind] ?? kind)),
              ),
            ),
          ),
        ),
      ),
    );
  }

  // Steps from the time of A to that of B, by op, and what threads wait for each other.
  #waterfall({ rows, totals, waits, basis }) {
    const byOp = new Map();
    for (const row of rows) byOp.set(row.op, (byOp.get(row.op) ?? 0) + row.b_ns - row.a_ns);
    const deltas = [...byOp].filter(([, d]) => Math.abs(d) > 0).sort((x, y) => Math.abs(y[1]) - Math.abs(x[1]));
    const shown = deltas.slice(0, 9);
    const rest = deltas.slice(9).reduce((sum, [, d]) => sum + d, 0);
    if (rest) shown.push(["others", rest]);
    if (waits[0] !== waits[1]) shown.push([WAITING, waits[1] - waits[0]]);
    let at = totals[0];
    const most = Math.max(...totals, ...shown.map(([, d]) => ((at += d), at)), 1);
    at = totals[0];
    const bar = (name, from, to, kind) =>
      h(
        "div",
        { class: "fall" },
        h("span", {}, name),
        h(
          "div",
          { class: "track" },
          h("i", {
            class: kind,
            style: `left:${(100 * Math.min(from, to)) / most}%;width:${Math.max(0.4, (100 * Math.abs(to - from)) / most)}%`,
          }),
        ),
        h(
          "span",
          { class: "num" },
          kind === "sum" ? format.time(to) : `${to > from ? "+" : "\u2212"}${format.time(Math.abs(to - from))}`,
        ),
      );
    return h(
      "section",
      {},
      h("h3", {}, `From A to B (${basis})`),
      bar("A", 0, totals[0], "sum"),
      shown.map(([op, d]) => {
        const row = bar(op, at, at + d, op === WAITING ? WAITING : d > 0 ? "up" : "down");
        at += d;
        return row;
      }),
      bar("B", 0, totals[1], "sum"),
    );
  }
}
