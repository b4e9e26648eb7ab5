// SPDX-License-Identifier: Apache-2.0
import * as format from "./format.js";

// Returns "cpu \u2192 metal 28 times: 12 KiB\u20136 MiB in shared memory, nothing copied"; ../../crossings.cc uses the
// same words.
export function crossingText({ from, to, boundaries, copies, copied_bytes, shared, shared_bytes }) {
  const parts = [];
  if (copies) parts.push(`${format.times(copies, "copy", "copies")}, ${format.span(format.bytes, copied_bytes)}`);
  if (shared) {
    parts.push(`${format.span(format.bytes, shared_bytes)} in shared memory${copies ? "" : ", nothing copied"}`);
  }
  return `${from} \u2192 ${to} ${format.times(boundaries, "time", "times")}${parts.length ? ": " : ""}${parts.join("; ")}`;
}
