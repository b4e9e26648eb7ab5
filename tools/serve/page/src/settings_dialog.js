// SPDX-License-Identifier: Apache-2.0
import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { FIELDS, THINKING, fieldProblem, toolsProblem } from "./settings.js";

const THINKING_LABELS = { default: "as the model does", on: "on", off: "off" };

const labelled = (label, input, hint) =>
  h("div", { class: "field" }, h("label", { for: input.id }, label), input, h("span", { class: "hint" }, hint));
const wide = (label, input) => h("div", { class: "field wide" }, h("label", { for: input.id }, label), input);

// The fields, filled with the settings.
class SettingsForm {
  constructor(settings, props) {
    this.props = props;
    this.system = h("textarea", {
      id: "set-system",
      rows: 4,
      placeholder: "What the model should know about its task",
      value: settings.system,
    });
    this.thinking = h(
      "select",
      { id: "set-thinking", onchange: () => this.#showDefaults() },
      THINKING.map((name) => h("option", { value: name, selected: name === settings.thinking }, THINKING_LABELS[name])),
    );
    this.tools = h("textarea", {
      id: "set-tools",
      rows: 3,
      class: "mono",
      spellcheck: "false",
      placeholder: '[{"type": "function", "function": {"name": \u2026}}]',
      value: settings.tools,
    });
    this.numbers = FIELDS.map((field) => ({ field, input: this.#numberInput(field, settings.values[field.name]) }));
    this.#showDefaults();
  }

  #numberInput({ name, min, max, step }, value) {
    const grain = step === 1 ? 1 : "any";
    return h("input", {
      type: "number",
      id: `set-${name}`,
      min,
      max,
      step: grain,
      inputmode: "decimal",
      value: value ?? "",
    });
  }

  // An empty field shows what the server uses.
  #showDefaults() {
    const defaults = this.thinking.value === "off" ? this.props.defaultsWithoutThinking : this.props.defaults;
    for (const { field, input } of this.numbers) {
      const standard = defaults[field.name];
      input.placeholder = standard === undefined ? "default" : String(+standard.toFixed(4));
    }
  }

  elements() {
    const { canSwitchThinking, hasTools } = this.props;
    return [
      wide("System prompt", this.system),
      h(
        "div",
        { class: "fields" },
        this.numbers.map(({ field, input }) => labelled(field.label, input, field.hint)),
      ),
      canSwitchThinking && labelled("Thinking", this.thinking, "whether the model thinks before it answers"),
      hasTools &&
        h(
          "details",
          { open: this.tools.value !== "" },
          h("summary", {}, "Tools"),
          wide("Definitions as JSON; you give their results in the chat", this.tools),
        ),
    ];
  }

  reset() {
    for (const { input } of this.numbers) input.value = "";
    this.system.value = this.tools.value = "";
    this.thinking.value = "default";
    this.#showDefaults();
  }

  // What is wrong; "" if nothing.
  problem() {
    const problems = this.numbers.map(({ field, input }) => fieldProblem(field, input.value));
    return [...problems, toolsProblem(this.tools.value)].find(Boolean) ?? "";
  }

  settings() {
    const filled = this.numbers.filter(({ input }) => input.value.trim() !== "");
    return {
      system: this.system.value,
      thinking: this.thinking.value,
      tools: this.tools.value.trim(),
      values: Object.fromEntries(filled.map(({ field, input }) => [field.name, Number(input.value)])),
    };
  }
}

// Lets the reader change the settings; resolves with the new ones, or null.
export async function editSettings(settings, props) {
  const form = new SettingsForm(settings, props);
  const problem = h("p", { class: "problem", role: "alert" });
  const save = (event) => {
    event.preventDefault();
    problem.textContent = form.problem();
    if (!problem.textContent) dialog.close("save");
  };
  const reset = () => {
    form.reset();
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
      form.elements(),
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
  return (await openDialog(dialog)) === "save" ? form.settings() : null;
}
