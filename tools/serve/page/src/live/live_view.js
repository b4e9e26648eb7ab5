// SPDX-License-Identifier: Apache-2.0
// What the server is doing, read every second while this view is on display.
import { errorCard } from "../chat/error_card.js";
import { download, h } from "../dom.js";
import { Chart, short } from "./charts.js";
import { LiveData } from "./live_data.js";
import { percent, regimeTable, requestTable, seconds } from "./tables.js";
import { Timeline } from "./timeline.js";

const PERIOD_MS = 1000;
const STALLED_MS = 5000;

class Card {
  constructor(name) {
    this.value = h("strong", {}, "\u2013");
    this.detail = h("span", { class: "muted" });
    this.element = h("div", { class: "card" }, h("span", { class: "muted" }, name), this.value, this.detail);
  }
  show(value, detail) {
    this.value.textContent = value;
    this.detail.textContent = detail;
  }
}

export class LiveView {
  #timer = null;
  #abort = null;
  #isActive = false;

  constructor({ api, page }) {
    Object.assign(this, { api, page, data: new LiveData() });
    this.cards = {
      speed: new Card("Tokens per second"),
      requests: new Card("Requests"),
      batch: new Card("Batch"),
      cache: new Card("Cache in use"),
      hits: new Card("Prompt from cache"),
      totals: new Card("Answered"),
    };
    this.charts = {
      generated: new Chart("Generated tokens/s", [{ name: "generated", className: "c-one" }]),
      prompt: new Chart("Computed prompt tokens/s", [{ name: "prompt", className: "c-two" }]),
      rows: new Chart("Batch: rows per step", [{ name: "rows", className: "c-one" }]),
      ms: new Chart("Time per step", [{ name: "ms", className: "c-three" }], { unit: " ms" }),
      requests: new Chart("Requests", [
        { name: "running", className: "c-one" },
        { name: "waiting", className: "c-three" },
      ]),
      blocks: new Chart("Cache blocks", [
        { name: "in use", className: "c-one" },
        { name: "kept for reuse", className: "c-two" },
      ]),
    };
    this.timeline = new Timeline();
    this.status = h("p", { class: "muted status" });
    this.problem = h("div");
    this.requests = h("div");
    this.regimes = h("div");
    this.placement = h(
      "a",
      {
        class: "button",
        href: "/placement",
        target: "_blank",
        rel: "noopener",
        onclick: (event) => this.#openPlacement(event),
      },
      "Placement of the model",
    );
    this.element = h(
      "section",
      { class: "live", id: "live", role: "tabpanel", "aria-labelledby": "tab-live", tabindex: -1 },
      h("header", {}, h("div", {}, h("h2", {}, "Live view"), this.status), this.placement),
      this.problem,
      h(
        "div",
        { class: "cards" },
        Object.values(this.cards).map(({ element }) => element),
      ),
      h(
        "div",
        { class: "charts" },
        Object.values(this.charts).map(({ element }) => element),
      ),
      this.timeline.element,
      h("section", { class: "panel" }, h("h2", {}, "Requests"), this.requests),
      h("section", { class: "panel" }, h("h2", {}, "Regimes of the last steps"), this.regimes),
    );
    document.addEventListener("visibilitychange", () => this.#schedule());
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  setActive(isActive) {
    this.#isActive = isActive;
    this.#schedule();
  }

  // Nobody is asked while nobody looks.
  #schedule() {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = null;
    if (this.#isActive && document.visibilityState === "visible") this.#read();
  }

  async #read() {
    const abort = (this.#abort = new AbortController());
    try {
      this.data.add(await this.api.live(this.data.since, abort.signal));
      this.problem.replaceChildren();
    } catch (error) {
      if (abort.signal.aborted) return;
      return this.#failed(error);
    }
    if (abort.signal.aborted) return;
    this.draw();
    this.#timer = setTimeout(() => this.#read(), PERIOD_MS);
  }

  async #failed(error) {
    this.problem.replaceChildren(errorCard(error, () => this.#schedule()));
    if (error.kind === "key" && (await this.page.askKey())) this.#schedule();
    else if (error.kind !== "key") this.#timer = setTimeout(() => this.#read(), 5 * PERIOD_MS);
  }

  draw() {
    const { data } = this;
    if (!data.samples.length || !this.#isActive) return;
    this.#drawCards();
    const { charts } = this;
    const one = (points) => points.map(({ at, value }) => ({ at, values: [value] }));
    charts.generated.draw(one(data.rates("generated_tokens")), data.now);
    charts.prompt.draw(one(data.rates("computed_prompt_tokens")), data.now);
    const batches = data.batches();
    charts.rows.draw(
      batches.map(({ at, rows }) => ({ at, values: [rows] })),
      data.now,
    );
    charts.ms.draw(
      batches.map(({ at, ms }) => ({ at, values: [ms] })),
      data.now,
    );
    charts.requests.draw(
      data.samples.map(({ at, running, waiting }) => ({ at, values: [running, waiting] })),
      data.now,
    );
    const blocks = data.samples.map((sample) => ({ at: sample.at, ...data.blocks(sample) }));
    charts.blocks.draw(
      blocks.map(({ at, used, kept }) => ({ at, values: [used, kept] })),
      data.now,
      data.blocks().all,
    );
    this.timeline.draw(data);
    this.requests.replaceChildren(...requestTable(data.requests));
    this.regimes.replaceChildren(...regimeTable(data.byRegime()));
  }

  #drawCards() {
    const { data, cards } = this;
    const { state } = data;
    const stalled =
      data.heartbeatMs > STALLED_MS ? ` \u00b7 the engine has not moved for ${seconds(data.heartbeatMs)}` : "";
    this.status.textContent = `${data.model} \u00b7 up for ${seconds(data.now)}${stalled}`;
    this.status.classList.toggle("stalled", stalled !== "");
    cards.speed.show(
      short(data.rateNow("generated_tokens")),
      `and ${short(data.rateNow("computed_prompt_tokens"))} of prompts`,
    );
    cards.requests.show(`${short(state.running ?? 0)} running`, `${short(state.waiting ?? 0)} waiting`);
    const recent = data.recent();
    cards.batch.show(
      recent ? `${short(recent.rows)} rows` : "idle",
      recent ? `${recent.ms.toFixed(1)} ms a step, ${short(recent.perSecond)} per second` : "no step in the last 10 s",
    );
    const { all, used, kept } = data.blocks();
    cards.cache.show(
      all ? percent(used / all) : "\u2013",
      `${short(used)} of ${short(all)} blocks, ${short(kept)} kept`,
    );
    const [latest, total] = [data.hitRate(), data.hitRate({})];
    cards.hits.show(
      latest === null ? "\u2013" : percent(latest),
      total === null ? "no prompts yet" : `${percent(total)} since the start`,
    );
    const lost = [
      ["cancelled", state.cancelled_requests],
      ["refused", state.refused_requests],
      ["preempted", state.preemptions],
    ];
    cards.totals.show(
      short(state.ended_requests ?? 0),
      lost.map(([name, count]) => `${short(count ?? 0)} ${name}`).join(", "),
    );
  }

  // A plain link cannot send the key. Then the page is fetched and saved; shown in a tab, it would be subject to this
  // page's policy, which blocks its script.
  async #openPlacement(event) {
    if (!this.api.key.get()) return;
    event.preventDefault();
    try {
      download("placement.html", "text/html", await this.api.placement());
      this.page.notify("placement.html was saved: open it from your downloads.");
    } catch (error) {
      this.page.notify(`${error.title}: ${error.message}`);
    }
  }
}
