// SPDX-License-Identifier: Apache-2.0
// Character references, as far as models write them.

const NAMED = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "\u00a9",
  reg: "\u00ae",
  trade: "\u2122",
  hellip: "\u2026",
  mdash: "\u2014",
  ndash: "\u2013",
  times: "\u00d7",
  deg: "\u00b0",
  plusmn: "\u00b1",
  le: "\u2264",
  ge: "\u2265",
  ne: "\u2260",
  rarr: "\u2192",
  larr: "\u2190",
  euro: "\u20ac",
  middot: "\u00b7",
  bull: "\u2022",
};

const PATTERN = /&(?:([a-z]{2,8})|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/y;

// Returns {text, end} for the reference at `at`, or null.
export function readEntity(source, at) {
  PATTERN.lastIndex = at;
  const match = PATTERN.exec(source);
  if (!match) return null;
  const [whole, name, decimal, hex] = match;
  const end = at + whole.length;
  if (name) return Object.hasOwn(NAMED, name) ? { text: NAMED[name], end } : null;
  const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
  const isValid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return { text: isValid ? String.fromCodePoint(code) : "\ufffd", end };
}
