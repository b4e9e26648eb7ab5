// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { sample } from "./sample_page.mjs";

const open = (hash, more) => sample.open(hash, more);

const TABS = ["overview", "graph", "what-if", "compare", "timeline", "memory", "passes", "table"];

// Pairs of texts of the page of which one covers the other, as far as they are not cut off.
function covered() {
  const boxes = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement: parent } = texts.currentNode;
    if (!data.trim() || parent.closest("script, style, noscript, select")) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    for (const { left, top, right, bottom } of range.getClientRects()) {
      const box = { node: texts.currentNode, left, top, right, bottom };
      for (let at = parent; at; at = at.parentElement) {
        if (getComputedStyle(at).overflow === "visible") continue;
        const edge = at.getBoundingClientRect();
        box.left = Math.max(box.left, edge.left);
        box.top = Math.max(box.top, edge.top);
        box.right = Math.min(box.right, edge.right);
        box.bottom = Math.min(box.bottom, edge.bottom);
      }
      if (box.right > box.left && box.bottom > box.top) boxes.push(box);
    }
  }
  const pairs = [];
  for (const [i, a] of boxes.entries()) {
    for (const b of boxes.slice(0, i)) {
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // Lines may touch: letters do not fill their boxes.
      if (a.node !== b.node && width > 2 && height > 3) pairs.push(`${b.node.data} | ${a.node.data}`);
    }
  }
  return pairs;
}

for (const [width, theme] of [
  [400, "light"],
  [820, "dark"],
  [1440, "light"],
]) {
  test(`every tab works at ${width} pixels, ${theme}, without a word on the console`, async () => {
    const page = await open("", { theme, width, height: 900 });
    for (const tab of TABS) {
      await page.click(`#tab-${tab}`);
      assert.equal(await page.getAttribute(`#tab-${tab}`, "aria-selected"), "true");
      assert.ok(await page.locator("main .view").isVisible());
      assert.ok((await page.locator("main .view").innerText()).length > 10, tab);
      // Only what scrolls by itself may be wider than the screen.
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${tab} is wider than the screen`,
      );
      // Texts have the least room on a phone.
      if (width === 400) assert.deepEqual(await page.evaluate(covered), [], tab);
    }
    assert.deepEqual(page.said, []);
  });
}

test("layers fold, a layer that differs has a badge, and folds open down to nodes", async () => {
  const page = await open("tab=graph");
  await page.click("button >> text=/^Fold$/");
  const box = page.locator('.box[data-key="layers"]');
  assert.match(await box.textContent(), /\u00d7 5/);
  assert.match(await box.textContent(), /\u25b2 3 differ/);
  await box.click();
  const kinds = page.locator('.box[data-key^="layers/"]');
  assert.equal(await kinds.count(), 4);
  await kinds.first().click();
  await page.locator('.box[data-key="layers/0/attn"]').click();
  await page.locator('.box[data-key="layers/0/attn/q_proj"]').click();
  assert.match(await page.locator(".panel").innerText(), /layer\.0\/attn\/q_proj/);
  assert.match(await page.url(), /node=[0-9a-f]{16}/);
  await page.click("text=Fold >> nth=0");
  assert.deepEqual(page.said, []);
});

test("a layer of the most common kind is open at first, with its weights, its cache and the names of fused nodes", async () => {
  const page = await open("tab=graph");
  assert.ok((await page.locator('.cluster[data-key="layers"]').count()) > 0);
  assert.ok((await page.locator(".box.leaf").count()) > 5);
  const pills = await page.locator(".pill.source text").allTextContents();
  assert.ok(pills.includes("kv cache"), pills.join(";"));
  assert.ok(pills.some((text) => /^(\d+ )?weights? .*(B|KiB|MiB)$/.test(text)), pills.join(";"));
  // A fused node is named by all its members.
  const names = await page.locator(".box.leaf").evaluateAll((all) =>
    all.map((box) => [...box.querySelectorAll(".name")].map((line) => line.textContent).join("")),
  );
  const fused = names.filter((name) => name.includes("+"));
  assert.ok(fused.length > 0, names.join(";"));
  assert.ok(fused.every((name) => !name.includes("\u2026")), fused.join(";"));
});

test("Fit shows all of the graph, and it is coloured by op too", async () => {
  const page = await open("tab=graph");
  await page.click("button >> text=/^Fit$/");
  const outside = await page.evaluate(() => {
    const frame = document.querySelector("svg.graph").getBoundingClientRect();
    return [...document.querySelectorAll(".box, .cluster, .pill")].filter((box) => {
      const { left, right, top, bottom } = box.getBoundingClientRect();
      return left < frame.left - 1 || right > frame.right + 1 || top < frame.top - 1 || bottom > frame.bottom + 1;
    }).length;
  });
  assert.equal(outside, 0);
  await page.selectOption(".graph-view select", "op");
  assert.match(await page.locator(".underbar .legend").innerText(), /attention/);
});

test("the panel says shapes, rule, numbers, other targets and the flag that moves the node", async () => {
  const page = await open("tab=graph");
  await page.fill(".search", "layer:0 q_proj");
  await page.press(".search", "Enter");
  const text = await page.locator(".panel").innerText();
  for (const wanted of [
    /f32\[T,\d+\]/,
    /rule rest of policy three/,
    /wants rows >= 8, found 1/,
    /rule rest does not list it/,
    /measured, mean/,
    /FLOP per token/,
    /--place 'name=/,
    /kernel/,
  ])
    assert.match(text, wanted);
  assert.doesNotMatch(text, /must come before/);
  // An override is told as one.
  await page.fill(".search", "layer:2 down_proj");
  await page.press(".search", "Enter");
  const moved = await page.locator(".panel").innerText();
  assert.match(moved, /given on the command line/);
  assert.match(moved, /It must come before place name=layer\.2\/ffn\/\*=simd/);
});

test("search counts, dims the rest and unfolds what it finds, in folded layers too", async () => {
  const page = await open("tab=graph");
  await page.fill(".search", "op:swiglu");
  assert.match(await page.locator(".graph-view .hits").innerText(), /^5 nodes found/);
  assert.ok((await page.locator(".box.dim").count()) > 0);
  await page.press(".search", "Enter");
  assert.match(await page.locator(".panel").innerText(), /swiglu/);
  // A layer that is folded with others is found by its number.
  await page.fill(".search", "layer:1 op:attention$");
  assert.match(await page.locator(".graph-view .hits").innerText(), /^1 node found/);
  await page.press(".search", "Enter");
  assert.match(await page.locator(".panel h2").innerText(), /^layer\.1\/attn\/attention/);
});

test("the regime switch recolours and changes the counts", async () => {
  const page = await open("tab=graph");
  const targets = () => page.locator(".legend").innerText();
  const first = await targets();
  await page.locator(".segmented[aria-label=Regime] button").last().click();
  assert.notEqual(await targets(), first);
  assert.match(await targets(), /parallel \d+/);
  assert.ok((await page.locator(".box.t-parallel").count()) > 0);
});

test("edges between targets are marked with bytes, and targets differ in border as well as in colour", async () => {
  const page = await open("tab=graph&regime=1");
  await page.click("text=Unfold one layer");
  assert.ok((await page.locator(".edge.crosses").count()) > 0);
  assert.match(await page.locator(".bytes.crosses").first().textContent(), /\d+(\.\d+)? (B|KiB)/);
  const borders = await page.$$eval(".box.leaf .body", (all) =>
    all.map((b) => `${b.parentNode.classList[1]} ${b.getAttribute("stroke-dasharray")}`),
  );
  const kinds = new Map(
    [...new Set(borders)].map((b) => b.split(" ")).map(([target, ...dash]) => [target, dash.join(" ")]),
  );
  assert.ok(kinds.size >= 2);
  assert.equal(new Set(kinds.values()).size, kinds.size);
});

test("the whole page is used with keys alone", async () => {
  const page = await open("");
  await page.keyboard.press("2");
  assert.equal(await page.getAttribute("#tab-graph", "aria-selected"), "true");
  await page.click("button >> text=/^Fold$/");
  await page.locator('[data-key="embed"]').focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.key), "layers");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator('.cluster[data-key="layers"]').count(), 1);
  await page.keyboard.press("r");
  assert.equal(await page.evaluate(() => globalThis.inferViz.app.state.regime), 1);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.type), "search");
  await page.keyboard.type("op:swiglu");
  await page.keyboard.press("Enter");
  assert.ok(await page.locator(".panel").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator(".panel").isVisible()));
  await page.locator("#tab-graph").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getAttribute("#tab-what-if", "aria-selected"), "true");
});

test("a link opens where it was copied", async () => {
  const page = await open("tab=table&regime=1&p=1");
  assert.equal(await page.getAttribute("#tab-table", "aria-selected"), "true");
  assert.equal(await page.locator(".segmented[aria-label=Program] [aria-pressed=true]").innerText(), "B b.pb");
});
