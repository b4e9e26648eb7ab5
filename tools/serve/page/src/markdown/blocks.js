// SPDX-License-Identifier: Apache-2.0
// Splits lines into the blocks of a text: paragraph, heading, rule, code, quote, item, table. HTML and indented lines are
// paragraphs. An item of a list is a block of its own, so that a long list can be drawn item by item.
import { readTable, startsTable } from "./tables.js";

const MAX_DEPTH = 8;
const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;

export const isBlank = (line) => line.trim() === "";
const indentOf = (line) => line.match(/^ */)[0].length;

// Whether a line begins a block that may follow a paragraph without an empty line.
function interrupts(line) {
  if (HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || FENCE.test(line)) return true;
  const item = line.match(ITEM);
  // A number other than 1 at the beginning of a line is more likely a part of the sentence.
  return Boolean(item) && item[0].length < line.length && (!/\d/.test(item[2]) || /^1[.)]$/.test(item[2]));
}

// Reads the line that opens a block of code: {language, closes(line), dedent(line)}, or null.
export function readFence(line) {
  const match = line.match(FENCE);
  if (!match) return null;
  const [, indent, fence, info] = match;
  const closing = new RegExp(`^ {0,3}\\${fence[0]}{${fence.length},}[ \\t]*$`);
  const spaces = new RegExp(`^ {0,${indent.length}}`);
  return {
    language: info.trim().split(/\s/)[0].toLowerCase(),
    closes: (other) => closing.test(other),
    dedent: (other) => other.replace(spaces, ""),
  };
}

function readCode(lines, at) {
  const { language, closes, dedent } = readFence(lines[at]);
  let end = at + 1;
  while (end < lines.length && !closes(lines[end])) ++end;
  const block = { type: "code", language, lines: lines.slice(at + 1, end).map(dedent) };
  return { block, end: Math.min(end + 1, lines.length) };
}

function readQuote(lines, at, depth) {
  let end = at;
  const inner = [];
  for (; end < lines.length; ++end) {
    const line = lines[end];
    const isLazy = !isBlank(line) && inner.length && !isBlank(inner.at(-1)) && !interrupts(line);
    if (!QUOTE.test(line) && !isLazy) break;
    inner.push(line.replace(QUOTE, ""));
  }
  return { block: { type: "quote", blocks: parseBlocks(inner, depth + 1) }, end };
}

function readItem(lines, at, depth) {
  const [head, , marker] = lines[at].match(ITEM);
  // The text begins after the marker; with more than 4 spaces, or none, one space belongs to the marker.
  const markerEnd = head.trimEnd().length;
  const spaces = head.length - markerEnd;
  const width = spaces >= 1 && spaces <= 4 ? head.length : markerEnd + 1;
  const inner = [lines[at].slice(Math.min(width, lines[at].length))];
  let end = at + 1;
  for (; end < lines.length; ++end) {
    const line = lines[end];
    if (isBlank(line)) {
      let next = end + 1;
      while (next < lines.length && isBlank(lines[next])) ++next;
      if (next < lines.length && indentOf(lines[next]) < width) break;
      inner.push("");
    } else if (indentOf(line) >= width) inner.push(line.slice(width));
    else if (isBlank(inner.at(-1)) || interrupts(line) || ITEM.test(line)) break;
    else inner.push(line.trimStart());
  }
  const task = inner[0].match(/^\[([ xX])\][ \t]+/);
  if (task) inner[0] = inner[0].slice(task[0].length);
  const isOrdered = /\d/.test(marker);
  const block = {
    type: "item",
    isOrdered,
    number: isOrdered ? Number.parseInt(marker, 10) : null,
    kind: marker.at(-1), // items of different kinds are different lists
    isDone: task ? task[1] !== " " : null,
    blocks: parseBlocks(inner, depth + 1),
  };
  return { block, end };
}

function readParagraph(lines, at) {
  let end = at + 1;
  for (; end < lines.length; ++end) {
    const line = lines[end];
    const underline = line.match(UNDERLINE);
    if (underline) {
      const text = joined(lines, at, end);
      return { block: { type: "heading", level: underline[1][0] === "=" ? 1 : 2, text }, end: end + 1 };
    }
    if (isBlank(line) || interrupts(line) || startsTable(lines, end)) break;
  }
  return { block: { type: "paragraph", text: joined(lines, at, end) }, end };
}

const joined = (lines, at, end) =>
  lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join("\n")
    .trimEnd();

// Reads the block that begins at lines[at], which is not blank; returns {block, end}. If `end` is lines.length, more lines
// may still change the block.
export function readBlock(lines, at, depth = 0) {
  const line = lines[at];
  if (FENCE.test(line)) return readCode(lines, at);
  const heading = line.match(HEADING);
  if (heading) return { block: { type: "heading", level: heading[1].length, text: heading[2] ?? "" }, end: at + 1 };
  if (RULE.test(line)) return { block: { type: "rule" }, end: at + 1 };
  if (depth < MAX_DEPTH) {
    if (QUOTE.test(line)) return readQuote(lines, at, depth);
    if (ITEM.test(line)) return readItem(lines, at, depth);
  }
  if (startsTable(lines, at)) return readTable(lines, at);
  return readParagraph(lines, at);
}

export function parseBlocks(lines, depth = 0) {
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      ++at;
      continue;
    }
    const { block, end } = readBlock(lines, at, depth);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

export const splitLines = (text) => text.replaceAll("\t", "    ").split(/\r\n|\n|\r/);
