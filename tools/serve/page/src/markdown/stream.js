// SPDX-License-Identifier: Apache-2.0
// Draws a text that grows. Blocks that can no longer change are drawn once; each drawing touches only the block at the
// end. A block of code grows line by line, so that a file of a thousand lines costs no more per token than a short one.
import { isBlank, parseBlocks, readBlock, readFence, splitLines } from "./blocks.js";
import { appendBlocks, codeFrame, codeLine } from "./nodes.js";

// A last line like this may still become a rule, a heading, a fence or a table: it is not shown yet.
const UNDECIDED = /^\s*(?:[-=*_#`~>|+:\s]{0,8}|\d{1,9}[.)]?)$/;

// A block of code that is not closed yet.
class OpenCode {
  #state = null;
  #code;
  #partial = document.createTextNode("");

  constructor(fence) {
    this.fence = fence;
    const { element, code } = codeFrame(fence.language);
    this.element = element;
    this.#code = code;
    code.append(this.#partial);
  }
  addLine(line) {
    const { nodes, state } = codeLine(this.fence.language, this.fence.dedent(line), this.#state);
    this.#partial.before(...nodes);
    this.#state = state;
  }
  // Shows a line that has no end yet.
  showPartial(line) {
    this.#partial.data = this.fence.dedent(line);
  }
  close() {
    this.#partial.remove();
  }
}

export class MarkdownStream {
  #lines = []; // complete lines of the block that may still change
  #partial = ""; // the line that has no end yet
  #code = null;

  constructor(element) {
    this.element = element;
    this.tail = document.createElement("div");
    this.tail.className = "tail";
    element.append(this.tail);
  }

  append(text) {
    if (!text) return;
    const lines = splitLines(this.#partial + text);
    this.#partial = lines.pop();
    for (const line of lines) this.#addLine(line);
  }

  #addLine(line) {
    if (this.#code) {
      if (this.#code.fence.closes(line)) this.#closeCode();
      else this.#code.addLine(line);
      return;
    }
    this.#lines.push(line);
    this.#commit(false);
    const fence = this.#lines.length === 1 ? readFence(line) : null;
    if (!fence) return;
    this.#lines = [];
    this.#code = new OpenCode(fence);
    this.tail.before(this.#code.element);
  }

  #closeCode() {
    this.#code.close();
    this.#code = null;
  }

  // Draws for good all blocks that later lines cannot change; at the end that is all of them.
  #commit(isEnd) {
    for (;;) {
      const at = this.#lines.findIndex((line) => !isBlank(line));
      if (at < 0) {
        this.#lines = [];
        return;
      }
      const { block, end } = readBlock(this.#lines, at);
      if (end === this.#lines.length && !isEnd) return;
      this.tail.remove();
      appendBlocks(this.element, [block]);
      this.element.append(this.tail);
      this.#lines = this.#lines.slice(end);
    }
  }

  // Shows everything that has arrived.
  draw() {
    this.tail.replaceChildren();
    if (this.#code) {
      this.#code.showPartial(/^\s*[`~]+$/.test(this.#partial) ? "" : this.#partial);
      return;
    }
    const lines = UNDECIDED.test(this.#partial) ? this.#lines : [...this.#lines, this.#partial];
    appendBlocks(this.tail, parseBlocks(lines));
    this.#continueList();
  }

  // The item in the tail belongs to the list above it: no gap, and the numbers go on.
  #continueList() {
    const [above, first] = [this.tail.previousElementSibling, this.tail.firstElementChild];
    if (!first?.dataset.kind || first.dataset.kind !== above?.dataset.kind || first.tagName !== above.tagName) return;
    first.classList.add("continued");
    if (first.tagName === "OL") first.setAttribute("start", above.start + above.children.length);
  }

  end() {
    const line = this.#partial;
    this.#partial = "";
    if (line) this.#addLine(line);
    if (this.#code) this.#closeCode();
    else this.#commit(true);
    this.tail.remove();
  }
}

// Draws a finished text.
export function renderMarkdown(element, text) {
  const stream = new MarkdownStream(element);
  stream.append(text);
  stream.end();
}
