// SPDX-License-Identifier: Apache-2.0
// A message of the reader, as it was typed. The last one can be edited in place.
import { h } from "../dom.js";

export function userMessage(message, edit = null) {
  const text = h("div", { class: "text" }, message.content);
  const element = h("article", { class: "message user", "aria-label": "You" }, text);
  if (edit) {
    const button = h(
      "button",
      { type: "button", class: "quiet edit", onclick: () => openEditor(element, message, edit) },
      "Edit",
    );
    element.append(h("footer", {}, button));
  }
  return element;
}

export function openEditor(element, message, edit) {
  const shown = [...element.childNodes];
  const area = h("textarea", {
    "aria-label": "Edit the message",
    rows: Math.min(12, message.content.split("\n").length + 1),
  });
  area.value = message.content;
  const close = () => {
    element.classList.remove("editing");
    element.replaceChildren(...shown);
    element.querySelector(".edit")?.focus();
  };
  const save = () => area.value.trim() && edit(area.value);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      save();
    }
  });
  element.classList.add("editing");
  element.replaceChildren(
    area,
    h(
      "footer",
      {},
      h("button", { type: "button", class: "quiet", onclick: close }, "Cancel"),
      h("button", { type: "button", class: "primary", onclick: save }, "Send again"),
    ),
  );
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
}
