// SPDX-License-Identifier: Apache-2.0
import { themeColour } from "../canvas.js";
import { exact } from "../format.js";

const LEFT = 64;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 24;

// A cell is full at this many times an even share; more looks the same.
export const FULL = 4;

const cellHeight = ({ lines }) => Math.max(6, Math.min(28, Math.floor(560 / lines.length)));
export const heightOf = (content) => TOP + BOTTOM + cellHeight(content) * content.lines.length;

function drawAxes(c, content, width, height, cell) {
  c.fillStyle = themeColour("--muted");
  c.textAlign = "right";
  const lineStep = Math.ceil(14 / cell.height);
  content.lines.forEach(({ layer }, i) => {
    if (i % lineStep === 0) c.fillText(`layer ${layer}`, LEFT - 8, TOP + cell.height * (i + 0.5) + 4);
  });
  c.textAlign = "center";
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(36 / cell.width)));
  for (let expert = 0; expert < content.experts; expert += step) {
    c.fillText(expert, LEFT + cell.width * (expert + 0.5), height - 8);
  }
}

// Experts without rows stay empty: a gap can be told from a pale cell without seeing colours.
function drawLine(c, line, top, cell) {
  line.rows.forEach((count, expert) => {
    if (count === 0) return;
    const left = LEFT + cell.width * expert;
    const share = (count * line.rows.length) / line.total;
    const gap = cell.width > 4 ? 1 : 0;
    c.fillStyle = themeColour("--ramp-low");
    c.fillRect(left, top, cell.width - gap, cell.height - 1);
    c.globalAlpha = Math.min(1, share / FULL);
    c.fillStyle = themeColour("--ramp-high");
    c.fillRect(left, top, cell.width - gap, cell.height - 1);
    c.globalAlpha = 1;
    if (cell.width < 40 || cell.height < 16) return;
    c.fillStyle = themeColour(share > FULL / 2 ? "--panel" : "--text");
    c.textAlign = "center";
    c.fillText(exact(count), left + cell.width / 2, top + cell.height / 2 + 4);
  });
}

// Returns a function that finds the cell at a point: {line, expert} or null.
export function drawExperts({ context: c, width, height }, content, { over, chosen }) {
  const cell = { width: (width - LEFT - RIGHT) / content.experts, height: cellHeight(content) };
  drawAxes(c, content, width, height, cell);
  content.lines.forEach((line, i) => {
    const top = TOP + cell.height * i;
    drawLine(c, line, top, cell);
    if (line.node.id === chosen) {
      c.strokeStyle = themeColour("--accent");
      c.lineWidth = 2;
      c.strokeRect(LEFT - 2, top - 1, cell.width * line.rows.length + 3, cell.height + 1);
    }
    if (over?.line !== line) return;
    c.strokeStyle = themeColour("--text");
    c.lineWidth = 2;
    c.strokeRect(LEFT + cell.width * over.expert, top, cell.width, cell.height - 1);
  });
  return (x, y) => {
    const line = content.lines[Math.floor((y - TOP) / cell.height)];
    const expert = Math.floor((x - LEFT) / cell.width);
    return line && expert >= 0 && expert < line.rows.length ? { line, expert } : null;
  };
}
