// SPDX-License-Identifier: Apache-2.0
import { Api } from "./api.js";
import { ChatView } from "./chat/chat_view.js";
import { errorCard } from "./chat/error_card.js";
import { askKey } from "./dialogs.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { listenToKeys, openKeys } from "./keys.js";
import { LiveView } from "./live/live_view.js";
import { conversationStorage, sessionKey, storedSettings, storedTheme } from "./kept.js";
import { readProps } from "./props.js";
import { editSettings } from "./settings_dialog.js";
import { Store } from "./store.js";

const TABS = ["chat", "live"];
const UNDO_MS = 8000;

const iconButton = (label, name, act, attrs = {}) =>
  h(
    "button",
    { type: "button", class: "icon-only", "aria-label": label, title: label, onclick: act, ...attrs },
    icon(name),
  );

class Page {
  constructor() {
    this.api = new Api(sessionKey);
    this.props = readProps(null);
    this.settings = storedSettings.get();
    this.theme = storedTheme.get();
    const page = {
      notify: (text, undo) => this.notify(text, undo),
      askKey: () => this.askKey(),
      setSidebar: (isToggled) => this.setSidebar(isToggled),
    };
    this.chat = new ChatView({
      api: this.api,
      store: new Store(conversationStorage()),
      getSettings: () => this.settings,
      getProps: () => this.props,
      page,
    });
    this.live = new LiveView({ api: this.api, page });
    this.#build();
    this.#applyTheme();
    listenToKeys(this);
    addEventListener("hashchange", () => this.#showTab());
    this.chat.start();
    this.#showTab();
    this.loadProps();
  }

  #build() {
    this.model = h("span", { class: "model" });
    this.banner = h("div", { class: "banner" });
    this.toasts = h("div", { class: "toasts", role: "status" });
    this.menu = iconButton("Conversations", "menu", () => this.toggleSidebar(), {
      class: "icon-only menu",
      "aria-expanded": "false",
      "aria-controls": "sidebar",
    });
    document.body.replaceChildren(
      this.#skipLink(),
      this.#head(),
      this.banner,
      h(
        "main",
        {},
        this.chat.sidebar.element,
        h("div", { class: "shade", onclick: () => this.setSidebar(false) }),
        this.chat.element,
        this.live.element,
      ),
      this.toasts,
    );
  }

  #skipLink() {
    const skip = (event) => {
      event.preventDefault();
      this.inChat(({ composer }) => composer.focus());
    };
    return h("a", { class: "skip", href: "#message", onclick: skip }, "Skip to the message");
  }

  #head() {
    const onkeydown = (event) => this.#tabKey(event);
    const tab = (id, label) =>
      h("a", { role: "tab", id: `tab-${id}`, href: `#${id}`, "aria-controls": id, onkeydown }, label);
    return h(
      "header",
      { class: "top" },
      this.menu,
      h("h1", {}, "infer"),
      h("nav", { class: "tabs", role: "tablist", "aria-label": "Views" }, tab("chat", "Chat"), tab("live", "Live")),
      this.model,
      iconButton("Settings", "settings", () => this.openSettings()),
      iconButton("Dark or light", "theme", () => this.switchTheme()),
      iconButton("Keys", "keys", () => openKeys(), { class: "icon-only wide-only" }),
    );
  }

  async loadProps() {
    try {
      this.props = readProps(await this.api.props());
      this.banner.replaceChildren();
      this.model.textContent = this.props.model;
      this.model.title = this.props.context
        ? `${this.props.model}, context of ${this.props.context.toLocaleString("en-US")} tokens`
        : "";
      document.title = `${this.props.model} \u00b7 infer`;
      if (!this.chat.chat.run && !this.chat.chat.conversation.messages.length) this.chat.update();
    } catch (error) {
      if (error.kind === "key" && (await this.askKey())) return this.loadProps();
      this.banner.replaceChildren(errorCard(error, () => this.loadProps()));
    }
  }

  // Asks once, however many requests were refused.
  askKey() {
    this.keyAsked ??= askKey(sessionKey).finally(() => {
      this.keyAsked = null;
    });
    return this.keyAsked;
  }

  async openSettings() {
    const changed = await editSettings(this.settings, this.props);
    if (!changed) return;
    this.settings = changed;
    storedSettings.set(changed);
  }

  notify(text, undo = null) {
    const toast = h("p", { class: "toast" }, h("span", {}, text));
    const close = () => toast.remove();
    if (undo)
      toast.append(
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: () => {
              undo();
              close();
            },
          },
          "Undo",
        ),
      );
    this.toasts.append(toast);
    setTimeout(close, UNDO_MS);
  }

  setSidebar(isToggled) {
    document.body.classList.toggle("sidebar-toggled", isToggled);
    this.menu.setAttribute("aria-expanded", String(isToggled && this.menu.checkVisibility()));
  }

  go(tab) {
    if (location.hash !== `#${tab}`) location.hash = tab;
  }
  #showTab() {
    const shown = TABS.find((tab) => location.hash === `#${tab}`) ?? "chat";
    for (const tab of TABS) {
      const element = document.getElementById(`tab-${tab}`);
      element.setAttribute("aria-selected", String(tab === shown));
      element.tabIndex = tab === shown ? 0 : -1;
      this[tab].element.hidden = tab !== shown;
    }
    document.body.dataset.tab = shown;
    this.live.setActive(shown === "live");
    if (shown === "chat") this.chat.composer.setRunning(Boolean(this.chat.chat.run));
  }
  #tabKey(event) {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    const other = TABS.find((tab) => event.currentTarget.id !== `tab-${tab}`);
    this.go(other);
    document.getElementById(`tab-${other}`).focus();
  }

  switchTheme() {
    const isDark = this.theme ? this.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    this.theme = isDark ? "light" : "dark";
    storedTheme.set(this.theme);
    this.#applyTheme();
  }
  #applyTheme() {
    if (this.theme) document.documentElement.dataset.theme = this.theme;
  }

  escape() {
    if (this.menu.getAttribute("aria-expanded") === "true") this.setSidebar(false);
    else if (this.chat.chat.run) this.chat.chat.stop();
    else document.activeElement?.blur();
  }
  inChat(act) {
    this.go("chat");
    act(this.chat);
  }
  toggleSidebar() {
    this.setSidebar(!document.body.classList.contains("sidebar-toggled"));
    this.chat.sidebar.element.querySelector("button").focus();
  }
}

new Page();
document.documentElement.dataset.ready = "";
