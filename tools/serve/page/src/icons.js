// SPDX-License-Identifier: Apache-2.0
import { s } from "./dom.js";

// Strokes on a 24 by 24 grid.
const PATHS = {
  menu: ["M4 7h16M4 12h16M4 17h16"],
  plus: ["M12 5v14M5 12h14"],
  send: ["M12 19V5M6 11l6-6 6 6"],
  stop: ["M8 8h8v8H8z"],
  settings: ["M4 8h9M17 8h3M4 16h3M11 16h9", "M15 6v4M9 14v4"],
  theme: ["M12 4a8 8 0 1 0 0 16z", "M12 4a8 8 0 0 1 0 16"],
  keys: ["M9.5 9.2a2.6 2.6 0 1 1 3.6 2.4c-.8.4-1.1.9-1.1 1.9M12 16.8v.2"],
  rename: ["M5 19l1-4L16 5l3 3L9 18z"],
  remove: ["M6 6l12 12M18 6L6 18"],
  again: ["M19 12a7 7 0 1 1-2.2-5.1", "M19 4v4h-4"],
  down: ["M12 5v14M6 13l6 6 6-6"],
};

export const icon = (name) =>
  s(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    PATHS[name].map((d) => s("path", { d })),
  );
