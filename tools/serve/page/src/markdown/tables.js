// SPDX-License-Identifier: Apache-2.0
// Tables with pipes.

const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const MAX_COLUMNS = 64;

// The cells of a row. A pipe after a backslash is text, also within code.
export function cellsOf(line) {
  const text = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return text
    .split(/(?<!\\)\|/)
    .slice(0, MAX_COLUMNS)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignOf(cell) {
  if (cell.startsWith(":")) return cell.endsWith(":") ? "center" : "left";
  return cell.endsWith(":") ? "right" : "";
}

// Whether lines[at] is a head and the next line its delimiters.
export function startsTable(lines, at) {
  const next = lines[at + 1];
  if (next === undefined || !lines[at].includes("|") || !next.includes("-") || !DELIMITERS.test(next)) return false;
  return cellsOf(lines[at]).length === cellsOf(next).length;
}

export function readTable(lines, at) {
  const head = cellsOf(lines[at]);
  const rows = [];
  let end = at + 2;
  for (; end < lines.length && lines[end].includes("|"); ++end) {
    const cells = cellsOf(lines[end]);
    rows.push(head.map((_, i) => cells[i] ?? ""));
  }
  return { block: { type: "table", head, align: cellsOf(lines[at + 1]).map(alignOf), rows }, end };
}
