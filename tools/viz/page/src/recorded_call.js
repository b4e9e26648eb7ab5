// SPDX-License-Identifier: Apache-2.0

// Returns the slices of the shortest call of a group, which the profile has kept: one lane for each thread, and one for
// each other device, whose steps the thread that started them waits for. `rankThreads`, for a model that is divided over
// ranks, has the number of threads of each.
export function recordedCall(timeline, regime, rankThreads = [timeline.threads.length]) {
  const ranks = rankThreads.flatMap((threads, rank) => Array(threads).fill(rank)); // of each lane
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
      // The other threads of a rank pass a serial step at once. Waits inside a step are known by their sum, so they are
      // drawn at its end.
      const idle = node.mode === "serial" && lane !== busiest(timeline, index, ranks, ranks[lane]);
      const busy = idle ? 0 : Math.max(0, work - inside);
      if (busy > 0) slices.push({ lane, start, ns: busy, node });
      if (at > start + busy && (wait > 0 || inside > 0)) {
        slices.push({ lane, start: start + busy, ns: at - start - busy, node, wait: true });
      }
    });
  });
  const lanes = timeline.threads.map((_, lane) => {
    const thread = `thread ${lane - ranks.indexOf(ranks[lane])}`;
    return rankThreads.length > 1 ? `rank ${ranks[lane]} ${thread}` : thread;
  });
  return { lanes: [...lanes, ...devices.names], slices, total: timeline.wall_ns };
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

// Returns the lane of `rank` that spent the most time on a node.
function busiest(timeline, index, ranks, rank) {
  const busy = timeline.threads.map((events, lane) =>
    ranks[lane] === rank && events[index] ? events[index][1] - events[index][3] : -1,
  );
  return busy.indexOf(Math.max(...busy));
}
