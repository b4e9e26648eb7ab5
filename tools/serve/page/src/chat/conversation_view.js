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
  #detach = () => {};

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

  // Shows a conversation, with its run if one is going on, or the error of the last one.
  show(conversation, { run = null, error = null, model = "" } = {}) {
    this.#detach();
    const { messages } = conversation;
    const last = messages.length - 1;
    const lastUser = run ? -1 : messages.findLastIndex(({ role }) => role === "user");
    const elements = messages.map((message, i) => {
      if (message.role === "user") return userMessage(message, i === lastUser ? this.actions.edit : null);
      if (message.role === "tool") return toolResult(message);
      return new AnswerView().finish(message, i === last && !run && !error ? [this.#againButton()] : []).element;
    });
    const calls = messages[last]?.tool_calls;
    if (calls?.length && !run && !error) elements.push(resultsForm(calls, this.actions.sendResults));
    if (!run && !error && messages[last]?.role === "user") elements.push(this.#againButton("Ask again"));
    if (error) elements.push(errorCard(error, this.actions.regenerate));
    if (!elements.length && !run) elements.push(this.#welcome(model));
    this.list.replaceChildren(...elements);
    if (run) this.#attach(run);
    this.#scrollToEnd();
  }

  #attach(run) {
    const view = new AnswerView();
    this.list.append(view.element);
    const pace = new DrawPace(() => {
      view.show(run.answer);
      this.#follow();
    });
    const update = () => pace.ask();
    run.addEventListener("update", update);
    this.#detach = () => run.removeEventListener("update", update);
    view.show(run.answer);
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
