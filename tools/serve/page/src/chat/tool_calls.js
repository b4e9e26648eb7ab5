// SPDX-License-Identifier: Apache-2.0
// Tool calls of an answer, and the form that takes their results. The page runs no tools.
import { h } from "../dom.js";

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const toolCallCard = ({ name, arguments: args }) =>
  h(
    "section",
    { class: "call", "aria-label": `Tool call ${name}` },
    h("header", {}, "calls ", h("code", {}, name || "\u2026")),
    h("pre", { tabindex: 0 }, pretty(args)),
  );

// A tool's result in the conversation.
export const toolResult = ({ content }) =>
  h(
    "article",
    { class: "message tool", "aria-label": "Result of a tool" },
    h("header", {}, "result"),
    h("pre", { tabindex: 0 }, content),
  );

// Asks for the results of the calls; `send` gets one text for each.
export function resultsForm(calls, send) {
  const fields = calls.map(({ name }) =>
    h("textarea", { rows: 2, "aria-label": `Result of ${name}`, placeholder: `What ${name} returned`, required: true }),
  );
  return h(
    "form",
    {
      class: "results",
      onsubmit: (event) => {
        event.preventDefault();
        send(fields.map((field) => field.value));
      },
    },
    fields,
    h("button", { class: "primary" }, calls.length === 1 ? "Send the result" : "Send the results"),
  );
}
