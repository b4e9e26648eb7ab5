// SPDX-License-Identifier: Apache-2.0
// make_fixtures.mjs NODE_MODULES: writes tests/data/serve_page/*.json with what markdown-it and eventsource-parser, which
// others wrote, make of texts and streams. The page's own parsers must agree.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { CASES, randomInline } from "./markdown_cases.mjs";

const require = createRequire(`${process.argv[2]}/x.js`);
const MarkdownIt = require("markdown-it");
const { createParser } = require("eventsource-parser");
const out = new URL("../../../data/serve_page/", import.meta.url);
mkdirSync(out, { recursive: true });

const TAGS = { s: "del" };

const plainText = (tokens) => tokens.map(({ content }) => content).join("");

// Appends the tokens to a tree of ["tag", ...children].
function addTokens(root, tokens) {
  const stack = [root];
  for (const token of tokens) {
    const top = stack.at(-1);
    const isHidden = token.type.startsWith("paragraph") && top[0] === "li";
    if (token.type === "inline") addTokens(top, token.children);
    else if (token.type === "text" || token.type === "text_special") top.push(token.content);
    else if (token.type === "softbreak") top.push("\n");
    else if (token.type === "code_inline") top.push(["code", token.content]);
    else if (token.type === "fence") top.push(["pre", token.content.replace(/\n$/, "")]);
    else if (token.type === "image") top.push([`image ${token.attrGet("src")}`, plainText(token.children)]);
    else if (isHidden) continue;
    else if (token.nesting === -1) stack.pop();
    else {
      const node = [TAGS[token.tag] ?? token.tag];
      if (node[0] === "a") node[0] = `a ${new URL(token.attrGet("href")).href}`;
      top.push(node);
      // A paragraph of a list item that is not hidden closes like any other element.
      if (token.nesting === 1) stack.push(node);
    }
  }
  return root;
}

const markdown = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
markdown.disable("code"); // lines indented by four spaces
const random = randomInline(500);
const cases = [...CASES, ...random].map((text) => ({ text, tree: addTokens(["div"], markdown.parse(text, {})) }));
writeFileSync(new URL("markdown.json", out), `[\n${cases.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);

const STREAMS = [
  'data: {"a":1}\n\ndata: [DONE]\n\n',
  ": ping\n\ndata: x\r\n\r\ndata:y\r\rdata:  two spaces\n\n",
  "event: message\nid: 7\nretry: 10\ndata: a\ndata: b\n\n",
  "data\n\ndata:\n\nfoo: bar\ndata: \u00e9\u{1f600}\n\n",
  "data: not finished",
  "\n\n\ndata: a\n\n\n\ndata: b\n\n",
  "data: a\ndata\ndata: c\n\n: only a comment\n\n",
];
let seed = 1;
const next = (n) => (seed = (seed * 48271) % 2147483647) % n;
const streams = STREAMS.flatMap((text) =>
  [1, 2, 3, 7, 1000].map((size) => {
    const pieces = [];
    for (let at = 0; at < text.length; ) {
      const length = 1 + next(size);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    const data = [];
    const parser = createParser({ onEvent: (event) => data.push(event.data) });
    pieces.forEach((piece) => parser.feed(piece));
    return { pieces, data };
  }),
);
writeFileSync(new URL("streams.json", out), `[\n${streams.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);
