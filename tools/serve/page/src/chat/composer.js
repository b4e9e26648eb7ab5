// SPDX-License-Identifier: Apache-2.0
// The field for the next message, with one button that sends or stops.
import { h } from "../dom.js";
import { icon } from "../icons.js";

const MAX_HEIGHT = 260;

export class Composer {
  #isRunning = false;

  // actions: {send(text), stop(), editLast()}
  constructor(actions) {
    this.actions = actions;
    this.area = h("textarea", {
      id: "message",
      rows: 1,
      "aria-label": "Message",
      placeholder: "Write a message",
      enterkeyhint: "send",
      autocomplete: "off",
      onkeydown: (event) => this.#key(event),
      oninput: () => this.#fit(),
    });
    this.button = h("button", { class: "send" });
    this.element = h("form", { class: "composer", onsubmit: (event) => this.#submit(event) }, this.area, this.button);
    this.setRunning(false);
  }

  focus() {
    this.area.focus();
  }

  setRunning(isRunning) {
    this.#isRunning = isRunning;
    const name = isRunning ? "Stop" : "Send";
    this.button.setAttribute("aria-label", name);
    this.button.title = isRunning ? "Stop (Esc)" : "Send (Enter)";
    this.button.replaceChildren(icon(isRunning ? "stop" : "send"));
    this.#fit();
  }

  setText(text) {
    this.area.value = text;
    this.#fit();
  }

  #fit() {
    this.button.disabled = !this.#isRunning && this.area.value.trim() === "";
    this.area.style.height = "auto";
    if (this.area.scrollHeight > 0) this.area.style.height = `${Math.min(MAX_HEIGHT, this.area.scrollHeight)}px`;
  }

  #key(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (!this.#isRunning) this.element.requestSubmit();
    } else if (event.key === "ArrowUp" && this.area.value === "" && !this.#isRunning) {
      event.preventDefault();
      this.actions.editLast();
    }
  }

  #submit(event) {
    event.preventDefault();
    if (this.#isRunning) return this.actions.stop();
    const text = this.area.value;
    if (text.trim() === "") return;
    this.setText("");
    this.actions.send(text);
  }
}
