// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom.js";

// Returns the largest value of the field among the program's nodes, rounded up.
export function upper(program, { field, value }) {
  const at = {
    T: program.symbols.T[1],
    R: program.symbols.R[1],
    S: program.symbols.S[1],
    TS: program.symbols.T[1] * program.symbols.S[1],
    1: 1,
  };
  if (field === "layer") return Math.max(value, ...program.regimes[0].nodes.map((node) => node.layer ?? 0));
  if (field === "tokens" || field === "rows") return Math.max(at.T, value);
  const counts = program.choices.map((choice) =>
    Object.entries(choice.facts[field] ?? {}).reduce((sum, [s, f]) => sum + f * at[s], 0),
  );
  return Math.max(value, ...counts) * 2;
}

// A number with a slider on a logarithmic scale.
export function slider(label, id, least, most, value, changed) {
  const steps = 200;
  const toStep = (v) => Math.round((steps * Math.log(v - least + 1)) / Math.log(Math.max(2, most - least + 1)));
  const toValue = (step) => Math.round(Math.exp((step / steps) * Math.log(Math.max(2, most - least + 1))) - 1 + least);
  const number = h("input", {
    type: "number",
    min: least,
    max: most,
    value,
    "aria-label": label,
    "data-id": id,
    onchange: () => {
      const v = Math.max(least, Math.round(Number(number.value) || 0));
      number.value = v;
      line.value = toStep(Math.min(v, most));
      changed(v);
    },
  });
  const line = h("input", {
    type: "range",
    min: 0,
    max: steps,
    "aria-label": `${label}, slider`,
    oninput: () => {
      number.value = toValue(Number(line.value));
      changed(Number(number.value));
    },
  });
  line.value = toStep(Math.min(value, most));
  return {
    element: h("div", { class: "slider" }, h("span", {}, label), line, number),
    set: (v) => {
      number.value = v;
      line.value = toStep(Math.min(v, most));
    },
  };
}
