// SPDX-License-Identifier: Apache-2.0

// A test of nodes for what was typed: words must all match. op:, target:, rule:, type: and layer: ask that field; other
// words are looked for as regular expressions in names, scopes, ops and ids. null: nothing was typed.
export function matcher(text, program) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const tests = words.map((word) => {
    const [, field, value] = /^(op|target|rule|type|layer|kernel):(.*)$/.exec(word) ?? [];
    const wanted = regexOf(field ? value : word);
    const of =
      {
        op: (n) => program.op(n),
        target: (n) => program.record(n).target,
        rule: (n) => program.record(n).rule,
        kernel: (n) => program.record(n).kernel,
        type: (n) => program.kind(n).weight_types,
        layer: (n) => String(n.layer ?? ""),
      }[field] ?? ((n) => `${n.name} ${n.scope} ${(n.merged ?? []).join(" ")} ${program.op(n)} ${n.id}`);
    return field === "layer" ? (n) => of(n) === value : (n) => wanted.test(of(n));
  });
  return (node) => tests.every((test) => test(node));
}

// What is no regular expression is looked for as it stands.
function regexOf(text) {
  try {
    return new RegExp(text, "i");
  } catch {
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  }
}
