// SPDX-License-Identifier: Apache-2.0
// The fill of a box and the text beside its name: {of: item => colour, text: item => words, legend}.
import * as format from "../format.js";
import { leavesOf } from "../tree.js";
import { diverging, namedColours, ramp } from "../colours.js";
import { sharesOf } from "./graph_shapes.js";

export const COLOURS = [
  ["target", "target"],
  ["estimate", "estimate"],
  ["measured", "measured, without waiting (mean)"],
  ["ratio", "estimate / measured"],
  ["op", "op"],
  ["type", "weight type"],
  ["mode", "how it is shared out"],
];

export function colouring(app, boxes) {
  const { program, regime, state } = app;
  const sum = (item, of) => {
    let total = 0;
    for (const leaf of leavesOf(item)) for (const node of leaf.all) total += of(node);
    return total;
  };
  const shown = boxes.filter((box) => !box.open && !box.item.pill).map((box) => box.item);
  const byTime = (of, waiting) => {
    const most = Math.max(1, ...shown.map((item) => sum(item, of)));
    return {
      of: (item) => ramp(sum(item, of) / most),
      text: (item) => {
        const waited = waiting ? sum(item, waiting) : 0;
        return format.time(sum(item, of)) + (waited > 0 ? ` + ${format.time(waited)} waiting` : "");
      },
      legend: [
        ["0", ramp(0)],
        [format.time(most / 2), ramp(0.5)],
        [format.time(most), ramp(1)],
      ],
    };
  };
  const estimate = (n) => program.record(n).estimate_ns?.[0] ?? 0;
  const measured = (n) => program.measured(regime, n)?.mean_ns ?? 0;
  if (state.colour === "estimate") return byTime(estimate);
  if (state.colour === "measured" && program.profile) {
    return byTime(
      (n) => program.measured(regime, n)?.working_ns ?? 0,
      (n) => program.measured(regime, n)?.waiting_ns ?? 0,
    );
  }
  if (state.colour === "ratio" && program.profile) {
    const expected = (n) => program.measured(regime, n)?.estimate_ns ?? 0;
    const of = (item) => sum(item, expected) / sum(item, measured);
    return {
      of: (item) => diverging(of(item)),
      text: (item) => format.ratio(of(item)),
      legend: [
        ["faster than measured", diverging(0.3)],
        ["as measured", diverging(1)],
        ["slower", diverging(4)],
      ],
    };
  }
  const named = (of) => {
    const colours = namedColours(regime.nodes.map(of));
    return {
      of: (item) => {
        const names = new Set([...leavesOf(item)].flatMap((leaf) => leaf.nodes.map(of)));
        return names.size === 1
          ? `color-mix(in oklab, ${colours.get([...names][0])} 35%, var(--panel))`
          : "var(--panel)";
      },
      text: (item) => [...new Set([...leavesOf(item)].flatMap((leaf) => leaf.nodes.map(of)))].join(", "),
      legend: [...colours].map(([name, c]) => [name, `color-mix(in oklab, ${c} 35%, var(--panel))`]),
    };
  };
  if (state.colour === "type") return named((n) => program.kind(n).weight_types || "no weights");
  if (state.colour === "op") return named((n) => program.op(n));
  if (state.colour === "mode") return named((n) => n.mode);
  return { of: (item) => (sharesOf(app, item).length > 1 ? "var(--panel)" : ""), text: () => "", legend: null };
}
