// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { expertRows, hasExpertRows } from "../../../tools/viz/page/src/expert_rows.js";

const nodes = [{ layer: 0 }, { layer: 0 }, { layer: 3 }];
const program = (experts) => ({ regimes: [{ nodes }], calls: () => ({ calls: 2, experts }) });
const found = (experts) => expertRows(program(experts), { nodes });

test("a line for each layer, with its busiest expert", () => {
  const rows = [0, 6, 2, 0];
  const { lines, experts } = found([
    { node: 0, rows },
    { node: 1, rows },
    { node: 2, rows: [2, 2, 2, 2] },
  ]);
  assert.equal(experts, 4);
  assert.deepEqual(
    lines.map(({ layer, total, used, busiest, times }) => [layer, total, used, busiest, times]),
    [
      [0, 8, 2, 1, 3],
      [3, 8, 4, 0, 1],
    ],
  );
});

test("nothing without counts", () => {
  assert.equal(found(undefined), null);
  assert.equal(found([]), null);
  assert.equal(expertRows({ calls: () => null }, { nodes }), null);
  assert.equal(hasExpertRows([program([])]), false);
  assert.equal(hasExpertRows([program([]), program([{ node: 0, rows: [0, 0] }])]), true);
});

test("a layer that no call reached has no shares", () => {
  assert.equal(found([{ node: 0, rows: [0, 0] }]).lines[0].times, 0);
});
