// SPDX-License-Identifier: Apache-2.0
// Calls of a regime that ranks run as two halves, which take turns.

export const runsAsHalves = (regime, tokens) => !!regime.halves && tokens >= regime.halves.min_tokens;

// Returns which calls these are and why; empty if there are none.
export function halvesText(regime) {
  if (!regime.halves) return "";
  return `Calls of ${regime.halves.min_tokens} to ${regime.tokens[1]} tokens run as two halves: ${regime.halves.reason}.`;
}
