// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import * as format from "../../../tools/viz/page/src/format.js";

test("a symbolic count is said in words", () => {
  assert.equal(format.symbolic({ T: 18432 }, "FLOP"), "18,432 FLOP per token");
  assert.equal(
    format.symbolic({ 1: 64, T: 2, TS: 512 }, "bytes"),
    "64 bytes + 2 bytes per token + 512 bytes per token and position of the context",
  );
  assert.equal(format.symbolic({}, "FLOP"), "0 FLOP");
});

test("sizes are written as infer-compile writes them", () => {
  assert.equal(format.mebibytes(1048576 * 448), "448.0 MiB");
});
