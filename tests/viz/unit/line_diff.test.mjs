// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { lineDiff } from "../../../tools/viz/page/src/line_diff.js";

const sides = (diff) => [
  diff.filter(([k]) => k !== "+").map(([, l]) => l),
  diff.filter(([k]) => k !== "-").map(([, l]) => l),
];

test("equal texts have no changed line", () => {
  assert.deepEqual(lineDiff([1, 2, 3], [1, 2, 3]), [
    [" ", 1],
    [" ", 2],
    [" ", 3],
  ]);
});

test("a replaced line is removed and added between what stayed", () => {
  assert.deepEqual(lineDiff([1, 2, 3], [1, 9, 3]), [
    [" ", 1],
    ["-", 2],
    ["+", 9],
    [" ", 3],
  ]);
});

test("one side empty", () => {
  assert.deepEqual(lineDiff([], [5]), [["+", 5]]);
  assert.deepEqual(lineDiff([5], []), [["-", 5]]);
});

test("both sides come out whole, and no shorter script exists for small texts", () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let i = 0; i < 300; ++i) {
    const a = Array.from({ length: random(12) }, () => random(4));
    const b = Array.from({ length: random(12) }, () => random(4));
    const diff = lineDiff(a, b);
    assert.deepEqual(sides(diff), [a, b]);
    assert.equal(diff.filter(([k]) => k === " ").length, longestCommon(a, b), `${a} | ${b}`);
  }
});

test("texts that differ in more than the limit are told as removed and added", () => {
  const diff = lineDiff([1, 2, 3], [4, 5, 6], 2);
  assert.deepEqual(diff.map(([k]) => k).join(""), "---+++");
});

function longestCommon(a, b) {
  const best = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; ++i) {
    for (let j = 1; j <= b.length; ++j) {
      best[i][j] = a[i - 1] === b[j - 1] ? best[i - 1][j - 1] + 1 : Math.max(best[i - 1][j], best[i][j - 1]);
    }
  }
  return best[a.length][b.length];
}
