// SPDX-License-Identifier: Apache-2.0

// Returns a test of nodes for the search text: all words must match. op:, target:, rule:, type: and layer: test that
// field; other words are regular expressions for names, scopes, ops and ids. null if the text is empty.
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

// Text that is not a valid regular expression is matched literally.
function regexOf(text) {
  try {
    return new RegExp(text, "i");
  } catch {
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  }
}
