// SPDX-License-Identifier: Apache-2.0
// Small values that the browser keeps: the key and the open conversation for the tab, settings and theme for good. A browser that refuses to
// store anything costs the reader no more than the memory of them.
import { readSettings } from "./settings.js";

function kept(getStorage, name) {
  let current = null;
  return {
    get() {
      try {
        return getStorage().getItem(name) ?? current;
      } catch {
        return current;
      }
    },
    set(text) {
      current = text;
      try {
        getStorage().setItem(name, text);
      } catch {
        // Full or forbidden: `current` lasts as long as the page.
      }
    },
  };
}

export const sessionKey = kept(() => sessionStorage, "infer.key");
export const openConversation = kept(() => sessionStorage, "infer.open");

const settingsText = kept(() => localStorage, "infer.settings");
export const storedSettings = {
  get() {
    try {
      return readSettings(JSON.parse(settingsText.get()));
    } catch {
      return readSettings(null);
    }
  },
  set: (settings) => settingsText.set(JSON.stringify(settings)),
};

const themeText = kept(() => localStorage, "infer.theme");
export const storedTheme = {
  get: () => (["dark", "light"].includes(themeText.get()) ? themeText.get() : null),
  set: (theme) => themeText.set(theme),
};

// Where conversations are kept: for as long as the page if the browser allows nothing else.
export function conversationStorage() {
  try {
    localStorage.getItem("infer.chats");
    return localStorage;
  } catch {
    const entries = new Map();
    return {
      getItem: (name) => entries.get(name) ?? null,
      setItem: (name, text) => entries.set(name, text),
      removeItem: (name) => entries.delete(name),
    };
  }
}
