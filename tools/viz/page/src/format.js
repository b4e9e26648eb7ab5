// SPDX-License-Identifier: Apache-2.0
// Formats counts, sizes and times for people.

export const exact = (n) => (Number.isInteger(n) ? n.toLocaleString("en-US") : String(+n.toPrecision(4)));

function scaled(value, units, base) {
  let at = 0;
  while (Math.abs(value) >= base && at + 1 < units.length) {
    value /= base;
    ++at;
  }
  const text = Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
  return `${text} ${units[at]}`;
}

// "1 call", "2 calls"
export const times = (n, one, many = `${one}s`) => `${exact(n)} ${n === 1 ? one : many}`;

export const bytes = (n) => scaled(n, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
// As infer-compile --dry-run writes sizes.
export const mebibytes = (n) => `${(n / 1048576).toFixed(1)} MiB`;
export const flops = (n) => scaled(n, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"], 1000);
export const time = (ns) => (ns > 0 ? scaled(ns, ["ns", "us", "ms", "s"], 1000) : "-");
export const percent = (part) => (part > 0 && part < 0.01 ? "<1 %" : `${Math.round(part * 100)} %`);
export const ratio = (r) => (r > 0 ? `${r >= 10 ? r.toFixed(0) : r.toFixed(2)}\u00d7` : "-");
export const range = ([low, high]) => (low === high ? String(low) : `${low}\u2013${high}`);

// "0-4, 6"
export function layers(list) {
  const runs = [];
  for (const layer of list) {
    const last = runs.at(-1);
    if (last && last[1] === layer - 1) last[1] = layer;
    else runs.push([layer, layer]);
  }
  return runs.map(range).join(", ");
}

// Formats both ends of a span, or one if they read the same.
export function span(format, [low, high]) {
  const [a, b] = [format(low), format(high)];
  return a === b ? a : `${a} \u2013 ${b}`;
}

const PER = {
  1: "",
  T: " per token",
  R: " per row of logits",
  S: " per position of the context",
  TS: " per token and position of the context",
  "TS/N": " per token and position of its own context",
};

// A symbolic count: "2,097,152 FLOP per token + 512 FLOP per token and position of the context".
export function symbolic(count, unit) {
  const parts = Object.entries(count).map(
    ([symbol, factor]) => `${exact(factor)} ${unit}${PER[symbol] ?? ` \u00d7 ${symbol}`}`,
  );
  return parts.join(" + ") || `0 ${unit}`;
}
