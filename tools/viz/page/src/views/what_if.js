// SPDX-License-Identifier: Apache-2.0
// Tries other thresholds and numbers of tokens: which nodes would move, and the expected time.
import { copyText, download, h } from "../dom.js";
import { placeAll, policyText, regimeOf, thresholdsOf } from "../what_if.js";
import { slider, upper } from "./slider.js";
import { consequences } from "../what_if_consequences.js";
import { resultTables } from "./what_if_result.js";

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
    this.placed = { tokens: this.tokens, regime, placed };
    this.found = consequences(program, regime, placed, this.tokens, this.context);
    this.result.replaceChildren(...resultTables(this.app, regime, this, this.found));
  }
}
