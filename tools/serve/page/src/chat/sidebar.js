// SPDX-License-Identifier: Apache-2.0
// The list of conversations: open, rename, delete, export, import.
import { download, h } from "../dom.js";
import { icon } from "../icons.js";

export class Sidebar {
  // chat: a Chat. notify(text, undo): shows a notice. close(): hides the list where it covers the page.
  constructor(chat, { notify, close }) {
    Object.assign(this, { chat, notify, close });
    this.list = h("ul", { class: "chats", "aria-label": "Conversations" });
    const file = h("input", {
      type: "file",
      accept: ".json,application/json",
      hidden: true,
      onchange: () => this.#import(file),
    });
    this.element = h(
      "aside",
      { id: "sidebar", class: "sidebar", "aria-label": "Conversations" },
      h(
        "button",
        { type: "button", class: "new", onclick: () => this.#open(null) },
        icon("plus"),
        h("span", {}, "New chat"),
      ),
      this.list,
      h(
        "footer",
        {},
        h("button", { type: "button", class: "quiet", onclick: () => this.#export() }, "Export"),
        h("button", { type: "button", class: "quiet", onclick: () => file.click() }, "Import"),
        file,
      ),
    );
  }

  update() {
    const { chat } = this;
    const entries = chat.store.list();
    this.list.replaceChildren(...entries.map((entry) => this.#item(entry)));
    if (!entries.length) this.list.append(h("li", { class: "muted none" }, "No conversations yet"));
  }

  #item({ id, title }) {
    const isCurrent = id === this.chat.conversation.id;
    const name = title || "New chat";
    const item = h(
      "li",
      { class: isCurrent ? "current" : "" },
      h(
        "button",
        {
          type: "button",
          class: "title",
          title: name,
          "aria-current": isCurrent ? "true" : null,
          onclick: () => this.#open(id),
        },
        h("span", {}, name),
        this.chat.isRunning(id) ? h("i", { class: "running", role: "img", "aria-label": "answering" }) : null,
      ),
      h(
        "button",
        {
          type: "button",
          class: "icon-only",
          "aria-label": `Rename ${name}`,
          title: "Rename",
          onclick: () => this.#rename(item, id, name),
        },
        icon("rename"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "icon-only",
          "aria-label": `Delete ${name}`,
          title: "Delete",
          onclick: () => this.#remove(id, name),
        },
        icon("remove"),
      ),
    );
    return item;
  }

  #open(id) {
    if (id) this.chat.open(id);
    else this.chat.startNew();
    this.close();
  }

  #rename(item, id, name) {
    const field = h("input", { "aria-label": "Title", maxlength: 200, value: name });
    let isDone = false;
    const finish = (title) => {
      if (isDone) return;
      isDone = true;
      this.chat.rename(id, title);
      this.list.querySelector(".current .title")?.focus();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") event.stopPropagation();
      if (event.key === "Enter") finish(field.value);
      else if (event.key === "Escape") finish(name);
    });
    field.addEventListener("blur", () => finish(field.value));
    item.replaceChildren(field);
    field.select();
  }

  #remove(id, name) {
    const undo = this.chat.remove(id);
    this.notify(`\u201c${name}\u201d was deleted.`, undo);
  }

  #export() {
    download("infer-chats.json", "application/json", this.chat.store.exportText());
  }

  async #import(file) {
    const [chosen] = file.files;
    if (!chosen) return;
    try {
      const count = this.chat.store.importText(await chosen.text());
      this.notify(`${count} ${count === 1 ? "conversation" : "conversations"} imported.`);
    } catch (error) {
      this.notify(error.message);
    }
    file.value = "";
    this.update();
  }
}
