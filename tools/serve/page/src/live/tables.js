// SPDX-License-Identifier: Apache-2.0
// The requests on the server, and the regimes with what they took.
import { h } from "../dom.js";
import { regimeName } from "./bars.js";
import { short } from "./charts.js";
import { targetClass, targetShares } from "./timeline.js";

const MAX_ROWS = 100;
export const seconds = (ms) => (ms >= 60_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 1000).toFixed(1)} s`);
export const percent = (part) => `${Math.round(100 * part)} %`;

function stateOf({ waiting, paused, prompt_tokens, prompt_done, generated_tokens }) {
  if (waiting) return ["waiting", "waiting"];
  if (paused) return ["paused", "paused: its reader is slow"];
  if (generated_tokens > 0 || prompt_done >= prompt_tokens) return ["writing", "writing"];
  return ["reading", `reading the prompt, ${percent(prompt_tokens > 0 ? prompt_done / prompt_tokens : 0)}`];
}

function table(label, heads, rows, none) {
  return rows.length === 0
    ? h("p", { class: "muted" }, none)
    : h(
        "div",
        { class: "table", tabindex: 0, role: "region", "aria-label": label },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              heads.map(([name, isNumber]) => h("th", { class: isNumber ? "num" : null }, name)),
            ),
          ),
          h("tbody", {}, rows),
        ),
      );
}

export function requestTable(requests) {
  const rows = requests.slice(0, MAX_ROWS).map((request) => {
    const [kind, text] = stateOf(request);
    const done = request.prompt_tokens > 0 ? Math.min(1, request.prompt_done / request.prompt_tokens) : 0;
    return h(
      "tr",
      {},
      h(
        "td",
        {},
        h("code", {}, String(request.id)),
        request.tenant ? h("span", { class: "muted" }, ` ${request.tenant}`) : null,
      ),
      h("td", {}, h("span", { class: `state ${kind}` }, text)),
      h(
        "td",
        { class: "num" },
        h("progress", { max: 1, value: done, "aria-label": "Prompt done" }),
        ` ${short(request.prompt_tokens)}`,
      ),
      h("td", { class: "num" }, short(request.cached_tokens)),
      h("td", { class: "num" }, short(request.generated_tokens)),
      h("td", { class: "num" }, seconds(request.age_ms)),
    );
  });
  const more = requests.length > MAX_ROWS && h("p", { class: "muted" }, `and ${requests.length - MAX_ROWS} more`);
  return [
    table(
      "Requests",
      [["request"], ["state"], ["prompt", true], ["cached", true], ["written", true], ["age", true]],
      rows,
      "No requests at the moment.",
    ),
    more,
  ].filter(Boolean);
}

export function regimeTable(byRegime) {
  const rows = byRegime.map(({ regime, steps, share, mean_ms, ratio }) =>
    h(
      "tr",
      {},
      h("td", {}, regimeName(regime)),
      h(
        "td",
        {},
        targetShares(regime).map(({ name, count }) => [
          h("span", { class: `chip ${targetClass(name)}` }, `${name} ${count}`),
          " ",
        ]),
      ),
      h("td", { class: "num" }, short(steps)),
      h("td", { class: "num" }, percent(share)),
      h("td", { class: "num" }, mean_ms === null ? "\u2013" : `${mean_ms.toFixed(1)} ms`),
      h("td", { class: "num" }, ratio === null ? "\u2013" : `${ratio.toFixed(2)}\u00d7`),
    ),
  );
  return [
    table(
      "Regimes",
      [["regime"], ["nodes by target"], ["steps", true], ["time", true], ["mean call", true], ["estimate", true]],
      rows,
      "The server has told no regimes.",
    ),
  ];
}
