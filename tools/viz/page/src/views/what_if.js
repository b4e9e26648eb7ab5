// SPDX-License-Identifier: Apache-2.0
// Tries other thresholds and numbers of tokens: which nodes would move, and the expected time.
import { copyText, download, h, nodeName } from "../dom.js";
import * as format from "../format.js";
import { flagOf, movableTo, Moves } from "../moves.js";
import { placeAll, policyText, regimeOf, thresholdsOf } from "../what_if.js";
import { slider, upper } from "./slider.js";
import { consequences } from "../what_if_consequences.js";
import { chip } from "./panel.js";
import { resultTables } from "./what_if_result.js";

// Why there is nothing to slide: what the rules ask for instead.
function withoutThresholds(policy) {
  const asked = (rule) => {
    const by = ["op", "scope", "node", "weight_type", "phase"].filter((field) => rule[field]);
    return by.length ? by.map((field) => `${field.replace("_", " ")} ${rule[field]}`).join(", ") : "every node";
  };
  const rules = policy.rules.map(
    (rule) => `${rule.name} takes ${asked(rule)} to the first of ${rule.targets.join(", ")} that has a kernel`,
  );
  return [
    h(
      "p",
      { class: "muted" },
      `Policy ${policy.name} has no thresholds, so there is none to change: where a node runs depends only on which targets have a kernel for it. Move nodes below instead, or compile with a policy that has thresholds (infer policy list).`,
    ),
    h(
      "ul",
      { class: "muted small" },
      rules.map((text) => h("li", {}, text)),
    ),
  ];
}

export class WhatIfView {
  constructor(app) {
    this.app = app;
    this.thresholds = {};
    this.controls = h("div", { class: "controls" });
    this.result = h("div", { class: "result", "aria-live": "polite" });
    this.element = h("section", { class: "view what-if" }, this.controls, this.result);
  }

  update(changes) {
    if (changes && !("regime" in changes || "program" in changes || "tab" in changes || "node" in changes)) return;
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
      this.moves = new Moves(program);
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
    this.moving = h("div", { class: "moving" });
    this.controls.replaceChildren(
      h("h3", {}, "Call"),
      this.tokenBox.element,
      context.element,
      h("h3", {}, `Thresholds of policy ${program.policy.name}`),
      ...(list.length ? [] : withoutThresholds(program.policy)),
      ...this.boxes.map((b) => b.element),
      h("h3", {}, "Move a node"),
      this.moving,
      h(
        "p",
        { class: "buttons" },
        h(
          "button",
          {
            onclick: () => {
              this.boxes.forEach((box, i) => box.set(list[i].value));
              this.thresholds = {};
              this.moves = new Moves(program);
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

  // The chosen node with the targets that it could go to, and what was moved so far.
  #drawMoving() {
    const { program, node } = this.app;
    const layers = (node && program.groupOf(node)?.layers) ?? [];
    const every = h("input", {
      type: "checkbox",
      id: "every-layer",
      checked: this.everyLayer,
      onchange: () => {
        this.everyLayer = every.checked;
      },
    });
    const move = (target) => {
      this.moves.add(node, target, layers.length > 1 && every.checked);
      this.draw();
    };
    const targets = node ? movableTo(program, node) : [];
    this.moving.replaceChildren(
      ...(node
        ? [
            h("p", {}, nodeName(node.name), " ", chip(program.record(node).target)),
            h(
              "p",
              { class: "buttons" },
              targets.length
                ? targets.map((target) =>
                    h(
                      "button",
                      {
                        "data-move": target,
                        title: flagOf(program, node, target, every.checked),
                        onclick: () => move(target),
                      },
                      `to ${target}`,
                    ),
                  )
                : h("span", { class: "muted" }, "No other target could run it; the panel says why."),
            ),
            layers.length > 1 && targets.length ? h("label", {}, every, ` in layers ${format.layers(layers)}`) : "",
          ]
        : [
            h(
              "p",
              { class: "muted" },
              "Click a node in the graph or the table, then come back: it can be moved alone.",
            ),
          ]),
      h(
        "ul",
        { class: "moves" },
        this.moves.list.map((moved, i) =>
          h(
            "li",
            {},
            h("code", {}, this.moves.flags()[i]),
            " ",
            h(
              "button",
              {
                class: "copy",
                onclick: () => {
                  this.moves.remove(moved);
                  this.draw();
                },
              },
              "undo",
            ),
          ),
        ),
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
    this.#drawMoving();
    const placed = placeAll(program, this.thresholds, this.tokens, this.moves.targets(regime));
    this.placed = { tokens: this.tokens, regime, placed };
    this.found = consequences(program, regime, placed, this.tokens, this.context);
    this.result.replaceChildren(...resultTables(this.app, regime, this, this.found));
  }
}
