// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom.js";
import * as format from "../format.js";
import { lineDiff } from "../line_diff.js";

const AROUND = 2; // unchanged lines shown beside changed ones

export class PassesView {
  constructor(app) {
    this.app = app;
    this.list = h("div", { class: "scroll" });
    this.text = h("div", { class: "diff scroll", tabindex: 0 });
    this.element = h("section", { class: "view passes" }, this.list, this.text);
    this.chosen = -1;
  }

  update(changes) {
    if (changes && !("program" in changes || "tab" in changes)) return;
    const { program } = this.app;
    const logged = program.pass_texts?.passes;
    if (this.drawnFor !== program) {
      this.drawnFor = program;
      this.chosen = Math.max(
        0,
        program.passes.findIndex((pass) => pass.changed && pass.nodes_before !== pass.nodes_after),
      );
    }
    const most = Math.max(...(logged ?? []).map((pass) => pass.ms), 1e-9);
    this.list.replaceChildren(
      h(
        "table",
        { class: "grid" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["pass", "regime", "nodes", "changed", ...(logged ? ["ms", ""] : [])].map((t) => h("th", {}, t)),
          ),
        ),
        h(
          "tbody",
          {},
          program.passes.map((pass, i) =>
            h(
              "tr",
              {
                class: `${i === this.chosen ? "current" : ""} ${pass.changed ? "" : "quiet"}`,
                onclick: () => this.#choose(i),
              },
              h("td", {}, h("button", { class: "link" }, pass.name)),
              h("td", {}, pass.regime ? format.range(program.regimes[pass.regime - 1]?.tokens ?? [0, 0]) : "all"),
              h(
                "td",
                { class: "num" },
                pass.nodes_before === pass.nodes_after
                  ? pass.nodes_after
                  : `${pass.nodes_before} \u2192 ${pass.nodes_after}`,
              ),
              h("td", {}, pass.changed ? "yes" : "no"),
              logged && h("td", { class: "num" }, logged[i]?.ms.toFixed(2) ?? ""),
              logged &&
                h(
                  "td",
                  {},
                  h("i", { class: "meter accent", style: `width:${Math.round((60 * (logged[i]?.ms ?? 0)) / most)}px` }),
                ),
            ),
          ),
        ),
      ),
    );
    this.#show();
  }

  #choose(i) {
    this.chosen = i;
    this.update(null);
  }

  #show() {
    const { program } = this.app;
    const pass = program.passes[this.chosen];
    const texts = program.pass_texts;
    if (!pass) return this.text.replaceChildren(h("p", { class: "muted" }, "Choose a pass."));
    const title = h(
      "h3",
      {},
      `${pass.name}${pass.regime ? `, T ${format.range(program.regimes[pass.regime - 1]?.tokens ?? [0, 0])}` : ""}`,
    );
    const logged = texts?.passes[this.chosen];
    if (!logged || logged.name !== pass.name) {
      return this.text.replaceChildren(
        title,
        h(
          "p",
          { class: "muted" },
          "The graphs before and after are not in this page. Compile with --pass-log log.json and give that file to infer-viz --pass-log.",
        ),
      );
    }
    const lines = lineDiff(texts.graphs[logged.before], texts.graphs[logged.after]);
    const removed = lines.filter(([kind]) => kind === "-").length;
    const added = lines.filter(([kind]) => kind === "+").length;
    this.text.replaceChildren(
      title,
      h(
        "p",
        { class: "muted" },
        `${removed} line${removed === 1 ? "" : "s"} removed, ${added} added; of the layers, ${format.layers(texts.layers)} are shown.`,
      ),
      h(
        "pre",
        {},
        shownLines(lines).map(([kind, line]) =>
          h(
            "span",
            { class: { " ": "same", "-": "gone", "+": "new", "@": "skip" }[kind] },
            kind === "@" ? `\u22ef ${line} lines\n` : `${kind} ${texts.lines[line]}\n`,
          ),
        ),
      ),
    );
  }
}

function shownLines(lines) {
  const near = new Uint8Array(lines.length);
  lines.forEach(([kind], i) => {
    if (kind !== " ") near.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  });
  const out = [];
  let skipped = 0;
  const flush = () => {
    if (skipped) out.push(["@", skipped]);
    skipped = 0;
  };
  lines.forEach((line, i) => {
    if (!near[i]) ++skipped;
    else {
      flush();
      out.push(line);
    }
  });
  flush();
  return out;
}
