// SPDX-License-Identifier: Apache-2.0
// One call in time: a lane for each thread, waits at barriers hatched. From the profile, where a thread's part of a step
// is known as that of the busiest and the mean of the others; or from a trace file, where each slice was recorded.
import { h } from "../dom.js";
import * as format from "../format.js";
import { drawingBox, themeColour } from "../canvas.js";
import { fromEstimates, fromProfile } from "../timeline_content.js";
import { readTrace } from "../trace.js";
import { waitTable } from "./wait_table.js";

const LANE = 34;
const TOP = 26;

export class TimelineView {
  constructor(app) {
    this.app = app;
    this.canvas = h("canvas", {
      class: "plot",
      role: "img",
      tabindex: 0,
      onmousemove: (e) => this.#hover(e),
      onclick: (e) => this.#click(e),
      onwheel: (e) => this.#wheel(e),
      onkeydown: (e) => this.#key(e),
      onmousedown: (e) => {
        this.drag = e.clientX;
      },
    });
    addEventListener("mouseup", () => {
      this.drag = null;
    });
    this.calls = h("select", {
      "aria-label": "Calls",
      onchange: () => {
        this.#reset();
        this.draw();
      },
    });
    this.which = h("label", {}, "Calls ", this.calls);
    this.said = h("output", { class: "hits", "aria-live": "polite" });
    this.note = h("p", { class: "muted" });
    this.waits = h("div", {});
    const file = h("input", {
      type: "file",
      accept: ".json,application/json",
      "aria-label": "Open a trace",
      class: "file",
      onchange: () => this.#open(file.files[0]),
    });
    this.element = h(
      "section",
      { class: "view timeline" },
      h(
        "div",
        { class: "toolbar" },
        this.which,
        h(
          "span",
          { class: "buttons" },
          h("button", { onclick: () => this.#zoom(2) }, "Zoom in"),
          h("button", { onclick: () => this.#zoom(0.5) }, "Zoom out"),
          h(
            "button",
            {
              onclick: () => {
                this.#reset();
                this.draw();
              },
            },
            "Whole call",
          ),
        ),
        h("label", { class: "button" }, "Open trace (Chrome JSON)", file),
        this.said,
      ),
      this.canvas,
      this.note,
      this.waits,
    );
    addEventListener("resize", () => this.element.isConnected && this.draw());
    this.#reset();
  }

  update(changes) {
    if (
      changes &&
      !("regime" in changes || "program" in changes || "tab" in changes || "node" in changes || "theme" in changes)
    )
      return;
    const { program, regime } = this.app;
    if (this.drawnFor !== regime) {
      this.drawnFor = regime;
      this.trace = null;
      const groups = program.profile?.regimes[regime.index] ?? [];
      this.calls.replaceChildren(
        ...groups.map((group, i) =>
          h(
            "option",
            { value: i },
            `T ${format.range(group.tokens)}: ${group.calls} calls, ${format.time(group.wall_ns / group.calls)}`,
          ),
        ),
      );
      this.which.hidden = groups.length === 0;
      const most = groups.indexOf(program.calls(regime));
      this.calls.value = String(Math.max(0, most));
      this.#reset();
    }
    this.draw();
  }

  #reset() {
    this.from = 0;
    this.scale = 1;
  }

  // {lanes: [name], slices: [{lane, start, ns, node, wait, text}], total}
  #content() {
    if (this.trace) return this.trace;
    const { program, regime } = this.app;
    const group = program.profile?.regimes[regime.index]?.[Number(this.calls.value)];
    const key = group ?? regime;
    if (this.made?.key !== key)
      this.made = { ...(group ? fromProfile(program, regime, group) : fromEstimates(program, regime)), key };
    return this.made;
  }

  async #open(file) {
    if (!file) return;
    try {
      this.trace = readTrace(JSON.parse(await file.text()), this.app.regime);
      this.trace.key = file;
      this.trace.note = `${file.name}: ${this.trace.slices.length} slices of ${this.trace.calls} calls.`;
      this.#reset();
      this.draw();
    } catch (error) {
      this.note.textContent = `${file.name}: ${error.message}`;
    }
  }

  draw() {
    const content = this.#content();
    this.content = content;
    const box = drawingBox(this.canvas, TOP + Math.max(1, content.lanes.length) * LANE + 30);
    if (!box) return;
    const { context: c, width, height } = box;
    const left = 112;
    this.left = left;
    this.span = width - left - 12;
    this.x = (ns) => left + (ns / (content.total || 1) - this.from) * this.scale * this.span;
    this.#axis(c, content, width, height);
    c.save();
    c.beginPath();
    c.rect(left, 0, this.span, height);
    c.clip();
    const { program, state } = this.app;
    for (const slice of content.slices) {
      const x = this.x(slice.start);
      const w = this.x(slice.start + slice.ns) - x;
      if (x > width || x + w < left) continue;
      const y = TOP + slice.lane * LANE + 3;
      const target = slice.node ? program.record(slice.node).target : "other";
      c.globalAlpha = slice.wait ? 0.18 : 0.8;
      c.fillStyle = slice.wait ? themeColour("--muted") : themeColour(`--${target}`);
      c.fillRect(x, y, Math.max(0.5, w - (w > 3 ? 0.7 : 0)), LANE - 6);
      c.globalAlpha = 1;
      const chosen = slice.node && slice.node.id === state.node;
      if (chosen || slice === this.over) {
        c.strokeStyle = themeColour(chosen ? "--accent" : "--text");
        c.lineWidth = 2;
        c.strokeRect(x, y, Math.max(1, w), LANE - 6);
      }
      if (w > 60 && !slice.wait) {
        c.fillStyle = themeColour("--on-target");
        c.fillText(slice.text ?? `${slice.node.scope.replace(/^layer\.(\d+)\//, "$1 ")}`, x + 4, y + 18, w - 8);
      } else if (w > 40 && slice.wait) {
        c.fillStyle = themeColour("--muted");
        c.fillText("wait", x + 4, y + 18, w - 8);
      }
    }
    c.restore();
    this.canvas.setAttribute("aria-label", `${content.lanes.length} lanes, ${format.time(content.total)}`);
    this.note.textContent = content.note ?? "";
    if (this.listedFor !== content.key) this.waits.replaceChildren(...waitTable(this.app, content));
    this.listedFor = content.key;
    this.said.textContent = this.over
      ? `${this.over.wait ? "waiting after " : ""}${this.over.text ?? this.over.node?.scope}: ${format.time(this.over.ns)}`
      : format.time(content.total);
  }

  #axis(c, content, width, height) {
    c.fillStyle = themeColour("--muted");
    c.textAlign = "right";
    content.lanes.forEach((name, lane) => c.fillText(name, this.left - 8, TOP + lane * LANE + 21, this.left - 12));
    c.textAlign = "center";
    for (let i = 0; i <= 5; ++i) {
      const ns = (this.from + i / 5 / this.scale) * content.total;
      const x = Math.min(width - 30, this.left + (this.span * i) / 5);
      c.fillText(ns > 0 ? format.time(ns) : "0", x, 15);
      c.fillRect(this.left + (this.span * i) / 5, 20, 0.5, height - 40);
    }
    c.textAlign = "left";
  }

  #zoom(factor, at = 0.5) {
    const scale = Math.min(5000, Math.max(1, this.scale * factor));
    this.from = Math.min(1 - 1 / scale, Math.max(0, this.from + at / this.scale - at / scale));
    this.scale = scale;
    this.draw();
  }

  #pan(part) {
    this.from = Math.min(1 - 1 / this.scale, Math.max(0, this.from + part / this.scale));
    this.draw();
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) {
      event.preventDefault();
      const rect = this.canvas.getBoundingClientRect();
      return this.#zoom(
        event.deltaY < 0 ? 1.25 : 0.8,
        Math.min(1, Math.max(0, (event.clientX - rect.left - this.left) / this.span)),
      );
    }
    event.preventDefault();
    this.#pan((event.deltaX || event.deltaY) / 800);
  }

  #key(event) {
    const act = {
      "+": () => this.#zoom(1.5),
      "-": () => this.#zoom(1 / 1.5),
      ArrowLeft: () => this.#pan(-0.1),
      ArrowRight: () => this.#pan(0.1),
    }[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  #at(event) {
    const rect = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    const lane = Math.floor((y - TOP) / LANE);
    return (
      this.content?.slices.find(
        (slice) => slice.lane === lane && x >= this.x(slice.start) && x <= this.x(slice.start + slice.ns),
      ) ?? null
    );
  }

  #hover(event) {
    if (this.drag !== null && this.drag !== undefined && event.buttons === 1) {
      this.#pan((this.drag - event.clientX) / this.span);
      this.drag = event.clientX;
      return;
    }
    const over = this.#at(event);
    if (over === this.over) return;
    this.over = over;
    this.draw();
  }

  #click(event) {
    const slice = this.#at(event);
    if (slice?.node) this.app.select(slice.node);
  }
}
