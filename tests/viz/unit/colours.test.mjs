// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { learnTargets, TARGETS, targetClass } from "../../../tools/viz/page/src/colours.js";

const fast = {
  name: "fast",
  device: "cpu",
  light: ["#0072b2", "#e4f0f8"],
  dark: ["#56b4e9", "#15303f"],
  dash: "6 3",
  border: 1.5,
};

test("a target that no module knows has the look that the document gives it", () => {
  const css = learnTargets([fast, { ...fast, name: "dots", dash: "2 3", border: 2 }]);
  assert.deepEqual(TARGETS.fast, { dash: "6 3", border: 1.5 });
  assert.equal(targetClass("fast"), "t-fast");
  assert.match(css, /^:root \{ --fast: #0072b2; --fast-fill: #e4f0f8;/);
  assert.match(css, /:root\[data-theme="dark"\] \{ --fast: #56b4e9; --fast-fill: #15303f;/);
  assert.match(css, /\.chip\.t-fast \{ border-style: dashed; border-width: 2px; \}/);
  assert.match(css, /\.chip\.t-dots \{ border-style: dotted;/);
});

test("what is no name or colour does not become a rule", () => {
  const css = learnTargets([
    { ...fast, name: "a} body { display: none" },
    { ...fast, name: "odd", light: ["url(x)", "#e4f0f8"] },
  ]);
  assert.ok(!css.includes("body") && !css.includes("url"));
  assert.equal(targetClass("odd"), "t-other");
});
