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
