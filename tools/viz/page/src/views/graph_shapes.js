// SPDX-License-Identifier: Apache-2.0
// The look and labels of the graph's boxes and arrows.
import { s } from "../dom.js";
import * as format from "../format.js";
import { pathOf } from "../layout.js";
import { leavesOf, timesOf } from "../tree.js";
import { targetClass } from "../colours.js";

export function titleOf(item) {
  if (item.nodes) return item.nodes.length > 1 ? `${item.op} \u00d7 ${item.nodes.length}` : nameOf(item);
  if (item.isStack) return `layers ${format.layers(item.layers)}`;
  if (isLayers(item))
    return item.layers.length > 1 ? `layers ${format.layers(item.layers)}` : `layer ${item.layers[0]}`;
  return item.label;
}

// The name of an item in lines that fit its box; that of a fused node has all its members.
export function linesOf(item) {
  const lines = [""];
  for (const part of titleOf(item).split(/(?<=\+)/)) {
    if (lines.at(-1) && (lines.at(-1) + part).length > LINE_LETTERS) lines.push("");
    lines[lines.length - 1] += part;
  }
  return lines.map((line) => clip(line, LINE_LETTERS));
}
const LINE_LETTERS = 27;

const nameOf = (item) => (item.key.includes("#") ? item.op : item.label);

const isLayers = (item) => item.isStack || item.isKind || item.key === "layers";

export const times = (item, x, y) =>
  isLayers(item) && item.layers?.length > 1
    ? s("text", { class: "badge", x, y, "text-anchor": "end" }, `\u00d7 ${item.layers.length}`)
    : null;

export const differs = (item, x, y) =>
  item.differs
    ? s(
        "text",
        { class: "badge differs", x, y, "text-anchor": "end" },
        `\u25b2 ${item.differs} differ${item.differs === 1 ? "s" : ""}`,
      )
    : null;

// [[target, nodes]], most first.
export function sharesOf(app, item) {
  const counts = new Map();
  for (const leaf of leavesOf(item)) {
    for (const node of leaf.nodes) {
      const { target } = app.program.record(node);
      counts.set(target, (counts.get(target) ?? 0) + timesOf(leaf) / leaf.nodes.length);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

export const targetOf = (app, leaf) => app.program.record(leaf.nodes[0]).target;

export function shareBar(shares, box) {
  const total = shares.reduce((sum, [, n]) => sum + n, 0);
  let x = 8;
  return s(
    "g",
    { class: "share" },
    shares.map(([target, n]) => {
      const width = Math.max(3, ((box.width - 16) * n) / total);
      const bar = s("rect", {
        class: targetClass(target),
        x,
        y: box.height - 11,
        width: Math.max(1, width - 1),
        height: 4,
        rx: 1.5,
      });
      x += width;
      return bar;
    }),
  );
}

export function edgeShape(edge, most) {
  const width = 1 + 3 * Math.sqrt(edge.bytes / most);
  const kind = edge.devices ? "devices" : edge.crosses ? "crosses" : "";
  const isShared = edge.devices === 2;
  const arrow = `url(#arrow${kind ? "-" + kind : ""})`;
  const middle = edge.points[Math.floor(edge.points.length / 2)];
  const size = edge.backBytes
    ? `${format.bytes(edge.bytes)} down, ${format.bytes(edge.backBytes)} up`
    : format.bytes(edge.bytes);
  if (edge.from.isSource) {
    return s("path", { class: "edge", d: pathOf(edge.points), "stroke-width": 1, "marker-end": arrow });
  }
  return s(
    "g",
    { class: "link" },
    s(
      "title",
      {},
      `${titleOf(edge.from)} \u2192 ${titleOf(edge.to)}: ${size} at the regime's most tokens${edge.devices ? (isShared ? "; another device in the same memory, nothing is copied" : "; copied to another device") : ""}`,
    ),
    s("path", {
      class: `edge ${kind}${isShared ? " shared" : ""}`,
      d: pathOf(edge.points),
      "stroke-width": edge.devices ? width + 1.5 : width,
      "marker-end": arrow,
      "marker-start": edge.backBytes ? arrow : null,
    }),
    kind &&
      !edge.isOutside &&
      s("text", { class: `bytes ${kind}`, x: middle.x + 6, y: middle.y + 4 }, isShared ? `${size} shared` : size),
  );
}

export function arrowheads() {
  return s(
    "defs",
    {},
    ["", "-crosses", "-devices"].map((kind) =>
      s(
        "marker",
        {
          id: `arrow${kind}`,
          class: `arrow${kind}`,
          viewBox: "0 0 8 8",
          refX: 7,
          refY: 4,
          markerWidth: 8,
          markerHeight: 8,
          markerUnits: "userSpaceOnUse",
          orient: "auto-start-reverse",
        },
        s("path", { d: "M0,0.5L8,4L0,7.5z" }),
      ),
    ),
  );
}

export const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);
