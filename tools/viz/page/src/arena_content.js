// SPDX-License-Identifier: Apache-2.0
// The regime's memory as rectangles of offset and time. Devices with their own memory have an arena each; these are
// stacked, the CPU's at the bottom.

// Returns {slots, workspaces: [{offset, bytes, steps, node}], bands: [{space, base, bytes}], steps, total, live, peak};
// offsets count from the lowest band. A slot with `inPlace` is a result in the memory of an input: it begins where that
// value ends, and its bytes count once.
export function arenaContent(regime) {
  const bands = [];
  let total = 0;
  for (const { space, bytes } of regime.arenas ?? []) {
    bands.push({ space, base: total, bytes });
    total += bytes;
  }
  const baseOf = (space) => bands.find((band) => band.space === space)?.base ?? 0;
  const slots = (regime.slots ?? [])
    .filter((slot) => slot.bytes > 0)
    .map((slot) => ({
      ...slot,
      offset: slot.offset + baseOf(slot.space),
      at: slot.offset,
      inPlace: Boolean(slot.alias_of),
    }));
  const workspaces = [];
  let steps = 0;
  for (const segment of regime.segments ?? []) {
    for (const { workspace, node = -1 } of segment.steps) {
      if (workspace) {
        const [at, bytes] = workspace;
        workspaces.push({
          offset: at + baseOf(segment.space),
          at,
          bytes,
          steps: [steps, steps],
          workspace: true,
          node,
          space: segment.space,
        });
      }
      ++steps;
    }
  }
  steps = Math.max(1, steps);
  const live = liveBytes([...slots, ...workspaces], steps);
  const peak = live.reduce((best, bytes, step) => (bytes > live[best] ? step : best), 0);
  return { slots, workspaces, bands, steps, total: Math.max(1, total), live, peak };
}

// Bytes in use at each step. What overlaps in memory is one value, in two roles.
function liveBytes(rectangles, steps) {
  const at = Array.from({ length: steps }, () => []);
  for (const {
    steps: [first, last],
    offset,
    bytes,
  } of rectangles) {
    for (let step = first; step <= Math.min(last, steps - 1); ++step) at[step].push([offset, offset + bytes]);
  }
  return at.map((spans) => {
    let [sum, end] = [0, 0];
    for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
      sum += Math.max(0, to - Math.max(from, end));
      end = Math.max(end, to);
    }
    return sum;
  });
}
