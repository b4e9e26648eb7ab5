// SPDX-License-Identifier: Apache-2.0
// The arena: a rectangle for each value, from the step that writes it to the last that reads it.
import { h } from "../dom.js";
import * as format from "../format.js";
import { drawingBox, hatch, themeColour } from "../canvas.js";

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
    this.said = h("output", { class: "hits", "aria-live": "polite" });
    this.below = h("div", { class: "two" });
    this.element = h(
      "section",
      { class: "view memory" },
      h("div", { class: "toolbar" }, h("h2", {}, "Arena"), this.said),
      this.canvas,
      this.below,
    );
    addEventListener("resize", () => this.element.isConnected && this.draw());
  }

  update(changes) {
    if (
      changes &&
      !("regime" in changes || "program" in changes || "tab" in changes || "node" in changes || "theme" in changes)
    )
      return;
    this.#measure();
    this.draw();
    this.#lists();
  }

  #measure() {
    const { regime } = this.app;
    this.slots = (regime.slots ?? []).filter((slot) => !slot.per_thread && !slot.alias_of && slot.bytes > 0);
    this.spaces = [];
    let steps = 0;
    (regime.segments ?? []).forEach((segment) =>
      segment.steps.forEach((step) => {
        if (step.workspace)
          this.spaces.push({
            offset: step.workspace[0],
            bytes: step.workspace[1],
            steps: [steps, steps],
            workspace: true,
            node: step.node ?? -1,
          });
        ++steps;
      }),
    );
    this.steps = Math.max(1, steps);
    this.total = Math.max(1, ...(regime.arenas ?? []).map((arena) => arena.bytes));
    const live = new Array(this.steps + 1).fill(0);
    for (const slot of [...this.slots, ...this.spaces]) {
      live[slot.steps[0]] += slot.bytes;
      live[slot.steps[1] + 1] -= slot.bytes;
    }
    let sum = 0;
    this.live = live.slice(0, this.steps).map((delta) => (sum += delta));
    this.peak = this.live.indexOf(Math.max(...this.live));
  }

  draw() {
    const box = drawingBox(this.canvas, 340);
    if (!box) return;
    const { context: c, width, height } = box;
    const left = 74,
      bottom = height - 26,
      top = 14;
    this.x = (step) => left + ((width - left - 12) * step) / this.steps;
    this.y = (offset) => bottom - ((bottom - top) * offset) / this.total;
    c.fillStyle = themeColour("--muted");
    c.textAlign = "right";
    for (let i = 0; i <= 4; ++i) {
      const y = this.y((this.total * i) / 4);
      c.fillText(format.bytes((this.total * i) / 4), left - 8, y + 4);
      c.fillRect(left, y, width - left - 12, 0.4);
    }
    c.textAlign = "center";
    for (let i = 0; i <= 4; ++i)
      c.fillText(
        `step ${Math.round((this.steps * i) / 4)}`,
        Math.min(width - 30, this.x((this.steps * i) / 4)),
        height - 8,
      );
    const { program, regime } = this.app;
    for (const slot of [...this.slots, ...this.spaces]) {
      const [x, y] = [this.x(slot.steps[0]), this.y(slot.offset + slot.bytes)];
      const [w, tall] = [Math.max(1, this.x(slot.steps[1] + 1) - x), Math.max(1, this.y(slot.offset) - y)];
      const target = slot.node >= 0 ? program.record(regime.nodes[slot.node]).target : "other";
      c.fillStyle = themeColour(`--${target}`);
      c.globalAlpha = slot.workspace ? 0.25 : 0.55;
      c.fillRect(x, y, w, tall);
      c.globalAlpha = 1;
      c.strokeStyle = slot === this.over ? themeColour("--text") : themeColour("--panel");
      c.lineWidth = slot === this.over ? 2 : 0.5;
      if (slot.node >= 0 && regime.nodes[slot.node].id === this.app.state.node) {
        c.strokeStyle = themeColour("--accent");
        c.lineWidth = 3;
      }
      if (w > 3) c.strokeRect(x, y, w, tall);
      if (slot.workspace && w > 6) hatch(c, x, y, w, tall);
    }
    const at = this.x(this.peak + 0.5);
    c.strokeStyle = themeColour("--more");
    c.lineWidth = 1.5;
    c.setLineDash([4, 3]);
    c.strokeRect(at, top, 0, bottom - top);
    c.setLineDash([]);
    c.fillStyle = themeColour("--more");
    c.textAlign = at > width - 160 ? "right" : "left";
    c.fillText(
      `peak ${format.bytes(this.live[this.peak] ?? 0)}, step ${this.peak}`,
      at + (c.textAlign === "left" ? 6 : -6),
      top + 8,
    );
    this.canvas.setAttribute(
      "aria-label",
      `Arena of ${format.bytes(this.total)}, peak ${format.bytes(this.live[this.peak] ?? 0)} at step ${this.peak}`,
    );
    this.said.textContent = this.over
      ? this.#text(this.over)
      : `${format.bytes(this.total)}, at least ${format.bytes(regime.arena_lower_bound_bytes)}; ${this.slots.length} values`;
  }

  #text(slot) {
    const node = this.app.regime.nodes[slot.node];
    const what = slot.workspace ? "workspace of " : "";
    return `${what}${node ? node.scope : "input of the call"}: ${format.bytes(slot.bytes)} at ${slot.offset}, steps ${format.range(slot.steps)}`;
  }

  #at(event) {
    const rect = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    return (
      [...this.slots, ...this.spaces].find(
        (slot) =>
          x >= this.x(slot.steps[0]) &&
          x <= this.x(slot.steps[1] + 1) &&
          y >= this.y(slot.offset + slot.bytes) &&
          y <= this.y(slot.offset),
      ) ?? null
    );
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

  #lists() {
    const { program, regime } = this.app;
    const alive = [...this.slots, ...this.spaces]
      .filter((slot) => slot.steps[0] <= this.peak && this.peak <= slot.steps[1])
      .sort((a, b) => b.bytes - a.bytes);
    const types = new Map();
    for (const weight of program.weights) {
      const type = weight.type.replace(/\[.*/, "");
      const entry = types.get(type) ?? { count: 0, bytes: 0 };
      ++entry.count;
      entry.bytes += weight.bytes;
      types.set(type, entry);
    }
    const states = new Map();
    for (const state of program.states) {
      const key = `${state.type}, ${state.kv_heads} heads of ${state.head_dim}, on ${state.space}`;
      states.set(key, (states.get(key) ?? 0) + 1);
    }
    const table = (title, head, rows) =>
      h(
        "section",
        {},
        h("h3", {}, title),
        h(
          "table",
          { class: "grid" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              head.map((t, i) => h("th", { class: i ? "num" : "" }, t)),
            ),
          ),
          h("tbody", {}, rows),
        ),
      );
    const row = (cells) =>
      h(
        "tr",
        {},
        cells.map((cell, i) => h("td", { class: i ? "num" : "" }, cell)),
      );
    this.below.replaceChildren(
      table(
        `Alive at the peak (step ${this.peak})`,
        ["value", "bytes", "steps"],
        alive.slice(0, 15).map((slot) => {
          const node = regime.nodes[slot.node];
          return row([
            node
              ? h(
                  "button",
                  { class: "link", onclick: () => this.app.select(node) },
                  `${slot.workspace ? "workspace of " : ""}${node.scope}`,
                )
              : "input of the call",
            format.bytes(slot.bytes),
            format.range(slot.steps),
          ]);
        }),
      ),
      h(
        "div",
        {},
        table(
          "Weights by type",
          ["type", "count", "bytes"],
          [...types].map(([type, of]) => row([type, of.count, format.bytes(of.bytes)])),
        ),
        table(
          "Cache",
          ["entries of a layer", "layers"],
          [...states].map(([text, n]) => row([text, n])),
        ),
        table(
          "Arenas",
          ["space", "bytes", "each thread", "at least"],
          (regime.arenas ?? []).map((arena) =>
            row([
              arena.space,
              format.bytes(arena.bytes),
              format.bytes(arena.bytes_per_thread),
              format.bytes(arena.lower_bound),
            ]),
          ),
        ),
      ),
    );
  }
}
