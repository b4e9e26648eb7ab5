// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { readTrace } from "../../../tools/viz/page/src/trace.js";

const regime = { byId: new Map([["ab", 0]]), nodes: [{ id: "ab", scope: "embed" }] };

test("slices, waits and calls are told apart, with a lane for each thread", () => {
  const trace = readTrace(
    {
      traceEvents: [
        { ph: "M", name: "thread_name", tid: 1, args: { name: "thread 0" } },
        { ph: "X", name: "call T=1", tid: 1, ts: 10, dur: 5 },
        { ph: "X", name: "embed", tid: 1, ts: 10, dur: 2, args: { id: "ab" } },
        { ph: "X", name: "wait", tid: 2, ts: 11, dur: 1 },
        { ph: "C", name: "tokens", ts: 10 },
      ],
    },
    regime,
  );
  assert.deepEqual(trace.lanes, ["thread 0", "thread 2"]);
  assert.equal(trace.calls, 1);
  assert.deepEqual(
    trace.slices.map(({ lane, start, ns, wait }) => [lane, start, ns, wait]),
    [
      [0, 0, 2000, false],
      [1, 1000, 1000, true],
    ],
  );
  assert.equal(trace.total, 5000);
});

test("what is no trace is refused with what was expected", () => {
  assert.throws(() => readTrace({}, regime), /infer-run --trace/);
});
