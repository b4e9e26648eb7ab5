// SPDX-License-Identifier: Apache-2.0
// Light colouring of code, line by line: comments, strings, numbers, keywords. `state` is the end of a comment or string
// that goes on in the next line, or null.

const words = (text) => new Set(text.split(" "));
const C_LIKE = { line: ["//"], block: [["/*", "*/"]], strings: ['"', "'", "`"], multiline: ["`"] };
const HASH = { line: ["#"], block: [], strings: ['"', "'"], multiline: [] };

const CURLY_WORDS = words(
  "abstract as async await auto bool break case catch char class const constexpr continue default delete do double else " +
    "enum export extends extern false final finally float fn for from func function go goto if impl implements import in " +
    "inline instanceof int interface let long match mod module mut namespace new nil null nullptr of operator override " +
    "package private protected pub public return self short signed sizeof static struct super switch template this throw " +
    "trait true try type typedef typename undefined union unsigned use using var virtual void volatile where while yield",
);
const PYTHON_WORDS = words(
  "and as assert async await break class continue def del elif else except False finally for from global if import in is " +
    "lambda None nonlocal not or pass raise return self True try while with yield match case",
);
const SHELL_WORDS = words(
  "case do done echo elif else esac exit export fi for function if in local read return set shift then unset until while cd",
);
const SQL_WORDS = words(
  "add all alter and as asc between by case create delete desc distinct drop else end exists from full group having in " +
    "index inner insert into is join key left like limit not null on or order outer primary references right select set " +
    "table then union unique update values view when where with",
);

// In one piece it could not stand in a page's script.
const MARKUP_COMMENT = ["<!", "--"].join("");

const LANGUAGES = {
  curly: { ...C_LIKE, words: CURLY_WORDS },
  python: { ...HASH, strings: ['"""', "'''", '"', "'"], multiline: ['"""', "'''"], words: PYTHON_WORDS },
  shell: { ...HASH, multiline: ['"', "'"], words: SHELL_WORDS },
  config: { ...HASH, words: words("true false null yes no on off") },
  sql: { line: ["--"], block: [["/*", "*/"]], strings: ["'", '"'], multiline: [], words: SQL_WORDS, ignoresCase: true },
  markup: { line: [], block: [[MARKUP_COMMENT, "-->"]], strings: ['"', "'"], multiline: [], words: words("") },
  css: { line: [], block: [["/*", "*/"]], strings: ['"', "'"], multiline: [], words: words("important") },
  json: { line: [], block: [], strings: ['"'], multiline: [], words: words("true false null") },
};

const NAMES = {
  curly:
    "js javascript jsx ts typescript tsx mjs c h cc cpp c++ cxx hpp cs csharp c# java kotlin kt go golang rust rs " +
    "swift scala dart php objc metal cuda glsl proto",
  python: "python py python3",
  shell: "sh bash shell zsh console shell-session",
  config: "yaml yml toml ini make makefile cmake dockerfile ruby rb perl r elixir properties conf",
  sql: "sql sqlite postgresql mysql",
  markup: "html xml svg xhtml vue",
  css: "css scss less",
  json: "json jsonc json5 jsonl",
};
const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([key, names]) => names.split(" ").map((n) => [n, LANGUAGES[key]])),
);

const MAX_LINE = 2000;
const WORD = /[A-Za-z_$][\w$]*/y;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\w*/y;

// Where a string or comment that began before `at` ends: the index after it, or -1.
function endOf(line, at, end, isString) {
  for (let i = at; i < line.length; ++i) {
    if (isString && line[i] === "\\") ++i;
    else if (line.startsWith(end, i)) return i + end.length;
  }
  return -1;
}

function matchAt(pattern, line, at) {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? "";
}

// What begins at `at`: {kind, text, state}; `state` if it goes on in the next line.
function readPart(rules, line, at) {
  if (rules.line.some((mark) => line.startsWith(mark, at))) return { kind: "comment", text: line.slice(at) };
  const block = rules.block.find(([begin]) => line.startsWith(begin, at));
  const quote = block ? null : rules.strings.find((mark) => line.startsWith(mark, at));
  if (block || quote) {
    const [begin, end] = block ?? [quote, quote];
    const kind = block ? "comment" : "string";
    const close = endOf(line, at + begin.length, end, !block);
    if (close >= 0) return { kind, text: line.slice(at, close) };
    const goesOn = block || rules.multiline.includes(quote);
    return { kind, text: line.slice(at), state: goesOn ? { kind, end } : null };
  }
  const word = matchAt(WORD, line, at);
  if (word)
    return { kind: rules.words.has(rules.ignoresCase ? word.toLowerCase() : word) ? "keyword" : "", text: word };
  const number = matchAt(NUMBER, line, at);
  return number ? { kind: "number", text: number } : { kind: "", text: line[at] };
}

function diffKind(line) {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "comment" : "";
}

// Returns {parts: [[kind, text]...], state}; the texts of the parts make up the line.
export function highlightLine(language, line, state = null) {
  if (language === "diff" || language === "patch") return { parts: [[diffKind(line), line]], state: null };
  const rules = BY_NAME.get(language);
  if (!rules || line.length > MAX_LINE) return { parts: [["", line]], state: rules ? state : null };
  const parts = [];
  const add = (kind, text) => {
    if (parts.at(-1)?.[0] === kind) parts.at(-1)[1] += text;
    else if (text) parts.push([kind, text]);
  };
  let at = 0;
  if (state) {
    const close = endOf(line, 0, state.end, state.kind === "string");
    add(state.kind, close < 0 ? line : line.slice(0, close));
    if (close < 0) return { parts, state };
    at = close;
  }
  let next = null;
  while (at < line.length) {
    const part = readPart(rules, line, at);
    add(part.kind, part.text);
    at += part.text.length;
    next = part.state ?? null;
  }
  return { parts, state: next };
}
