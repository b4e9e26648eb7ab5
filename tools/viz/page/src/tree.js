// SPDX-License-Identifier: Apache-2.0
// The hierarchy that the graph unfolds: layers, their kinds, attention and feed-forward, ops. A leaf stands for equal
// nodes: one node of each layer of a kind, and equal nodes of one scope.

import * as format from "./format.js";
import { nameInFolder } from "./model.js";

// {key, label, count, layers, children | nodes, differs}
export function buildTree(program, regime) {
  const root = { key: "", label: "program", children: [] };
  const inLayers = regime.nodes.some((node) => node.layer !== undefined);
  let stack = null;
  for (const node of regime.nodes) {
    if (node.layer === undefined) {
      insert(program, root, node.scope.split("/"), node);
    } else if (!stack && inLayers) {
      stack = layerStack(program, regime);
      root.children.push(stack);
    }
  }
  finish(root);
  return root;
}

function layerStack(program, regime) {
  const kinds = program.fold.layers;
  const all = kinds.flatMap((kind) => kind.layers);
  const most = kinds.reduce((a, b) => (b.layers.length > a.layers.length ? b : a));
  const children = kinds.map((kind) => layerKind(program, regime, kind));
  if (children.length === 1) return { ...children[0], key: "layers" };
  return {
    key: "layers",
    label: "layers",
    isStack: true,
    layers: all.sort((a, b) => a - b),
    children,
    differs: all.length - most.layers.length,
  };
}

function layerKind(program, regime, kind) {
  const first = kind.layers[0];
  const item = {
    key: `layers/${first}`,
    label: kind.layers.length > 1 ? "layer" : `layer ${first}`,
    layers: kind.layers,
    isKind: true,
    children: [],
  };
  for (const g of kind.groups) {
    const group = program.fold.groups[g];
    const node = program.nodeOf(group, first, regime);
    if (node) insert(program, item, group.scope.split("/"), node, kind.layers);
  }
  return item;
}

function insert(program, parent, path, node, layers = null) {
  const [part, ...rest] = path;
  let child = parent.children.find((c) => c.part === part);
  if (!child) {
    child = { part, key: parent.key ? `${parent.key}/${part}` : part, label: part, layers, children: [] };
    parent.children.push(child);
  }
  if (rest.length) insert(program, child, rest, node, layers);
  else (child.own ??= []).push(node);
  child.program = program;
}

// Simplifies: a scope of one node becomes that node, equal nodes of a scope become one leaf, and chains of single
// children are joined.
function finish(item) {
  const program = item.program;
  if (item.own) {
    const leaves = new Map();
    for (const node of item.own) {
      const equal = item.own.length > 12 ? `${node.kind} ${node.record}` : node.id;
      if (!leaves.has(equal)) leaves.set(equal, []);
      leaves.get(equal).push(node);
    }
    const made = [...leaves.values()].map((nodes, i) => leaf(item, program, nodes, leaves.size > 1 ? i : null));
    delete item.own;
    if (made.length === 1 && !item.children.length) {
      Object.assign(item, made[0], { key: item.key });
      delete item.children;
      return;
    }
    item.children.push(...made);
  }
  for (const child of item.children) if (!child.nodes) finish(child);
}

function leaf(item, program, nodes, number) {
  const op = program.op(nodes[0]);
  return {
    key: number === null ? item.key : `${item.key}#${number}`,
    label: nameInFolder(nodes[0]),
    op,
    nodes,
    layers: item.layers,
  };
}

// Gives each leaf what its first node reads besides the results of others: its weights, the cache, the tokens.
// [{key, label, title, isSource}]
export function addSources(program, root) {
  for (const leaf of leavesOf(root)) {
    const [node] = leaf.nodes;
    // Everything reads the batch: a pill for it would say nothing.
    const reads = (node.reads ?? []).filter((name) => name !== "batch");
    leaf.sources = reads.map((name) => ({ key: name, label: name, title: name, isSource: true }));
    const weights = (node.weights ?? []).map((w) => program.weights[w]);
    if (!weights.length) continue;
    const types = [...new Set(weights.map((weight) => weight.type.replace(/\[.*/, "")))].join(" ");
    const bytes = weights.reduce((sum, weight) => sum + weight.bytes, 0);
    leaf.sources.push({
      key: "weights",
      label: `${weights.length > 1 ? `${weights.length} weights` : "weight"} ${types}, ${format.bytes(bytes)}`,
      title: weights.map((weight) => `${weight.name} ${weight.type}`).join("\n"),
      isSource: true,
    });
  }
}

export function* leavesOf(item) {
  if (item.nodes) yield item;
  else for (const child of item.children) yield* leavesOf(child);
}

export function findPath(root, wanted) {
  if (wanted(root)) return [root];
  for (const child of root.children ?? []) {
    const path = findPath(child, wanted);
    if (path) return [root, ...path];
  }
  return null;
}

// How often a leaf's nodes run in a call.
export const timesOf = (leaf) => leaf.nodes.length * (leaf.layers?.length || 1);

// Maps nodes to the leaves that stand for them, including nodes of other layers of the kind; each leaf gets the list of
// its nodes, `all`.
export function leafIndex(program, regime, root) {
  const index = new Map();
  for (const leaf of leavesOf(root)) {
    leaf.all = leaf.nodes.flatMap((node) => {
      if (!leaf.layers) return [node];
      const group = program.groupOf(node);
      return leaf.layers.map((layer) => program.nodeOf(group, layer, regime)).filter(Boolean);
    });
    for (const node of leaf.all) index.set(node.index, leaf);
  }
  return index;
}

// Returns the edges between leaves, each once with the bytes of all: {from, to, bytes, devices}; devices: 0 within one,
// 1 copied to another, 2 read by another in shared memory. Edges from one layer to another of the same kind are left
// out: the drawing shows one of them.
export function leafEdges(regime, index) {
  const edges = new Map();
  const numbers = new Map();
  const number = (leaf) => numbers.get(leaf) ?? (numbers.set(leaf, numbers.size), numbers.size - 1);
  for (const [from, , to, , high, crosses] of regime.edges) {
    const [a, b] = [index.get(from), index.get(to)];
    if (!a || !b || a === b) continue;
    const [x, y] = [regime.nodes[from], regime.nodes[to]];
    if (a.layers && a.layers === b.layers && x.layer !== y.layer) continue;
    const key = number(a) * 65536 + number(b);
    const edge = edges.get(key);
    if (!edge) edges.set(key, { from: a, to: b, bytes: high, devices: crosses, layer: x.layer });
    else if (edge.layer === x.layer) {
      edge.bytes += high;
      edge.devices ||= crosses;
    }
  }
  return [...edges.values()];
}
