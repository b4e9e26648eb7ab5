// SPDX-License-Identifier: Apache-2.0
// The conversation on display, the runs of all conversations, and what the reader can do with them.
import { requestBody } from "../settings.js";
import { titleOf } from "../store.js";
import { Run } from "./run.js";

const SAVE_MS = 2000; // while an answer grows

// Events: "change" when something to show has changed; "notice" with a text in `detail`.
export class Chat extends EventTarget {
  #runs = new Map(); // by conversation id
  #errors = new Map();

  constructor({ api, store, getSettings, getProps }) {
    super();
    Object.assign(this, { api, store, getSettings, getProps });
    this.conversation = store.create();
  }

  get run() {
    return this.#runs.get(this.conversation.id) ?? null;
  }
  get error() {
    return this.#errors.get(this.conversation.id) ?? null;
  }
  isRunning(id) {
    return this.#runs.has(id);
  }

  open(id) {
    const running = this.#runs.get(id)?.conversation;
    this.conversation = running ?? this.store.load(id) ?? this.store.create();
    this.#changed();
  }

  startNew() {
    if (this.conversation.messages.length) this.conversation = this.store.create();
    this.#changed();
  }

  send(text) {
    if (this.run) return;
    this.conversation.title ||= titleOf(text);
    this.conversation.messages.push({ role: "user", content: text });
    this.#answer();
  }

  // Sends the last message again with another text.
  edit(text) {
    if (this.run) return;
    const { messages } = this.conversation;
    const at = messages.findLastIndex(({ role }) => role === "user");
    if (at < 0) return;
    if (at === 0 && this.conversation.title === titleOf(messages[0].content)) this.conversation.title = titleOf(text);
    messages.splice(at, messages.length, { role: "user", content: text });
    this.#answer();
  }

  // Asks for the last answer again.
  regenerate() {
    const { messages } = this.conversation;
    if (this.run || messages.length === 0) return;
    if (messages.at(-1).role === "assistant") messages.pop();
    this.#answer();
  }

  // Adds the results of the tool calls in the last answer.
  sendResults(texts) {
    const { messages } = this.conversation;
    const calls = messages.at(-1)?.tool_calls ?? [];
    messages.push(...calls.map(({ id }, i) => ({ role: "tool", tool_call_id: id, content: texts[i] })));
    this.#answer();
  }

  stop() {
    this.run?.stop();
  }

  rename(id, title) {
    this.store.rename(id, title);
    if (this.conversation.id === id && title.trim()) this.conversation.title = title.trim();
    this.#changed();
  }

  // Returns a function that brings the conversation back.
  remove(id) {
    this.#runs.get(id)?.stop();
    const removed = this.store.load(id);
    this.store.remove(id);
    if (this.conversation.id === id) this.conversation = this.store.create();
    this.#changed();
    return () => {
      if (removed) this.#save(removed);
      this.#changed();
    };
  }

  #answer() {
    const { conversation } = this;
    const body = requestBody(this.getProps(), this.getSettings(), conversation.messages);
    const run = new Run(conversation);
    this.#runs.set(conversation.id, run);
    this.#errors.delete(conversation.id);
    this.#save(conversation);
    let savedAt = performance.now();
    run.addEventListener("update", () => {
      if (performance.now() - savedAt < SAVE_MS) return;
      savedAt = performance.now();
      // Should the page be closed now, the answer is stored as incomplete.
      this.#save({
        ...conversation,
        messages: [...conversation.messages, { ...run.answer.message(), finish: "broken" }],
      });
    });
    run.addEventListener("end", () => this.#ended(run));
    run.start(this.api, body);
    this.#changed();
  }

  #ended(run) {
    const { conversation, answer, error } = run;
    this.#runs.delete(conversation.id);
    if (error) {
      this.#errors.set(conversation.id, error);
      answer.finish = "broken";
    }
    const isEmpty = !answer.content && !answer.reasoning && !answer.toolCalls.length;
    if (!isEmpty || !error) {
      run.message = answer.message();
      conversation.messages.push(run.message);
    }
    const isRemoved = !this.store.load(conversation.id);
    if (!isRemoved) this.#save(conversation);
    this.#changed();
    this.dispatchEvent(new CustomEvent("answered", { detail: run }));
  }

  #save(conversation) {
    try {
      const dropped = this.store.save(conversation);
      if (dropped.length)
        this.#notice(`The browser's space was used up: ${dropped.length} old conversation(s) deleted.`);
    } catch {
      this.#notice("The browser has no space for this conversation: it will be lost when the page is closed.");
    }
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
  #notice(detail) {
    this.dispatchEvent(new CustomEvent("notice", { detail }));
  }
}
