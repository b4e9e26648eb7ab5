// SPDX-License-Identifier: Apache-2.0
// Colours that colour-blind people tell apart (Okabe and Ito), and beside each a border, so that colour is never all.

export const TARGETS = {
  scalar: { dash: "", width: 1.25, glyph: "S" },
  simd: { dash: "6 3", width: 1.5, glyph: "V" },
  parallel: { dash: "", width: 2.75, glyph: "P" },
  metal: { dash: "2 3", width: 2, glyph: "M" },
};

export const targetClass = (target) => `t-${target in TARGETS ? target : "other"}`;

const HASHED = ["#0072b2", "#e69f00", "#00845f", "#b0478a", "#56b4e9", "#d55e00", "#8a8f98", "#7a6f00"];

// For names without an order: types, ops.
export function namedColours(names) {
  const sorted = [...new Set(names)].sort();
  return new Map(sorted.map((name, i) => [name, HASHED[i % HASHED.length]]));
}

// From pale to dark in one hue, so that it reads in grey too.
export function ramp(part) {
  const p = Math.min(1, Math.max(0, part));
  return `color-mix(in oklab, var(--ramp-high) ${Math.round(p * 100)}%, var(--ramp-low))`;
}

// Below 1 to above 1: blue, pale, orange; logarithmic, full at a factor of 4.
export function diverging(ratio) {
  if (!(ratio > 0)) return "var(--panel)";
  const p = Math.max(-1, Math.min(1, Math.log(ratio) / Math.log(4)));
  const end = p < 0 ? "var(--less)" : "var(--more)";
  return `color-mix(in oklab, ${end} ${Math.round(Math.abs(p) * 100)}%, var(--panel))`;
}
