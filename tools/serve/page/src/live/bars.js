// SPDX-License-Identifier: Apache-2.0
// The bars of the timeline: steps, joined where they would be too narrow to see.
import { stepMs } from "./live_data.js";

const MIN_PX = 2.5;

// Returns {x, width, regime, steps} in pixels for steps in the window of `span` ms that ends at `end`.
export function timelineBars(steps, end, span, width) {
  const begin = end - span;
  const scale = width / span;
  const bars = [];
  const open = new Map(); // the last bar of each regime
  for (const step of steps) {
    const from = Math.max(0, (step.start_ms - begin) * scale);
    const to = Math.min(width, (step.start_ms + stepMs(step) - begin) * scale);
    if (to <= from) continue;
    const last = open.get(step.regime);
    const isNear = last && from - (last.x + last.width) < 0.75;
    if (isNear && (last.width < MIN_PX || to - from < MIN_PX) && to - last.x < 4 * MIN_PX) {
      last.width = to - last.x;
      last.steps.push(step);
      continue;
    }
    const bar = { x: from, width: Math.max(0.75, to - from), regime: step.regime, steps: [step] };
    open.set(step.regime, bar);
    bars.push(bar);
  }
  return bars;
}

export function barText(bar, regime) {
  const total = (name) => bar.steps.reduce((sum, step) => sum + (step[name] ?? 0), 0);
  const mean = (name) => total(name) / bar.steps.length;
  const [first, last] = [bar.steps[0].number, bar.steps.at(-1).number];
  const parts = [
    first === last ? `step ${first}` : `steps ${first}\u2013${last}`,
    regime && regimeName(regime),
    `call ${mean("call_ms").toFixed(1)} ms (estimate ${mean("estimated_ms").toFixed(1)})`,
    `sampling ${mean("sample_ms").toFixed(1)} ms`,
    mean("decode_rows") === 1 ? "1 row" : `${+mean("decode_rows").toFixed(1)} rows`,
    total("prompt_tokens") > 0 && `${+mean("prompt_tokens").toFixed(1)} prompt tokens`,
    total("draft_tokens") > 0 && `${+mean("draft_tokens").toFixed(1)} draft tokens`,
  ];
  return parts.filter(Boolean).join(" \u00b7 ");
}

export function regimeName({ min_tokens: min, max_tokens: max }) {
  if (min === max) return `${min} ${min === 1 ? "token" : "tokens"}`;
  return Number.isFinite(max) && max < 2 ** 31 - 1 ? `${min}\u2013${max} tokens` : `${min} tokens and more`;
}
