// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, THREE, Workshop } from "./pages.mjs";

const work = new Workshop();
const browser = new Browser();
before(async () => {
  work.model("m.gguf", 5);
  work.write("three.textproto", THREE);
  work.compile("m.gguf", "a.pb", "three.textproto", "--pass-log", "log.json", "--place", "name=layer.2/ffn/*=simd");
  work.compile("m.gguf", "b.pb", "parallel");
  const run = (program, profile, ...more) =>
    work.run(
      "infer-run",
      "-m",
      "m.gguf",
      "-g",
      program,
      "-p",
      "Once upon a time",
      "-n",
      "6",
      "-t",
      "2",
      "--profile",
      profile,
      ...more,
    );
  run("a.pb", "a.profile", "--trace", "a.json");
  run("b.pb", "b.profile");
  work.run(
    "infer-viz",
    "a.pb",
    "--profile",
    "a.profile",
    "--vs",
    "b.pb",
    "--vs-profile",
    "b.profile",
    "--pass-log",
    "log.json",
    "-o",
    "a.html",
  );
  await browser.start();
});
after(async () => {
  await browser.close();
  work.close();
});

const TABS = ["overview", "graph", "what-if", "compare", "timeline", "memory", "passes", "table"];
const open = (hash, more) => browser.open(work.path("a.html"), { hash, ...more });

for (const theme of ["light", "dark"]) {
  for (const width of [400, 820, 1440]) {
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
      }
      assert.deepEqual(page.said, []);
      await page.close();
    });
  }
}

test("layers fold, a layer that differs has a badge, and folds open down to nodes", async () => {
  const page = await open("tab=graph");
  const box = page.locator('.box[data-key="layers"]');
  assert.match(await box.textContent(), /\u00d7 5/);
  assert.match(await box.textContent(), /\u25b2 2 differ/);
  await box.click();
  const kinds = page.locator('.box[data-key^="layers/"]');
  assert.equal(await kinds.count(), 3);
  await kinds.first().click();
  await page.locator('.box[data-key="layers/0/attn"]').click();
  await page.locator('.box[data-key="layers/0/attn/q_proj"]').click();
  assert.match(await page.locator(".panel").innerText(), /layer\.0\/attn\/q_proj/);
  assert.match(await page.url(), /node=[0-9a-f]{16}/);
  await page.click("text=Fold >> nth=0");
  assert.deepEqual(page.said, []);
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
    /measured/,
    /--place 'name=/,
    /kernel/,
  ])
    assert.match(text, wanted);
});

test("an override is told as one", async () => {
  const page = await open("tab=graph");
  await page.fill(".search", "layer:2 down_proj");
  await page.press(".search", "Enter");
  assert.match(await page.locator(".panel").innerText(), /given on the command line/);
});

test("search counts, dims the rest and unfolds what it finds", async () => {
  const page = await open("tab=graph");
  await page.fill(".search", "op:swiglu");
  assert.match(await page.locator(".graph-view .hits").innerText(), /^5 nodes found/);
  assert.ok((await page.locator(".box.dim").count()) > 0);
  await page.press(".search", "Enter");
  assert.match(await page.locator(".panel").innerText(), /swiglu/);
});

test("a layer that is folded with others is found by its number", async () => {
  const page = await open("tab=graph");
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

test("edges between targets are marked with bytes", async () => {
  const page = await open("tab=graph&regime=1");
  await page.click("text=Unfold one layer");
  assert.ok((await page.locator(".edge.crosses").count()) > 0);
  assert.match(await page.locator(".bytes.crosses").first().textContent(), /\d+(\.\d+)? (B|KiB)/);
});

test("targets differ in border as well as in colour", async () => {
  const page = await open("tab=graph&regime=1");
  await page.click("text=Unfold one layer");
  const borders = await page.$$eval(".box.leaf .body", (all) =>
    all.map((b) => `${b.parentNode.classList[1]} ${b.getAttribute("stroke-dasharray")}`),
  );
  const kinds = new Map(
    [...new Set(borders)].map((b) => b.split(" ")).map(([target, ...dash]) => [target, dash.join(" ")]),
  );
  assert.ok(kinds.size >= 2);
  assert.equal(new Set(kinds.values()).size, kinds.size);
});

test("compare filters what moved", async () => {
  const page = await open("tab=compare");
  const moved = page.locator('[data-filter="moved"]');
  assert.match(await moved.innerText(), /moved [1-9]/);
  await moved.click();
  assert.equal(await moved.getAttribute("aria-pressed"), "true");
  const rows = page.locator(".compare tbody tr");
  assert.ok((await rows.count()) > 0);
  for (const text of await rows.allInnerTexts()) assert.match(text, /simd[^]*parallel/);
  assert.match(await page.locator(".compare h3").innerText(), /measured/);
});

test("what-if moves nodes with a threshold and back again", async () => {
  const page = await open("tab=what-if");
  const would = () => page.locator(".what-if .card strong").first().innerText();
  assert.equal(await would(), "0 nodes");
  await page.fill('[data-id="threshold 0 rows min"]', "1");
  await page.press('[data-id="threshold 0 rows min"]', "Enter");
  assert.notEqual(await would(), "0 nodes");
  assert.ok((await page.locator(".moved tbody tr").count()) > 0);
  await page.click("text=Reset");
  assert.equal(await would(), "0 nodes");
});

test("the timeline has a lane for each thread, and opens a trace", async () => {
  const page = await open("tab=timeline");
  assert.match(await page.locator(".timeline .plot").getAttribute("aria-label"), /^2 lanes/);
  await page.setInputFiles(".file", work.path("a.json"));
  await page.waitForFunction(() => /slices of \d+ calls/.test(document.querySelector(".timeline").innerText));
  assert.match(await page.locator(".timeline .plot").getAttribute("aria-label"), /^2 lanes/);
  assert.deepEqual(page.said, []);
});

test("the memory view marks the peak", async () => {
  const page = await open("tab=memory");
  assert.match(await page.locator(".memory .plot").getAttribute("aria-label"), /peak .* at step \d+/);
  assert.match(await page.locator(".memory").innerText(), /Alive at the peak/);
});

test("a pass shows its text before and after", async () => {
  const page = await open("tab=passes");
  await page.click("text=fuse-swiglu");
  assert.ok((await page.locator(".diff .gone").count()) > 0);
  assert.match(await page.locator(".diff .new").first().innerText(), /swiglu/);
});

test("the table sorts, groups and saves CSV", async () => {
  const page = await open("tab=table");
  const first = () => page.locator(".table-view tbody tr").first().innerText();
  const before = await first();
  await page.click(".table-view th >> text=estimate");
  await page.click(".table-view th >> text=estimate");
  assert.notEqual(await first(), before);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save CSV")]);
  await download.saveAs(work.path("nodes.csv"));
  assert.match(work.read("nodes.csv").toString(), /^step,scope,op,target/);
  await page.selectOption(".table-view select", "op");
  assert.match(await page.locator(".table-view .hits").innerText(), /rows/);
});

test("the whole page is used with keys alone", async () => {
  const page = await open("");
  await page.keyboard.press("2");
  assert.equal(await page.getAttribute("#tab-graph", "aria-selected"), "true");
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

test("the report is Markdown, and can leave out file names", async () => {
  const page = await open("");
  const [whole, bare] = await page.evaluate(async () => {
    const texts = [];
    navigator.clipboard.writeText = async (text) => {
      texts.push(text);
    };
    const button = [...document.querySelectorAll(".overview button")].find((b) => b.textContent === "Copy as Markdown");
    button.click();
    document.getElementById("redact").checked = true;
    button.click();
    await new Promise((done) => setTimeout(done, 50));
    return texts;
  });
  assert.match(whole, /^### m\.gguf, policy three/);
  assert.match(whole, /\| decode \|/);
  assert.ok(!bare.includes("m.gguf"));
});

test("without scripts there are a table and a drawing", async () => {
  const page = await open("", { scripts: false });
  assert.match(await page.locator("table").first().innerText(), /layer\.\*\/attn\/q_proj/);
  assert.ok((await page.locator("svg").count()) > 0);
});
