// SPDX-License-Identifier: Apache-2.0

// Returns the slices of a Chrome JSON trace, one lane for each thread. They are joined with the regime by node name.
export function readTrace(json, regime) {
  const events = (json.traceEvents ?? []).filter(
    (event) => event.ph === "X" && Number.isFinite(event.ts) && Number.isFinite(event.dur),
  );
  if (!events.length) throw new Error("no complete events; expected a trace of infer-run --trace f.json");
  const names = new Map(
    (json.traceEvents ?? []).filter((e) => e.ph === "M" && e.name === "thread_name").map((e) => [e.tid, e.args?.name]),
  );
  const tids = [...new Set(events.map((event) => event.tid))].sort((a, b) => a - b);
  const first = Math.min(...events.map((event) => event.ts));
  let calls = 0;
  const slices = [];
  let total = 0;
  for (const event of events) {
    const node = nodeOf(event, regime);
    const wait = /wait|barrier/i.test(event.cat ?? "") || /^wait|barrier/i.test(event.name);
    const start = (event.ts - first) * 1000;
    total = Math.max(total, start + event.dur * 1000);
    if (!node && !wait) {
      ++calls; // a call encloses its steps, which represent it
      continue;
    }
    slices.push({ lane: tids.indexOf(event.tid), start, ns: event.dur * 1000, node, wait, text: event.name });
  }
  return { lanes: tids.map((tid) => names.get(tid) ?? `thread ${tid}`), slices, total, calls };
}

function nodeOf(event, regime) {
  const id = event.args?.id ?? event.args?.node;
  const n = id === undefined ? undefined : regime.byId.get(String(id));
  return n === undefined ? null : regime.nodes[n];
}
