// SPDX-License-Identifier: Apache-2.0

// Returns the slices of the shortest call of a group, which the profile has kept: one lane for each thread, and one for
// each other device, whose steps the thread that started them waits for.
export function recordedCall(timeline, regime) {
  const slices = [];
  const devices = deviceLanes(regime, timeline.threads.length);
  timeline.threads.forEach((events, lane) => {
    let at = 0;
    events.forEach((event, index) => {
      if (!event) return;
      const [gap, work, wait, inside] = event;
      const start = at + gap;
      const end = start + work;
      at = end + wait;
      const node = regime.nodes[index];
      const device = devices.laneOf(node);
      if (device !== undefined) {
        if (work > 0) slices.push({ lane: device, start, ns: work, node });
        if (at > start) slices.push({ lane, start, ns: at - start, node, wait: true });
        return;
      }
      // The other threads pass a serial step at once. Waits inside a step are known by their sum, so they are drawn at
      // its end.
      const idle = node.mode === "serial" && lane !== busiest(timeline, index);
      const busy = idle ? 0 : Math.max(0, work - inside);
      if (busy > 0) slices.push({ lane, start, ns: busy, node });
      if (at > start + busy && (wait > 0 || inside > 0)) {
        slices.push({ lane, start: start + busy, ns: at - start - busy, node, wait: true });
      }
    });
  });
  return {
    lanes: [...timeline.threads.map((_, i) => `thread ${i}`), ...devices.names],
    slices,
    total: timeline.wall_ns,
  };
}

// Lanes of the devices that are not the CPU, after `first` lanes of others: {names, laneOf: node => lane or undefined}.
export function deviceLanes(regime, first) {
  const names = [];
  const lanes = new Map();
  for (const { device, steps } of regime.segments ?? []) {
    if (device === "cpu") continue;
    if (!names.includes(device)) names.push(device);
    for (const { node } of steps) if (node >= 0) lanes.set(node, first + names.indexOf(device));
  }
  return { names, laneOf: (node) => lanes.get(node.index) };
}

function busiest(timeline, index) {
  const busy = timeline.threads.map((events) => (events[index] ? events[index][1] - events[index][3] : -1));
  return busy.indexOf(Math.max(...busy));
}
