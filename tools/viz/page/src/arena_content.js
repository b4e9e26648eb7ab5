// SPDX-License-Identifier: Apache-2.0
// The regime's memory as rectangles of offset and time. Devices with their own memory have an arena each; these are
// stacked, the CPU's at the bottom.

// Returns {slots, workspaces: [{offset, bytes, steps, node}], bands: [{space, base, bytes}], steps, total, live, peak};
// offsets count from the lowest band.
export function arenaContent(regime) {
  const bands = [];
  let total = 0;
  for (const { space, bytes } of regime.arenas ?? []) {
    bands.push({ space, base: total, bytes });
    total += bytes;
  }
  const baseOf = (space) => bands.find((band) => band.space === space)?.base ?? 0;
  const slots = (regime.slots ?? [])
    .filter((slot) => !slot.alias_of && slot.bytes > 0)
    .map((slot) => ({ ...slot, offset: slot.offset + baseOf(slot.space), at: slot.offset }));
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
  const live = new Array(steps + 1).fill(0);
  for (const { steps: [first, last], bytes } of [...slots, ...workspaces]) {
    live[first] += bytes;
    live[last + 1] -= bytes;
  }
  let sum = 0;
  const sums = live.slice(0, Math.max(1, steps)).map((delta) => (sum += delta));
  const peak = sums.reduce((best, bytes, step) => (bytes > sums[best] ? step : best), 0);
  return { slots, workspaces, bands, steps: Math.max(1, steps), total: Math.max(1, total), live: sums, peak };
}
