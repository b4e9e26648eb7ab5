// SPDX-License-Identifier: Apache-2.0
// Targets have the colours and borders given in the document; the page knows none by name.

// By name: {dash, border}. Filled by learnTargets.
export const TARGETS = {};

// Reads the targets of a document and returns their style sheet. Invalid names and colours are left out: the document
// may come from anywhere.
export function learnTargets(targets) {
  const known = targets.filter(
    ({ name, light, dark }) =>
      /^[a-z][a-z0-9_]*$/.test(name) && [...light, ...dark].every((colour) => /^#[0-9a-f]{6}$/.test(colour)),
  );
  for (const { name, dash, border } of known) TARGETS[name] = { dash, border: Number(border) };
  const variables = (theme) =>
    known.map((t) => `--${t.name}: ${t[theme][0]}; --${t.name}-fill: ${t[theme][1]};`).join(" ");
  const rules = known.map(({ name }) => {
    const { dash, border } = TARGETS[name];
    const line = !dash ? "solid" : Number.parseFloat(dash) > 3 ? "dashed" : "dotted";
    const width = Math.round(Math.min(border, 2));
    return (
      `.t-${name} { --stroke: var(--${name}); --fill: var(--${name}-fill); } ` +
      `.chip.t-${name} { border-style: ${line}; border-width: ${width}px; } ` +
      `.part.t-${name} { border-bottom-style: ${line}; border-bottom-width: ${Math.round(border) + 1}px; }`
    );
  });
  return [
    `:root { ${variables("light")} }`,
    `@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${variables("dark")} } }`,
    `:root[data-theme="dark"] { ${variables("dark")} }`,
    ...rules,
  ].join("\n");
}

export const targetClass = (target) => `t-${target in TARGETS ? target : "other"}`;

const HASHED = [
  "#0072b2",
  "#e69f00",
  "#00845f",
  "#b0478a",
  "#56b4e9",
  "#d55e00",
  "#8a8f98",
  "#7a6f00",
  "#332288",
  "#88ccaa",
  "#aa4466",
  "#bb9a5b",
];

// For names without an order: types, ops.
export function namedColours(names) {
  const sorted = [...new Set(names)].sort();
  return new Map(sorted.map((name, i) => [name, HASHED[i % HASHED.length]]));
}

// From pale to dark in one hue, so that it works in grey too.
export function ramp(part) {
  const p = Math.min(1, Math.max(0, part));
  return `color-mix(in oklab, var(--ramp-high) ${Math.round(p * 100)}%, var(--ramp-low))`;
}

// From below 1 to above 1: blue, pale, orange; logarithmic, saturated at a factor of 4.
export function diverging(ratio) {
  if (!(ratio > 0)) return "var(--panel)";
  const p = Math.max(-1, Math.min(1, Math.log(ratio) / Math.log(4)));
  const end = p < 0 ? "var(--less)" : "var(--more)";
  return `color-mix(in oklab, ${end} ${Math.round(Math.abs(p) * 100)}%, var(--panel))`;
}
