// SPDX-License-Identifier: Apache-2.0

// Returns the slices of the shortest call of a group, which the profile has kept: one lane for each thread.
// `rankThreads`, for a model that is divided over ranks, has the number of threads of each.
export function recordedCall(timeline, regime, rankThreads = [timeline.threads.length]) {
  const ranks = rankThreads.flatMap((threads, rank) => Array(threads).fill(rank)); // of each lane
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
      // The other threads of a rank pass a serial step at once.
      const idle = node.mode === "serial" && lane !== busiest(timeline, index, ranks, ranks[lane]);
      if (!idle) slices.push({ lane, start, ns: work, node });
      const from = idle ? start : end;
      if (wait > 0) slices.push({ lane, start: from, ns: at - from, node, wait: true });
    });
  });
  const lanes = timeline.threads.map((_, lane) => {
    const thread = `thread ${lane - ranks.indexOf(ranks[lane])}`;
    return rankThreads.length > 1 ? `rank ${ranks[lane]} ${thread}` : thread;
  });
  return { lanes, slices, total: timeline.wall_ns };
}

// Returns the lane of `rank` that spent the most time on a node.
function busiest(timeline, index, ranks, rank) {
  const busy = timeline.threads.map((events, lane) =>
    ranks[lane] === rank && events[index] ? events[index][1] - events[index][3] : -1,
  );
  return busy.indexOf(Math.max(...busy));
}
