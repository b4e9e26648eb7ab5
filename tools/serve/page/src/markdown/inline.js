// SPDX-License-Identifier: Apache-2.0
// Parses the text of a paragraph into nodes: text, code, math, em, strong, strike, link, image, break. HTML is text.
import { EmphasisStack, flanking } from "./emphasis.js";
import { readEntity } from "./entities.js";
import { readLabel, readTarget } from "./link_syntax.js";

const SPECIAL = /[\\`*_~[\]!<&\n$]|https?:\/\//g;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const ANGLE_LINK = /<([a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*)>/y;
const ANGLE_MAIL = /<([\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+)>/y;
const BARE_LINK = /https?:\/\/[^\s<>`]+/y;
const MAX_MATH = 4000;
const MATH_ENDS = { "\\(": "\\)", "\\[": "\\]", $$: "$$" };

function matchAt(pattern, source, at) {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

// An address in running text does not end with punctuation, nor with a parenthesis that it did not open.
function trimAddress(address) {
  let end = address.length;
  for (; end > 0; --end) {
    const last = address[end - 1];
    if (/[?!.,:;*_~'"]/.test(last)) continue;
    const part = address.slice(0, end);
    if (last === ")" && part.split(")").length > part.split("(").length) continue;
    break;
  }
  return address.slice(0, end);
}

class InlineParser {
  // isLabel: within a link, where further links are text.
  constructor(source, isLabel) {
    this.source = source;
    this.isLabel = isLabel;
    this.stack = new EmphasisStack();
    this.missingTicks = new Set(); // lengths of backtick runs that never come again
  }

  parse() {
    const { source } = this;
    let at = 0;
    while (at < source.length) {
      SPECIAL.lastIndex = at;
      const next = SPECIAL.exec(source)?.index ?? source.length;
      this.#text(source.slice(at, next));
      if (next === source.length) break;
      at = this.#special(next);
    }
    return this.stack.finish();
  }

  #text(text) {
    if (text) this.stack.add({ type: "text", text });
  }
  #literal(at, length = 1) {
    this.#text(this.source.slice(at, at + length));
    return at + length;
  }

  // Reads what begins at `at` and returns where it ends.
  #special(at) {
    const { source } = this;
    switch (source[at]) {
      case "\\":
        return this.#math(at, 2) ?? this.#escape(at);
      case "$":
        return this.#math(at, 2) ?? this.#literal(at);
      case "`":
        return this.#code(at);
      case "*":
      case "_":
      case "~":
        return this.#run(at);
      case "!":
        return (source[at + 1] === "[" && this.#link(at + 1, "image")) || this.#literal(at);
      case "[":
        return (!this.isLabel && this.#link(at, "link")) || this.#literal(at);
      case "<":
        return this.#angle(at);
      case "&":
        return this.#entity(at);
      case "\n":
        return this.#newline(at);
      case "h":
        return this.#bareLink(at);
      default:
        return this.#literal(at);
    }
  }

  #escape(at) {
    const next = this.source[at + 1] ?? "";
    if (next === "\n") {
      this.stack.add({ type: "break" });
      return at + 2;
    }
    return ESCAPABLE.test(next) ? this.#literal(at + 1) : this.#literal(at);
  }

  // Formulas are shown as they are written: their underscores and backslashes are no markdown.
  #math(at, length) {
    const { source } = this;
    const end = MATH_ENDS[source.slice(at, at + length)];
    const text = end ? source.slice(at + length, at + MAX_MATH) : "";
    const close = end ? text.indexOf(end) : -1;
    if (close < 0) return null;
    this.stack.add({ type: "math", text: text.slice(0, close).trim() });
    return at + length + close + length;
  }

  #code(at) {
    const { source } = this;
    const [ticks] = matchAt(/`+/y, source, at);
    const from = at + ticks.length;
    if (!this.missingTicks.has(ticks.length)) {
      const runs = /`+/g;
      runs.lastIndex = from;
      for (let run; (run = runs.exec(source)); ) {
        if (run[0].length !== ticks.length) continue;
        const text = source.slice(from, run.index).replaceAll("\n", " ");
        const isPadded = text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "";
        this.stack.add({ type: "code", text: isPadded ? text.slice(1, -1) : text });
        return runs.lastIndex;
      }
      this.missingTicks.add(ticks.length);
    }
    return this.#literal(at, ticks.length);
  }

  #run(at) {
    const { source } = this;
    const char = source[at];
    let end = at;
    while (source[end] === char) ++end;
    const count = end - at;
    if (char === "~" && count !== 2) return this.#literal(at, count);
    const before = at === 0 ? "" : String.fromCodePoint(source.codePointAt(at - 1));
    const after = end === source.length ? "" : String.fromCodePoint(source.codePointAt(end));
    this.stack.addRun(char, count, flanking(before, after, char));
    return end;
  }

  #link(at, type) {
    const label = readLabel(this.source, at);
    const target = label && readTarget(this.source, label.end);
    if (!target) return 0;
    if (type === "image" && this.isLabel) this.#text(`image: ${plainText(parseInline(label.text, true))}`);
    else if (type === "image")
      this.stack.add({ type, alt: plainText(parseInline(label.text, true)), address: target.address });
    else this.stack.add({ type, address: target.address, children: parseInline(label.text, true) });
    return target.end;
  }

  #angle(at) {
    const link = matchAt(ANGLE_LINK, this.source, at);
    const mail = link ? null : matchAt(ANGLE_MAIL, this.source, at);
    const match = link ?? mail;
    if (!match || this.isLabel) return this.#literal(at);
    const children = [{ type: "text", text: match[1] }];
    this.stack.add({ type: "link", address: mail ? `mailto:${match[1]}` : match[1], children });
    return at + match[0].length;
  }

  // Only where a word may begin, so that addresses within HTML stay text.
  #bareLink(at) {
    const mayBegin = !this.isLabel && (at === 0 || /[\s*_~(]/.test(this.source[at - 1]));
    const match = mayBegin ? matchAt(BARE_LINK, this.source, at) : null;
    const address = match ? trimAddress(match[0]) : "";
    if (!/:\/\/./.test(address)) return this.#literal(at, 4);
    this.stack.add({ type: "link", address, children: [{ type: "text", text: address }] });
    return at + address.length;
  }

  #entity(at) {
    const entity = readEntity(this.source, at);
    if (!entity) return this.#literal(at);
    this.#text(entity.text);
    return entity.end;
  }

  #newline(at) {
    const isHard = this.source.slice(Math.max(0, at - 2), at) === "  ";
    this.stack.add(isHard ? { type: "break" } : { type: "text", text: "\n" });
    let end = at + 1;
    while (this.source[end] === " ") ++end;
    return end;
  }
}

export const parseInline = (source, isLabel = false) => new InlineParser(source, isLabel).parse();

export const plainText = (nodes) =>
  nodes.map((node) => node.text ?? node.alt ?? (node.children ? plainText(node.children) : "")).join("");
