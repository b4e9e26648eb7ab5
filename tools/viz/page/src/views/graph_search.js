// SPDX-License-Identifier: Apache-2.0
// The search box of the graph: hits are marked, the rest is dimmed, and Enter goes from hit to hit.
import { h } from "../dom.js";
import { matcher } from "../search.js";
import { leavesOf } from "../tree.js";

export class GraphSearch {
  constructor(graph) {
    this.graph = graph;
    this.found = [];
    this.input = h("input", {
      type: "search",
      placeholder: "Search: regex, op:linear, target:simd, rule:rest",
      "aria-label": "Search nodes",
      class: "search",
      oninput: () => this.mark(),
      onkeydown: (e) => e.key === "Enter" && this.#next(),
    });
    this.said = h("output", { class: "hits", "aria-live": "polite" });
  }

  mark() {
    const { graph } = this;
    const wanted = matcher(this.input.value, graph.app.program);
    this.found = wanted
      ? [...leavesOf(graph.root)]
          .map((leaf) => ({ leaf, nodes: leaf.all.filter(wanted) }))
          .filter(({ nodes }) => nodes.length)
      : [];
    const keys = new Set(this.found.map(({ leaf }) => graph.visibleOf(leaf).key));
    for (const box of graph.scene.querySelectorAll(".box")) {
      box.classList.toggle("hit", Boolean(wanted) && keys.has(box.dataset.key));
      box.classList.toggle("dim", Boolean(wanted) && !keys.has(box.dataset.key));
    }
    const nodes = this.found.reduce((sum, hit) => sum + hit.nodes.length, 0);
    this.said.textContent = wanted ? `${nodes} node${nodes === 1 ? "" : "s"} found` : "";
    this.hit = -1;
  }

  #next() {
    if (!this.found.length) return;
    const hit = (this.hit + 1) % this.found.length;
    const [node] = this.found[hit].nodes;
    this.graph.app.select(node);
    this.graph.show(node);
    this.hit = hit;
  }
}
