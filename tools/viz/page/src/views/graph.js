// SPDX-License-Identifier: Apache-2.0
// The graph: layers folded, unfolded by a click, coloured by what is asked for.
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { h, s } from "../dom.js";
import * as format from "../format.js";
import { layOut, pathOf } from "../layout.js";
import { buildTree, findPath, leafEdges, leafIndex, leavesOf, timesOf } from "../tree.js";
import { diverging, namedColours, ramp, targetClass, TARGETS } from "../colours.js";
import { matcher } from "../search.js";
import { minimap } from "./minimap.js";

export const COLOURS = [["target", "target"], ["estimate", "estimate"], ["measured", "measured"],
                        ["ratio", "estimate / measured"], ["type", "weight type"], ["mode", "how it is shared out"]];

export class GraphView {
  constructor(app) {
    this.app = app;
    this.open = new Set(app.state.open.length ? app.state.open : []);
    this.svg = s("svg", { class: "graph", role: "group", "aria-label": "Graph of the program" });
    this.scene = s("g", {});
    this.svg.append(arrowheads(), this.scene);
    this.search = h("input", { type: "search", placeholder: "Search: regex, op:linear, target:simd, rule:rest",
                               "aria-label": "Search nodes", class: "search",
                               oninput: () => this.#searchChanged(),
                               onkeydown: (e) => e.key === "Enter" && this.#nextHit() });
    this.hits = h("output", { class: "hits", "aria-live": "polite" });
    this.legend = h("div", { class: "legend" });
    this.crumbs = h("nav", { class: "crumbs", "aria-label": "Unfolded" });
    this.colour = h("select", { "aria-label": "Colour by", onchange: () => app.set({ colour: this.colour.value }) });
    this.map = h("div", { class: "minimap", "aria-hidden": "true" });
    const canvas = h("div", { class: "canvas" }, this.svg, this.map);
    this.element = h("section", { class: "view graph-view" },
      h("div", { class: "toolbar" }, this.search, this.hits,
        h("label", {}, "Colour ", this.colour),
        h("span", { class: "buttons" },
          h("button", { onclick: () => this.#unfoldAll() }, "Unfold one layer"),
          h("button", { onclick: () => this.#fold() }, "Fold"),
          h("button", { onclick: () => this.fit() }, "Fit"))),
      h("div", { class: "underbar" }, this.crumbs, this.legend), canvas);
    this.zoom = zoom().scaleExtent([0.05, 3]).on("zoom", ({ transform }) => {
      this.scene.setAttribute("transform", transform);
      this.#drawMap(transform);
    });
    select(this.svg).call(this.zoom).on("dblclick.zoom", null);
    this.svg.addEventListener("keydown", (e) => this.#key(e));
    // The panel comes and goes: what is in the middle stays there.
    let width = 0;
    new ResizeObserver(([{ contentRect }]) => {
      const by = contentRect.width - width;
      if (width && contentRect.width && by) select(this.svg).call(this.zoom.translateBy, by / 2 / this.transform.k, 0);
      else if (!width && contentRect.width) this.fit();
      width = contentRect.width;
    }).observe(canvas);
  }

  // `changes` null: draw whatever the state.
  update(changes) {
    const { app } = this;
    const redraw = !changes || "regime" in changes || "program" in changes || "colour" in changes || "open" in changes;
    if (!redraw) return this.#markSelected();
    const measured = Boolean(app.program.profile);
    this.colour.replaceChildren(...COLOURS.filter(([c]) => measured || (c !== "measured" && c !== "ratio"))
      .map(([value, text]) => h("option", { value, selected: value === app.state.colour }, text)));
    this.#build();
    this.draw();
    if (!changes || "program" in changes) this.fit();
  }

  #build() {
    const { program, regime } = this.app;
    if (this.builtFor === regime) return;
    this.builtFor = regime;
    this.root = buildTree(program, regime);
    this.index = leafIndex(program, regime, this.root);
    this.edges = leafEdges(regime, this.index);
    for (const edge of this.edges) edge.crosses = targetOf(this.app, edge.from) !== targetOf(this.app, edge.to);
    this.parents = new Map();
    const walk = (item) => (item.children ?? []).forEach((c) => { this.parents.set(c, item); walk(c); });
    walk(this.root);
    if (this.app.node) this.#reveal(this.app.node);
  }

  #visibleOf(item) {
    let shown = item;
    for (let up = item; up; up = this.parents.get(up)) {
      const parent = this.parents.get(up);
      if (parent && parent !== this.root && !this.open.has(parent.key)) shown = parent;
    }
    return shown;
  }

  draw() {
    const isOpen = (item) => Boolean(item.children) && this.open.has(item.key);
    const drawing = layOut(this.root, isOpen, this.parents, this.edges);
    const { boxes, links } = drawing;
    this.boxes = boxes;
    this.size = drawing;
    this.scale = this.#colouring();
    const most = Math.max(1, ...links.map((link) => link.bytes));
    this.scene.replaceChildren(
      s("g", { class: "clusters" }, boxes.filter((b) => b.open).map((b) => this.#cluster(b))),
      s("g", { class: "edges" }, links.map((link) => edgeShape(link, most))),
      s("g", { class: "pills" }, boxes.filter((b) => b.item.pill).map((b) => this.#pill(b))),
      s("g", { class: "boxes" }, boxes.filter((b) => !b.open && !b.item.pill).map((b) => this.#box(b))));
    this.#drawLegend();
    this.#drawCrumbs();
    this.#markSelected();
    this.#searchChanged();
    this.#drawMap();
  }

  #cluster(box) {
    const { item } = box;
    const [x, y] = [box.x - box.width / 2, box.y - box.height / 2];
    return s("g", { class: "cluster", "data-key": item.key, tabindex: 0, role: "button", "aria-expanded": "true",
                    "aria-label": `${titleOf(item)}, unfolded`, onclick: () => this.toggle(item) },
      s("rect", { x, y, width: box.width, height: box.height, rx: 10 }),
      s("text", { x: x + 12, y: y + 18 }, titleOf(item)), times(item, x + box.width - 12, y + 18),
      item.differs && differs(item, x + box.width - 50, y + 18));
  }

  #pill({ item, x, y, width, height }) {
    return s("g", { class: "pill" }, s("title", {}, `read from ${titleOf(item.pill)}`),
      s("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 }),
      s("text", { x, y: y + 4, "text-anchor": "middle" }, clip(`from ${titleOf(item.pill)}`, 20)));
  }

  #box(box) {
    const { item } = box;
    const [x, y] = [box.x - box.width / 2, box.y - box.height / 2];
    const shares = sharesOf(this.app, item);
    const main = shares[0]?.[0] ?? "scalar";
    const style = TARGETS[main] ?? TARGETS.scalar;
    const fold = Boolean(item.children);
    const label = `${titleOf(item)}, ${shares.map(([t, n]) => `${n} on ${t}`).join(", ")}`;
    return s("g", { class: `box ${targetClass(main)} ${fold ? "folded" : "leaf"}`, "data-key": item.key,
                    transform: `translate(${x},${y})`, tabindex: 0, role: "button",
                    "aria-expanded": fold ? "false" : null, "aria-label": label,
                    onclick: () => this.activate(item) },
      s("title", {}, this.#hover(item, label)),
      fold && item.layers?.length > 1 && s("rect", { class: "pile", x: 5, y: 5, width: box.width, height: box.height, rx: 7 }),
      s("rect", { class: "body", width: box.width, height: box.height, rx: 7, "stroke-dasharray": style.dash,
                  "stroke-width": style.width, style: `fill:${this.scale.of(item)}` }),
      shareBar(shares, box),
      s("text", { class: "name", x: 12, y: 22 }, clip(titleOf(item), item.isStack || item.isKind ? 19 : 25)),
      s("text", { class: "sub", x: 12, y: 38 }, clip(this.#subtitle(item, shares), item.differs ? 22 : 33)),
      times(item, box.width - 10, 22), differs(item, box.width - 10, 38));
  }

  #subtitle(item, shares) {
    const extra = this.scale.text(item);
    if (item.nodes) {
      const { program } = this.app;
      const kind = program.kind(item.nodes[0]);
      const op = item.label === item.op ? "" : `${item.op} `;
      return extra ? `${op}${extra}` : `${op}${kind.weight_types} ${kind.results[0] ?? ""}`.trim();
    }
    const text = shares.map(([t, n]) => `${t} ${n}`).join(" \u00b7 ");
    return extra ? `${extra} \u00b7 ${text}` : text;
  }

  #hover(item, label) {
    if (!item.nodes) return `${label}\nclick to unfold`;
    const { program, regime } = this.app;
    const node = item.nodes[0];
    const record = program.record(node);
    const lines = [label, `${program.kind(node).results.join(", ")}  ${program.kind(node).weight_types}`,
                   `rule ${record.rule}: ${record.because}`];
    if (record.estimate_ns) lines.push(`estimate ${format.span(format.time, record.estimate_ns)}`);
    const measured = program.measured(regime, node);
    if (measured) lines.push(`measured ${format.time(measured.p50_ns)} (p95 ${format.time(measured.p95_ns)})`);
    for (const r of record.rejected) lines.push(`not ${r.target}: ${r.why}`);
    return lines.join("\n");
  }

  activate(item) {
    if (item.children) this.toggle(item);
    else this.app.select(item.nodes[0]);
  }

  toggle(item) {
    const started = performance.now();
    if (this.open.has(item.key)) this.open.delete(item.key);
    else this.open.add(item.key);
    this.draw();
    this.#center(item);
    this.app.state.open = [...this.open];
    this.app.set({});
    this.lastToggleMs = performance.now() - started;
    this.svg.dataset.toggleMs = this.lastToggleMs.toFixed(1);
    this.scene.querySelector(`[data-key="${CSS.escape(item.key)}"]`)?.focus({ preventScroll: true });
  }

  #unfoldAll() {
    const first = this.root.children.find((item) => item.layers);
    if (!first) return;
    this.open.add(first.key);
    const kind = first.isStack ? first.children[0] : first;
    this.open.add(kind.key);
    kind.children.forEach((part) => part.children && this.open.add(part.key));
    this.#opened();
  }

  #fold() {
    this.open.clear();
    this.#opened();
  }

  #opened() {
    this.app.state.open = [...this.open];
    this.draw();
    this.fit();
    this.app.set({});
  }

  #reveal(node) {
    const leaf = this.index.get(node.index);
    let changed = false;
    for (let up = leaf && this.parents.get(leaf); up && up !== this.root; up = this.parents.get(up)) {
      if (!this.open.has(up.key)) changed = true;
      this.open.add(up.key);
    }
    return changed;
  }

  #markSelected() {
    const { node } = this.app;
    if (!this.root) return;
    const leaf = node && this.index.get(node.index);
    const shown = leaf && this.#visibleOf(leaf);
    this.scene.querySelectorAll(".selected").forEach((e) => e.classList.remove("selected"));
    if (!shown) return;
    this.scene.querySelector(`[data-key="${CSS.escape(shown.key)}"]`)?.classList.add("selected");
  }

  show(node) {
    this.#build();
    if (this.#reveal(node)) this.draw();
    this.#markSelected();
    const leaf = this.index.get(node.index);
    if (leaf) this.#center(leaf, true);
  }

  #searchChanged() {
    const wanted = matcher(this.search.value, this.app.program);
    const boxes = this.scene.querySelectorAll(".box");
    this.found = wanted ? [...leavesOf(this.root)].filter((leaf) => leaf.nodes.some(wanted)) : [];
    const keys = new Set(this.found.map((leaf) => this.#visibleOf(leaf).key));
    for (const box of boxes) {
      box.classList.toggle("hit", Boolean(wanted) && keys.has(box.dataset.key));
      box.classList.toggle("dim", Boolean(wanted) && !keys.has(box.dataset.key));
    }
    const nodes = this.found.reduce((sum, leaf) => sum + timesOf(leaf), 0);
    this.hits.textContent = wanted ? `${nodes} node${nodes === 1 ? "" : "s"} found` : "";
    this.hit = -1;
  }

  #nextHit() {
    if (!this.found.length) return;
    const hit = (this.hit + 1) % this.found.length;
    const leaf = this.found[hit];
    this.app.select(leaf.nodes[0]);
    this.show(leaf.nodes[0]);
    this.hit = hit;
  }

  // Arrow keys go to the nearest box in that direction; Enter and space do what a click does.
  #key(event) {
    const key = document.activeElement?.dataset?.key;
    const box = this.boxes?.find((b) => b.item.key === key);
    if (!box) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.activate(box.item);
    }
    const step = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    let best = null;
    for (const other of this.boxes) {
      if (other === box || other.open || other.item.pill) continue;
      const [dx, dy] = [other.x - box.x, other.y - box.y];
      const along = dx * step[0] + dy * step[1];
      if (along < 8) continue;
      const distance = along + 2.5 * Math.abs(dx * step[1] + dy * step[0]);
      if (!best || distance < best.distance) best = { distance, other };
    }
    if (!best) return;
    this.scene.querySelector(`[data-key="${CSS.escape(best.other.item.key)}"]`)?.focus({ preventScroll: true });
    this.#center(best.other.item);
  }

  fit() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !this.size) return;
    // Text below two thirds of its size is not read: rather scroll.
    const scale = Math.max(0.66, Math.min(1.1, width / this.size.width, height / this.size.height));
    const y = this.size.height * scale < height ? (height - this.size.height * scale) / 2 : 8;
    select(this.svg).call(this.zoom.transform,
      zoomIdentity.translate((width - this.size.width * scale) / 2, y).scale(scale));
  }

  #center(item, always = false) {
    const box = this.boxes.find((b) => b.item === item);
    const view = this.svg.getBoundingClientRect();
    if (!box || !view.width) return;
    const at = this.transform;
    const top = at.k * (box.y - box.height / 2) + at.y;
    const left = at.k * (box.x - box.width / 2) + at.x;
    const inside = top >= 0 && left >= 0 && top + at.k * box.height <= view.height && left + at.k * box.width <= view.width;
    if (inside && !always) return;
    const y = at.k * box.height > view.height ? 20 - at.k * (box.y - box.height / 2) : view.height / 2 - at.k * box.y;
    select(this.svg).call(this.zoom.transform, zoomIdentity.translate(view.width / 2 - at.k * box.x, y).scale(at.k));
  }

  get transform() { return this.svg.__zoom ?? zoomIdentity; }

  #drawMap(transform = this.transform) {
    if (this.boxes) minimap(this.map, this.boxes, this.size, transform, this.svg);
  }

  #colouring() {
    const { program, regime, state } = this.app;
    const sum = (item, of) => {
      let total = 0;
      for (const leaf of leavesOf(item)) total += timesOf(leaf) / leaf.nodes.length * leaf.nodes.reduce((t, n) => t + of(n), 0);
      return total;
    };
    const shown = this.boxes.filter((box) => !box.open && !box.item.pill).map((box) => box.item);
    const byTime = (of) => {
      const most = Math.max(1, ...shown.map((item) => sum(item, of)));
      return { of: (item) => ramp(sum(item, of) / most), text: (item) => format.time(sum(item, of)),
               legend: [["0", ramp(0)], [format.time(most / 2), ramp(0.5)], [format.time(most), ramp(1)]] };
    };
    const estimate = (n) => program.record(n).estimate_ns?.[0] ?? 0;
    const measured = (n) => program.measured(regime, n)?.p50_ns ?? 0;
    if (state.colour === "estimate") return byTime(estimate);
    if (state.colour === "measured" && program.profile) return byTime(measured);
    if (state.colour === "ratio" && program.profile) {
      const expected = (n) => program.measured(regime, n)?.estimate_ns ?? 0;
      const of = (item) => sum(item, expected) / sum(item, measured);
      return { of: (item) => diverging(of(item)), text: (item) => format.ratio(of(item)),
               legend: [["faster than measured", diverging(0.3)], ["as measured", diverging(1)], ["slower", diverging(4)]] };
    }
    const named = (of) => {
      const colours = namedColours(regime.nodes.map(of));
      return { of: (item) => {
        const names = new Set([...leavesOf(item)].flatMap((leaf) => leaf.nodes.map(of)));
        return names.size === 1 ? `color-mix(in oklab, ${colours.get([...names][0])} 35%, var(--panel))` : "var(--panel)";
      }, text: (item) => [...new Set([...leavesOf(item)].flatMap((leaf) => leaf.nodes.map(of)))].join(", "),
      legend: [...colours].map(([name, c]) => [name, `color-mix(in oklab, ${c} 35%, var(--panel))`]) };
    };
    if (state.colour === "type") return named((n) => program.kind(n).weight_types || "no weights");
    if (state.colour === "mode") return named((n) => n.mode);
    return { of: (item) => (sharesOf(this.app, item).length > 1 ? "var(--panel)" : ""), text: () => "", legend: null };
  }

  #drawLegend() {
    const { regime } = this.app;
    const targets = Object.entries(regime.nodes_by_target).filter(([, n]) => n > 0);
    const swatch = (target) => s("svg", { width: 22, height: 14, class: targetClass(target), "aria-hidden": "true" },
      s("rect", { class: "body", x: 2, y: 2, width: 18, height: 10, rx: 3, "stroke-dasharray": TARGETS[target]?.dash,
                  "stroke-width": TARGETS[target]?.width }));
    this.legend.replaceChildren(
      ...targets.map(([target, n]) => h("span", { class: "key" }, swatch(target), `${target} ${n}`)),
      ...(this.scale.legend ?? []).map(([text, colour]) =>
        h("span", { class: "key" }, h("i", { class: "patch", style: `background:${colour}` }), text)),
      h("span", { class: "key" }, s("svg", { width: 26, height: 14, "aria-hidden": "true" },
        s("path", { class: "edge crosses", d: "M1,7L25,7", "stroke-width": 2 })), "between targets"),
      h("span", { class: "key" }, s("svg", { width: 26, height: 14, "aria-hidden": "true" },
        s("path", { class: "edge devices", d: "M1,7L25,7", "stroke-width": 3 })), "copy between devices"));
  }

  #drawCrumbs() {
    const open = [...this.open].map((key) => findPath(this.root, (item) => item.key === key)?.at(-1)).filter(Boolean);
    this.crumbs.replaceChildren(h("button", { class: "crumb", onclick: () => this.#fold() }, "program"),
      ...open.slice(-4).map((item) => h("button", { class: "crumb", onclick: () => this.toggle(item),
                                                    title: "fold" }, titleOf(item))));
  }
}

function titleOf(item) {
  if (item.nodes) return item.nodes.length > 1 ? `${item.op} \u00d7 ${item.nodes.length}` : nameOf(item);
  if (item.isStack) return `layers ${format.layers(item.layers)}`;
  if (isLayers(item)) return item.layers.length > 1 ? `layers ${format.layers(item.layers)}` : `layer ${item.layers[0]}`;
  return item.label;
}

const nameOf = (item) => (item.key.includes("#") ? item.op : item.label);

const isLayers = (item) => item.isStack || item.isKind || item.key === "layers";

const times = (item, x, y) => (isLayers(item) && item.layers?.length > 1
  ? s("text", { class: "badge", x, y, "text-anchor": "end" }, `\u00d7 ${item.layers.length}`) : null);

const differs = (item, x, y) => (item.differs
  ? s("text", { class: "badge differs", x, y, "text-anchor": "end" }, `\u25b2 ${item.differs} differ${item.differs === 1 ? "s" : ""}`) : null);

// [[target, nodes]], most first.
function sharesOf(app, item) {
  const counts = new Map();
  for (const leaf of leavesOf(item)) {
    for (const node of leaf.nodes) {
      const { target } = app.program.record(node);
      counts.set(target, (counts.get(target) ?? 0) + timesOf(leaf) / leaf.nodes.length);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

const targetOf = (app, leaf) => app.program.record(leaf.nodes[0]).target;

function shareBar(shares, box) {
  const total = shares.reduce((sum, [, n]) => sum + n, 0);
  let x = 8;
  return s("g", { class: "share" }, shares.map(([target, n]) => {
    const width = Math.max(3, (box.width - 16) * n / total);
    const bar = s("rect", { class: targetClass(target), x, y: box.height - 11, width: Math.max(1, width - 1), height: 4, rx: 1.5 });
    x += width;
    return bar;
  }));
}

function edgeShape(edge, most) {
  const width = 1 + 3 * Math.sqrt(edge.bytes / most);
  const kind = edge.devices ? "devices" : edge.crosses ? "crosses" : "";
  const arrow = `url(#arrow${kind ? "-" + kind : ""})`;
  const middle = edge.points[Math.floor(edge.points.length / 2)];
  const size = edge.backBytes ? `${format.bytes(edge.bytes)} down, ${format.bytes(edge.backBytes)} up` : format.bytes(edge.bytes);
  return s("g", { class: "link" },
    s("title", {}, `${titleOf(edge.from)} \u2192 ${titleOf(edge.to)}: ${size} at the regime's most tokens`),
    s("path", { class: `edge ${kind}`, d: pathOf(edge.points), "stroke-width": edge.devices ? width + 1.5 : width,
                "marker-end": arrow, "marker-start": edge.backBytes ? arrow : null }),
    kind && !edge.isOutside && s("text", { class: `bytes ${kind}`, x: middle.x + 6, y: middle.y + 4 }, size));
}

function arrowheads() {
  return s("defs", {}, ["", "-crosses", "-devices"].map((kind) =>
    s("marker", { id: `arrow${kind}`, class: `arrow${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8,
                  markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, s("path", { d: "M0,0.5L8,4L0,7.5z" }))));
}

const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);
