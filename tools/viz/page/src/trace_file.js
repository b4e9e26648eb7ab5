// SPDX-License-Identifier: Apache-2.0
// Writes the call that the timeline shows as a file for other viewers. Field numbers are those that Perfetto publishes.

const nameOf = ({ node, text, wait }) => (wait ? "wait" : (text ?? node?.name ?? ""));

export function chromeJson({ lanes, slices }) {
  const events = lanes.map((name, tid) => ({ ph: "M", pid: 1, tid, name: "thread_name", args: { name } }));
  for (const slice of slices) {
    const args = slice.node && !slice.wait ? { id: slice.node.id } : undefined;
    const times = { ts: slice.start / 1000, dur: slice.ns / 1000 };
    events.push({ ph: "X", pid: 1, tid: slice.lane, name: nameOf(slice), ...times, args });
  }
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents: events });
}

function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return bytes;
}

const number = (field, value) => [...varint(field * 8), ...varint(value)];
const message = (field, bytes) => [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
const string = (field, text) => message(field, [...new TextEncoder().encode(text)]);

const [BEGIN, END] = [1, 2];
const SEQUENCE = 1;

// Returns the packets of a Perfetto trace: a track for each lane, a begin and an end for each slice.
export function perfettoTrace({ lanes, slices }) {
  const packets = lanes.map((name, lane) => message(60, [...number(1, lane + 1), ...string(2, name)]));
  const marks = slices
    .map((slice) => ({ slice, begin: Math.round(slice.start), end: Math.round(slice.start + slice.ns) }))
    .filter(({ begin, end }) => end > begin)
    .flatMap(({ slice, begin, end }) => [
      { at: begin, type: BEGIN, slice },
      { at: end, type: END, slice },
    ]);
  // At equal times, ends come before begins.
  marks.sort((a, b) => a.at - b.at || b.type - a.type);
  for (const { at, type, slice } of marks) {
    const event = [...number(9, type), ...number(11, slice.lane + 1)];
    if (type === BEGIN) event.push(...string(23, nameOf(slice)));
    packets.push([...number(8, at), ...number(10, SEQUENCE), ...message(11, event)]);
  }
  return Uint8Array.from(packets.flatMap((packet) => message(1, packet)));
}
