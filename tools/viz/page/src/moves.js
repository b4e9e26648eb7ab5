// SPDX-License-Identifier: Apache-2.0
// Nodes that the what-if view moves by hand, one or the same of every layer, and the flags that would do it.
import { supportOn } from "./kernel_choices.js";

// Returns the targets that a node could be moved to: the record does not exclude them, and a kernel was offered.
export function movableTo(program, node) {
  if (node.choice === undefined) return [];
  const position = program.choices[node.choice].kernel_choice;
  return program
    .record(node)
    .rejected.filter((other) => other.could_move && supportOn(program, other.target, position) !== null)
    .map((other) => other.target);
}

// Returns the --place flag for a node alone, or for the node of all layers of its group, which the document has.
export function flagOf(program, node, target, everyLayer) {
  const group = program.groupOf(node);
  const flag = group?.place[target];
  if (!flag || everyLayer || node.layer === undefined) return flag ?? "";
  return flag.replace(/,layer(>=|<=)\d+/g, "").replace(/name=layer\.(\*|\d+)/, `name=layer.${node.layer}`);
}

export class Moves {
  constructor(program) {
    this.program = program;
    this.list = []; // {node, target, everyLayer}
  }

  // A node is moved once: the last move counts.
  add(node, target, everyLayer) {
    this.list = this.list.filter((move) => move.node.id !== node.id);
    this.list.push({ node, target, everyLayer });
  }
  remove(move) {
    this.list = this.list.filter((other) => other !== move);
  }

  flags() {
    return this.list.map(({ node, target, everyLayer }) => flagOf(this.program, node, target, everyLayer));
  }

  // Returns {node id: target}, as placeAll wants it.
  targets(regime) {
    const targets = new Map();
    for (const { node, target, everyLayer } of this.list) {
      const group = this.program.groupOf(node);
      const all = everyLayer ? group.layers.map((layer) => this.program.nodeOf(group, layer, regime)) : [node];
      for (const moved of all) if (moved) targets.set(moved.id, target);
    }
    return targets;
  }
}
