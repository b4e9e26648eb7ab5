// SPDX-License-Identifier: Apache-2.0
// The messages of the conversation on display, and the answer that is being written.
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { AnswerView } from "./answer_view.js";
import { DrawPace } from "./draw_pace.js";
import { errorCard } from "./error_card.js";
import { resultsForm, toolResult } from "./tool_calls.js";
import { openEditor, userMessage } from "./user_message.js";

const FOLLOW_PX = 90; // closer to the end than this, the view stays at the end
const EXAMPLES = [
  "Tell me a short story about a lighthouse keeper.",
  "Explain how a rainbow forms, in three sentences.",
  "Write a Python function that merges two sorted lists.",
  "Compare tea and coffee in a table.",
];

export class ConversationView {
  #known = new WeakMap(); // by message: what shows it
  #growing = null; // {run, view, stop} of the answer that is being written

  // actions: {send, regenerate, edit, sendResults}
  constructor(actions) {
    this.actions = actions;
    this.list = h("div", { class: "messages", role: "log", "aria-live": "off", "aria-label": "Conversation" });
    this.toEnd = h(
      "button",
      {
        type: "button",
        class: "to-end",
        hidden: true,
        "aria-label": "Go to the end",
        onclick: () => this.#scrollToEnd(),
      },
      icon("down"),
    );
    this.scroller = h("div", { class: "scroller", tabindex: -1, onscroll: () => this.#onScroll() }, this.list);
    this.element = h("div", { class: "conversation" }, this.scroller, this.toEnd);
    this.isFollowing = true;
    new ResizeObserver(() => this.#follow()).observe(this.scroller);
  }

  // Shows a conversation, with its run if one is going on, or the error of the last one. What is on display already stays
  // as it is: its selection, what is unfolded in it, and the place that the reader scrolled to.
  show(conversation, { run = null, error = null, model = "" } = {}) {
    const { messages } = conversation;
    const isIdle = !run && !error;
    const last = messages.length - 1;
    const lastUser = run ? -1 : messages.findLastIndex(({ role }) => role === "user");
    const elements = messages.map((message, i) => {
      if (message.role === "user") return this.#userElement(message, i === lastUser);
      if (message.role === "tool") return toolResult(message);
      return this.#answerElement(message, i === last && isIdle);
    });
    if (isIdle) elements.push(...this.#below(messages.at(-1), model));
    if (error) elements.push(errorCard(error, this.actions.regenerate));
    if (run) elements.push(this.#runElement(run));
    else this.#detach();
    this.#arrange(elements);
    const isElsewhere = this.shown !== conversation || (run && this.shownRun !== run);
    Object.assign(this, { shown: conversation, shownRun: run });
    if (isElsewhere) this.#scrollToEnd();
    else this.#follow();
  }

  #userElement(message, isLast) {
    const known = this.#known.get(message);
    if (known?.isLast === isLast) return known.element;
    const element = userMessage(message, isLast ? this.actions.edit : null);
    this.#known.set(message, { element, isLast });
    return element;
  }

  #answerElement(message, isLast) {
    if (!this.#known.has(message)) {
      // The answer that was being written is finished where it stands.
      const view = this.#growing?.run.message === message ? this.#growing.view : new AnswerView();
      this.#known.set(message, view.finish(message));
    }
    const view = this.#known.get(message);
    view.setActions(isLast ? [this.#againButton()] : []);
    return view.element;
  }

  // What an idle conversation ends with.
  #below(message, model) {
    if (!message) return [this.#welcome(model)];
    if (message.role === "user") return [this.#againButton("Ask again")];
    return message.tool_calls?.length ? [resultsForm(message.tool_calls, this.actions.sendResults)] : [];
  }

  #runElement(run) {
    if (this.#growing?.run !== run) this.#attach(run);
    return this.#growing.view.element;
  }

  #attach(run) {
    this.#detach();
    const view = new AnswerView();
    const pace = new DrawPace(() => {
      if (run.isEnded) return;
      view.show(run.answer);
      this.#follow();
    });
    const update = () => pace.ask();
    run.addEventListener("update", update);
    this.#growing = { run, view, stop: () => run.removeEventListener("update", update) };
    view.show(run.answer);
  }
  #detach() {
    this.#growing?.stop();
    this.#growing = null;
  }

  // Makes the elements the children of the list, without moving those that are in place.
  #arrange(elements) {
    const wanted = new Set(elements);
    for (const child of [...this.list.children]) if (!wanted.has(child)) child.remove();
    elements.forEach((element, i) => {
      if (this.list.children[i] !== element) this.list.insertBefore(element, this.list.children[i] ?? null);
    });
  }

  #againButton(label = "Regenerate") {
    return h("button", { type: "button", class: "quiet again", onclick: () => this.actions.regenerate() }, label);
  }

  #welcome(model) {
    const example = (text) => h("button", { type: "button", onclick: () => this.actions.send(text) }, text);
    return h(
      "section",
      { class: "welcome" },
      h("h2", {}, "What would you like to know?"),
      model && h("p", { class: "muted" }, `${model} answers on this server. Conversations stay in this browser.`),
      h("div", { class: "examples" }, EXAMPLES.map(example)),
    );
  }

  editLast(message) {
    const element = [...this.list.querySelectorAll(".message.user")].at(-1);
    if (element && message) openEditor(element, message, this.actions.edit);
  }

  #onScroll() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.isFollowing = scrollHeight - scrollTop - clientHeight < FOLLOW_PX;
    this.toEnd.hidden = this.isFollowing;
  }
  #scrollToEnd() {
    this.isFollowing = true;
    this.#follow();
  }
  #follow() {
    if (this.isFollowing) this.scroller.scrollTop = this.scroller.scrollHeight;
  }
}
