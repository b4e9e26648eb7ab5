// SPDX-License-Identifier: Apache-2.0
import { drawingBox, hatch, themeColour } from "../canvas.js";
import * as format from "../format.js";

const LANE = 34;
const TOP = 26;
const LEFT = 112;

function drawAxis(c, content, window, span, width, height) {
  c.fillStyle = themeColour("--muted");
  c.textAlign = "right";
  content.lanes.forEach((name, lane) => c.fillText(name, LEFT - 8, TOP + lane * LANE + 21, LEFT - 12));
  c.textAlign = "center";
  const marks = Math.max(1, Math.min(5, Math.floor(span / 90)));
  for (let i = 0; i <= marks; ++i) {
    const ns = (window.from + i / marks / window.scale) * content.total;
    const x = Math.min(width - 30, LEFT + (span * i) / marks);
    c.fillText(ns > 0 ? format.time(ns) : "0", x, 15);
    c.fillRect(LEFT + (span * i) / marks, 20, 0.5, height - 40);
  }
  c.textAlign = "left";
}

function drawSlice(c, slice, x, w, { colourOf, chosen, over }) {
  const y = TOP + slice.lane * LANE + 3;
  c.globalAlpha = slice.wait ? 0.18 : 0.8;
  c.fillStyle = slice.wait ? themeColour("--muted") : slice.node ? colourOf(slice.node) : themeColour("--other");
  c.fillRect(x, y, Math.max(0.5, w - (w > 3 ? 0.7 : 0)), LANE - 6);
  c.globalAlpha = 1;
  if (slice.wait && w > 6) hatch(c, x, y, w, LANE - 6);
  const isChosen = slice.node && slice.node.id === chosen;
  if (isChosen || slice === over) {
    c.strokeStyle = themeColour(isChosen ? "--accent" : "--text");
    c.lineWidth = 2;
    c.strokeRect(x, y, Math.max(1, w), LANE - 6);
  }
  if (w > 60 && !slice.wait) {
    c.fillStyle = themeColour("--on-target");
    c.fillText(slice.text ?? `${slice.node.name.replace(/^layer\.(\d+)\//, "$1 ")}`, x + 4, y + 18, w - 8);
  } else if (w > 40 && slice.wait) {
    c.fillStyle = themeColour("--muted");
    c.fillText("wait", x + 4, y + 18, w - 8);
  }
}

// Returns where things were drawn, {left, span, x}, or null if there is no room.
export function drawLanes(canvas, content, window, marks) {
  const box = drawingBox(canvas, TOP + Math.max(1, content.lanes.length) * LANE + 30);
  if (!box) return null;
  const { context: c, width, height } = box;
  const span = width - LEFT - 12;
  const x = (ns) => LEFT + (ns / (content.total || 1) - window.from) * window.scale * span;
  drawAxis(c, content, window, span, width, height);
  c.save();
  c.beginPath();
  c.rect(LEFT, 0, span, height);
  c.clip();
  for (const slice of content.slices) {
    const [begin, end] = [x(slice.start), x(slice.start + slice.ns)];
    if (begin <= width && end >= LEFT) drawSlice(c, slice, begin, end - begin, marks);
  }
  c.restore();
  return { left: LEFT, span, x, rect: () => canvas.getBoundingClientRect() };
}

// Returns the slice under the mouse, or null.
export function sliceAt(content, drawn, event) {
  if (!drawn) return null;
  const { left, top } = drawn.rect();
  const [x, lane] = [event.clientX - left, Math.floor((event.clientY - top - TOP) / LANE)];
  const covers = ({ start, ns }) => x >= drawn.x(start) && x <= drawn.x(start + ns);
  return content.slices.find((slice) => slice.lane === lane && covers(slice)) ?? null;
}
