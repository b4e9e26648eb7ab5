// SPDX-License-Identifier: Apache-2.0
// The visible part of a call, as fractions of the whole; moved by wheel, keys and dragging.

export class TimeWindow {
  // `place` returns where the plot is on the element: {left, span}; `changed` is called when the visible part changes.
  constructor(element, place, changed) {
    this.element = element;
    this.place = place;
    this.changed = changed;
    this.from = 0;
    this.scale = 1;
    element.addEventListener("wheel", (e) => this.#wheel(e), { passive: false });
    element.addEventListener("keydown", (e) => this.#key(e));
    element.addEventListener("mousedown", (e) => this.#drag(e.clientX));
  }

  reset() {
    this.from = 0;
    this.scale = 1;
    this.changed();
  }

  zoom(factor, at = 0.5) {
    const scale = Math.min(5000, Math.max(1, this.scale * factor));
    this.from = Math.min(1 - 1 / scale, Math.max(0, this.from + at / this.scale - at / scale));
    this.scale = scale;
    this.changed();
  }

  pan(part) {
    this.from = Math.min(1 - 1 / this.scale, Math.max(0, this.from + part / this.scale));
    this.changed();
  }

  #wheel(event) {
    event.preventDefault();
    const along = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey || event.shiftKey || along) return this.pan((event.deltaX || event.deltaY) / 800);
    const { left, span } = this.place();
    const x = event.clientX - this.element.getBoundingClientRect().left - left;
    this.zoom(event.deltaY < 0 ? 1.25 : 0.8, Math.min(1, Math.max(0, x / span)));
  }

  #key(event) {
    const act = {
      "+": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5),
      ArrowLeft: () => this.pan(-0.1),
      ArrowRight: () => this.pan(0.1),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #drag(start) {
    let last = start;
    const move = (event) => {
      this.pan((last - event.clientX) / this.place().span);
      last = event.clientX;
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", () => removeEventListener("mousemove", move), { once: true });
  }
}
