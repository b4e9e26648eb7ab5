// SPDX-License-Identifier: Apache-2.0
// What /live of a busy server looks like: deterministic, so that pictures can be compared. `speed` lets time pass faster.

const REGIMES = [
  { min_tokens: 1, max_tokens: 16, targets: { parallel: 141, simd: 58, scalar: 30 } },
  { min_tokens: 17, max_tokens: 512, targets: { parallel: 201, simd: 28 } },
];

export class LiveScript {
  #random = 12345;
  #at = 0; // ms of the next step
  #steps = [];
  #totals = { prompt_tokens: 0, cached_tokens: 0, computed_prompt_tokens: 0, generated_tokens: 0 };
  now = 40_000;
  isIdle = false;
  speed = 1000; // ms per report

  // A server that has just begun.
  restart() {
    this.now = this.#at = 0;
    this.#steps = [];
  }

  #next() {
    this.#random = (this.#random * 1103515245 + 12345) % 2147483648;
    return this.#random / 2147483648;
  }

  #load(at) {
    return this.isIdle ? 0 : Math.max(0, Math.round(4.5 + 3.5 * Math.sin(at / 17_000) + 2 * Math.sin(at / 5_000)));
  }

  #run() {
    while (this.#at < this.now) {
      const running = this.#load(this.#at);
      if (!running) {
        this.#at += 50;
        continue;
      }
      const isPrompt = this.#next() < 0.22;
      const prompt = isPrompt ? 32 + Math.round(this.#next() * 8) * 32 : 0;
      const call_ms = 9 + running * 1.6 + prompt * 0.11 + this.#next() * 3;
      this.#steps.push({
        number: this.#steps.length,
        start_ms: this.#at,
        call_ms,
        sample_ms: 0.4 + 0.25 * running,
        report_ms: 0.2,
        estimated_ms: call_ms * (0.9 + 0.2 * this.#next()),
        decode_rows: running,
        draft_tokens: 0,
        prompt_tokens: prompt,
        regime: prompt + running > 16 ? 1 : 0,
        running,
        waiting: Math.max(0, running - 7),
      });
      this.#totals.generated_tokens += running;
      this.#totals.computed_prompt_tokens += prompt;
      this.#totals.prompt_tokens += Math.round(prompt * 2.1);
      this.#totals.cached_tokens += Math.round(prompt * 1.1);
      this.#at += call_ms + 0.6 + 0.25 * running + this.#next() * 2;
    }
  }

  report(since) {
    this.now += this.speed;
    this.#run();
    const running = this.#load(this.now);
    const waiting = Math.max(0, running - 7);
    const used = 60 + running * 38;
    const requests = Array.from({ length: running + waiting }, (_, i) => ({
      id: `req-${1040 + i}`,
      tenant: i % 3 === 0 ? "team-a" : "",
      waiting: i >= running,
      paused: i === 2,
      prompt_tokens: 128 + 97 * i,
      prompt_done: i >= running ? 0 : i === 1 ? 90 : 128 + 97 * i,
      cached_tokens: 64 * (i % 4),
      generated_tokens: i >= running || i === 1 ? 0 : 17 * (i + 1),
      age_ms: 900 + 1300 * i,
    }));
    return {
      model: "Qwen3-0.6B-Q8_0",
      uptime_ms: this.now,
      heartbeat_age_ms: 12,
      state: {
        running,
        waiting,
        blocks: 1024,
        free_blocks: Math.max(0, 1024 - used - 310),
        cached_blocks: 310,
        block_positions: 64,
        steps: this.#steps.length,
        ...this.#totals,
        preemptions: 1,
        evicted_blocks: 44,
        ended_requests: 318,
        cancelled_requests: 6,
        refused_requests: 2,
      },
      regimes: REGIMES,
      requests,
      steps: this.#steps.filter((step) => step.number >= since).slice(-2000),
    };
  }
}
