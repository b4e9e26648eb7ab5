// SPDX-License-Identifier: Apache-2.0

// Returns the slices of the shortest call of a group, which the profile has kept: one lane for each thread.
export function recordedCall(timeline, regime) {
  const slices = [];
  timeline.threads.forEach((events, lane) => {
    let at = 0;
    events.forEach((event, index) => {
      if (!event) return;
      const [gap, work, wait] = event;
      const start = at + gap;
      const end = start + work;
      at = end + wait;
      const node = regime.nodes[index];
      // The other threads pass a serial step at once.
      const idle = node.mode === "serial" && lane !== busiest(timeline, index);
      if (!idle) slices.push({ lane, start, ns: work, node });
      const from = idle ? start : end;
      if (wait > 0) slices.push({ lane, start: from, ns: at - from, node, wait: true });
    });
  });
  return { lanes: timeline.threads.map((_, i) => `thread ${i}`), slices, total: timeline.wall_ns };
}

function busiest(timeline, index) {
  const busy = timeline.threads.map((events) => (events[index] ? events[index][1] - events[index][3] : -1));
  return busy.indexOf(Math.max(...busy));
}
