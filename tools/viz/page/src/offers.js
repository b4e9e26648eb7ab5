// SPDX-License-Identifier: Apache-2.0
// Which kernel of an offer would run a node, for calls of so many tokens; passes/choose_target.cc is what this agrees
// with.

const IN_PARTS = "in parts";

// The fewest and the most rows of an offer in calls of T tokens: R and S go through their ranges.
function rowsAt(program, offer, tokens) {
  const { R, S } = program.symbols;
  if (offer.rows === "T") return [tokens, tokens];
  if (offer.rows === "R") return [R[0], Math.max(R[0], Math.min(R[1], tokens))];
  return offer.rows === "S" ? S : [offer.rows, offer.rows];
}

// Asked once for each offer, target and T: parts are shared, and in a made-up document by very many.
export class Offers {
  constructor(program, tokens) {
    this.program = program;
    this.tokens = tokens;
    this.known = new Map();
  }

  // The name of the first kernel that takes all numbers of rows, IN_PARTS if all parts run there, or null.
  kernelOn(target, o) {
    const key = `${o} ${target}`;
    if (!this.known.has(key)) this.known.set(key, this.#find(target, this.program.offers[o]));
    return this.known.get(key);
  }

  #find(target, offer) {
    const [least, most] = rowsAt(this.program, offer, this.tokens);
    for (const k of offer.kernels) {
      const { name, target: its, rows } = this.program.kernels[k];
      if (its === target && least >= rows[0] && (rows[1] === null || most <= rows[1])) return name;
    }
    const { parts = [] } = offer;
    return parts.length && parts.every((part) => this.kernelOn(target, part) !== null) ? IN_PARTS : null;
  }
}

// Each [offer, row limit, whether it is the least] that can change an answer about the offer.
export function limitsOf(program, o, seen = new Set()) {
  if (seen.has(o)) return [];
  seen.add(o);
  const offer = program.offers[o];
  const limits = offer.kernels.flatMap((k) => {
    const [least, most] = program.kernels[k].rows;
    return [least > 1 && [offer, least, true], most !== null && [offer, most, false]].filter(Boolean);
  });
  for (const part of offer.parts ?? []) limits.push(...limitsOf(program, part, seen));
  return limits;
}

export const rowsHold = (program, [offer, limit, isLeast], tokens) => {
  const [least, most] = rowsAt(program, offer, tokens);
  return isLeast ? least >= limit : most <= limit;
};

// Whether a target has a kernel for a node at all, whatever its rows: "whole", "in parts" or null.
export function supportOn(program, target, o, known = new Map()) {
  if (known.has(o)) return known.get(o);
  const { kernels, parts = [] } = program.offers[o];
  const whole = kernels.some((k) => program.kernels[k].target === target);
  const inParts = parts.length > 0 && parts.every((part) => supportOn(program, target, part, known) !== null);
  known.set(o, whole ? "whole" : inParts ? IN_PARTS : null);
  return known.get(o);
}
