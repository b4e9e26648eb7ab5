// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { arenaContent } from "../../../tools/viz/page/src/arena_content.js";

const steps = (n) => Array.from({ length: n }, (_, node) => ({ node }));

test("a value that works in place is drawn, lives on and counts once", () => {
  const regime = {
    arenas: [{ space: "cpu", bytes: 150 }],
    slots: [
      { node: 0, space: "cpu", offset: 0, bytes: 100, steps: [0, 1] },
      { node: 1, space: "cpu", offset: 0, bytes: 100, steps: [1, 3], alias_of: [0, 0] },
      { node: 2, space: "cpu", offset: 100, bytes: 50, steps: [3, 3] },
    ],
    segments: [{ space: "cpu", steps: steps(4) }],
  };
  const { slots, live, peak } = arenaContent(regime);
  assert.deepEqual(
    slots.map(({ inPlace }) => inPlace),
    [false, true, false],
  );
  assert.deepEqual(live, [100, 100, 100, 150]);
  assert.equal(peak, 3);
});

test("workspaces count, and memories are stacked", () => {
  const regime = {
    arenas: [
      { space: "cpu", bytes: 64 },
      { space: "gpu", bytes: 32 },
    ],
    slots: [{ node: 1, space: "gpu", offset: 0, bytes: 32, steps: [1, 1] }],
    segments: [
      { space: "cpu", steps: [{ node: 0, workspace: [16, 8] }] },
      { space: "gpu", steps: [{ node: 1 }] },
    ],
  };
  const { slots, workspaces, bands, total, live } = arenaContent(regime);
  assert.deepEqual(bands, [
    { space: "cpu", base: 0, bytes: 64 },
    { space: "gpu", base: 64, bytes: 32 },
  ]);
  assert.equal(total, 96);
  assert.equal(slots[0].offset, 64);
  assert.equal(workspaces[0].offset, 16);
  assert.deepEqual(live, [8, 32]);
});
