// SPDX-License-Identifier: Apache-2.0
import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { FIELDS, NO_SETTINGS, THINKING, fieldProblem, toolsProblem } from "./settings.js";

const THINKING_LABELS = { default: "as the model does", on: "on", off: "off" };

function numberField(field, value) {
  const input = h("input", {
    type: "number",
    id: `set-${field.name}`,
    min: field.min,
    max: field.max,
    step: field.step === 1 ? 1 : "any",
    inputmode: "decimal",
    value: value ?? "",
  });
  return {
    field,
    input,
    element: h(
      "div",
      { class: "field" },
      h("label", { for: input.id }, field.label),
      input,
      h("span", { class: "hint" }, field.hint),
    ),
  };
}

// Lets the reader change the settings; resolves with the new ones, or null.
export async function editSettings(settings, props) {
  const system = h("textarea", {
    id: "set-system",
    rows: 4,
    placeholder: "What the model should know about its task",
    value: settings.system,
  });
  const thinking = h(
    "select",
    { id: "set-thinking" },
    THINKING.map((name) => h("option", { value: name, selected: name === settings.thinking }, THINKING_LABELS[name])),
  );
  const tools = h("textarea", {
    id: "set-tools",
    rows: 3,
    class: "mono",
    spellcheck: "false",
    placeholder: '[{"type": "function", "function": {"name": \u2026}}]',
    value: settings.tools,
  });
  const numbers = FIELDS.map((field) => numberField(field, settings.values[field.name]));
  // Shows what an empty field means.
  const showDefaults = () => {
    const defaults = thinking.value === "off" ? props.defaultsWithoutThinking : props.defaults;
    for (const { field, input } of numbers) {
      const standard = defaults[field.name];
      input.placeholder = standard === undefined ? "default" : String(+standard.toFixed(4));
    }
  };
  showDefaults();
  thinking.addEventListener("change", showDefaults);
  const problem = h("p", { class: "problem", role: "alert" });
  let result = null;
  const save = (event) => {
    event.preventDefault();
    const problems = [
      ...numbers.map(({ field, input }) => fieldProblem(field, input.value)),
      toolsProblem(tools.value),
    ];
    problem.textContent = problems.find(Boolean) ?? "";
    if (problem.textContent) return;
    const filled = numbers.filter(({ input }) => input.value.trim() !== "");
    result = {
      system: system.value,
      thinking: thinking.value,
      tools: tools.value.trim(),
      values: Object.fromEntries(filled.map(({ field, input }) => [field.name, Number(input.value)])),
    };
    dialog.close();
  };
  const reset = () => {
    system.value = tools.value = "";
    thinking.value = NO_SETTINGS.thinking;
    for (const { input } of numbers) input.value = "";
    showDefaults();
    problem.textContent = "";
  };
  const dialog = h(
    "dialog",
    { class: "settings", "aria-label": "Settings" },
    h(
      "form",
      { novalidate: true, onsubmit: save },
      h("h2", {}, "Settings"),
      h("p", { class: "muted" }, "For the next message of every conversation. Empty fields use the server's defaults."),
      h("div", { class: "field wide" }, h("label", { for: "set-system" }, "System prompt"), system),
      h(
        "div",
        { class: "fields" },
        numbers.map(({ element }) => element),
      ),
      props.canSwitchThinking &&
        h(
          "div",
          { class: "field" },
          h("label", { for: "set-thinking" }, "Thinking"),
          thinking,
          h("span", { class: "hint" }, "whether the model thinks before it answers"),
        ),
      props.hasTools &&
        h(
          "details",
          { open: settings.tools !== "" },
          h("summary", {}, "Tools"),
          h(
            "div",
            { class: "field wide" },
            h("label", { for: "set-tools" }, "Definitions as JSON; you give their results in the chat"),
            tools,
          ),
        ),
      problem,
      h(
        "footer",
        {},
        h("button", { type: "button", class: "quiet", onclick: reset }, "Reset"),
        h("span", { class: "space" }),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: "primary" }, "Save"),
      ),
    ),
  );
  await openDialog(dialog);
  return result;
}
