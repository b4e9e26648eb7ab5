// SPDX-License-Identifier: Apache-2.0
// Shows everything that the Program records about the selected node.
import { copyText, h, nodeName } from "../dom.js";
import * as format from "../format.js";
import { supportOn } from "../kernel_choices.js";
import { targetClass } from "../colours.js";

export const chip = (target) => h("span", { class: `chip ${targetClass(target)}` }, target);

// Says where the node's step is, if the regime runs on more than one device.
function segmentText(regime, node) {
  const { segments = [] } = regime;
  const at = segments.findIndex(({ steps }) => steps.some((step) => step.node === node.index));
  if (segments.length < 2 || at < 0) return "";
  const { device, space, waits = [] } = segments[at];
  const where = space === device ? "" : `, in the memory of ${space}`;
  const waiting = waits.length ? `, after a wait for ${waits.join(" and ")}` : "";
  return `${at + 1} of ${segments.length}, on ${device}${where}${waiting}`;
}

// Says where results of the node are copied.
function copiesText(regime, node) {
  const copies = (regime.segments ?? []).flatMap(({ steps }) => steps).map(({ copy }) => copy);
  return copies
    .filter((copy) => copy?.node === node.index)
    .map(({ from, to }) => `${from} → ${to}`)
    .join(", ");
}

export class Panel {
  constructor(app) {
    this.app = app;
    this.element = h("aside", { class: "panel", "aria-label": "Chosen node", tabindex: -1 });
  }

  update() {
    const { app } = this;
    const { node } = app;
    this.element.classList.toggle("empty", !node);
    if (!node) {
      this.element.replaceChildren(
        h(
          "p",
          { class: "hint" },
          "Choose a node in any view: its shapes, the rule that placed it, what was against the other targets, and its times are shown here.",
        ),
      );
      return;
    }
    const { program, regime } = app;
    const [kind, record, group] = [program.kind(node), program.record(node), program.groupOf(node)];
    this.element.replaceChildren(
      h(
        "header",
        {},
        h("h2", {}, nodeName(node.name)),
        h("button", { class: "close", "aria-label": "Close", onclick: () => app.select(null) }, "\u00d7"),
      ),
      h(
        "p",
        { class: "lead" },
        chip(record.target),
        " ",
        h("code", {}, kind.op),
        group?.layers.length > 1 &&
          h("span", { class: "muted" }, ` the same in ${group.layers.length} layers: ${format.layers(group.layers)}`),
      ),
      this.#decision(record),
      this.#others(node, record, group),
      this.#times(regime, node, record),
      this.#facts(node, kind),
      this.#regimes(node),
    );
  }

  #decision(record) {
    const { program } = this.app;
    const by = {
      policy: `rule ${record.rule} of policy ${program.policy.name}`,
      override: `rule ${record.rule}, given on the command line`,
      smooth: `smooth-placement moved it to its neighbours' target (rule ${record.rule})`,
      legalize: `rule ${record.rule}, for the op that this is a part of`,
    }[record.source];
    return h(
      "section",
      {},
      h("h3", {}, "Why here"),
      h("p", {}, by),
      h("p", { class: "because" }, record.because),
      record.passed_over.map((rule) =>
        h(
          "p",
          { class: "muted small" },
          `Rule ${rule.rule} came before and wants ${rule.terms.map((t) => `${t.field} ${t.cmp} ${format.exact(t.threshold)}, found ${format.span(format.exact, t.found)}`).join("; ")}.`,
        ),
      ),
    );
  }

  #others(node, record, group) {
    const { program } = this.app;
    const position = program.choices?.[node.choice].kernel_choice;
    return h(
      "section",
      {},
      h("h3", {}, "Other targets"),
      h(
        "ul",
        { class: "others" },
        record.rejected.map((other) => {
          const flag = group?.place[other.target];
          const support = position === undefined ? "whole" : supportOn(program, other.target, position);
          return h(
            "li",
            {},
            chip(other.target),
            ` ${other.why}`,
            support === "in parts" && other.could_move && h("span", { class: "muted" }, "; it would run in parts"),
            support === null && other.could_move
              ? h("div", { class: "muted small" }, "and the machine that compiled it had no kernel for it there")
              : flag &&
                  other.could_move &&
                  h(
                    "div",
                    { class: "flag" },
                    h("code", {}, flag),
                    copyButton(flag),
                    beforeText(record) && h("div", { class: "muted small" }, beforeText(record)),
                  ),
          );
        }),
      ),
    );
  }

  #times(regime, node, record) {
    const measured = this.app.program.measured(regime, node);
    const rows = [];
    if (record.estimate_ns) rows.push(["estimate, both ends", format.span(format.time, record.estimate_ns)]);
    if (measured) {
      rows.push(
        ["measured, mean", format.time(measured.mean_ns)],
        ["of it waiting, mean", format.time(measured.waiting_ns)],
        ["least, median, p95", [measured.min_ns, measured.p50_ns, measured.p95_ns].map(format.time).join(", ")],
        ["estimate of these calls", format.time(measured.estimate_ns)],
        ["calls", format.exact(measured.n)],
      );
    }
    if (!rows.length) return null;
    return h("section", {}, h("h3", {}, "Time"), measured && measured.estimate_ns > 0 && versus(measured), facts(rows));
  }

  #facts(node, kind) {
    const { program } = this.app;
    const weights = (node.weights ?? []).map((w) => program.weights[w]);
    const rows = [
      ["results", kind.results.join(", ")],
      ["shard", kind.shard],
      ["weights", weights.map((w) => `${w.name} ${w.type}, ${format.bytes(w.bytes)}`).join("; ")],
      ["reads", (node.reads ?? []).join(", ")],
      ["kernel", program.record(node).kernel],
      ["work", format.symbolic(kind.flops, "FLOP")],
      ["memory", format.symbolic(kind.bytes, "bytes")],
      ["step", `${node.step}, ${node.mode}${node.barrier ? ", then a barrier" : ""}`],
      ["segment", segmentText(this.app.regime, node)],
      ["copied", copiesText(this.app.regime, node)],
      ["was", node.origins.filter(Boolean).join(", ")],
      ["fused from", node.merged ? [node.scope, ...node.merged].join(", ") : ""],
      [
        "attributes",
        Object.entries(kind.attrs)
          .map(([k, v]) => `${k} = ${v}`)
          .join(", "),
      ],
      ["id", node.id],
    ];
    return h("section", {}, h("h3", {}, "What it is"), facts(rows.filter(([, v]) => v)));
  }

  #regimes(node) {
    const { app } = this;
    if (app.program.regimes.length < 2) return null;
    return h(
      "section",
      {},
      h("h3", {}, "In the other regimes"),
      h(
        "ul",
        { class: "others" },
        app.program.regimes.map((regime, r) => {
          const n = regime.byId.get(node.id);
          if (n === undefined) return h("li", {}, `${regime.name}: not there`);
          const record = app.program.record(regime.nodes[n]);
          return h(
            "li",
            {},
            h("button", { class: "link", onclick: () => app.set({ regime: r }) }, regime.name),
            " ",
            chip(record.target),
            h("span", { class: "muted" }, ` ${record.rule}`),
          );
        }),
      ),
    );
  }
}

// The first flag that matches a node decides: a flag after the one that placed it has no effect.
const beforeText = ({ place_before: flag }) => flag && `It must come before ${flag}`;

function versus({ mean_ns: measured, working_ns: working, waiting_ns: waiting, estimate_ns: estimate }) {
  const most = Math.max(measured, estimate);
  const part = (name, ns) => h("i", { class: name, style: `width:${Math.max(2, (100 * ns) / most)}px` });
  const bar = (name, ns, ...parts) =>
    h("div", { class: "versus" }, h("span", {}, name), h("div", {}, parts), h("span", {}, format.time(ns)));
  return h(
    "div",
    {},
    bar("measured", measured, part("measured", working), waiting > 0 && part("waiting", waiting)),
    bar("estimate", estimate, part("estimate", estimate)),
  );
}

const facts = (rows) =>
  h(
    "dl",
    {},
    rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );

function copyButton(text) {
  const button = h(
    "button",
    {
      class: "copy",
      onclick: async () => {
        button.textContent = (await copyText(text)) ? "copied" : "select and copy";
        setTimeout(() => {
          button.textContent = "copy";
        }, 1500);
      },
    },
    "copy",
  );
  return button;
}
