// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom.js";

// A number that is seen first, with what it is above and what to know about it below.
export const card = (name, value, more) =>
  h(
    "div",
    { class: "card" },
    h("span", { class: "muted" }, name),
    h("strong", {}, value),
    h("span", { class: "muted small" }, more),
  );
