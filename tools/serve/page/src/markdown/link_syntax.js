// SPDX-License-Identifier: Apache-2.0
// The parts of [label](address "title").

const MAX_LABEL = 1000;
const ADDRESS =
  /\(\s*(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/y;

// Reads the label whose bracket opens at `at`; returns {text, end} or null. Brackets nest, code and escapes do not count.
export function readLabel(source, at) {
  let depth = 0;
  const limit = Math.min(source.length, at + MAX_LABEL);
  for (let i = at; i < limit; ++i) {
    const c = source[i];
    if (c === "\\") ++i;
    else if (c === "`") {
      let ticks = 1;
      while (source[i + ticks] === "`") ++ticks;
      const close = source.indexOf("`".repeat(ticks), i + ticks);
      i = close < 0 || close > limit ? i + ticks - 1 : close + ticks - 1;
    } else if (c === "[") ++depth;
    else if (c === "]" && --depth === 0) return { text: source.slice(at + 1, i), end: i + 1 };
  }
  return null;
}

// Reads "(address title)" at `at`; returns {address, end} or null.
export function readTarget(source, at) {
  ADDRESS.lastIndex = at;
  const match = ADDRESS.exec(source);
  if (!match) return null;
  const address = (match[1] ?? match[2]).replace(/\\([!-/:-@[-`{-~])/g, "$1");
  return { address, end: at + match[0].length };
}
