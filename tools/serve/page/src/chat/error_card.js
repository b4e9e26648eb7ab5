// SPDX-License-Identifier: Apache-2.0
// What went wrong and what to do about it. A busy server's wait is counted down; then the button works.
import { h } from "../dom.js";
import { icon } from "../icons.js";

const ADVICE = {
  key: "Enter the key that the server's administrator gave you.",
  busy: "Too many requests are waiting. Nothing is lost.",
  unavailable: "It may be starting or shutting down.",
};

export function errorCard(error, retry, label = "Try again") {
  const text = h("span", {}, label);
  const button = h("button", { type: "button", class: "retry", onclick: retry }, icon("again"), text);
  let left = error.retryAfter ?? 0;
  const count = () => {
    button.disabled = left > 0;
    text.textContent = left > 0 ? `${label} in ${left} s` : label;
    if (left-- > 0) setTimeout(count, 1000);
  };
  count();
  const advice =
    error.code === "context_length_exceeded"
      ? "Start a new chat, shorten the message, or delete older messages."
      : ADVICE[error.kind];
  return h(
    "section",
    { class: `error ${error.kind}`, role: "alert" },
    h("h3", {}, error.title),
    h("p", {}, error.message),
    advice && h("p", { class: "muted" }, advice),
    button,
  );
}
