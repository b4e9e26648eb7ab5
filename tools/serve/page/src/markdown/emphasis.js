// SPDX-License-Identifier: Apache-2.0
// Pairs the delimiters * _ ~~ as CommonMark does, with a stack of what is open.

const MAX_OPEN = 64;
const isSpace = (c) => c === "" || /\s/u.test(c);
const isPunctuation = (c) => /[\p{P}\p{S}]/u.test(c);

// Whether a run of delimiters between two characters may open or close emphasis.
export function flanking(before, after, delimiter) {
  const left = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const right = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  if (delimiter !== "_") return { canOpen: left, canClose: right };
  return {
    canOpen: left && (!right || isPunctuation(before)),
    canClose: right && (!left || isPunctuation(after)),
  };
}

// Collects nodes; text and finished nodes go into what was opened last.
export class EmphasisStack {
  #frames = [{ children: [] }];

  add(node) {
    const { children } = this.#frames.at(-1);
    const last = children.at(-1);
    if (node.type === "text" && last?.type === "text") last.text += node.text;
    else children.push(node);
  }

  #addText(text) {
    if (text) this.add({ type: "text", text });
  }

  // Gives up what was opened after frame `at`: its delimiters are text.
  #collapse(at) {
    while (this.#frames.length - 1 > at) {
      const { char, count, children } = this.#frames.pop();
      this.#addText(char.repeat(count));
      children.forEach((child) => this.add(child));
    }
  }

  #findOpener(run) {
    for (let at = this.#frames.length - 1; at > 0; --at) {
      const frame = this.#frames[at];
      if (frame.char !== run.char) continue;
      // The rule of three: a run that can do both pairs only if the sum of the lengths is not a multiple of 3.
      const isBoth = run.char !== "~" && (run.canOpen || frame.canClose);
      const isThree = (frame.length + run.length) % 3 === 0 && (frame.length % 3 !== 0 || run.length % 3 !== 0);
      if (!(isBoth && isThree)) return at;
    }
    return -1;
  }

  // Takes a run of `count` equal delimiters.
  addRun(char, count, { canOpen, canClose }) {
    const run = { char, count, length: count, canOpen, canClose };
    while (canClose && run.count > 0) {
      const at = this.#findOpener(run);
      if (at < 0) break;
      this.#collapse(at);
      this.#close(this.#frames[at], run);
    }
    if (run.count === 0) return;
    if (canOpen && this.#frames.length < MAX_OPEN) this.#frames.push({ ...run, children: [] });
    else this.#addText(char.repeat(run.count));
  }

  #close(frame, run) {
    const used = Math.min(2, frame.count, run.count);
    const type = run.char === "~" ? "strike" : used === 2 ? "strong" : "em";
    const node = { type, children: frame.children };
    frame.count -= used;
    run.count -= used;
    if (frame.count > 0) {
      frame.children = [node];
      return;
    }
    this.#frames.pop();
    this.add(node);
  }

  finish() {
    this.#collapse(0);
    return this.#frames[0].children;
  }
}
