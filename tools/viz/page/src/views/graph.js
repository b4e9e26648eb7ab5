// SPDX-License-Identifier: Apache-2.0
// The graph: layers folded, unfolded by a click, coloured by what is asked for.
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { h, s } from "../dom.js";
import { layOut } from "../layout.js";
import { buildTree, findPath, leafEdges, leafIndex, leavesOf } from "../tree.js";
import { matcher } from "../search.js";
import { colouring, COLOURS } from "./graph_colours.js";
import { boxShape, clusterShape, legendOf, pillShape } from "./graph_boxes.js";
import { arrowheads, edgeShape, targetOf, titleOf } from "./graph_shapes.js";
import { minimap } from "./minimap.js";

export class GraphView {
  constructor(app) {
    this.app = app;
    this.open = new Set(app.state.open.length ? app.state.open : []);
    this.svg = s("svg", { class: "graph", role: "group", "aria-label": "Graph of the program" });
    this.scene = s("g", {});
    this.svg.append(arrowheads(), this.scene);
    this.search = h("input", {
      type: "search",
      placeholder: "Search: regex, op:linear, target:simd, rule:rest",
      "aria-label": "Search nodes",
      class: "search",
      oninput: () => this.#searchChanged(),
      onkeydown: (e) => e.key === "Enter" && this.#nextHit(),
    });
    this.hits = h("output", { class: "hits", "aria-live": "polite" });
    this.legend = h("div", { class: "legend" });
    this.crumbs = h("nav", { class: "crumbs", "aria-label": "Unfolded" });
    this.colour = h("select", { "aria-label": "Colour by", onchange: () => app.set({ colour: this.colour.value }) });
    this.map = h("div", { class: "minimap", "aria-hidden": "true" });
    const canvas = h("div", { class: "canvas" }, this.svg, this.map);
    this.element = h(
      "section",
      { class: "view graph-view" },
      h(
        "div",
        { class: "toolbar" },
        this.search,
        this.hits,
        h("label", {}, "Colour ", this.colour),
        h(
          "span",
          { class: "buttons" },
          h("button", { onclick: () => this.#unfoldAll() }, "Unfold one layer"),
          h("button", { onclick: () => this.#fold() }, "Fold"),
          h("button", { onclick: () => this.fit() }, "Fit"),
        ),
      ),
      h("div", { class: "underbar" }, this.crumbs, this.legend),
      canvas,
    );
    this.zoom = zoom()
      .scaleExtent([0.05, 3])
      .on("zoom", ({ transform }) => {
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
    this.colour.replaceChildren(
      ...COLOURS.filter(([c]) => measured || (c !== "measured" && c !== "ratio")).map(([value, text]) =>
        h("option", { value, selected: value === app.state.colour }, text),
      ),
    );
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
    const walk = (item) =>
      (item.children ?? []).forEach((c) => {
        this.parents.set(c, item);
        walk(c);
      });
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
    this.scale = colouring(this.app, boxes);
    const most = Math.max(1, ...links.map((link) => link.bytes));
    this.scene.replaceChildren(
      s(
        "g",
        { class: "clusters" },
        boxes.filter((b) => b.open).map((b) => clusterShape(this, b)),
      ),
      s(
        "g",
        { class: "edges" },
        links.map((link) => edgeShape(link, most)),
      ),
      s(
        "g",
        { class: "pills" },
        boxes.filter((b) => b.item.pill).map((b) => pillShape(b)),
      ),
      s(
        "g",
        { class: "boxes" },
        boxes.filter((b) => !b.open && !b.item.pill).map((b) => boxShape(this, b)),
      ),
    );
    this.legend.replaceChildren(...legendOf(this));
    this.#drawCrumbs();
    this.#markSelected();
    this.#searchChanged();
    this.#drawMap();
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
    this.found = wanted
      ? [...leavesOf(this.root)]
          .map((leaf) => ({ leaf, nodes: leaf.all.filter(wanted) }))
          .filter(({ nodes }) => nodes.length)
      : [];
    const keys = new Set(this.found.map(({ leaf }) => this.#visibleOf(leaf).key));
    for (const box of boxes) {
      box.classList.toggle("hit", Boolean(wanted) && keys.has(box.dataset.key));
      box.classList.toggle("dim", Boolean(wanted) && !keys.has(box.dataset.key));
    }
    const nodes = this.found.reduce((sum, hit) => sum + hit.nodes.length, 0);
    this.hits.textContent = wanted ? `${nodes} node${nodes === 1 ? "" : "s"} found` : "";
    this.hit = -1;
  }

  #nextHit() {
    if (!this.found.length) return;
    const hit = (this.hit + 1) % this.found.length;
    const [node] = this.found[hit].nodes;
    this.app.select(node);
    this.show(node);
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
    // Smaller text is not read: rather scroll.
    const scale = Math.max(0.85, Math.min(1.1, width / this.size.width, height / this.size.height));
    const y = this.size.height * scale < height ? (height - this.size.height * scale) / 2 : 8;
    select(this.svg).call(
      this.zoom.transform,
      zoomIdentity.translate((width - this.size.width * scale) / 2, y).scale(scale),
    );
  }

  #center(item, always = false) {
    const box = this.boxes.find((b) => b.item === item);
    const view = this.svg.getBoundingClientRect();
    if (!box || !view.width) return;
    const at = this.transform;
    const top = at.k * (box.y - box.height / 2) + at.y;
    const left = at.k * (box.x - box.width / 2) + at.x;
    const inside =
      top >= 0 && left >= 0 && top + at.k * box.height <= view.height && left + at.k * box.width <= view.width;
    if (inside && !always) return;
    const y = at.k * box.height > view.height ? 20 - at.k * (box.y - box.height / 2) : view.height / 2 - at.k * box.y;
    select(this.svg).call(this.zoom.transform, zoomIdentity.translate(view.width / 2 - at.k * box.x, y).scale(at.k));
  }

  get transform() {
    return this.svg.__zoom ?? zoomIdentity;
  }

  #drawMap(transform = this.transform) {
    if (this.boxes) minimap(this.map, this.boxes, this.size, transform, this.svg);
  }

  #drawCrumbs() {
    const open = [...this.open].map((key) => findPath(this.root, (item) => item.key === key)?.at(-1)).filter(Boolean);
    this.crumbs.replaceChildren(
      h("button", { class: "crumb", onclick: () => this.#fold() }, "program"),
      ...open
        .slice(-4)
        .map((item) => h("button", { class: "crumb", onclick: () => this.toggle(item), title: "fold" }, titleOf(item))),
    );
  }
}
