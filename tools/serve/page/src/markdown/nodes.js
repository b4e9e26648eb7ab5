// SPDX-License-Identifier: Apache-2.0
// Turns blocks and inline nodes into elements. Nothing here takes markup: every text becomes a text node.
import { copyButton, h } from "../dom.js";
import { highlightLine } from "./highlight.js";
import { parseInline, plainText } from "./inline.js";
import { safeLink } from "./links.js";

// A link shows where it goes if its text does not say so. It is followed only when it is clicked.
function linkNode({ address, children }) {
  const link = safeLink(address);
  const content = inlineNodes(children);
  if (!link) return h("span", { class: "no-link" }, content, plainText(children) === address ? null : ` (${address})`);
  const element = h(
    "a",
    { href: link.href, title: link.href, target: "_blank", rel: "noopener noreferrer nofollow" },
    content,
  );
  return plainText(children).includes(link.site) ? element : [element, h("span", { class: "site" }, ` (${link.site})`)];
}

// Images are never loaded.
function imageNode({ alt, address }) {
  const label = [{ type: "text", text: `image: ${alt || "without description"}` }];
  return h("span", { class: "image" }, linkNode({ address, children: label }));
}

function inlineNode(node) {
  switch (node.type) {
    case "text":
      return node.text;
    case "code":
      return h("code", {}, node.text);
    case "math":
      return h("code", { class: "math" }, node.text);
    case "break":
      return h("br");
    case "link":
      return linkNode(node);
    case "image":
      return imageNode(node);
    case "strike":
      return h("del", {}, inlineNodes(node.children));
    default:
      return h(node.type, {}, inlineNodes(node.children));
  }
}

const inlineNodes = (nodes) => nodes.map(inlineNode);
const inline = (text) => inlineNodes(parseInline(text));

// A line of code with its colours. `state` goes from line to line.
export function codeLine(language, line, state) {
  const { parts, state: next } = highlightLine(language, line, state);
  const nodes = parts.map(([kind, text]) => (kind ? h("span", { class: `hl-${kind}` }, text) : text));
  return { nodes: [...nodes, "\n"], state: next };
}

// The frame of a block of code; lines go into `code`.
export function codeFrame(language) {
  const code = h("code");
  const name = language.replace(/[^\w+#.-]/g, "").slice(0, 24);
  const element = h(
    "figure",
    { class: "code" },
    h(
      "figcaption",
      {},
      h("span", {}, name || "text"),
      copyButton(() => code.textContent.replace(/\n$/, "")),
    ),
    h("pre", { tabindex: 0, "aria-label": name ? `Code, ${name}` : "Code" }, code),
  );
  return { element, code };
}

function codeNode({ language, lines }) {
  const { element, code } = codeFrame(language);
  let state = null;
  for (const line of lines) {
    const drawn = codeLine(language, line, state);
    code.append(...drawn.nodes);
    state = drawn.state;
  }
  return element;
}

function tableNode({ head, align, rows }) {
  const cell = (tag) => (text, i) => h(tag, { class: align[i] ? `align-${align[i]}` : null }, inline(text));
  const row = (tag, cells) => h("tr", {}, cells.map(cell(tag)));
  return h(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": "Table" },
    h(
      "table",
      {},
      h("thead", {}, row("th", head)),
      h(
        "tbody",
        {},
        rows.map((cells) => row("td", cells)),
      ),
    ),
  );
}

function blockNode(block) {
  switch (block.type) {
    // The page has headings of its own above these.
    case "heading":
      return h(`h${Math.min(6, block.level + 2)}`, { class: `level-${block.level}` }, inline(block.text));
    case "rule":
      return h("hr");
    case "code":
      return codeNode(block);
    case "quote":
      return h("blockquote", {}, blockNodes(block.blocks));
    case "table":
      return tableNode(block);
    default:
      return h("p", {}, inline(block.text));
  }
}

function itemNode({ blocks, isDone }) {
  const box =
    isDone === null ? null : h("input", { type: "checkbox", disabled: true, checked: isDone, "aria-label": "Done" });
  const [first, ...rest] = blocks;
  const isText = first?.type === "paragraph";
  const content = isText ? [inline(first.text), blockNodes(rest)] : blockNodes(blocks);
  return h("li", { class: box && "task" }, box, box && " ", content);
}

// Appends blocks to an element; items continue the list that is last in it.
export function appendBlocks(element, blocks) {
  for (const block of blocks) {
    if (block.type !== "item") {
      element.append(blockNode(block));
      continue;
    }
    let list = element.lastElementChild;
    const tag = block.isOrdered ? "OL" : "UL";
    if (list?.tagName !== tag || list.dataset.kind !== block.kind) {
      list = h(tag.toLowerCase(), { start: block.isOrdered && block.number !== 1 ? block.number : null });
      list.dataset.kind = block.kind;
      element.append(list);
    }
    list.append(itemNode(block));
  }
}

function blockNodes(blocks) {
  const holder = h("div");
  appendBlocks(holder, blocks);
  return [...holder.childNodes];
}
