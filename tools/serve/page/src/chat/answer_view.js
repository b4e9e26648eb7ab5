// SPDX-License-Identifier: Apache-2.0
// An answer of the model, finished or growing: thoughts folded, text, tool calls, a line about its speed.
import { speedText } from "../answer.js";
import { copyButton, h } from "../dom.js";
import { MarkdownStream } from "../markdown/stream.js";
import { toolCallCard } from "./tool_calls.js";

const ENDINGS = {
  length: "The answer reached its longest length.",
  stopped: "Stopped.",
  broken: "Incomplete.",
  content_filter: "The server ended the answer.",
};

// A text that grows at its end.
class GrowingText {
  #shown = 0;
  constructor(element) {
    this.element = element;
    this.stream = new MarkdownStream(element);
  }
  show(text) {
    if (text.length === this.#shown) return;
    this.stream.append(text.slice(this.#shown));
    this.#shown = text.length;
    this.stream.draw();
  }
}

export class AnswerView {
  #thought = null;
  #text;
  #numCalls = 0;

  constructor() {
    this.body = h("div", { class: "markdown" });
    this.#text = new GrowingText(this.body);
    this.waiting = h(
      "p",
      { class: "waiting" },
      h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
      h("span", { class: "offscreen" }, "Waiting for the answer"),
    );
    this.summary = h("summary", {}, "Thinking\u2026");
    this.thoughts = h("details", { class: "thoughts", hidden: true }, this.summary, h("div", { class: "markdown" }));
    this.calls = h("div", { class: "calls" });
    this.actions = h("span");
    this.footer = h("footer", { hidden: true });
    this.element = h(
      "article",
      { class: "message assistant", "aria-label": "Answer" },
      this.thoughts,
      this.waiting,
      this.body,
      this.calls,
      this.footer,
    );
  }

  // Shows what an Answer holds so far.
  show(answer) {
    if (answer.reasoning) {
      this.thoughts.hidden = false;
      this.#thought ??= new GrowingText(this.thoughts.lastElementChild);
      this.#thought.show(answer.reasoning);
      this.thoughts.classList.toggle("active", answer.isThinking === true);
      if (!answer.isThinking) this.summary.textContent = "Thoughts";
    }
    this.#text.show(answer.content);
    const calls = answer.toolCalls;
    if (calls.length > 0) this.#showCalls(calls);
    this.waiting.hidden = Boolean(answer.content || answer.reasoning || calls.length);
  }

  // The last call is the only one that still changes.
  #showCalls(calls) {
    for (let i = Math.max(0, this.#numCalls - 1); i < calls.length; ++i) {
      const card = toolCallCard(calls[i] ?? { name: "", arguments: "" });
      if (this.calls.children[i]) this.calls.children[i].replaceWith(card);
      else this.calls.append(card);
    }
    this.#numCalls = calls.length;
  }

  // Shows a stored message, or what was still missing of it.
  finish(message) {
    this.show({ content: message.content, reasoning: message.reasoning ?? "", toolCalls: message.tool_calls ?? [] });
    this.#text.stream.end();
    this.#thought?.stream.end();
    this.waiting.hidden = true;
    this.element.classList.add("finished");
    const ending = ENDINGS[message.finish];
    this.footer.replaceChildren(
      h("span", { class: "buttons" }, message.content ? copyButton(() => message.content) : null, this.actions),
      h("span", { class: "speed" }, [ending, message.speed && speedText(message.speed)].filter(Boolean).join(" ")),
    );
    this.footer.hidden = false;
    return this;
  }

  // Buttons beside "Copy".
  setActions(buttons) {
    this.actions.replaceChildren(...buttons);
  }
}
