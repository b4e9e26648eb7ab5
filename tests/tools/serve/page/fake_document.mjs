// SPDX-License-Identifier: Apache-2.0
// As much of a document as the markdown renderer needs, so that it can be tested without a browser.

// How many nodes were made so far.
export const made = { nodes: 0 };

class FakeNode {
  parent = null;
  constructor() {
    ++made.nodes;
  }
  get siblings() {
    return this.parent?.childNodes ?? [];
  }
  remove() {
    if (this.parent) this.siblings.splice(this.siblings.indexOf(this), 1);
    this.parent = null;
  }
  before(...nodes) {
    const { parent } = this;
    for (const node of nodes) {
      const child = typeof node === "string" ? new FakeText(node) : node;
      child.remove();
      child.parent = parent;
      parent.childNodes.splice(parent.childNodes.indexOf(this), 0, child);
    }
  }
  get previousElementSibling() {
    return this.siblings.slice(0, this.siblings.indexOf(this)).findLast((node) => node instanceof FakeElement) ?? null;
  }
}

class FakeText extends FakeNode {
  constructor(data) {
    super();
    this.data = data;
  }
  get textContent() {
    return this.data;
  }
}

class FakeElement extends FakeNode {
  childNodes = [];
  attributes = new Map();
  dataset = {};
  className = "";
  constructor(tag) {
    super();
    this.tagName = tag.toUpperCase();
    this.classList = { add: (name) => (this.className += ` ${name}`) };
  }
  append(...nodes) {
    for (const node of nodes) {
      const child = node instanceof FakeNode ? node : new FakeText(String(node));
      child.remove();
      child.parent = this;
      this.childNodes.push(child);
    }
  }
  replaceChildren(...nodes) {
    for (const child of [...this.childNodes]) child.remove();
    this.append(...nodes);
  }
  setAttribute(name, value) {
    if (name === "class") this.className = value;
    this.attributes.set(name, String(value));
  }
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  addEventListener() {}
  get children() {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }
  get firstElementChild() {
    return this.children[0] ?? null;
  }
  get lastElementChild() {
    return this.children.at(-1) ?? null;
  }
  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }
  get start() {
    return Number(this.getAttribute("start") ?? 1);
  }
}

globalThis.document = {
  createElement: (tag) => new FakeElement(tag),
  createElementNS: (_, tag) => new FakeElement(tag),
  createTextNode: (text) => new FakeText(text),
};

// What was drawn, as ["tag", ...children] without the page's own additions: the form of tests/data/serve_page.
export function treeOf(node) {
  if (node instanceof FakeText) return node.data;
  const tag = node.tagName.toLowerCase();
  const has = (name) => node.className.split(" ").includes(name);
  if (has("site")) return "";
  if (has("code") && tag === "figure") return ["pre", node.lastElementChild.textContent.replace(/\n$/, "")];
  if (has("image"))
    return [
      `image ${node.firstElementChild.getAttribute("href")}`,
      node.textContent.replace(/^image: /, "").replace(/ \(.*\)$/, ""),
    ];
  if (has("table")) return treeOf(node.firstElementChild);
  const level = node.className.match(/level-(\d)/)?.[1];
  const children = node.childNodes.filter(({ className = "" }) => className !== "tail").map(treeOf);
  return tag === "a" ? [`a ${node.getAttribute("href")}`, ...children] : [level ? `h${level}` : tag, ...children];
}

// Joins texts, and removes what does not show: spaces at line ends, an empty body of a table.
export function tidy(tree) {
  if (typeof tree === "string") return tree;
  const [tag, ...rest] = tree;
  const children = [];
  // Paragraphs of items count as their text: tight and loose lists differ in nothing else.
  const unwrapped = rest.flatMap((child) => (tag === "li" && child[0] === "p" ? child.slice(1) : [child]));
  for (const child of unwrapped.map(tidy)) {
    if (typeof child === "string" && typeof children.at(-1) === "string") children.push(children.pop() + child);
    else children.push(child);
  }
  const isBlock = (node) => Array.isArray(node) && ["p", "ul", "ol", "pre", "blockquote"].includes(node[0]);
  const shown = children
    .map((child, i) => {
      if (typeof child !== "string" || tag === "pre") return child;
      let text = child.replace(/ *\n */g, "\n");
      if (i === 0) text = text.trimStart();
      if (i === children.length - 1 || isBlock(children[i + 1]) || children[i + 1]?.[0] === "br") text = text.trimEnd();
      if (isBlock(children[i - 1]) || children[i - 1]?.[0] === "br") text = text.trimStart();
      return text;
    })
    .filter((child) => child !== "" && !(child[0] === "tbody" && child.length === 1));
  return [tag, ...shown];
}
