// SPDX-License-Identifier: Apache-2.0
// Lays out only what is visible: hundreds of hidden nodes cost nothing. Each unfolded item is laid out by itself and is
// then a box of its parent's layout. What enters it from outside is shown as a small box of its own.
import dagre from "@dagrejs/dagre";

export const BOX = { width: 212, height: 58 };
const PILL = { width: 120, height: 20 };
const SOURCE = { width: 172, height: 20 };
const LINE = 16;
const STRAIGHT = 8; // results go straight down, what enters from the side bends
const PADDING = 14;
const HEADER = 26;

// `edges` [{from: leaf, to: leaf, bytes, crosses, devices}]. Returns boxes and links with their positions: boxes
// [{item, open, x, y, width, height}], centres; links [{from, to, points, bytes, ...}]. `linesOf` returns how many lines
// the name of an item takes.
export function layOut(root, isOpen, parents, edges, linesOf) {
  const levels = new Map();
  for (const edge of edges) addEdge(edge, root, isOpen, parents, levels);
  const drawing = { boxes: [], links: [] };
  const size = place(root, isOpen, levels, linesOf)(0, 0, drawing);
  return { ...drawing, ...size };
}

// Returns the items from below the root to the leaf.
function pathTo(leaf, root, parents) {
  const path = [];
  for (let item = leaf; item && item !== root; item = parents.get(item)) path.unshift(item);
  return path;
}

function addEdge(edge, root, isOpen, parents, levels) {
  const [from, to] = [pathTo(edge.from, root, parents), pathTo(edge.to, root, parents)];
  let depth = 0;
  let parent = root;
  while (from[depth] && from[depth] === to[depth]) {
    if (!isOpen(from[depth])) return; // inside a folded item
    parent = from[depth++];
  }
  if (!from[depth] || !to[depth]) return;
  addLink(levels, parent, from[depth], to[depth], edge);
  // Shown once, where the reader is visible.
  let at = depth;
  while (isOpen(to[at]) && to[at + 1]) ++at;
  if (at > depth) addLink(levels, to[at - 1], from[depth], to[at], edge, true);
}

function addLink(levels, parent, from, to, edge, isOutside = false) {
  if (!levels.has(parent)) levels.set(parent, new Map());
  const links = levels.get(parent);
  const key = `${from.key}>${to.key}`;
  const back = isOutside ? null : links.get(`${to.key}>${from.key}`);
  const link = back ?? links.get(key);
  if (!link)
    return void links.set(key, {
      from,
      to,
      bytes: edge.bytes,
      crosses: edge.crosses,
      devices: edge.devices,
      isOutside,
    });
  if (back) link.backBytes = (link.backBytes ?? 0) + edge.bytes;
  else link.bytes += edge.bytes;
  link.crosses ||= edge.crosses;
  link.devices ||= edge.devices;
}

// Returns a function that places the inside of the item, and its size.
function place(item, isOpen, levels, linesOf) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 30, ranksep: 40, marginx: PADDING, marginy: PADDING });
  graph.setDefaultEdgeLabel(() => ({}));
  const inside = new Map();
  for (const child of item.children) {
    if (!isOpen(child)) {
      graph.setNode(child.key, { ...BOX, height: BOX.height + LINE * (linesOf(child) - 1), item: child });
      for (const source of child.sources ?? []) {
        const key = `${source.key} of ${child.key}`;
        graph.setNode(key, { ...SOURCE, pill: source });
        graph.setEdge(key, child.key, { link: { from: source, to: child, bytes: 0 }, weight: 1 });
      }
      continue;
    }
    const put = place(child, isOpen, levels, linesOf);
    inside.set(child, put);
    graph.setNode(child.key, { width: Math.max(put.width, 200), height: put.height + HEADER, item: child, open: true });
  }
  const links = [...(levels.get(item)?.values() ?? [])];
  for (const link of links) {
    const from = link.isOutside ? `from ${link.from.key}` : link.from.key;
    if (link.isOutside) graph.setNode(from, { ...PILL, pill: link.from });
    graph.setEdge(from, link.to.key, { link, weight: link.isOutside ? 2 : STRAIGHT });
  }
  dagre.layout(graph);
  const { width, height } = graph.graph();
  const put = (dx, dy, drawing) => {
    for (const key of graph.nodes()) {
      const node = graph.node(key);
      const box = {
        item: node.item ?? { key: `${item.key}<${key}`, pill: node.pill },
        open: Boolean(node.open),
        x: node.x + dx,
        y: node.y + dy,
        width: node.width,
        height: node.height,
      };
      drawing.boxes.push(box);
      const inner = node.open && inside.get(node.item);
      if (inner) inner(box.x - inner.width / 2, box.y - box.height / 2 + HEADER, drawing);
    }
    for (const { v, w } of graph.edges()) {
      const { link, points } = graph.edge(v, w);
      drawing.links.push({ ...link, points: points.map(({ x, y }) => ({ x: x + dx, y: y + dy })) });
    }
    return { width, height };
  };
  put.width = width;
  put.height = height;
  return put;
}

export function pathOf(points) {
  let path = `M${points[0].x},${points[0].y}`;
  for (let i = 1; i < points.length - 1; ++i) {
    const [p, q] = [points[i], points[i + 1]];
    const end = i === points.length - 2 ? q : { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 };
    path += `Q${p.x},${p.y} ${end.x},${end.y}`;
  }
  if (points.length === 2) path += `L${points[1].x},${points[1].y}`;
  return path;
}
