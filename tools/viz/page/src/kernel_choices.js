// SPDX-License-Identifier: Apache-2.0
// Finds which kernel of a kernel choice would run a node, for calls of a given number of tokens. Must agree with
// passes/choose_target.cc.

export const IN_PARTS = "in parts";

// Returns the fewest and the most rows of a kernel choice in calls of T tokens, over the ranges of R and S.
function rowsAt(program, choice, tokens) {
  const { R, S } = program.symbols;
  if (choice.rows === "T") return [tokens, tokens];
  if (choice.rows === "R") return [R[0], Math.max(R[0], Math.min(R[1], tokens))];
  return choice.rows === "S" ? S : [choice.rows, choice.rows];
}

// Answers each kernel choice up to `o` from the answers for its parts, which come before it (../../README.md; Program
// checks it): no recursion, however deeply parts are nested.
function answer(program, o, known, decide) {
  for (let at = known.length; at <= o; ++at) {
    const choice = program.kernel_choices[at];
    const { parts = [] } = choice;
    const inParts = parts.length > 0 && parts.every((part) => known[part] !== null);
    known.push(decide(choice) ?? (inParts ? IN_PARTS : null));
  }
  return known[o];
}

// Answers are cached for each kernel choice, target and T: parts are shared, in a forged document by very many.
export class KernelChoices {
  constructor(program, tokens) {
    this.program = program;
    this.tokens = tokens;
    this.known = new Map();
  }

  // Returns the name of the first kernel that accepts all numbers of rows, IN_PARTS if all parts run there, or null.
  kernelOn(target, o) {
    if (!this.known.has(target)) this.known.set(target, []);
    return answer(this.program, o, this.known.get(target), (choice) => this.#whole(target, choice));
  }

  #whole(target, choice) {
    const [least, most] = rowsAt(this.program, choice, this.tokens);
    for (const k of choice.kernels) {
      const { name, target: its, rows } = this.program.kernels[k];
      if (its === target && least >= rows[0] && (rows[1] === null || most <= rows[1])) return name;
    }
    return null;
  }
}

// Returns each [choice, row limit, whether it is the least] that can change an answer about it.
export function limitsOf(program, o, seen = new Set()) {
  const limits = [];
  const open = [o];
  while (open.length) {
    const at = open.pop();
    if (seen.has(at)) continue;
    seen.add(at);
    const choice = program.kernel_choices[at];
    for (const k of choice.kernels) {
      const [least, most] = program.kernels[k].rows;
      if (least > 1) limits.push([choice, least, true]);
      if (most !== null) limits.push([choice, most, false]);
    }
    for (const part of choice.parts ?? []) open.push(part);
  }
  return limits;
}

export const rowsHold = (program, [choice, limit, isLeast], tokens) => {
  const [least, most] = rowsAt(program, choice, tokens);
  return isLeast ? least >= limit : most <= limit;
};

// Returns whether a target has a kernel for a node at all, whatever its rows: "whole", "in parts" or null.
export function supportOn(program, target, o) {
  const has = ({ kernels }) => kernels.some((k) => program.kernels[k].target === target);
  return answer(program, o, [], (choice) => (has(choice) ? "whole" : null));
}

// Refuses a document whose kernel choices have parts that do not come before them.
export function checkKernelChoices(choices) {
  choices.forEach(({ parts = [] }, o) => {
    const wrong = parts.find((part) => !(part >= 0 && part < o));
    if (wrong !== undefined) throw new Error(`kernel choice ${o} has part ${wrong}, which does not stand before it`);
  });
}
