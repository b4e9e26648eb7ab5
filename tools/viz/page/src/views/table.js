// SPDX-License-Identifier: Apache-2.0
import { download, h, nodeName } from "../dom.js";
import * as format from "../format.js";
import { matcher } from "../search.js";
import { chip } from "./panel.js";

const ROWS = 300; // rows shown at first; a browser lays out this many in 20 ms

const NODE_COLUMNS = [
  ["step", "#", true],
  ["name", "node"],
  ["op", "op"],
  ["target", "target"],
  ["kernel", "kernel"],
  ["rule", "rule"],
  ["types", "types"],
  ["estimate", "estimate", true],
  ["measured", "mean", true],
  ["bytes", "result bytes", true],
];
const GROUP_COLUMNS = [
  ["name", "group"],
  ["count", "nodes", true],
  ["target", "targets"],
  ["estimate", "estimate", true],
  ["measured", "mean", true],
];

export class TableView {
  constructor(app) {
    this.app = app;
    this.sort = { column: "step", down: false };
    this.search = h("input", {
      type: "search",
      class: "search",
      placeholder: "Filter: regex, op:linear, target:simd",
      "aria-label": "Filter nodes",
      oninput: () => this.draw(),
    });
    this.group = h(
      "select",
      {
        "aria-label": "Group by",
        onchange: () => {
          this.sort = { column: this.group.value ? "estimate" : "step", down: Boolean(this.group.value) };
          this.draw();
        },
      },
      [
        ["", "no grouping"],
        ["op", "by op"],
        ["layer", "by layer"],
        ["target", "by target"],
        ["rule", "by rule"],
      ].map(([value, text]) => h("option", { value }, text)),
    );
    this.count = h("output", { class: "hits" });
    this.body = h("div", { class: "scroll" });
    this.shown = ROWS;
    this.element = h(
      "section",
      { class: "view table-view" },
      h(
        "div",
        { class: "toolbar" },
        this.search,
        this.group,
        this.count,
        h("button", { onclick: () => this.#export() }, "Save CSV"),
      ),
      this.body,
    );
  }

  update(changes) {
    if (changes && !("regime" in changes || "program" in changes || "tab" in changes || "node" in changes)) return;
    this.draw();
  }

  #rows() {
    const { program, regime } = this.app;
    const wanted = matcher(this.search.value, program) ?? (() => true);
    const bytes = new Map(regime.slots?.filter((slot) => slot.result === 0).map((slot) => [slot.node, slot.bytes]));
    return regime.nodes.filter(wanted).map((node) => {
      const [record, kind] = [program.record(node), program.kind(node)];
      return {
        node,
        step: node.step,
        name: node.name,
        op: kind.op,
        target: record.target,
        kernel: record.kernel,
        rule: record.rule,
        layer: node.layer ?? "none",
        types: `${kind.weight_types} ${kind.results[0] ?? ""}`.trim(),
        estimate: record.estimate_ns?.[0] ?? 0,
        measured: program.measured(regime, node)?.mean_ns ?? 0,
        bytes: bytes.get(node.index) ?? 0,
      };
    });
  }

  #grouped(rows) {
    const by = this.group.value;
    if (!by) return rows;
    const groups = new Map();
    for (const row of rows) {
      const group = groups.get(row[by]) ?? { name: row[by], count: 0, target: new Set(), estimate: 0, measured: 0 };
      ++group.count;
      group.target.add(row.target);
      group.estimate += row.estimate;
      group.measured += row.measured;
      groups.set(row[by], group);
    }
    return [...groups.values()].map((group) => ({ ...group, target: [...group.target].join(", ") }));
  }

  #sorted() {
    const { column, down } = this.sort;
    const sign = down ? -1 : 1;
    return this.#grouped(this.#rows()).sort(
      (a, b) => sign * (a[column] < b[column] ? -1 : a[column] > b[column] ? 1 : 0),
    );
  }

  #columns() {
    const columns = this.group.value ? GROUP_COLUMNS : NODE_COLUMNS;
    return columns.filter(([key]) => key !== "measured" || this.app.program.profile);
  }

  draw() {
    const rows = this.#sorted();
    const columns = this.#columns();
    this.count.textContent = `${rows.length} rows`;
    const cell = (row, key, number) => {
      const value = row[key];
      if (key === "target" && row.node) return h("td", {}, chip(value));
      const text =
        key === "estimate" || key === "measured"
          ? format.time(value)
          : key === "bytes"
            ? value
              ? format.bytes(value)
              : ""
            : String(value);
      return h(
        "td",
        { class: number ? "num" : "" },
        key === "name" && row.node ? h("button", { class: "link" }, nodeName(text)) : text,
      );
    };
    this.body.replaceChildren(
      h(
        "table",
        { class: "grid" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            columns.map(([key, text, number]) =>
              h(
                "th",
                {
                  class: number ? "num" : "",
                  "aria-sort": this.sort.column === key ? (this.sort.down ? "descending" : "ascending") : "none",
                },
                h(
                  "button",
                  {
                    class: "sort",
                    onclick: () => {
                      this.sort = { column: key, down: this.sort.column === key && !this.sort.down };
                      this.draw();
                    },
                  },
                  text,
                  this.sort.column === key ? (this.sort.down ? " \u25be" : " \u25b4") : "",
                ),
              ),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          rows.slice(0, this.shown).map((row) =>
            h(
              "tr",
              {
                class: row.node && row.node.id === this.app.state.node ? "current" : "",
                onclick: () => row.node && this.app.select(row.node),
              },
              columns.map(([key, , number]) => cell(row, key, number)),
            ),
          ),
        ),
      ),
      rows.length > this.shown
        ? h(
            "button",
            {
              class: "more",
              onclick: () => {
                this.shown += 2000;
                this.draw();
              },
            },
            `Show more of ${rows.length}`,
          )
        : "",
    );
  }

  #export() {
    const columns = this.#columns();
    const quote = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value);
    const lines = [
      columns.map(([key]) => key),
      ...this.#sorted().map((row) => columns.map(([key]) => quote(row[key]))),
    ];
    download("nodes.csv", "text/csv", lines.map((line) => line.join(",")).join("\n") + "\n");
  }
}
