// SPDX-License-Identifier: Apache-2.0
import { s } from "../dom.js";

const WIDTH = 110;
const HEIGHT = 150;

export function minimap(element, boxes, size, transform, svg) {
  const scale = Math.min(WIDTH / size.width, HEIGHT / size.height);
  const view = svg.getBoundingClientRect();
  const [x0, y0] = [-transform.x / transform.k, -transform.y / transform.k];
  const all = view.width / transform.k >= size.width && view.height / transform.k >= size.height;
  element.hidden = all;
  if (all) return;
  const at = (box) => ({
    x: (box.x - box.width / 2) * scale,
    y: (box.y - box.height / 2) * scale,
    width: Math.max(1, box.width * scale),
    height: Math.max(1, box.height * scale),
  });
  element.replaceChildren(
    s(
      "svg",
      { width: size.width * scale, height: size.height * scale },
      boxes.map((box) => s("rect", { class: box.open ? "map-open" : "map-box", ...at(box) })),
      s("rect", {
        class: "map-view",
        x: x0 * scale,
        y: y0 * scale,
        width: (view.width / transform.k) * scale,
        height: (view.height / transform.k) * scale,
      }),
    ),
  );
}
