// SPDX-License-Identifier: Apache-2.0
// The arena: a rectangle for each value, from the step that writes it to the last step that reads it.
import { h } from "../dom.js";
import * as format from "../format.js";
import { arenaContent } from "../arena_content.js";
import { drawingBox, redrawWithWidth } from "../canvas.js";
import { drawArena } from "./arena_drawing.js";
import { memoryTables } from "./memory_tables.js";

export class MemoryView {
  constructor(app) {
    this.app = app;
    this.canvas = h("canvas", {
      class: "plot",
      role: "img",
      tabindex: 0,
      onmousemove: (e) => this.#hover(e),
      onclick: (e) => this.#click(e),
    });
    this.context = {};
    this.said = h("output", { class: "hits", "aria-live": "polite" });
    this.below = h("div", { class: "two" });
    this.element = h(
      "section",
      { class: "view memory" },
      h("div", { class: "toolbar" }, h("h2", {}, "Arena"), this.said),
      this.canvas,
      this.below,
    );
    redrawWithWidth(this.element, () => this.content && this.draw());
  }

  update(changes) {
    if (
      changes &&
      !("regime" in changes || "program" in changes || "tab" in changes || "node" in changes || "theme" in changes)
    )
      return;
    this.content = arenaContent(this.app.regime);
    this.rectangles = [...this.content.slots, ...this.content.workspaces];
    this.draw();
    this.below.replaceChildren(...memoryTables(this.app, this.content, this.context));
  }

  draw() {
    const box = drawingBox(this.canvas, 340);
    if (!box) return;
    const { regime, state } = this.app;
    const { total, live, peak, slots } = this.content;
    this.drawn = drawArena(box, this.content, this.rectangles, {
      targetOf: (slot) => (slot.node >= 0 ? this.app.program.record(regime.nodes[slot.node]).target : "other"),
      isChosen: (slot) => slot.node >= 0 && regime.nodes[slot.node].id === state.node,
      over: this.over,
    });
    this.canvas.setAttribute(
      "aria-label",
      `Arena of ${format.bytes(total)}, peak ${format.bytes(live[peak])} at step ${peak}`,
    );
    this.said.textContent = this.over
      ? this.#text(this.over)
      : `${format.bytes(total)}; ${slots.length} values, ${slots.filter((slot) => slot.inPlace).length} of them in the memory of an input`;
  }

  #text(slot) {
    const node = this.app.regime.nodes[slot.node];
    const what = slot.workspace ? "workspace of " : "";
    const where = this.content.bands.length > 1 ? ` of ${slot.space}` : "";
    const shared = slot.inPlace ? " in the memory of its input" : "";
    return `${what}${node ? node.name : "input of the call"}: ${format.bytes(slot.bytes)}${shared} at ${slot.at}${where}, steps ${format.range(slot.steps)}`;
  }

  #at(event) {
    if (!this.drawn) return null;
    const rect = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    const covers = (slot) => {
      const { left, top, width, height } = this.drawn(slot);
      return x >= left && x <= left + width && y >= top && y <= top + height;
    };
    return this.rectangles.find(covers) ?? null;
  }

  #hover(event) {
    const over = this.#at(event);
    if (over === this.over) return;
    this.over = over;
    this.draw();
  }

  #click(event) {
    const slot = this.#at(event);
    if (slot && slot.node >= 0) this.app.select(this.app.regime.nodes[slot.node]);
  }
}
