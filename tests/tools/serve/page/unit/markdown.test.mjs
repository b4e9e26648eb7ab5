// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseBlocks, splitLines } from "../../../../../tools/serve/page/src/markdown/blocks.js";
import { appendBlocks } from "../../../../../tools/serve/page/src/markdown/nodes.js";
import { MarkdownStream } from "../../../../../tools/serve/page/src/markdown/stream.js";
import { made, tidy, treeOf } from "../fake_document.mjs";
import { CASES } from "../markdown_cases.mjs";
import { HOSTILE, TOUR, answerTo } from "../scripted_answers.mjs";

const fixtures = JSON.parse(readFileSync(new URL("../../../../data/serve_page/markdown.json", import.meta.url)));

function drawWhole(text) {
  const element = document.createElement("div");
  appendBlocks(element, parseBlocks(splitLines(text)));
  return tidy(treeOf(element));
}

test("texts mean what markdown-it says they mean", () => {
  assert.ok(fixtures.length > 550);
  for (const { text, tree } of fixtures) assert.deepEqual(drawWhole(text), tidy(tree), JSON.stringify(text));
});

test("a text that arrives in pieces ends up like the whole", () => {
  let seed = 3;
  const next = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (const text of [...CASES, TOUR, HOSTILE, `${TOUR}\n\n\n   1. x\n\n\n\n      y`]) {
    const whole = drawWhole(text);
    for (const size of [1, 3, 12, 80]) {
      const element = document.createElement("div");
      const stream = new MarkdownStream(element);
      for (let at = 0; at < text.length; ) {
        const length = 1 + next(size);
        stream.append(text.slice(at, at + length));
        at += length;
        if (next(2)) stream.draw();
      }
      stream.end();
      assert.deepEqual(tidy(treeOf(element)), whole, JSON.stringify(text));
    }
  }
});

test("each drawing shows all that has arrived, but for a last line that is undecided", () => {
  const element = document.createElement("div");
  const stream = new MarkdownStream(element);
  const show = (text) => {
    stream.append(text);
    stream.draw();
    return element.textContent.replace(/^(text|python)Copy/, "");
  };
  assert.equal(show("Hel"), "Hel");
  assert.equal(show("lo\n--"), "Hello");
  assert.equal(show("-\nnext **bo"), "Hellonext **bo");
  assert.equal(show("ld**"), "Hellonext bold");
  assert.match(show("\n\n```python\nx = 1\ny"), /x = 1\ny$/);
  assert.match(show(" = 2\n``"), /y = 2\n$/);
});

test("formulas, tasks and bare addresses", () => {
  assert.deepEqual(drawWhole("\\(a_1 * b_2\\) and \\[x\\] and $$y_1$$ costs $5 or $6"), [
    "div",
    ["p", ["code", "a_1 * b_2"], " and ", ["code", "x"], " and ", ["code", "y_1"], " costs $5 or $6"],
  ]);
  assert.deepEqual(drawWhole("see https://example.com/a_b_c, or (https://example.com/x)."), [
    "div",
    [
      "p",
      "see ",
      ["a https://example.com/a_b_c", "https://example.com/a_b_c"],
      ", or (",
      ["a https://example.com/x", "https://example.com/x"],
      ").",
    ],
  ]);
  const [, list] = drawWhole("- [x] done\n- [ ] open");
  assert.equal(list[0], "ul");
  assert.deepEqual(
    list.slice(1).map((item) => item[1][0]),
    ["input", "input"],
  );
});

test("drawing a token costs the same wherever it is in an answer", () => {
  for (const what of ["20000", "long code"]) {
    const pieces = [...answerTo({ messages: [{ role: "user", content: what }] })].map(({ delta }) => delta.content);
    const nodesFor = (tokens) => {
      const before = made.nodes;
      const stream = new MarkdownStream(document.createElement("div"));
      for (const piece of pieces.slice(0, tokens)) {
        stream.append(piece);
        stream.draw();
      }
      return made.nodes - before;
    };
    const [half, whole] = [nodesFor(4_000), nodesFor(8_000)];
    assert.ok(whole < 2.2 * half, `${what}: ${half} nodes for 4,000 tokens, ${whole} for 8,000`);
  }
});

// Milliseconds for each; what takes exponential time is ended by ctest.
test("texts made to be slow end", () => {
  const n = 2_000;
  const texts = [
    "*a ".repeat(n),
    "*a* ".repeat(n),
    "_*".repeat(n),
    "[".repeat(n),
    "[a](".repeat(n),
    "![".repeat(n),
    "`".repeat(n),
    Array.from({ length: 200 }, (_, i) => "`".repeat(i)).join(" "),
    ">".repeat(n),
    "> ".repeat(200) + "x",
    "- ".repeat(n),
    "  - x\n".repeat(n),
    "a|".repeat(n),
    `${"a|".repeat(250)}\n${"-|".repeat(250)}\n${"b|\n".repeat(500)}`,
    "\\(".repeat(n),
    "$$".repeat(n),
    "https://".repeat(n),
    "<a@".repeat(n),
    "&#".repeat(n),
    "#".repeat(n),
    "\n".repeat(n),
    `${"x\n".repeat(n)}---`,
    "((".repeat(n),
    `[a](${"(".repeat(n)}`,
  ];
  for (const text of texts) assert.ok(drawWhole(text), JSON.stringify(text.slice(0, 20)));
});
