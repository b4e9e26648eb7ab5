// SPDX-License-Identifier: Apache-2.0
// What the server reported in the last minutes, and the figures that follow from it. Knows nothing of the page.

const MAX_SAMPLES = 121; // two minutes
const MAX_STEPS = 6000;
const RECENT_MS = 10_000;

const number = (value) => (Number.isFinite(value) ? value : 0);
const sum = (items, get) => items.reduce((total, item) => total + get(item), 0);

export class LiveData {
  samples = []; // {at, ...state}
  steps = [];
  regimes = [];
  requests = [];
  model = "";
  heartbeatMs = 0;

  // The number of the first step that has not been seen.
  get since() {
    return this.steps.length ? this.steps.at(-1).number + 1 : 0;
  }
  get now() {
    return this.samples.at(-1)?.at ?? 0;
  }
  get state() {
    return this.samples.at(-1) ?? {};
  }

  // Takes an answer of /live.
  add(report) {
    const at = number(report.uptime_ms);
    if (at < this.now) {
      // The server was restarted.
      this.samples = [];
      this.steps = [];
    }
    this.samples.push({ ...report.state, at });
    if (this.samples.length > MAX_SAMPLES) this.samples.shift();
    const { since } = this;
    this.steps.push(...(report.steps ?? []).filter((step) => step.number >= since));
    if (this.steps.length > MAX_STEPS) this.steps.splice(0, this.steps.length - MAX_STEPS);
    this.regimes = report.regimes ?? [];
    this.requests = report.requests ?? [];
    this.model = report.model ?? "";
    this.heartbeatMs = number(report.heartbeat_age_ms);
  }

  // How fast a total grew between samples: [{at, value}], per second.
  rates(name) {
    return this.samples.slice(1).map((sample, i) => {
      const before = this.samples[i];
      const seconds = (sample.at - before.at) / 1000;
      return {
        at: sample.at,
        value: seconds > 0 ? Math.max(0, number(sample[name]) - number(before[name])) / seconds : 0,
      };
    });
  }

  // Over the last seconds, so that the figure can be read.
  rateNow(name, span = 3) {
    const from = this.samples.at(-1 - span) ?? this.samples[0];
    const seconds = (this.now - (from?.at ?? 0)) / 1000;
    return seconds > 0 && from ? Math.max(0, number(this.state[name]) - number(from[name])) / seconds : 0;
  }

  // The share of prompt tokens that came from the cache, of those admitted while the samples were taken; null if none.
  hitRate(from = this.samples[0] ?? {}) {
    const prompt = number(this.state.prompt_tokens) - number(from.prompt_tokens);
    return prompt > 0 ? (number(this.state.cached_tokens) - number(from.cached_tokens)) / prompt : null;
  }

  // Blocks by who holds them.
  blocks(sample = this.state) {
    const [all, free, kept] = [number(sample.blocks), number(sample.free_blocks), number(sample.cached_blocks)];
    return { all, free, kept, used: Math.max(0, all - free - kept) };
  }

  stepsSince(at) {
    let from = this.steps.length;
    while (from > 0 && this.steps[from - 1].start_ms >= at) --from;
    return this.steps.slice(from);
  }

  // Means over the last ten seconds; null without steps.
  recent() {
    const steps = this.stepsSince(this.now - RECENT_MS);
    if (!steps.length) return null;
    return {
      rows: sum(steps, ({ decode_rows }) => number(decode_rows)) / steps.length,
      ms: sum(steps, stepMs) / steps.length,
      perSecond: steps.length / (RECENT_MS / 1000),
    };
  }

  // Means over the steps between two samples: [{at, rows, ms}]; 0 where there were none.
  batches() {
    let next = 0;
    return this.samples.slice(1).map(({ at }, i) => {
      const begin = this.samples[i].at;
      while (next < this.steps.length && this.steps[next].start_ms < begin) ++next;
      const first = next;
      while (next < this.steps.length && this.steps[next].start_ms < at) ++next;
      const steps = this.steps.slice(first, next);
      const count = Math.max(1, steps.length);
      return { at, rows: sum(steps, (s) => number(s.decode_rows)) / count, ms: sum(steps, stepMs) / count };
    });
  }

  // A row for each regime: steps, their share of the time, mean time and the estimate's ratio to it.
  byRegime() {
    const all = sum(this.steps, stepMs);
    return this.regimes.map((regime, index) => {
      const steps = this.steps.filter((step) => step.regime === index);
      const [call, estimated] = [sum(steps, (s) => number(s.call_ms)), sum(steps, (s) => number(s.estimated_ms))];
      return {
        regime,
        index,
        steps: steps.length,
        share: all > 0 ? sum(steps, stepMs) / all : 0,
        mean_ms: steps.length ? call / steps.length : null,
        ratio: call > 0 && estimated > 0 ? estimated / call : null,
      };
    });
  }
}

export const stepMs = ({ call_ms, sample_ms, report_ms }) => number(call_ms) + number(sample_ms) + number(report_ms);
