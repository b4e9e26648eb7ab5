// SPDX-License-Identifier: Apache-2.0
// The visible part of the graph: panning and zooming, and the minimap.
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { minimap } from "./minimap.js";

export const READABLE = 0.75;
const MARGIN = 8;

export class Camera {
  // `map` is the element of the minimap, `frame` the one whose size changes when the panel opens and closes.
  constructor(svg, scene, map, frame) {
    this.svg = svg;
    this.map = map;
    this.zoom = zoom()
      .scaleExtent([0.05, 3])
      .on("zoom", ({ transform }) => {
        scene.setAttribute("transform", transform);
        this.#drawMap(transform);
      });
    select(svg).call(this.zoom).on("dblclick.zoom", null);
    // Keeps the centre in place.
    let width = 0;
    new ResizeObserver(([{ contentRect }]) => {
      const by = contentRect.width - width;
      if (width && contentRect.width && by) select(svg).call(this.zoom.translateBy, by / 2 / this.transform.k, 0);
      else if (!width && contentRect.width) this.fit(READABLE);
      width = contentRect.width;
    }).observe(frame);
  }

  // Sets what can be seen: the boxes and their overall size.
  show(drawing) {
    this.drawing = drawing;
    this.#drawMap();
  }

  // Shows everything; with `least`, no smaller than that: text of half its size is unreadable, and one can scroll.
  fit(least = 0) {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !this.drawing) return;
    const room = { width: width - 2 * MARGIN, height: height - 2 * MARGIN };
    const scale = Math.max(least, Math.min(1.1, room.width / this.drawing.width, room.height / this.drawing.height));
    const y = Math.max(MARGIN, (height - this.drawing.height * scale) / 2);
    select(this.svg).call(
      this.zoom.transform,
      zoomIdentity.translate((width - this.drawing.width * scale) / 2, y).scale(scale),
    );
  }

  // Moves only as far as needed, unless `always`.
  center(item, always = false) {
    const box = this.drawing.boxes.find((b) => b.item === item);
    const view = this.svg.getBoundingClientRect();
    if (!box || !view.width) return;
    const at = this.transform;
    const top = at.k * (box.y - box.height / 2) + at.y;
    const left = at.k * (box.x - box.width / 2) + at.x;
    const inside =
      top >= 0 && left >= 0 && top + at.k * box.height <= view.height && left + at.k * box.width <= view.width;
    if (inside && !always) return;
    const y = at.k * box.height > view.height ? 20 - at.k * (box.y - box.height / 2) : view.height / 2 - at.k * box.y;
    select(this.svg).call(this.zoom.transform, zoomIdentity.translate(view.width / 2 - at.k * box.x, y).scale(at.k));
  }

  get transform() {
    return this.svg.__zoom ?? zoomIdentity;
  }

  #drawMap(transform = this.transform) {
    if (this.drawing) minimap(this.map, this.drawing.boxes, this.drawing, transform, this.svg);
  }
}
