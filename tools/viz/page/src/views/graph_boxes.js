// SPDX-License-Identifier: Apache-2.0
// Boxes of the graph that can be clicked, and the legend. `view` is the GraphView.
import { h, s } from "../dom.js";
import * as format from "../format.js";
import { targetClass, TARGETS } from "../colours.js";
import { clip, differs, linesOf, shareBar, sharesOf, times, titleOf } from "./graph_shapes.js";

export function clusterShape(view, box) {
  const { item } = box;
  const [x, y] = [box.x - box.width / 2, box.y - box.height / 2];
  return s(
    "g",
    {
      class: "cluster",
      "data-key": item.key,
      tabindex: 0,
      role: "button",
      "aria-expanded": "true",
      "aria-label": `${titleOf(item)}, unfolded`,
      onclick: () => view.toggle(item),
    },
    s("rect", { x, y, width: box.width, height: box.height, rx: 10 }),
    s("text", { x: x + 12, y: y + 18 }, titleOf(item)),
    times(item, x + box.width - 12, y + 18),
    item.differs && differs(item, x + box.width - 50, y + 18),
  );
}

export function pillShape({ item, x, y, width, height }) {
  return s(
    "g",
    { class: item.pill.isSource ? "pill source" : "pill" },
    s("title", {}, item.pill.isSource ? item.pill.title : `read from ${titleOf(item.pill)}`),
    s("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 }),
    s(
      "text",
      { x, y: y + 4, "text-anchor": "middle" },
      item.pill.isSource ? clip(item.pill.label, 30) : clip(`from ${titleOf(item.pill)}`, 20),
    ),
  );
}

export function boxShape(view, box) {
  const { item } = box;
  const [x, y] = [box.x - box.width / 2, box.y - box.height / 2];
  const shares = sharesOf(view.app, item);
  const main = shares[0]?.[0];
  const style = TARGETS[main] ?? { dash: "", border: 1.25 };
  const fold = Boolean(item.children);
  const lines = linesOf(item);
  const below = 22 + 16 * lines.length;
  const label = `${titleOf(item)}, ${shares.map(([t, n]) => `${n} on ${t}`).join(", ")}`;
  return s(
    "g",
    {
      class: `box ${targetClass(main)} ${fold ? "folded" : "leaf"}`,
      "data-key": item.key,
      transform: `translate(${x},${y})`,
      tabindex: 0,
      role: "button",
      "aria-expanded": fold ? "false" : null,
      "aria-label": label,
      onclick: () => view.activate(item),
    },
    s("title", {}, hover(view, item, label)),
    fold &&
      item.layers?.length > 1 &&
      s("rect", { class: "pile", x: 5, y: 5, width: box.width, height: box.height, rx: 7 }),
    s("rect", {
      class: "body",
      width: box.width,
      height: box.height,
      rx: 7,
      "stroke-dasharray": style.dash,
      "stroke-width": style.border,
      style: `fill:${view.scale.of(item)}`,
    }),
    shareBar(shares, box),
    lines.map((line, i) => s("text", { class: "name", x: 12, y: 22 + 16 * i }, line)),
    s("text", { class: "sub", x: 12, y: below }, clip(subtitle(view, item, shares), item.differs ? 22 : 33)),
    times(item, box.width - 10, 22),
    differs(item, box.width - 10, below),
  );
}

function subtitle(view, item, shares) {
  const extra = view.scale.text(item);
  if (item.nodes) {
    const { program } = view.app;
    const kind = program.kind(item.nodes[0]);
    const op = item.label === item.op ? "" : `${item.op} `;
    return extra ? `${op}${extra}` : `${op}${kind.weight_types} ${kind.results[0] ?? ""}`.trim();
  }
  const text = shares.map(([t, n]) => `${t} ${n}`).join(" \u00b7 ");
  return extra ? `${extra} \u00b7 ${text}` : text;
}

function hover(view, item, label) {
  if (!item.nodes) return `${label}\nclick to unfold`;
  const { program, regime } = view.app;
  const node = item.nodes[0];
  const record = program.record(node);
  const lines = [
    label,
    `${program.kind(node).results.join(", ")}  ${program.kind(node).weight_types}`,
    `rule ${record.rule}: ${record.because}`,
  ];
  if (record.estimate_ns) lines.push(`estimate ${format.span(format.time, record.estimate_ns)}`);
  const measured = program.measured(regime, node);
  if (measured)
    lines.push(`measured ${format.time(measured.mean_ns)} (mean), of it waiting ${format.time(measured.waiting_ns)}`);
  for (const r of record.rejected) lines.push(`not ${r.target}: ${r.why}`);
  return lines.join("\n");
}

export function legendOf(view) {
  const { regime } = view.app;
  const targets = Object.entries(regime.nodes_by_target).filter(([, n]) => n > 0);
  const swatch = (target) =>
    s(
      "svg",
      { width: 22, height: 14, class: targetClass(target), "aria-hidden": "true" },
      s("rect", {
        class: "body",
        x: 2,
        y: 2,
        width: 18,
        height: 10,
        rx: 3,
        "stroke-dasharray": TARGETS[target]?.dash,
        "stroke-width": TARGETS[target]?.border,
      }),
    );
  const { crossings } = regime;
  const line = (kind, width, text) =>
    h(
      "span",
      { class: "key" },
      s(
        "svg",
        { width: 26, height: 14, "aria-hidden": "true" },
        s("path", { class: `edge ${kind}`, d: "M1,7L25,7", "stroke-width": width }),
      ),
      text,
    );
  return [
    ...targets.map(([target, n]) => h("span", { class: "key" }, swatch(target), `${target} ${n}`)),
    ...(view.scale.legend ?? []).map(([text, colour]) =>
      h("span", { class: "key" }, h("i", { class: "patch", style: `background:${colour}` }), text),
    ),
    line("crosses", 2, "between targets"),
    crossings.some((c) => c.copies) ? line("devices", 3, "copied to another device") : "",
    crossings.some((c) => c.shared) ? line("devices shared", 3, "other device, same memory") : "",
  ];
}
