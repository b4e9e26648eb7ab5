// SPDX-License-Identifier: Apache-2.0
const STEPS = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };

// Returns the box that an arrow key leads to: the nearest in that direction, or null.
export function neighbour(boxes, box, key) {
  const step = STEPS[key];
  if (!step) return null;
  let best = null;
  for (const other of boxes) {
    if (other === box || other.open || other.item.pill) continue;
    const [dx, dy] = [other.x - box.x, other.y - box.y];
    const along = dx * step[0] + dy * step[1];
    if (along < 8) continue;
    const distance = along + 2.5 * Math.abs(dx * step[1] + dy * step[0]);
    if (!best || distance < best.distance) best = { distance, other };
  }
  return best?.other ?? null;
}

export const isArrow = (key) => key in STEPS;
