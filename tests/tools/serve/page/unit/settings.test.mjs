// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProps } from "../../../../../tools/serve/page/src/props.js";
import {
  FIELDS,
  fieldProblem,
  readSettings,
  requestBody,
  toolsProblem,
} from "../../../../../tools/serve/page/src/settings.js";

const field = (name) => FIELDS.find((one) => one.name === name);

test("fields are checked in words", () => {
  assert.equal(fieldProblem(field("temperature"), ""), "");
  assert.equal(fieldProblem(field("temperature"), "0.7"), "");
  assert.equal(fieldProblem(field("temperature"), "3"), "Temperature must be from 0 to 2.");
  assert.equal(fieldProblem(field("top_k"), "1.5"), "Top k must be a whole number.");
  assert.equal(fieldProblem(field("top_p"), "x"), "Top p must be a number.");
  assert.equal(toolsProblem('[{"type": "function", "function": {"name": "f"}}]'), "");
  assert.match(toolsProblem("[{}]"), /must be a list/);
  assert.match(toolsProblem("{"), /must be JSON/);
});

test("stored settings are read field by field", () => {
  assert.deepEqual(readSettings(null), { system: "", thinking: "default", tools: "", values: {} });
  assert.deepEqual(
    readSettings({ system: 1, thinking: "loud", tools: "{", values: { temperature: 9, top_p: 0.5, evil: 1 } }),
    {
      system: "",
      thinking: "default",
      tools: "",
      values: { top_p: 0.5 },
    },
  );
});

test("a request has what is set and what the model can do", () => {
  const settings = {
    system: "S",
    thinking: "off",
    tools: '[{"type":"function","function":{"name":"f"}}]',
    values: { temperature: 0 },
  };
  const messages = [
    { role: "user", content: "u" },
    {
      role: "assistant",
      content: "",
      reasoning: "secret",
      tool_calls: [{ id: "1", name: "f", arguments: "{}" }],
      finish: "tool_calls",
    },
    { role: "tool", content: "r", tool_call_id: "1" },
  ];
  const able = readProps({ model: "m", thinking: { available: true, switchable: true }, tools: true });
  assert.deepEqual(requestBody(able, settings, messages), {
    model: "m",
    messages: [
      { role: "system", content: "S" },
      { role: "user", content: "u" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", content: "r", tool_call_id: "1" },
    ],
    temperature: 0,
    chat_template_kwargs: { enable_thinking: false },
    tools: [{ type: "function", function: { name: "f" } }],
  });
  const plain = requestBody(readProps({ model: "m", tools: false }), settings, messages);
  assert.deepEqual([plain.chat_template_kwargs, plain.tools], [undefined, undefined]);
});

test("properties have safe values", () => {
  assert.deepEqual(readProps(null), {
    model: "default",
    context: null,
    canSwitchThinking: false,
    hasTools: false,
    defaults: {},
    defaultsWithoutThinking: {},
  });
  assert.deepEqual(
    readProps({ model: "m", context: 8, defaults: { temperature: 0.5, x: "y" } }).defaultsWithoutThinking,
    { temperature: 0.5 },
  );
});
