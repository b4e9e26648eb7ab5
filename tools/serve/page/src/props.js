// SPDX-License-Identifier: Apache-2.0
// What /props says about the server, with safe values for what it leaves out.

const numbersOf = (raw) =>
  Object.fromEntries(
    Object.entries(raw && typeof raw === "object" ? raw : {}).filter(([, value]) => Number.isFinite(value)),
  );

export function readProps(raw) {
  return {
    model: typeof raw?.model === "string" && raw.model ? raw.model : "default",
    context: Number.isFinite(raw?.context) ? raw.context : null,
    canSwitchThinking: raw?.thinking?.switchable === true,
    hasTools: raw?.tools === true,
    defaults: numbersOf(raw?.defaults),
    defaultsWithoutThinking: numbersOf(raw?.defaults_without_thinking ?? raw?.defaults),
  };
}
