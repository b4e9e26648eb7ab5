// SPDX-License-Identifier: Apache-2.0
// Which kernel of an offer would run a node, for calls of so many tokens; passes/choose_target.cc is what this agrees
// with.

export const IN_PARTS = "in parts";

// The fewest and the most rows of an offer in calls of T tokens: R and S go through their ranges.
function rowsAt(program, offer, tokens) {
  const { R, S } = program.symbols;
  if (offer.rows === "T") return [tokens, tokens];
  if (offer.rows === "R") return [R[0], Math.max(R[0], Math.min(R[1], tokens))];
  return offer.rows === "S" ? S : [offer.rows, offer.rows];
}

// An answer for each offer up to `o` from those for its parts, which stand before it (../../README.md; Program sees to it):
// however deep parts of parts go, nothing here calls itself.
function answer(program, o, known, decide) {
  for (let at = known.length; at <= o; ++at) {
    const offer = program.offers[at];
    const { parts = [] } = offer;
    const inParts = parts.length > 0 && parts.every((part) => known[part] !== null);
    known.push(decide(offer) ?? (inParts ? IN_PARTS : null));
  }
  return known[o];
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
    if (!this.known.has(target)) this.known.set(target, []);
    return answer(this.program, o, this.known.get(target), (offer) => this.#whole(target, offer));
  }

  #whole(target, offer) {
    const [least, most] = rowsAt(this.program, offer, this.tokens);
    for (const k of offer.kernels) {
      const { name, target: its, rows } = this.program.kernels[k];
      if (its === target && least >= rows[0] && (rows[1] === null || most <= rows[1])) return name;
    }
    return null;
  }
}

// Each [offer, row limit, whether it is the least] that can change an answer about the offer.
export function limitsOf(program, o, seen = new Set()) {
  const limits = [];
  const open = [o];
  while (open.length) {
    const at = open.pop();
    if (seen.has(at)) continue;
    seen.add(at);
    const offer = program.offers[at];
    for (const k of offer.kernels) {
      const [least, most] = program.kernels[k].rows;
      if (least > 1) limits.push([offer, least, true]);
      if (most !== null) limits.push([offer, most, false]);
    }
    for (const part of offer.parts ?? []) open.push(part);
  }
  return limits;
}

export const rowsHold = (program, [offer, limit, isLeast], tokens) => {
  const [least, most] = rowsAt(program, offer, tokens);
  return isLeast ? least >= limit : most <= limit;
};

// Whether a target has a kernel for a node at all, whatever its rows: "whole", "in parts" or null.
export function supportOn(program, target, o) {
  const has = ({ kernels }) => kernels.some((k) => program.kernels[k].target === target);
  return answer(program, o, [], (offer) => (has(offer) ? "whole" : null));
}

// Refuses a document whose offers have parts that do not stand before them.
export function checkOffers(offers) {
  offers.forEach(({ parts = [] }, o) => {
    const wrong = parts.find((part) => !(part >= 0 && part < o));
    if (wrong !== undefined) throw new Error(`offer ${o} has part ${wrong}, which does not stand before it`);
  });
}
