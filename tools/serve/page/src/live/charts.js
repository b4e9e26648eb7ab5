// SPDX-License-Identifier: Apache-2.0
// Small charts over time.
import { h, s } from "../dom.js";

const HEIGHT = 96;
const TOP = 8;

// The next round number: 1, 2, 5, 10, 20, ...
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((limit) => limit >= value);
}

export const short = (value) => {
  if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`;
  if (value >= 1e4) return `${+(value / 1e3).toPrecision(3)} k`;
  return (+value.toFixed(value < 10 ? 1 : 0)).toLocaleString("en-US");
};

// A chart of stacked areas over the last `span` ms.
export class Chart {
  // parts: [{name, className}], from the bottom up.
  constructor(title, parts, { span = 120_000, unit = "" } = {}) {
    Object.assign(this, { title, parts, span, unit });
    this.now = h("output", { class: "now" });
    this.svg = s("svg", { class: "plot", role: "img" });
    const legend =
      parts.length > 1 &&
      h(
        "p",
        { class: "legend" },
        parts.map(({ name, className }) => h("span", {}, h("i", { class: `swatch ${className}` }), name)),
      );
    this.element = h(
      "figure",
      { class: "chart" },
      h("figcaption", {}, h("span", {}, title), this.now),
      this.svg,
      legend,
    );
  }

  // points: [{at, values: [...]}], one value for each part; max: the top of the scale, or 0 to choose one.
  draw(points, now, max = 0) {
    const width = this.svg.clientWidth;
    if (!width) return;
    const top = max || roundUp(Math.max(0, ...points.map(({ values }) => values.reduce((a, b) => a + b, 0))));
    const x = (at) => width * (1 - (now - at) / this.span);
    const y = (value) => TOP + (HEIGHT - TOP) * (1 - value / top);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const shapes = points.length < 2 ? [] : this.parts.map((part, i) => this.#shape(points, part.className, i, x, y));
    const grid = [0.5, 1].map((part) =>
      s("line", { class: "grid", x1: 0, x2: width, y1: y(top * part), y2: y(top * part) }),
    );
    const labels = [0.5, 1].map((part) => s("text", { class: "axis", x: 2, y: y(top * part) + 11 }, short(top * part)));
    // The lines of the lower parts lie over those of the upper ones, which are empty more often.
    const lines = shapes.map(({ line }) => line).reverse();
    this.svg.replaceChildren(...grid, ...shapes.map(({ area }) => area), ...lines, ...labels);
    this.#caption(points.at(-1)?.values ?? []);
  }

  #shape(points, className, part, x, y) {
    const level = (values, count) => values.slice(0, count).reduce((a, b) => a + b, 0);
    const edge = (count) => points.map(({ at, values }) => `${x(at).toFixed(1)},${y(level(values, count)).toFixed(1)}`);
    const [upper, lower] = [edge(part + 1), edge(part).reverse()];
    return {
      area: s("polygon", { class: `area ${className}`, points: [...upper, ...lower].join(" ") }),
      line: s("polyline", { class: `line ${className}`, points: upper.join(" ") }),
    };
  }

  #caption(values) {
    const isOne = this.parts.length === 1;
    const text = isOne
      ? `${short(values[0] ?? 0)}${this.unit}`
      : this.parts.map(({ name }, i) => `${name} ${short(values[i] ?? 0)}`).join(", ");
    this.now.textContent = isOne ? text : "";
    this.svg.setAttribute("aria-label", `${this.title}: ${text}`);
  }
}
