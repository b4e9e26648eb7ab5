// SPDX-License-Identifier: Apache-2.0
// What the reader can set, and the parameters of a request that follow from it. An empty field leaves the choice to the
// server.

export const FIELDS = [
  { name: "temperature", label: "Temperature", min: 0, max: 2, step: 0.05, hint: "0 always takes the likeliest token" },
  { name: "top_p", label: "Top p", min: 0, max: 1, step: 0.01, hint: "share of the probability that is kept" },
  { name: "top_k", label: "Top k", min: 0, max: 1000, step: 1, hint: "number of tokens that are kept; 0 keeps all" },
  { name: "min_p", label: "Min p", min: 0, max: 1, step: 0.01, hint: "least probability, relative to the likeliest" },
  { name: "presence_penalty", label: "Presence penalty", min: -2, max: 2, step: 0.1, hint: "against repeated tokens" },
  {
    name: "frequency_penalty",
    label: "Frequency penalty",
    min: -2,
    max: 2,
    step: 0.1,
    hint: "the more often, the more",
  },
  { name: "max_tokens", label: "Longest answer", min: 1, max: 1048576, step: 1, hint: "in tokens" },
  { name: "seed", label: "Seed", min: 0, max: 4294967295, step: 1, hint: "equal seeds give equal answers" },
];

export const THINKING = ["default", "on", "off"];

// What is wrong with the text of a field; "" if nothing.
export function fieldProblem(field, text) {
  if (text.trim() === "") return "";
  const value = Number(text);
  if (!Number.isFinite(value)) return `${field.label} must be a number.`;
  if (value < field.min || value > field.max) return `${field.label} must be from ${field.min} to ${field.max}.`;
  return field.step === 1 && !Number.isInteger(value) ? `${field.label} must be a whole number.` : "";
}

// What is wrong with the definitions of tools; "" if nothing.
export function toolsProblem(text) {
  if (text.trim() === "") return "";
  try {
    const tools = JSON.parse(text);
    const isTool = (tool) => tool?.type === "function" && typeof tool.function?.name === "string";
    return Array.isArray(tools) && tools.every(isTool)
      ? ""
      : 'Tools must be a list of {"type": "function", "function": {"name": \u2026}}.';
  } catch (error) {
    return `Tools must be JSON: ${error.message}`;
  }
}

// Reads stored settings, leaving out what is not valid.
export function readSettings(raw) {
  const values = {};
  for (const field of FIELDS) {
    const value = raw?.values?.[field.name];
    if (typeof value === "number" && fieldProblem(field, String(value)) === "") values[field.name] = value;
  }
  const text = (value) => (typeof value === "string" ? value : "");
  return {
    system: text(raw?.system),
    thinking: THINKING.includes(raw?.thinking) ? raw.thinking : "default",
    tools: toolsProblem(text(raw?.tools)) === "" ? text(raw?.tools) : "",
    values,
  };
}

const wireCall = ({ id, name, arguments: args }) => ({ id, type: "function", function: { name, arguments: args } });

// The messages of a conversation as the API takes them. Thoughts stay out: templates drop them; so do answers that were
// stopped before they began.
export function wireMessages(system, messages) {
  const isSaid = ({ role, content, tool_calls }) => role !== "assistant" || content !== "" || tool_calls?.length > 0;
  const wire = messages.filter(isSaid).map(({ role, content, tool_calls, tool_call_id }) => ({
    role,
    content,
    ...(tool_calls?.length ? { tool_calls: tool_calls.map(wireCall) } : {}),
    ...(role === "tool" ? { tool_call_id } : {}),
  }));
  return system.trim() ? [{ role: "system", content: system }, ...wire] : wire;
}

// What the model cannot do is left out, whatever was set for another one.
export function requestBody(props, settings, messages) {
  const body = { model: props.model, messages: wireMessages(settings.system, messages), ...settings.values };
  if (props.canSwitchThinking && settings.thinking !== "default")
    body.chat_template_kwargs = { enable_thinking: settings.thinking === "on" };
  if (props.hasTools && settings.tools.trim()) body.tools = JSON.parse(settings.tools);
  return body;
}
