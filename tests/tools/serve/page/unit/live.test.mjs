// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { barText, regimeName, timelineBars } from "../../../../../tools/serve/page/src/live/bars.js";
import { roundUp, short } from "../../../../../tools/serve/page/src/live/charts.js";
import { LiveData } from "../../../../../tools/serve/page/src/live/live_data.js";
import { LiveScript } from "../scripted_live.mjs";

const step = (number, start_ms, more = {}) => ({
  number,
  start_ms,
  call_ms: 8,
  sample_ms: 1,
  report_ms: 1,
  estimated_ms: 4,
  decode_rows: 2,
  draft_tokens: 0,
  prompt_tokens: 0,
  regime: 0,
  running: 2,
  waiting: 0,
  ...more,
});
const report = (uptime_ms, state, steps = []) => ({
  model: "m",
  uptime_ms,
  heartbeat_age_ms: 1,
  state,
  regimes: [{ min_tokens: 1, max_tokens: 16, targets: { simd: 3 } }],
  requests: [],
  steps,
});

test("rates, hit rate, blocks and means follow from the reports", () => {
  const data = new LiveData();
  assert.equal(data.since, 0);
  data.add(
    report(
      1000,
      { generated_tokens: 10, prompt_tokens: 100, cached_tokens: 0, blocks: 10, free_blocks: 6, cached_blocks: 1 },
      [step(0, 100), step(1, 200)],
    ),
  );
  assert.equal(data.since, 2);
  assert.equal(data.hitRate(), null);
  data.add(
    report(
      2000,
      { generated_tokens: 60, prompt_tokens: 300, cached_tokens: 150, blocks: 10, free_blocks: 2, cached_blocks: 3 },
      [step(1, 200), step(2, 1500, { decode_rows: 5 })],
    ),
  );
  assert.equal(data.steps.length, 3, "a step that was sent twice counts once");
  assert.deepEqual(data.rates("generated_tokens"), [{ at: 2000, value: 50 }]);
  assert.equal(data.rateNow("generated_tokens"), 50);
  assert.deepEqual([data.hitRate(), data.hitRate({})], [0.75, 0.5]);
  assert.deepEqual(data.blocks(), { all: 10, free: 2, kept: 3, used: 5 });
  assert.deepEqual(data.recent(), { rows: 3, ms: 10, perSecond: 0.3 });
  assert.deepEqual(data.batches(), [{ at: 2000, rows: 5, ms: 10 }]);
  const [row] = data.byRegime();
  assert.deepEqual([row.steps, row.share, row.mean_ms, row.ratio], [3, 1, 8, 0.5]);
});

test("a restarted server begins anew, and memory is bounded", () => {
  const data = new LiveData();
  data.add(report(9000, {}, [step(50, 8000)]));
  data.add(report(500, {}, []));
  assert.deepEqual([data.samples.length, data.steps.length, data.since], [1, 0, 0]);
  const script = new LiveScript();
  for (let i = 0; i < 400; ++i) data.add(script.report(data.since));
  assert.ok(data.samples.length <= 121 && data.steps.length <= 6000);
  const numbers = data.steps.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => numbers[0] + i),
    "no step is missing",
  );
});

test("bars lie where the steps were, and narrow ones are joined", () => {
  const [bar, ...more] = timelineBars([step(0, 500), step(1, 5000)], 1000, 1000, 100);
  assert.deepEqual([bar.x, bar.width, more.length], [50, 1, 0]);
  const many = Array.from({ length: 5000 }, (_, i) => step(i, i * 10));
  const bars = timelineBars(many, 50_000, 50_000, 800);
  assert.ok(bars.length < 400 && bars.length > 50, `${bars.length} bars`);
  assert.equal(
    bars.reduce((sum, { steps }) => sum + steps.length, 0),
    5000,
  );
  assert.match(
    barText(bars[0], { min_tokens: 1, max_tokens: 16 }),
    /^steps 0\u2013\d+ \u00b7 1\u201316 tokens \u00b7 call 8\.0 ms \(estimate 4\.0\)/,
  );
});

test("numbers for people", () => {
  assert.deepEqual([0, 0.3, 1, 3, 7, 99, 512].map(roundUp), [1, 0.5, 1, 5, 10, 100, 1000]);
  assert.deepEqual([0, 1.26, 9.96, 1234, 12345, 3.2e6].map(short), ["0", "1.3", "10", "1,234", "12.3 k", "3.2 M"]);
  assert.deepEqual(
    [
      { min_tokens: 1, max_tokens: 1 },
      { min_tokens: 2, max_tokens: 9 },
      { min_tokens: 5, max_tokens: 2147483647 },
    ].map(regimeName),
    ["1 token", "2\u20139 tokens", "5 tokens and more"],
  );
});
