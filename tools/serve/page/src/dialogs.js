// SPDX-License-Identifier: Apache-2.0
import { h } from "./dom.js";

// A modal dialog that is removed when it closes. Resolves with its return value.
export function openDialog(dialog) {
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue);
    });
  });
}

const KEYS = [
  ["Enter", "send the message"],
  ["Shift Enter", "new line"],
  ["\u2191", "in an empty field: edit the last message"],
  ["Esc", "stop the answer; leave the field"],
  ["/", "go to the field"],
  ["n", "new chat"],
  ["r", "regenerate the last answer"],
  ["e", "edit the last message"],
  ["b", "conversations"],
  ["1, 2", "chat, live view"],
  ["s", "settings"],
  ["t", "dark or light"],
  ["?", "this list"],
];

export function openKeys() {
  const dialog = h(
    "dialog",
    { "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("p", { class: "muted" }, "Letters work outside of text fields."),
    h(
      "dl",
      { class: "keys" },
      KEYS.map(([keys, does]) => [
        h(
          "dt",
          {},
          keys.split(" ").map((key) => [h("kbd", {}, key), " "]),
        ),
        h("dd", {}, does),
      ]),
    ),
    h("footer", {}, h("button", { class: "primary", onclick: () => dialog.close() }, "Close")),
  );
  return openDialog(dialog);
}

// Asks for the API key. Resolves with whether one was given.
export async function askKey(key) {
  const field = h("input", {
    type: "password",
    name: "key",
    autocomplete: "off",
    "aria-label": "API key",
    required: true,
  });
  const dialog = h(
    "dialog",
    { "aria-label": "API key" },
    h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          key.set(field.value.trim());
          dialog.close("given");
        },
      },
      h("h2", {}, "API key"),
      h(
        "p",
        {},
        key.get() ? "The server does not accept this key. Please check it." : "This server asks for an API key.",
      ),
      field,
      h("p", { class: "muted" }, "It is kept until this tab is closed, and sent to this server only."),
      h(
        "footer",
        {},
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: "primary" }, "Continue"),
      ),
    ),
  );
  return (await openDialog(dialog)) === "given";
}
