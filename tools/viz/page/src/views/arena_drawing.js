// SPDX-License-Identifier: Apache-2.0
import { hatch, themeColour } from "../canvas.js";
import * as format from "../format.js";

const LEFT = 74;
const TOP = 16;

function drawAxes(c, { total, steps }, width, height, x, y) {
  c.fillStyle = themeColour("--muted");
  c.textAlign = "right";
  for (let i = 0; i <= 4; ++i) {
    const at = y((total * i) / 4);
    c.fillText(format.bytes((total * i) / 4), LEFT - 8, at + 4);
    c.fillRect(LEFT, at, width - LEFT - 12, 0.4);
  }
  c.textAlign = "center";
  const marks = Math.max(1, Math.min(4, Math.floor((width - LEFT) / 80)));
  for (let i = 0; i <= marks; ++i) {
    c.fillText(`step ${Math.round((steps * i) / marks)}`, Math.min(width - 30, x((steps * i) / marks)), height - 8);
  }
}

// Draws the borders of memories over the rectangles.
function drawBands(c, { bands }, width, y) {
  if (bands.length < 2) return;
  c.textAlign = "right";
  for (const { space, base, bytes } of bands) {
    c.fillStyle = themeColour("--text");
    if (base > 0) c.fillRect(LEFT, y(base) - 1, width - LEFT - 12, 2);
    c.fillText(`memory of ${space}`, width - 18, y(base + bytes) + 14);
  }
}

function drawPeak(c, { live, peak }, at, width, bottom) {
  c.strokeStyle = themeColour("--more");
  c.lineWidth = 1.5;
  c.setLineDash([4, 3]);
  c.strokeRect(at, TOP, 0, bottom - TOP);
  c.setLineDash([]);
  c.fillStyle = themeColour("--more");
  const isRight = at > width - 160;
  c.textAlign = isRight ? "right" : "left";
  // On a ground of its own, above the rectangles.
  const text = `peak ${format.bytes(live[peak])}, step ${peak}`;
  const wide = c.measureText(text).width + 8;
  c.fillStyle = themeColour("--panel");
  c.fillRect(isRight ? at - wide - 2 : at + 2, 0, wide, TOP);
  c.fillStyle = themeColour("--more");
  c.fillText(text, at + (isRight ? -6 : 6), TOP - 3);
}

function drawSlot(c, slot, { left, top, width, height }, { targetOf, isChosen, over }) {
  c.fillStyle = themeColour(`--${targetOf(slot)}`);
  c.globalAlpha = slot.workspace ? 0.25 : slot.inPlace ? 0.4 : 0.55;
  c.fillRect(left, top, width, height);
  c.globalAlpha = 1;
  c.strokeStyle = slot === over ? themeColour("--text") : themeColour("--panel");
  c.lineWidth = slot === over ? 2 : 0.5;
  if (isChosen(slot)) {
    c.strokeStyle = themeColour("--accent");
    c.lineWidth = 3;
  }
  if (width > 3) c.strokeRect(left, top, width, height);
  if (slot.workspace && width > 6) hatch(c, left, top, width, height);
}

// Returns a function that finds where a rectangle was drawn.
export function drawArena({ context: c, width, height }, content, rectangles, marks) {
  const bottom = height - 26;
  const x = (step) => LEFT + ((width - LEFT - 12) * step) / content.steps;
  const y = (offset) => bottom - ((bottom - TOP) * offset) / content.total;
  const place = ({ steps, offset, bytes }) => {
    const [left, top] = [x(steps[0]), y(offset + bytes)];
    return { left, top, width: Math.max(1, x(steps[1] + 1) - left), height: Math.max(1, y(offset) - top) };
  };
  drawAxes(c, content, width, height, x, y);
  for (const slot of rectangles) drawSlot(c, slot, place(slot), marks);
  drawBands(c, content, width, y);
  drawPeak(c, content, x(content.peak + 0.5), width, bottom);
  return place;
}
