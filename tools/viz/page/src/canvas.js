// SPDX-License-Identifier: Apache-2.0

const colours = new Map(); // cached for one drawing: asking the style sheet thousands of times is slow

export function themeColour(name) {
  let colour = colours.get(name);
  if (colour === undefined) {
    colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888888";
    colours.set(name, colour);
  }
  return colour;
}

// Returns an empty canvas as wide as its container, sharp on any screen; null if it is not shown.
export function drawingBox(canvas, height) {
  colours.clear();
  const width = canvas.parentElement?.clientWidth ?? 0;
  if (!width) return null;
  const inner = width - 32;
  const scale = devicePixelRatio || 1;
  canvas.width = inner * scale;
  canvas.height = height * scale;
  canvas.style.width = `${inner}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.clearRect(0, 0, inner, height);
  context.font = "12px system-ui, sans-serif";
  return { context, width: inner, height };
}

// Calls `draw` when the element gets another width: that of the window changes, or the panel opens or closes.
export function redrawWithWidth(element, draw) {
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    const changed = Math.abs(contentRect.width - width) >= 1;
    width = contentRect.width;
    if (changed && width) draw();
  }).observe(element);
}

// Draws stripes, so that areas do not differ by colour alone.
export function hatch(c, x, y, w, height) {
  c.save();
  c.beginPath();
  c.rect(x, y, w, height);
  c.clip();
  c.strokeStyle = themeColour("--muted");
  c.lineWidth = 0.5;
  c.beginPath();
  for (let i = -height; i < w; i += 6) {
    c.moveTo(x + i, y + height);
    c.lineTo(x + i + height, y);
  }
  c.stroke();
  c.restore();
}
