// SPDX-License-Identifier: Apache-2.0
// The last steps: a lane for each regime, a bar for each step as long as it took, in the colours of the targets that the
// regime's nodes run on.
import { h, s } from "../dom.js";
import { barText, regimeName, timelineBars } from "./bars.js";
import { stepMs } from "./live_data.js";

const SPANS = [2, 10, 60];
const LANE = 46;
const BAR = 30;
const AXIS = 20;
const KNOWN = ["scalar", "simd", "parallel", "metal"];

export const targetClass = (name) => `t-${KNOWN.includes(name) ? name : "other"}`;

// The targets of a regime with their share of its nodes.
export function targetShares({ targets = {} }) {
  const entries = Object.entries(targets).filter(([, count]) => count > 0);
  const all = entries.reduce((total, [, count]) => total + count, 0);
  return entries.map(([name, count]) => ({ name, count, share: count / all })).sort((a, b) => b.count - a.count);
}

export class Timeline {
  #span = 10;
  #bars = [];
  #at = -1; // the bar that the detail line describes

  constructor() {
    this.detail = h("output", { class: "detail" });
    this.svg = s("svg", {
      class: "timeline",
      role: "application",
      tabindex: 0,
      "aria-label": "The last steps; arrow keys go from step to step",
      onpointermove: (event) => this.#point(event),
      onpointerleave: () => this.#choose(-1),
      onkeydown: (event) => this.#key(event),
    });
    this.spans = h(
      "div",
      { class: "segmented", role: "group", "aria-label": "Time shown" },
      SPANS.map((seconds) =>
        h(
          "button",
          { type: "button", "aria-pressed": String(seconds === this.#span), onclick: () => this.#setSpan(seconds) },
          `${seconds} s`,
        ),
      ),
    );
    this.legend = h("p", { class: "legend" });
    this.element = h(
      "section",
      { class: "panel steps" },
      h("header", {}, h("h2", {}, "Last steps"), this.spans),
      this.svg,
      h("div", { class: "under" }, this.legend, this.detail),
    );
  }

  #setSpan(seconds) {
    this.#span = seconds;
    SPANS.forEach((other, i) => this.spans.children[i].setAttribute("aria-pressed", String(other === seconds)));
    this.draw(this.data);
  }

  draw(data) {
    this.data = data;
    const width = this.svg.clientWidth;
    if (!width || !data) return;
    const height = Math.max(1, data.regimes.length) * LANE + AXIS;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.height = `${height}px`;
    const ms = this.#span * 1000;
    // The window ends with the last step, so that an idle server still shows what it did last.
    const last = data.steps.at(-1);
    const end = last ? Math.min(data.now, last.start_ms + stepMs(last) + 0.1 * ms) : data.now;
    this.#bars = timelineBars(data.stepsSince(end - ms - 5000), end, ms, width);
    this.#at = -1;
    const lanes = data.regimes.map((regime, i) => this.#lane(regime, i, width));
    this.svg.replaceChildren(...lanes, this.#axis(width, height), ...this.#bars.map((bar) => this.#bar(bar, data)));
    const names = [...new Set(data.regimes.flatMap((regime) => targetShares(regime).map(({ name }) => name)))];
    this.legend.replaceChildren(
      ...names.map((name) => h("span", {}, h("i", { class: `swatch ${targetClass(name)}` }), name)),
      h("span", {}, h("i", { class: "swatch t-rest" }), "sampling, reporting"),
    );
    if (!this.#bars.length) this.detail.textContent = "No steps in this time.";
    else this.#describe();
  }

  #lane(regime, i, width) {
    const y = i * LANE;
    return s(
      "g",
      {},
      s("rect", { class: "lane", x: 0, y: y + 13, width, height: BAR, rx: 4 }),
      s("text", { class: "axis", x: 2, y: y + 9 }, regimeName(regime)),
    );
  }

  #axis(width, height) {
    const marks = [0, 0.25, 0.5, 0.75].map((part) =>
      s(
        "text",
        { class: "axis", x: Math.max(2, part * width), y: height - 5, "text-anchor": part ? "middle" : "start" },
        `\u2212${+((1 - part) * this.#span).toFixed(1)} s`,
      ),
    );
    return s("g", {}, marks);
  }

  // A bar is cut from top to bottom by target, and ends with what is not the model's.
  #bar(bar, data) {
    const top = bar.regime * LANE + 13;
    const call = bar.steps.reduce((sum, step) => sum + step.call_ms, 0);
    const all = bar.steps.reduce((sum, step) => sum + step.call_ms + step.sample_ms + step.report_ms, 0);
    const gap = bar.width > 4 ? 0.75 : 0;
    const width = Math.max(0.5, (bar.width - gap) * (all > 0 ? call / all : 1));
    let y = top;
    const parts = targetShares(data.regimes[bar.regime] ?? {}).map(({ name, share }) => {
      const part = s("rect", { class: targetClass(name), x: bar.x, y, width, height: BAR * share });
      y += BAR * share;
      return part;
    });
    const rest = Math.max(0, bar.width - gap - width);
    return s(
      "g",
      { class: "bar" },
      parts,
      rest > 0.2 && s("rect", { class: "t-rest", x: bar.x + width, y: top, width: rest, height: BAR }),
    );
  }

  #point(event) {
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const lane = Math.floor(y / LANE);
    this.#choose(this.#bars.findIndex((bar) => bar.regime === lane && x >= bar.x - 1 && x <= bar.x + bar.width + 1));
  }
  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !this.#bars.length) return;
    event.preventDefault();
    const from = this.#at < 0 ? this.#bars.length : this.#at;
    this.#choose(Math.min(this.#bars.length - 1, Math.max(0, from + step)));
  }
  #choose(at) {
    if (at === this.#at) return;
    const groups = this.svg.querySelectorAll(".bar");
    groups[this.#at]?.classList.remove("chosen");
    groups[at]?.classList.add("chosen");
    this.#at = at;
    this.#describe();
  }
  #describe() {
    const bar = this.#bars[this.#at] ?? this.#bars.at(-1);
    if (bar) this.detail.textContent = `${this.#at < 0 ? "Last: " : ""}${barText(bar, this.data.regimes[bar.regime])}`;
  }
}
