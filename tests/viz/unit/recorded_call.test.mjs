// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedCall } from "../../../tools/viz/page/src/recorded_call.js";

const regime = { nodes: [{ mode: "sliced" }, { mode: "serial" }, { mode: "sliced" }] };

test("events are differences: each begins where the thread's last wait ended", () => {
  const timeline = {
    wall_ns: 300,
    threads: [
      [[10, 70, 30, 0], null, [5, 20, 0, 0]],
      [[20, 90, 0, 0], null, null],
    ],
  };
  const { slices, lanes, total } = recordedCall(timeline, regime);
  assert.deepEqual(
    slices.map(({ lane, start, ns, wait = false }) => [lane, start, ns, wait]),
    [
      [0, 10, 70, false],
      [0, 80, 30, true],
      [0, 115, 20, false],
      [1, 20, 90, false],
    ],
  );
  assert.deepEqual(lanes, ["thread 0", "thread 1"]);
  assert.equal(total, 300);
});

test("who only comes by a serial step waits from the beginning", () => {
  const timeline = {
    wall_ns: 100,
    threads: [
      [null, [0, 50, 1, 0], null],
      [null, [0, 2, 49, 0], null],
    ],
  };
  const { slices } = recordedCall(timeline, regime);
  assert.deepEqual(
    slices.map(({ lane, start, ns, wait = false }) => [lane, start, ns, wait]),
    [
      [0, 0, 50, false],
      [0, 50, 1, true],
      [1, 0, 51, true],
    ],
  );
});

test("waits inside a step are waits", () => {
  const timeline = { wall_ns: 100, threads: [[[0, 50, 10, 20], null, null]] };
  assert.deepEqual(
    recordedCall(timeline, regime).slices.map(({ start, ns, wait = false }) => [start, ns, wait]),
    [
      [0, 30, false],
      [30, 30, true],
    ],
  );
});

test("a device has a lane, and the thread that started it waits", () => {
  const two = {
    nodes: [
      { index: 0, mode: "sliced" },
      { index: 1, mode: "serial" },
    ],
    segments: [
      { device: "cpu", steps: [{ node: 0 }] },
      { device: "metal", steps: [{ node: 1 }] },
    ],
  };
  const { lanes, slices } = recordedCall({ wall_ns: 90, threads: [[[0, 30, 0, 0], [5, 50, 5, 0]]] }, two);
  assert.deepEqual(lanes, ["thread 0", "metal"]);
  assert.deepEqual(
    slices.map(({ lane, start, ns, wait = false }) => [lane, start, ns, wait]),
    [
      [0, 0, 30, false],
      [1, 35, 50, false],
      [0, 35, 55, true],
    ],
  );
});

test("a divided model has lanes for each rank, and every rank runs its serial steps", () => {
  const timeline = {
    wall_ns: 100,
    threads: [
      [null, [0, 50, 0, 0], null],
      [null, [0, 40, 0, 0], null],
      [null, [0, 2, 38, 0], null],
    ],
  };
  const { slices, lanes } = recordedCall(timeline, regime, [1, 2]);
  assert.deepEqual(lanes, ["rank 0 thread 0", "rank 1 thread 0", "rank 1 thread 1"]);
  assert.deepEqual(
    slices.map(({ lane, start, ns, wait = false }) => [lane, start, ns, wait]),
    [
      [0, 0, 50, false],
      [1, 0, 40, false],
      [2, 0, 40, true],
    ],
  );
});
