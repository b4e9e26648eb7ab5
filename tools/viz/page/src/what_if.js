// SPDX-License-Identifier: Apache-2.0
// The compiler's choice of targets, computed from the Program: for each node the rules that its names match, its
// quantities as functions of the symbols, and the kernels that it was offered. Must agree with passes/node_facts.cc and
// passes/choose_target.cc; tests/viz compares them.
import { limitsOf, KernelChoices, rowsHold } from "./kernel_choices.js";

// A predicate is evaluated for a call of T tokens with the most rows of logits that it can request and a full cache.
export function symbolsAt(program, tokens) {
  return { T: tokens, R: Math.min(program.symbols.R[1], tokens), S: program.symbols.S[1] };
}

// at.N is the number of sequences of the call; one if absent.
export function countAt(count, at) {
  const powers = { 1: 1, T: at.T, R: at.R, S: at.S, TS: at.T * at.S, "TS/N": (at.T * at.S) / (at.N ?? 1) };
  return Object.entries(count).reduce((sum, [symbol, factor]) => sum + factor * powers[symbol], 0);
}

// Returns the rules of the policy with these thresholds in place of their own: {"RULE FIELD min|max": number}.
export function rulesWith(policy, thresholds) {
  return policy.rules.map((rule, r) => {
    const bounds = {};
    for (const [field, of] of Object.entries(rule.bounds)) {
      bounds[field] = {};
      for (const end of ["min", "max"]) {
        if (of[end] !== undefined) bounds[field][end] = thresholds[thresholdKey(r, field, end)] ?? of[end];
      }
    }
    return { ...rule, bounds };
  });
}

export const thresholdKey = (rule, field, end) => `${rule} ${field} ${end}`;

export function thresholdsOf(policy) {
  return policy.rules.flatMap((rule, r) =>
    Object.entries(rule.bounds).flatMap(([field, of]) =>
      ["min", "max"]
        .filter((end) => of[end] !== undefined)
        .map((end) => ({ key: thresholdKey(r, field, end), rule: rule.name, field, end, value: of[end] })),
    ),
  );
}

function holds(rule, choice, at, layer) {
  if (rule.phase === "decode" && at.T > 1) return false;
  if (rule.phase === "prefill" && at.T < 2) return false;
  for (const [field, of] of Object.entries(rule.bounds)) {
    if (field === "layer" && layer === undefined) return false; // for a node outside layers
    const value = field === "layer" ? layer : countAt(factOf(choice, field), at);
    if (of.min !== undefined && value < of.min) return false;
    if (of.max !== undefined && value > of.max) return false;
  }
  return true;
}

const factOf = (choice, field) => (field === "tokens" ? { T: 1 } : choice.facts[field]);

// Returns {rule, target, kernel}, or null if no rule matches or none of its targets runs the node.
export function place(program, rules, choice, tokens, layer, kernels = new KernelChoices(program, tokens)) {
  const at = symbolsAt(program, tokens);
  for (const r of choice.rules) {
    const rule = rules[r];
    if (!holds(rule, choice, at, layer)) continue;
    for (const target of rule.targets) {
      const kernel = kernels.kernelOn(target, choice.kernel_choice);
      if (kernel !== null) return { rule: rule.name, target, kernel };
    }
    return null;
  }
  return null;
}

export const regimeOf = (program, tokens) =>
  program.regimes.findIndex(({ tokens: [low, high] }) => low <= tokens && tokens <= high);

const isFixed = (record) => record.source === "override" || record.source === "legalize";

// Returns where each node of the regime for `tokens` tokens would run. Overrides come before the policy, and parts go
// where the whole went, so both stay. `moves` {node id: target} come before everything, as --place does; a target that
// has no kernel for the rows moves nothing.
export function placeAll(program, thresholds, tokens, moves = new Map()) {
  const regime = program.regimes[regimeOf(program, tokens)];
  const rules = rulesWith(program.policy, thresholds);
  const decided = new Map();
  const kernels = new KernelChoices(program, tokens);
  const decide = (node) => {
    const key = `${node.choice} ${node.layer}`;
    if (!decided.has(key)) {
      decided.set(key, place(program, rules, program.choices[node.choice], tokens, node.layer, kernels));
    }
    return decided.get(key);
  };
  return regime.nodes.map((node) => {
    const record = program.records[node.record];
    const to = moves.get(node.id);
    const kernel = to === undefined ? null : kernels.kernelOn(to, program.choices[node.choice].kernel_choice);
    if (kernel !== null) return { rule: "--place", target: to, kernel, isMove: true };
    if (isFixed(record)) {
      return { rule: record.rule, target: record.target, kernel: record.kernel };
    }
    return decide(node);
  });
}

// Interpolates between the T that estimates were made for: linear on logarithmic axes. Linear in S.
export function estimateAt(program, choice, target, tokens, context) {
  const rows = choice.estimates[target];
  if (!rows) return 0;
  const grid = program.estimate_tokens;
  const at = (values) => {
    let i = grid.findIndex((t) => t >= tokens);
    if (i < 0) i = grid.length - 1;
    if (i === 0 || grid[i] === tokens) return values[i];
    const part = Math.log(tokens / grid[i - 1]) / Math.log(grid[i] / grid[i - 1]);
    const [a, b] = [Math.max(values[i - 1], 1), Math.max(values[i], 1)];
    return Math.exp(Math.log(a) + part * (Math.log(b) - Math.log(a)));
  };
  if (rows.length === 1) return at(rows[0]);
  const [low, high] = [tokens, Math.max(tokens + 1, program.symbols.S[1])];
  const part = Math.min(1, Math.max(0, (context - low) / (high - low)));
  return at(rows[0]) * (1 - part) + at(rows[1]) * part;
}

// Returns the regimes that these thresholds would cut: maximal runs of T with the same decisions.
export function cutRegimes(program, thresholds) {
  const rules = rulesWith(program.policy, thresholds);
  const byLayer = rules.some((rule) => rule.bounds.layer);
  const used = new Map();
  for (const node of program.regimes.flatMap((regime) => regime.nodes)) {
    if (isFixed(program.records[node.record])) continue;
    used.set(byLayer ? `${node.choice} ${node.layer}` : node.choice, [program.choices[node.choice], node.layer]);
  }
  const stops = candidates(program, rules, program.choices);
  const decide = (tokens) => {
    const kernels = new KernelChoices(program, tokens);
    return [...used.values()]
      .map(([choice, layer]) => {
        const found = place(program, rules, choice, tokens, layer, kernels);
        return found ? `${found.rule} ${found.target} ${found.kernel}` : "none";
      })
      .join("|");
  };
  const [first, last] = program.symbols.T;
  const regimes = [];
  for (let begin = first; begin <= last;) {
    const here = decide(begin);
    const next = stops.find((t) => t > begin && decide(t) !== here) ?? last + 1;
    const end = next - 1;
    regimes.push([begin, end]);
    begin = end + 1;
  }
  return regimes;
}

// Returns each T at which a predicate or a row limit changes its answer: each is one step of a monotonic function of T,
// so bisection finds it.
function candidates(program, rules, choices) {
  const [first, last] = program.symbols.T;
  const cuts = new Set();
  const cutWhere = (asks) => {
    let [before, after] = [first, last];
    const start = asks(before);
    if (asks(after) === start) return;
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      if (asks(middle) === start) before = middle;
      else after = middle;
    }
    cuts.add(after);
  };
  const seen = new Set();
  const cutCount = (count, threshold, least) => {
    const key = JSON.stringify(count) + threshold + least;
    if (seen.has(key)) return;
    seen.add(key);
    cutWhere((t) => {
      const value = countAt(count, symbolsAt(program, t));
      return least ? value >= threshold : value <= threshold;
    });
  };
  if (rules.some((rule) => rule.phase)) cuts.add(2);
  for (const choice of choices) {
    for (const r of choice.rules) {
      for (const [field, of] of Object.entries(rules[r].bounds)) {
        if (field === "layer") continue;
        const count = factOf(choice, field);
        if (of.min !== undefined) cutCount(count, of.min, true);
        if (of.max !== undefined) cutCount(count, of.max, false);
      }
    }
  }
  const asked = new Set();
  for (const choice of choices) {
    for (const limit of limitsOf(program, choice.kernel_choice, asked)) cutWhere((t) => rowsHold(program, limit, t));
  }
  return [...cuts].filter((t) => t >= first && t <= last).sort((a, b) => a - b);
}

// Returns the policy's text with these thresholds.
export function policyText(policy, thresholds) {
  let rule = -1;
  return policy.text
    .split("\n")
    .map((line) => {
      if (/^rule\s*{/.test(line)) ++rule;
      const bound = /^(\s*)(min|max)_(\w+): /.exec(line);
      if (!bound || rule < 0) return line;
      const value = thresholds[thresholdKey(rule, bound[3], bound[2])];
      return value === undefined ? line : `${bound[1]}${bound[2]}_${bound[3]}: ${value}`;
    })
    .join("\n");
}
