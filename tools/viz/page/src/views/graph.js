// SPDX-License-Identifier: Apache-2.0
// The graph: layers folded, unfolded by a click, coloured by a chosen property.
import { h, s } from "../dom.js";
import { layOut } from "../layout.js";
import { addSources, buildTree, findPath, leafEdges, leafIndex } from "../tree.js";
import { colouring, COLOURS } from "./graph_colours.js";
import { boxShape, clusterShape, legendOf, pillShape } from "./graph_boxes.js";
import { Camera, READABLE } from "./graph_camera.js";
import { isArrow, neighbour } from "./graph_keys.js";
import { GraphSearch } from "./graph_search.js";
import { arrowheads, edgeShape, linesOf, targetOf, titleOf } from "./graph_shapes.js";

export class GraphView {
  constructor(app) {
    this.app = app;
    this.open = new Set(app.state.open);
    this.isFirst = true;
    this.svg = s("svg", { class: "graph", role: "group", "aria-label": "Graph of the program" });
    this.scene = s("g", {});
    this.svg.append(arrowheads(), this.scene);
    this.search = new GraphSearch(this);
    this.legend = h("div", { class: "legend" });
    this.crumbs = h("nav", { class: "crumbs", "aria-label": "Unfolded" });
    this.colour = h("select", { "aria-label": "Colour by", onchange: () => app.set({ colour: this.colour.value }) });
    const map = h("div", { class: "minimap", "aria-hidden": "true" });
    const canvas = h("div", { class: "canvas" }, this.svg, map);
    this.element = h(
      "section",
      { class: "view graph-view" },
      h(
        "div",
        { class: "toolbar" },
        this.search.input,
        this.search.said,
        h("label", {}, "Colour ", this.colour),
        h(
          "span",
          { class: "buttons" },
          h("button", { onclick: () => this.#unfoldOne() }, "Unfold one layer"),
          h("button", { onclick: () => this.#fold() }, "Fold"),
          h("button", { onclick: () => this.camera.fit() }, "Fit"),
        ),
      ),
      h("div", { class: "underbar" }, this.crumbs, this.legend),
      canvas,
    );
    this.camera = new Camera(this.svg, this.scene, map, canvas);
    this.svg.addEventListener("keydown", (e) => this.#key(e));
  }

  // `changes` null means redraw regardless of the state.
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
    // A layer says more than three boxes; whoever folds it, or follows a link, gets what they asked for.
    if (this.isFirst && !this.open.size && !app.node) this.#openOneLayer();
    this.isFirst = false;
    this.draw();
    if (!changes || "program" in changes) this.camera.fit(READABLE);
  }

  #build() {
    const { program, regime } = this.app;
    if (this.builtFor === regime) return;
    this.builtFor = regime;
    this.root = buildTree(program, regime);
    this.index = leafIndex(program, regime, this.root);
    this.edges = leafEdges(regime, this.index);
    addSources(program, this.root);
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

  visibleOf(item) {
    let shown = item;
    for (let up = item; up; up = this.parents.get(up)) {
      const parent = this.parents.get(up);
      if (parent && parent !== this.root && !this.open.has(parent.key)) shown = parent;
    }
    return shown;
  }

  draw() {
    const isOpen = (item) => Boolean(item.children) && this.open.has(item.key);
    const drawing = layOut(this.root, isOpen, this.parents, this.edges, (item) => linesOf(item).length);
    const { boxes, links } = drawing;
    this.boxes = boxes;
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
    this.search.mark();
    this.camera.show(drawing);
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
    this.camera.center(item);
    this.app.state.open = [...this.open];
    this.app.set({});
    this.lastToggleMs = performance.now() - started;
    this.svg.dataset.toggleMs = this.lastToggleMs.toFixed(1);
    this.scene.querySelector(`[data-key="${CSS.escape(item.key)}"]`)?.focus({ preventScroll: true });
  }

  #unfoldOne() {
    this.#openOneLayer();
    this.#opened();
  }

  // Of the kind that most layers are of.
  #openOneLayer() {
    const first = this.root.children.find((item) => item.layers);
    if (!first) return;
    this.open.add(first.key);
    const usual = (a, b) => (b.layers.length > a.layers.length ? b : a);
    const kind = first.isStack ? first.children.reduce(usual) : first;
    this.open.add(kind.key);
    kind.children.forEach((part) => part.children && this.open.add(part.key));
  }

  #fold() {
    this.open.clear();
    this.#opened();
  }

  #opened() {
    this.app.state.open = [...this.open];
    this.draw();
    this.camera.fit(READABLE);
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
    const shown = leaf && this.visibleOf(leaf);
    this.scene.querySelectorAll(".selected").forEach((e) => e.classList.remove("selected"));
    if (!shown) return;
    this.scene.querySelector(`[data-key="${CSS.escape(shown.key)}"]`)?.classList.add("selected");
  }

  show(node) {
    this.#build();
    if (this.#reveal(node)) this.draw();
    this.#markSelected();
    const leaf = this.index.get(node.index);
    if (leaf) this.camera.center(leaf, true);
  }

  // Arrow keys go to the nearest box in that direction; Enter and space act as a click.
  #key(event) {
    const box = this.boxes?.find((b) => b.item.key === document.activeElement?.dataset?.key);
    const acts = event.key === "Enter" || event.key === " ";
    if (!box || !(acts || isArrow(event.key))) return;
    event.preventDefault();
    if (acts) return this.activate(box.item);
    const next = neighbour(this.boxes, box, event.key);
    if (!next) return;
    this.scene.querySelector(`[data-key="${CSS.escape(next.item.key)}"]`)?.focus({ preventScroll: true });
    this.camera.center(next.item);
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
