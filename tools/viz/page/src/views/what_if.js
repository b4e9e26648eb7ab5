// SPDX-License-Identifier: Apache-2.0
// Other thresholds, other numbers of tokens: which nodes would move, and what that is expected to take.
import { copyText, download, h } from "../dom.js";
import * as format from "../format.js";
import { cutRegimes, estimateAt, placeAll, policyText, regimeOf, thresholdsOf } from "../what_if.js";
import { chip } from "./panel.js";
import { slider, upper } from "./slider.js";

export class WhatIfView {
  constructor(app) {
    this.app = app;
    this.thresholds = {};
    this.controls = h("div", { class: "controls" });
    this.result = h("div", { class: "result", "aria-live": "polite" });
    this.element = h("section", { class: "view what-if" }, this.controls, this.result);
  }

  update(changes) {
    if (changes && !("regime" in changes || "program" in changes || "tab" in changes)) return;
    const { program, regime } = this.app;
    if (!program.choices) {
      this.controls.replaceChildren(
        h(
          "p",
          { class: "muted" },
          "This Program does not say which kernels there were to choose from. Compile it again to try other thresholds.",
        ),
      );
      return;
    }
    if (this.drawnFor !== program) {
      this.drawnFor = program;
      this.thresholds = {};
      this.tokens = regime.tokens[0];
      this.context = program.symbols.S[1];
      this.#build();
    } else if (changes && "regime" in changes && regimeOf(program, this.tokens) !== this.app.state.regime) {
      this.#setTokens(regime.tokens[0]);
    }
    this.draw();
  }

  #build() {
    const { program } = this.app;
    const [least, most] = program.symbols.T;
    this.tokenBox = slider("Tokens in the call", "tokens", least, most, this.tokens, (v) => {
      this.tokens = v;
      this.#syncRegime();
      this.draw();
    });
    const context = slider("Context", "context", 1, program.symbols.S[1], this.context, (v) => {
      this.context = v;
      this.draw();
    });
    const list = thresholdsOf(program.policy);
    this.boxes = list.map((t) =>
      slider(
        `${t.rule}: ${t.field} ${t.end === "min" ? "\u2265" : "\u2264"}`,
        `threshold ${t.key}`,
        t.end === "min" && t.field !== "layer" ? 1 : 0,
        upper(program, t),
        t.value,
        (v) => {
          if (v === t.value) delete this.thresholds[t.key];
          else this.thresholds[t.key] = v;
          this.draw();
        },
      ),
    );
    this.controls.replaceChildren(
      h("h3", {}, "Call"),
      this.tokenBox.element,
      context.element,
      h("h3", {}, `Thresholds of policy ${program.policy.name}`),
      list.length ? "" : h("p", { class: "muted" }, "The policy has none: its rules take nodes by name."),
      ...this.boxes.map((b) => b.element),
      h(
        "p",
        { class: "buttons" },
        h(
          "button",
          {
            onclick: () => {
              this.boxes.forEach((box, i) => box.set(list[i].value));
              this.thresholds = {};
              this.draw();
            },
          },
          "Reset",
        ),
        h(
          "button",
          {
            class: "primary",
            onclick: () =>
              download(`${program.policy.name}.textproto`, "text/plain", policyText(program.policy, this.thresholds)),
          },
          "Save policy",
        ),
        h("button", { onclick: () => copyText(policyText(program.policy, this.thresholds)) }, "Copy policy"),
      ),
    );
  }

  #setTokens(tokens) {
    this.tokens = tokens;
    this.tokenBox.set(tokens);
  }

  #syncRegime() {
    const r = regimeOf(this.app.program, this.tokens);
    if (r >= 0 && r !== this.app.state.regime) this.app.set({ regime: r });
  }

  draw() {
    const { program } = this.app;
    const regime = program.regimes[regimeOf(program, this.tokens)];
    if (!regime) return;
    const placed = placeAll(program, this.thresholds, this.tokens);
    const asWritten = placeAll(program, {}, this.tokens);
    this.placed = { tokens: this.tokens, regime, placed };
    const [before, after] = [new Map(), new Map()];
    let [was, will] = [0, 0];
    const moved = new Map();
    let lost = 0;
    regime.nodes.forEach((node, n) => {
      const record = program.record(node);
      const choice = program.choices[node.choice];
      // What smooth-placement moved stays there as long as the rules say the same as before.
      const same = placed[n]?.target === asWritten[n]?.target && asWritten[n];
      const next = same ? { ...placed[n], target: record.target } : placed[n];
      before.set(record.target, (before.get(record.target) ?? 0) + 1);
      was += estimateAt(program, choice, record.target, this.tokens, this.context);
      if (!next) {
        ++lost;
        return;
      }
      after.set(next.target, (after.get(next.target) ?? 0) + 1);
      const expected = estimateAt(program, choice, next.target, this.tokens, this.context);
      will += expected;
      if (next.target === record.target) return;
      const group = program.groupOf(node);
      const key = `${group.index} ${record.target} ${next.target}`;
      const row = moved.get(key) ?? {
        group,
        node,
        from: record.target,
        to: next.target,
        rule: next.rule,
        layers: [],
        delta: 0,
        count: 0,
      };
      ++row.count;
      row.delta += expected - estimateAt(program, choice, record.target, this.tokens, this.context);
      if (node.layer !== undefined) row.layers.push(node.layer);
      moved.set(key, row);
    });
    const rows = [...moved.values()].sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    const regimes = cutRegimes(program, this.thresholds);
    const targets = [...new Set([...before.keys(), ...after.keys()])];
    this.result.replaceChildren(
      h(
        "div",
        { class: "cards" },
        card("would move", `${count} node${count === 1 ? "" : "s"}`, `of ${regime.nodes.length} at T = ${this.tokens}`),
        card("estimate", format.time(will), `${format.time(was)} as compiled`),
        card(
          "change",
          was > 0 ? `${will >= was ? "+" : "\u2212"}${((Math.abs(will - was) / was) * 100).toFixed(1)} %` : "-",
          `${will >= was ? "+" : "\u2212"}${format.time(Math.abs(will - was))}; ${program.machine.origin} machine`,
        ),
        card(
          "regimes",
          String(regimes.length),
          regimes
            .slice(0, 6)
            .map((r) => format.range(r))
            .join(", ") + (regimes.length > 6 ? ", \u2026" : ""),
        ),
      ),
      lost
        ? h(
            "p",
            { class: "tag slower" },
            `${lost} nodes would match no rule, or no target of their rule runs them: infer-compile would refuse this policy.`,
          )
        : "",
      h(
        "table",
        { class: "grid narrow" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["target", "as compiled", "then"].map((t, i) => h("th", { class: i ? "num" : "" }, t)),
          ),
        ),
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
      ),
      rows.length
        ? h(
            "table",
            { class: "grid moved" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["node", "op", "nodes", "from", "to", "by rule", "estimate"].map((t) =>
                  h("th", { class: t === "nodes" || t === "estimate" ? "num" : "" }, t),
                ),
              ),
            ),
            h(
              "tbody",
              {},
              rows
                .slice(0, 100)
                .map((row) =>
                  h(
                    "tr",
                    { onclick: () => this.app.select(row.node) },
                    h(
                      "td",
                      {},
                      h("button", { class: "link" }, row.group.scope || row.group.op),
                      h("span", { class: "muted small" }, ` ${format.layers(row.layers)}`),
                    ),
                    h("td", {}, h("code", {}, row.group.op)),
                    h("td", { class: "num" }, row.count),
                    h("td", {}, chip(row.from)),
                    h("td", {}, chip(row.to)),
                    h("td", {}, row.rule),
                    h("td", { class: "num" }, `${row.delta >= 0 ? "+" : "\u2212"}${format.time(Math.abs(row.delta))}`),
                  ),
                ),
            ),
          )
        : h("p", { class: "muted" }, "No node would move."),
      h(
        "p",
        { class: "muted small" },
        "Rules and row limits of kernels are evaluated as the compiler does before smooth-placement. Kernels are those of the machine that compiled the Program.",
      ),
    );
  }
}

const card = (name, value, more) =>
  h(
    "div",
    { class: "card" },
    h("span", { class: "muted" }, name),
    h("strong", {}, value),
    h("span", { class: "muted small" }, more),
  );
