// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { highlightLine } from "../../../../../tools/serve/page/src/markdown/highlight.js";

function colours(language, text) {
  let state = null;
  return text.split("\n").map((line) => {
    const drawn = highlightLine(language, line, state);
    state = drawn.state;
    assert.equal(drawn.parts.map(([, part]) => part).join(""), line, "no text is lost");
    return drawn.parts.filter(([kind]) => kind).map(([kind, part]) => `${kind}:${part}`);
  });
}

test("keywords, strings, numbers and comments are found", () => {
  assert.deepEqual(colours("js", "const a = 'x\\'y'; // end"), [["keyword:const", "string:'x\\'y'", "comment:// end"]]);
  assert.deepEqual(colours("python", 'def f(x): return 0x1F + 2.5e3 # "no"'), [
    ["keyword:def", "keyword:return", "number:0x1F", "number:2.5e3", 'comment:# "no"'],
  ]);
  assert.deepEqual(colours("sql", "SELECT a FROM t"), [["keyword:SELECT", "keyword:FROM"]]);
  assert.deepEqual(colours("json", '{"a": [1, true]}'), [['string:"a"', "number:1", "keyword:true"]]);
  assert.deepEqual(colours("diff", "+a\n-b\n c"), [["added:+a"], ["removed:-b"], []]);
  assert.deepEqual(colours("unknown", "if x // y"), [[]]);
});

test("comments and strings go on in the next line where the language allows it", () => {
  assert.deepEqual(colours("cpp", "a /* b\nc */ int"), [["comment:/* b"], ["comment:c */", "keyword:int"]]);
  assert.deepEqual(colours("python", '"""a\nif\n""" if'), [
    ['string:"""a'],
    ["string:if"],
    ['string:"""', "keyword:if"],
  ]);
  assert.deepEqual(colours("js", '"open\nif'), [['string:"open'], ["keyword:if"]]);
  assert.deepEqual(colours("cpp", "x".repeat(5000)), [[]]);
});
