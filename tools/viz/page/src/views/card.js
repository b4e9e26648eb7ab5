// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom.js";

// A prominent number, with its name above and details below.
export const card = (name, value, more) =>
  h(
    "div",
    { class: "card" },
    h("span", { class: "muted" }, name),
    h("strong", {}, value),
    h("span", { class: "muted small" }, more),
  );
