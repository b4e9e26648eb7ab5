// SPDX-License-Identifier: Apache-2.0
// Content of the timeline: {lanes: [name], slices: [{lane, start, ns, node, wait, text}], total, note, basis}. `basis` says
// what the slices are: one call, means or estimates.
import * as format from "./format.js";
import { deviceLanes, recordedCall } from "./recorded_call.js";

// Names a group of calls, with the statistic of each time; the shortest is the one that is drawn.
export function callsText(group) {
  const mean = format.time(group.wall_ns / group.calls);
  const one = `T ${format.range(group.tokens)}: ${format.times(group.calls, "call")}`;
  if (group.calls === 1) return `${one}, ${mean}`;
  return `${one}, mean ${mean}${group.timeline ? `, shortest ${format.time(group.timeline.wall_ns)}` : ""}`;
}

export function fromProfile(program, regime, group) {
  if (group.timeline) {
    const { T, S } = group.timeline;
    return {
      ...recordedCall(group.timeline, regime, program.profile.rank_threads),
      basis: group.calls === 1 ? "the only call" : `the shortest of ${group.calls} calls`,
      note: `${group.calls === 1 ? "The only call" : `The shortest of ${group.calls} calls`}: T = ${T}, S = ${S}.`,
    };
  }
  const threads = program.profile.threads;
  const devices = deviceLanes(regime, threads);
  const slices = [];
  let at = 0;
  const byStep = [...regime.nodes].sort((a, b) => a.step - b.step);
  for (const node of byStep) {
    const m = program.measured(regime, node, group);
    if (!m || !m.n) continue;
    const ns = m.total_ns / m.n;
    const device = devices.laneOf(node);
    if (device !== undefined) {
      slices.push({ lane: device, start: at, ns, node });
      at += ns;
      continue;
    }
    const busiest = Math.min(ns, m.busy_max_ns / m.n || ns);
    const rest = threads > 1 ? Math.max(0, (m.busy_ns - m.busy_max_ns) / m.n / (threads - 1)) : 0;
    for (let lane = 0; lane < threads; ++lane) {
      const busy = lane === 0 ? busiest : Math.min(ns, rest);
      if (busy > 0) slices.push({ lane, start: at, ns: busy, node });
      // Without a measured wait the thread took no part in the step.
      if (m.wait_ns > 0 && ns - busy > 0) slices.push({ lane, start: at + busy, ns: ns - busy, node, wait: true });
    }
    at += ns;
  }
  const lanes = ["busiest thread", ...Array.from({ length: threads - 1 }, () => "mean of others"), ...devices.names];
  return {
    lanes,
    slices,
    total: at,
    basis: `means of ${format.times(group.calls, "call")}`,
    note: `Means of ${format.times(group.calls, "call")}. The profile knows the busiest thread and the sum of all: other lanes show their mean. Open a trace of infer-run --trace f.json to see each thread.`,
  };
}

// Used if nothing was measured.
export function fromEstimates(program, regime) {
  const slices = [];
  const devices = deviceLanes(regime, 1);
  let at = 0;
  for (const node of [...regime.nodes].sort((a, b) => a.step - b.step)) {
    const ns = program.record(node).estimate_ns?.[0] ?? 0;
    if (ns > 0) slices.push({ lane: devices.laneOf(node) ?? 0, start: at, ns, node });
    at += ns;
  }
  return {
    lanes: ["cpu", ...devices.names],
    slices,
    total: at,
    basis: "estimated, lower ends",
    note: "No profile is in this page: these are the estimates at the regime's lower ends. Add times with infer-viz --profile, or open a trace.",
  };
}
