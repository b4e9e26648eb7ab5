// SPDX-License-Identifier: Apache-2.0
import { h, nodeName } from "../dom.js";
import * as format from "../format.js";
import { slider } from "./slider.js";

const table = (title, head, rows) =>
  h(
    "section",
    {},
    h("h3", {}, title),
    h(
      "table",
      { class: "grid" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((t, i) => h("th", { class: i ? "num" : "" }, t)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );

const row = (cells) =>
  h(
    "tr",
    {},
    cells.map((cell, i) => h("td", { class: i ? "num" : "" }, cell)),
  );

function peakTable(app, { slots, workspaces, peak }) {
  const alive = [...slots, ...workspaces]
    .filter((slot) => slot.steps[0] <= peak && peak <= slot.steps[1])
    .sort((a, b) => b.bytes - a.bytes);
  const name = (slot) => {
    const node = app.regime.nodes[slot.node];
    if (!node) return "input of the call";
    const text = `${slot.workspace ? "workspace of " : ""}${node.name}${slot.inPlace ? ", in place" : ""}`;
    return h("button", { class: "link", onclick: () => app.select(node) }, nodeName(text));
  };
  return table(
    `Alive at the peak (step ${peak})`,
    ["value", "bytes", "steps"],
    alive.slice(0, 15).map((slot) => row([name(slot), format.bytes(slot.bytes), format.range(slot.steps)])),
  );
}

function weightTable(program) {
  const types = new Map();
  for (const weight of program.weights) {
    const type = weight.type.replace(/\[.*/, "");
    const entry = types.get(type) ?? { count: 0, bytes: 0 };
    ++entry.count;
    entry.bytes += weight.bytes;
    types.set(type, entry);
  }
  return table(
    "Weights by type",
    ["type", "count", "bytes"],
    [...types].map(([type, of]) => row([type, of.count, format.bytes(of.bytes)])),
  );
}

function cacheTable(program) {
  const states = new Map();
  for (const state of program.states) {
    const key = `${state.type}, ${state.kv_heads} heads of ${state.head_dim}, on ${state.space}`;
    states.set(key, (states.get(key) ?? 0) + 1);
  }
  return table(
    "Cache",
    ["entries of a layer", "layers"],
    [...states].map(([text, n]) => row([text, n])),
  );
}

// What a run needs at a context that can be chosen; at the whole one it is what infer-compile --dry-run says.
function runTable(program, context) {
  const { memory } = program;
  if (!memory) return null;
  const rows = h("tbody", {});
  const show = (positions) => {
    const kv = Math.round((memory.kv * positions) / memory.context);
    const weights = Object.entries(memory.weights).map(([layout, bytes]) => [`weights (${layout})`, bytes]);
    const parts = [
      ...weights,
      [`KV cache of ${format.exact(positions)} positions`, kv],
      ["arena, of the largest regime", memory.arena],
      [`scratch of ${format.times(memory.threads, "thread")}`, memory.scratch],
      ["tokenizer", memory.tokenizer],
      ["program and libraries", memory.other],
    ];
    rows.replaceChildren(
      ...parts.map(([name, bytes]) =>
        row([name, bytes === null ? "not known: the model's file is not here" : format.mebibytes(bytes)]),
      ),
      h(
        "tr",
        { class: "sum" },
        h("td", {}, "total"),
        h("td", { class: "num" }, format.mebibytes(memory.total - memory.kv + kv)),
      ),
    );
  };
  const chosen = slider(
    "Context",
    "memory context",
    1,
    memory.context,
    context.positions ?? memory.context,
    (positions) => {
      context.positions = positions;
      show(positions);
    },
  );
  show(context.positions ?? memory.context);
  return h(
    "section",
    { class: "run-memory" },
    h("h3", {}, "A run, on this machine"),
    chosen.element,
    h("table", { class: "grid" }, rows),
  );
}

const arenaTable = (regime) =>
  table(
    "Arenas",
    ["space", "bytes", "each thread", "at least"],
    (regime.arenas ?? []).map((arena) =>
      row([
        arena.space,
        format.bytes(arena.bytes),
        format.bytes(arena.bytes_per_thread),
        format.bytes(arena.lower_bound),
      ]),
    ),
  );

// Shows what is in the arena at its fullest, and what is outside of it. `context` keeps the chosen one: {positions}.
export const memoryTables = (app, content, context) => [
  h("div", {}, runTable(app.program, context), peakTable(app, content)),
  h("div", {}, weightTable(app.program), cacheTable(app.program), arenaTable(app.regime)),
];
