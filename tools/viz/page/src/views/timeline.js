// SPDX-License-Identifier: Apache-2.0
// One call over time: a lane for each thread, waits at barriers hatched. Drawn from the profile, where only the part of
// the busiest thread and the mean of the others are known, or from a trace file, where each slice was recorded.
import { namedColours } from "../colours.js";
import { download, h } from "../dom.js";
import * as format from "../format.js";
import { callsText, fromEstimates, fromProfile } from "../timeline_content.js";
import { readTrace } from "../trace.js";
import { chromeJson, perfettoTrace } from "../trace_file.js";
import { redrawWithWidth, themeColour } from "../canvas.js";
import { drawLanes, sliceAt } from "./timeline_drawing.js";
import { TimeWindow } from "./time_window.js";
import { waitTable } from "./wait_table.js";

export class TimelineView {
  constructor(app) {
    this.app = app;
    this.canvas = h("canvas", {
      class: "plot",
      role: "img",
      tabindex: 0,
      onmousemove: (e) => this.#hover(e),
      onclick: (e) => this.#click(e),
    });
    this.window = new TimeWindow(
      this.canvas,
      () => this.drawn ?? { left: 0, span: 1 },
      () => this.draw(),
    );
    this.calls = h("select", {
      "aria-label": "Calls",
      onchange: () => this.window.reset(),
    });
    this.which = h("label", {}, "Calls ", this.calls);
    this.colour = h(
      "select",
      {
        "aria-label": "Colour by",
        onchange: () => {
          this.colourChosen = true;
          this.draw();
        },
      },
      h("option", { value: "target" }, "target"),
      h("option", { value: "op" }, "op"),
    );
    this.legend = h("div", { class: "legend" });
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
        h("label", {}, "Colour ", this.colour),
        h(
          "span",
          { class: "buttons" },
          h("button", { onclick: () => this.window.zoom(2) }, "Zoom in"),
          h("button", { onclick: () => this.window.zoom(0.5) }, "Zoom out"),
          h("button", { onclick: () => this.window.reset() }, "Whole call"),
        ),
        h(
          "span",
          { class: "buttons" },
          h("button", { onclick: () => this.#save("json", "application/json", chromeJson) }, "Save Chrome JSON"),
          h(
            "button",
            { onclick: () => this.#save("pftrace", "application/octet-stream", perfettoTrace) },
            "Save .pftrace",
          ),
        ),
        h("label", { class: "button" }, "Open trace (Chrome JSON)", file),
        this.said,
      ),
      this.canvas,
      this.legend,
      this.note,
      this.waits,
    );
    redrawWithWidth(this.element, () => this.draw());
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
      // With one target, its colour says nothing.
      if (!this.colourChosen) {
        const targets = Object.values(regime.nodes_by_target).filter((n) => n > 0);
        this.colour.value = targets.length > 1 ? "target" : "op";
      }
      const groups = program.profile?.regimes[regime.index] ?? [];
      this.calls.replaceChildren(
        ...groups.map((group, i) =>
          h(
            "option",
            { value: i },
            callsText(group),
          ),
        ),
      );
      this.which.hidden = groups.length === 0;
      const most = groups.indexOf(program.calls(regime));
      this.calls.value = String(Math.max(0, most));
      return this.window.reset();
    }
    this.draw();
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

  #save(suffix, type, encode) {
    download(
      `${this.app.program.name}.${this.app.regime.name}.${suffix}`.replace(/ /g, "-"),
      type,
      encode(this.content),
    );
  }

  async #open(file) {
    if (!file) return;
    try {
      this.trace = readTrace(JSON.parse(await file.text()), this.app.regime);
      this.trace.key = file;
      this.trace.basis = `sums of ${format.times(this.trace.calls, "call")} of the trace`;
      this.trace.note = `${file.name}: ${this.trace.slices.length} slices of ${format.times(this.trace.calls, "call")}.`;
      this.window.reset();
    } catch (error) {
      this.note.textContent = `${file.name}: ${error.message}`;
    }
  }

  draw() {
    const content = this.#content();
    this.content = content;
    const { program, regime, state } = this.app;
    const byOp = this.colour.value === "op" ? namedColours(regime.nodes.map((node) => program.op(node))) : null;
    const drawn = drawLanes(this.canvas, content, this.window, {
      colourOf: (node) => (byOp ? byOp.get(program.op(node)) : themeColour(`--${program.record(node).target}`)),
      chosen: state.node,
      over: this.over,
    });
    if (!drawn) return;
    this.drawn = drawn;
    const patch = (name, colour, more = "") =>
      h("span", { class: "key" }, h("i", { class: `patch ${more}`, style: colour && `background:${colour}` }), name);
    const targets = Object.entries(regime.nodes_by_target).filter(([, n]) => n > 0);
    this.legend.replaceChildren(
      ...[...(byOp ?? targets.map(([name]) => [name, `var(--${name})`]))].map(([name, c]) => patch(name, c)),
      patch("waiting", "", "waiting"),
    );
    this.canvas.setAttribute("aria-label", `${content.lanes.length} lanes, ${format.time(content.total)}`);
    this.note.textContent = content.note ?? "";
    if (this.listedFor !== content.key) this.waits.replaceChildren(...waitTable(this.app, content));
    this.listedFor = content.key;
    this.said.textContent = this.over
      ? `${this.over.wait ? "waiting after " : ""}${this.over.text ?? this.over.node?.name}: ${format.time(this.over.ns)}`
      : format.time(content.total);
  }

  #hover(event) {
    const over = sliceAt(this.content, this.drawn, event);
    if (over === this.over) return;
    this.over = over;
    this.draw();
  }

  #click(event) {
    const slice = sliceAt(this.content, this.drawn, event);
    if (slice?.node) this.app.select(slice.node);
  }
}
