// SPDX-License-Identifier: Apache-2.0
// What /props says about the server, with safe values for what it leaves out.

const text = (value, otherwise) => (typeof value === "string" && value ? value : otherwise);

export function readProps(raw) {
  const defaults = raw?.defaults && typeof raw.defaults === "object" ? raw.defaults : {};
  return {
    model: text(raw?.model, "default"),
    context: Number.isFinite(raw?.context) ? raw.context : null,
    thinks: raw?.thinks === true,
    hasTools: raw?.tools !== false,
    defaults: Object.fromEntries(Object.entries(defaults).filter(([, value]) => Number.isFinite(value))),
  };
}
