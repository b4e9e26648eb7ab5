// SPDX-License-Identifier: Apache-2.0
// Decides when to draw: once per frame at most, and so rarely that drawing takes no more than about a sixth of the time,
// however long the text is and however fast it arrives.

const REST = 5; // rest after a drawing, in units of the time that it took

export class DrawPace {
  #isAsked = false;
  #notBefore = 0;

  constructor(draw) {
    this.draw = draw;
  }

  ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const wait = this.#notBefore - performance.now();
    const frame = () => requestAnimationFrame(() => this.#run());
    if (wait > 0) setTimeout(frame, wait);
    else frame();
  }

  #run() {
    if (!this.#isAsked) return;
    this.#isAsked = false;
    const begin = performance.now();
    this.draw();
    const end = performance.now();
    this.#notBefore = end + REST * (end - begin);
  }

  // Draws now, for the last time.
  finish() {
    this.#isAsked = false;
    this.draw();
  }
}
