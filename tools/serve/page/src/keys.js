// SPDX-License-Identifier: Apache-2.0
// The keys of the page. Letters work outside of text fields.
import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";

// Keys that the fields themselves handle have no `act`.
const KEYS = [
  { keys: ["Enter"], does: "send the message" },
  { keys: ["Shift", "Enter"], does: "new line" },
  { keys: ["\u2191"], does: "in an empty field: edit the last message" },
  { keys: ["Esc"], does: "stop the answer; leave the field" },
  { keys: ["/"], does: "go to the field", act: (page) => page.inChat(({ composer }) => composer.focus()) },
  {
    keys: ["n"],
    does: "new chat",
    act: (page) =>
      page.inChat(({ chat, composer }) => {
        chat.startNew();
        composer.focus();
      }),
  },
  { keys: ["r"], does: "regenerate the last answer", act: (page) => page.inChat(({ chat }) => chat.regenerate()) },
  { keys: ["e"], does: "edit the last message", act: (page) => page.inChat((view) => view.editLast()) },
  { keys: ["b"], does: "show or hide the conversations", act: (page) => page.toggleSidebar() },
  { keys: ["1"], does: "chat", act: (page) => page.go("chat") },
  { keys: ["2"], does: "live view", act: (page) => page.go("live") },
  { keys: ["s"], does: "settings", act: (page) => page.openSettings() },
  { keys: ["t"], does: "dark or light", act: (page) => page.switchTheme() },
  { keys: ["?"], does: "this list", act: () => openKeys() },
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
      KEYS.map(({ keys, does }) => [
        h(
          "dt",
          {},
          keys.map((key) => [h("kbd", {}, key), " "]),
        ),
        h("dd", {}, does),
      ]),
    ),
    h("footer", {}, h("button", { class: "primary", onclick: () => dialog.close() }, "Close")),
  );
  return openDialog(dialog);
}

export function listenToKeys(page) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") return page.escape();
    // A field of a dialog that is closing keeps the focus until the dialog is removed.
    if (event.target.closest?.("input, select, textarea") && !event.target.closest("dialog:not([open])")) return;
    const found = KEYS.find(({ keys, act }) => act && keys[0] === event.key);
    if (!found) return;
    event.preventDefault();
    found.act(page);
  });
}
