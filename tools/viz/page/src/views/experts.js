// SPDX-License-Identifier: Apache-2.0
// The rows that each expert of each layer got in the profiled calls.
import { drawingBox, redrawWithWidth } from "../canvas.js";
import { h } from "../dom.js";
import { expertRows, hasExpertRows } from "../expert_rows.js";
import * as format from "../format.js";
import { drawExperts, FULL, heightOf } from "./experts_drawing.js";

export class ExpertsView {
  // Most models have no experts, and then the page has no tab for them.
  static applies = hasExpertRows;

  constructor(app) {
    this.app = app;
    this.canvas = h("canvas", {
      class: "plot",
      role: "img",
      tabindex: 0,
      onmousemove: (e) => this.#hover(e),
      onmouseleave: () => this.#hover(null),
      onclick: (e) => this.#click(e),
    });
    this.said = h("output", { class: "hits", "aria-live": "polite" });
    this.below = h("div", { class: "scroll" });
    this.element = h(
      "section",
      { class: "view experts" },
      h("div", { class: "toolbar" }, h("h2", {}, "Rows of each expert"), this.said),
      this.canvas,
      this.below,
    );
    redrawWithWidth(this.element, () => this.draw());
  }

  update(changes) {
    if (changes && !["regime", "program", "tab", "node", "theme"].some((name) => name in changes)) return;
    this.content = expertRows(this.app.program, this.app.regime);
    this.over = null;
    this.canvas.hidden = !this.content;
    if (!this.content) {
      this.said.textContent = "";
      this.below.replaceChildren(h("p", { class: "muted" }, "The profile has no call of this regime."));
      return;
    }
    this.draw();
    this.below.replaceChildren(this.#table());
  }

  draw() {
    const { content } = this;
    const box = content && drawingBox(this.canvas, heightOf(content));
    if (!box) return;
    this.cellAt = drawExperts(box, content, { over: this.over, chosen: this.app.state.node });
    const { calls, lines, experts } = content;
    const what = `${format.times(calls.calls, "call")} with ${format.times(calls.sum_tokens, "token")}`;
    this.canvas.setAttribute("aria-label", `${lines.length} layers of ${experts} experts, ${what}`);
    this.said.textContent = this.over
      ? this.#text(this.over)
      : `${what}; a stronger colour is more, up to ${FULL} times an even share`;
  }

  #text({ line, expert }) {
    const share = (line.rows[expert] * line.rows.length) / (line.total || 1);
    const rows = format.times(line.rows[expert], "row");
    return `layer ${line.layer}, expert ${expert}: ${rows}, ${format.ratio(share)} an even share`;
  }

  #table() {
    const head = ["layer", "rows", "experts with rows", "busiest expert", "its rows", "of an even share"];
    const row = (line) => {
      const name = h("button", { class: "link", onclick: () => this.app.select(line.node) }, `layer ${line.layer}`);
      const used = `${line.used} of ${line.rows.length}`;
      const most = format.exact(line.rows[line.busiest]);
      return [name, format.exact(line.total), used, line.busiest, most, format.ratio(line.times)];
    };
    const cells = (tag, list) => list.map((cell, i) => h(tag, { class: i ? "num" : "" }, cell));
    return h(
      "table",
      { class: "grid narrow" },
      h("thead", {}, h("tr", {}, cells("th", head))),
      h(
        "tbody",
        {},
        this.content.lines.map((line) => h("tr", {}, cells("td", row(line)))),
      ),
    );
  }

  #at(event) {
    if (!event || !this.cellAt) return null;
    const rect = this.canvas.getBoundingClientRect();
    return this.cellAt(event.clientX - rect.left, event.clientY - rect.top);
  }

  #hover(event) {
    const over = this.#at(event);
    if (over?.line === this.over?.line && over?.expert === this.over?.expert) return;
    this.over = over;
    this.draw();
  }

  #click(event) {
    const cell = this.#at(event);
    if (cell) this.app.select(cell.line.node);
  }
}
