// SPDX-License-Identifier: Apache-2.0
// The chat: list of conversations, messages, field for the next one.
import { h } from "../dom.js";
import { openConversation } from "../kept.js";
import { Chat } from "./chat.js";
import { Composer } from "./composer.js";
import { ConversationView } from "./conversation_view.js";
import { Sidebar } from "./sidebar.js";

export class ChatView {
  // page: {notify(text, undo), askKey(), setSidebar(isOpen)}
  constructor({ api, store, getSettings, getProps, page }) {
    this.page = page;
    this.getProps = getProps;
    this.chat = new Chat({ api, store, getSettings, getProps });
    const { chat } = this;
    this.messages = new ConversationView({
      send: (text) => chat.send(text),
      edit: (text) => chat.edit(text),
      regenerate: () => chat.regenerate(),
      sendResults: (texts) => chat.sendResults(texts),
    });
    this.composer = new Composer({
      send: (text) => chat.send(text),
      stop: () => chat.stop(),
      editLast: () => this.editLast(),
    });
    this.sidebar = new Sidebar(chat, { notify: page.notify, close: () => this.#left() });
    // Speaks of the beginning and the end of an answer, not of every token.
    this.status = h("p", { class: "offscreen", role: "status" });
    this.element = h(
      "section",
      { class: "chat", id: "chat", role: "tabpanel", "aria-labelledby": "tab-chat" },
      this.messages.element,
      h("div", { class: "dock" }, this.composer.element, this.status),
    );
    chat.addEventListener("change", () => this.update());
    chat.addEventListener("notice", ({ detail }) => page.notify(detail));
    chat.addEventListener("answered", ({ detail }) => this.#answered(detail));
    // Another tab may have changed the conversations.
    addEventListener("storage", () => this.sidebar.update());
  }

  start() {
    const id = openConversation.get();
    if (id) this.chat.open(id);
    else this.update();
  }

  update() {
    const { chat } = this;
    const { run, error, conversation } = chat;
    openConversation.set(conversation.id);
    this.messages.show(conversation, { run, error, model: this.getProps().model });
    this.composer.setRunning(Boolean(run));
    this.sidebar.update();
    if (run) this.status.textContent = "The answer is being written.";
  }

  #answered(run) {
    if (run.conversation !== this.chat.conversation) return;
    this.status.textContent = run.error ? "" : run.isStopped ? "Stopped." : "The answer is complete.";
    if (run.error?.kind === "key") this.page.askKey().then((isGiven) => isGiven && this.chat.regenerate());
    else if (document.activeElement === document.body) this.composer.focus();
  }

  #left() {
    this.page.setSidebar(false);
    this.composer.focus();
  }

  editLast() {
    if (!this.chat.run) this.messages.editLast(this.chat.conversation.messages.findLast(({ role }) => role === "user"));
  }
}
