// SPDX-License-Identifier: Apache-2.0
import { App } from "./app.js";
import { learnTargets } from "./colours.js";
import { h } from "./dom.js";
import { emulatedText } from "./emulated.js";
import { readDocument } from "./model.js";
import { copyReport } from "./report.js";
import { CompareView } from "./views/compare.js";
import { ExpertsView } from "./views/experts.js";
import { GraphView } from "./views/graph.js";
import { MemoryView } from "./views/memory.js";
import { OverviewView } from "./views/overview.js";
import { Panel } from "./views/panel.js";
import { PassesView } from "./views/passes.js";
import { TableView } from "./views/table.js";
import { TimelineView } from "./views/timeline.js";
import { WhatIfView } from "./views/what_if.js";

const TABS = [
  ["overview", "Overview", OverviewView],
  ["graph", "Graph", GraphView],
  ["what-if", "What if", WhatIfView],
  ["compare", "Compare", CompareView],
  ["timeline", "Timeline", TimelineView],
  ["memory", "Memory", MemoryView],
  ["passes", "Passes", PassesView],
  ["table", "Table", TableView],
  ["experts", "Experts", ExpertsView],
];

const HELP = [
  ["1, 2 \u2026", "the tabs"],
  ["/", "search"],
  ["r", "next regime"],
  ["arrows, Enter", "move in the graph, unfold or choose"],
  ["+, \u2212, arrows", "zoom and pan the timeline"],
  ["Esc", "give up the chosen node"],
  ["?", "this list"],
];

class Page {
  constructor(app) {
    this.app = app;
    this.views = new Map();
    this.shownTabs = TABS.filter(([, , View]) => !View.applies || View.applies(app.programs));
    this.main = h("main", { id: "view" });
    this.panel = new Panel(app);
    this.tabs = h(
      "div",
      { role: "tablist", "aria-label": "Views", onkeydown: (e) => this.#tabKey(e) },
      this.shownTabs.map(([id, name]) =>
        h(
          "button",
          { role: "tab", id: `tab-${id}`, "aria-controls": "view", onclick: () => app.set({ tab: id }) },
          name,
        ),
      ),
    );
    this.regimes = h("div", { class: "segmented", role: "group", "aria-label": "Regime" });
    this.programs = h("div", { class: "segmented", role: "group", "aria-label": "Program" });
    this.help = h(
      "dialog",
      { "aria-label": "Keys" },
      h("h2", {}, "Keys"),
      h(
        "dl",
        {},
        HELP.map(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)]),
      ),
      h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")),
    );
    const report = h(
      "button",
      {
        onclick: async () => {
          report.textContent = (await copyReport(app, false)) ? "Copied" : "Could not copy";
          setTimeout(() => {
            report.textContent = "Copy report";
          }, 1500);
        },
      },
      "Copy report",
    );
    document.getElementById("app").replaceChildren(
      h(
        "a",
        {
          class: "skip",
          href: "#view",
          onclick: (e) => {
            e.preventDefault();
            this.main.querySelector("button,input,[tabindex]")?.focus();
          },
        },
        "Skip to the view",
      ),
      h(
        "header",
        { class: "top" },
        h("div", { class: "title" }, h("h1", {}), h("span", { class: "muted policy" })),
        this.programs,
        this.regimes,
        h(
          "span",
          { class: "buttons" },
          report,
          h(
            "button",
            { "aria-label": "Light or dark", title: "Light or dark", onclick: () => this.#theme() },
            "\u25d1",
          ),
          h("button", { "aria-label": "Keys", title: "Keys", onclick: () => this.help.showModal() }, "?"),
        ),
      ),
      h("p", { class: "emulated", role: "note", hidden: !emulatedText(app.programs) }, emulatedText(app.programs)),
      h("nav", { class: "tabs" }, this.tabs),
      h("div", { class: "columns" }, this.main, this.panel.element),
      this.help,
    );
    app.addEventListener("change", (e) => this.update(e.detail ?? null));
    addEventListener("keydown", (e) => this.#key(e));
    this.update(null);
  }

  update(changes) {
    const { app } = this;
    const { program, state } = app;
    if (!this.shownTabs.some(([id]) => id === state.tab)) state.tab = "overview";
    document.querySelector("h1").textContent = program.files;
    document.querySelector(".policy").textContent =
      `policy ${program.policy.name} \u00b7 ${program.machine.origin} machine`;
    this.#choices(
      this.programs,
      app.programs.length > 1 ? app.programs.map((p, i) => `${"AB"[i]} ${p.name}`) : [],
      state.program,
      (i) => app.set({ program: i }),
    );
    this.#choices(
      this.regimes,
      program.regimes.map((regime) => regime.name),
      state.regime,
      (i) => app.set({ regime: i }),
    );
    for (const tab of this.tabs.children) {
      const chosen = tab.id === `tab-${state.tab}`;
      tab.setAttribute("aria-selected", chosen);
      tab.tabIndex = chosen ? 0 : -1;
    }
    const [id, , View] = this.shownTabs.find(([name]) => name === state.tab);
    const isNew = !this.views.has(id);
    if (isNew) this.views.set(id, new View(app));
    const view = this.views.get(id);
    const entered = view !== this.view;
    if (entered) {
      this.view = view;
      this.main.replaceChildren(view.element);
      this.main.setAttribute("aria-labelledby", `tab-${id}`);
    }
    // The panel first: views draw in the width that it leaves.
    this.panel.update();
    document.body.classList.toggle("has-node", Boolean(app.node));
    view.update(entered || !changes ? null : changes);
    if (
      id === "graph" &&
      app.node &&
      (entered || (changes && "node" in changes && !document.activeElement?.closest(".graph")))
    )
      view.show(app.node);
  }

  #choices(element, names, chosen, choose) {
    element.hidden = names.length < 2;
    element.replaceChildren(
      ...names.map((name, i) =>
        h("button", { "aria-pressed": i === chosen ? "true" : "false", onclick: () => choose(i) }, name),
      ),
    );
  }

  #tabKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = this.shownTabs;
    const at = tabs.findIndex(([id]) => id === this.app.state.tab);
    const [id] = tabs[(at + step + tabs.length) % tabs.length];
    this.app.set({ tab: id });
    document.getElementById(`tab-${id}`).focus();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return this.app.select(null);
    if (event.target.closest?.("input, select, textarea, dialog")) return;
    const [tab] = this.shownTabs[Number(event.key) - 1] ?? [];
    if (tab) this.app.set({ tab });
    else if (event.key === "r") this.app.set({ regime: (this.app.state.regime + 1) % this.app.program.regimes.length });
    else if (event.key === "?") this.help.showModal();
    else if (event.key === "/") {
      const search = this.main.querySelector("input[type=search]");
      if (!search) return;
      event.preventDefault();
      search.focus();
    }
  }

  #theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    this.view.update({ theme: root.dataset.theme });
  }
}

async function start() {
  try {
    const programs = await readDocument(document.getElementById("infer-data"));
    const targets = programs.flatMap((program) => program.targets);
    document.head.append(h("style", {}, learnTargets(targets)));
    const app = new App(programs);
    const page = new Page(app);
    document.documentElement.dataset.ready = performance.now().toFixed(0);
    globalThis.inferViz = { app, page };
  } catch (error) {
    document
      .getElementById("app")
      .replaceChildren(h("p", { class: "failure", role: "alert" }, `This page cannot be shown: ${error.message}`));
    throw error;
  }
}

start();
